package wiresession

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

var (
	_ loadgen.Drainer = (*Session)(nil)
	_ loadgen.Drainer = (*Stream)(nil)

	_ loadgen.Snapshotter = (*Session)(nil)
)

// Session is one worker's handle by the wire client: one connection, which it owns. After an error of the network,
// and when its server is no longer primary, the next operation reconnects.
type Session struct {
	build    command.Builder
	opener   *Opener
	database string
	// retry sends an operation once more, and again says that the present command may be. With fresh each operation opens
	// a connection of its own.
	retry, again, fresh bool

	// conn is nil when there is none. held is the hold on it.
	conn *wire.Conn
	held wire.Handle

	// plain are the elements at the end of every command. numbered are those at the end of a write that may be sent twice:
	// the last eight bytes before plain are its number. It is empty where the deployment does not know them.
	plain, numbered []byte
	number          uint64

	// cursor is one that was not read to its end, 0 for none.
	cursor           int64
	cursorCollection string

	// taking takes what a flow wants of the answers to the operation under way; nil for nothing.
	taking *workload.Taking

	load wireLoad
}

// Session opens a handle that sends by the wire client.
func (o *Opener) Session(ctx context.Context, use loadgen.Use) (*Session, error) {
	builder, err := command.NewBuilder(o.terms, use.Step)
	if err != nil {
		return nil, err
	}
	builder.Command.Lead, builder.MaxTime = wire.Lead, true
	s := &Session{
		build: builder, opener: o, database: use.Database, retry: use.Step.Retry == benchv1alpha1.RetryOnce,
		fresh: use.Step.Fresh(),
		// The rest of an ordered batch would be lost behind a document that is there already.
		load: wireLoad{ordered: use.Step.Ordered && !use.Resume, resume: use.Resume},
	}
	if err := s.connect(ctx); err != nil {
		return nil, fmt.Errorf("opening a connection: %w", err)
	}
	s.opener.watch.Over(&s.held)
	s.Settle(ctx)
	return s, nil
}

// Client says that it is the wire client.
func (s *Session) Client() string {
	return "wire"
}

// Sent says what goes with each operation.
func (s *Session) Sent() (terms string, poolSize int64) {
	retries := "retries off, no lsid"
	switch {
	case len(s.numbered) > 0:
		retries = "one retry, writes with lsid and txnNumber"
	case s.retry:
		retries = "one retry of reads, no lsid"
	}
	each := "thread"
	if s.fresh {
		each = "operation"
	}
	return "prepared commands, " + retries + ", nothing decoded, a connection for each " + each, 0
}

// Close ends the connection.
func (s *Session) Close() {
	s.held.Close()
	s.conn = nil
}

// connect makes sure that there is a connection.
func (s *Session) connect(ctx context.Context) error {
	if s.conn != nil {
		return nil
	}
	conn, err := s.opener.dial(ctx)
	if err != nil {
		return err
	}
	s.conn = conn
	s.held.Hold(ctx, &conn.Link)
	s.setTrailers(conn.Hello())
	return nil
}

// setTrailers makes the ends of the commands.
func (s *Session) setTrailers(hello *wire.Hello) {
	s.plain = bsoncore.AppendStringElement(s.plain[:0], "$db", s.database)
	if !hello.Writable {
		// The connection string insists on this server, which would refuse to be read from else.
		mode := bsoncore.NewDocumentBuilder().AppendString("mode", "primaryPreferred").Build()
		s.plain = bsoncore.AppendDocumentElement(s.plain, "$readPreference", mode)
	}
	if !s.retry || len(s.numbered) > 0 || !hello.Sessions || !hello.Mongos && hello.Set == "" {
		return
	}
	var id [16]byte
	_, _ = rand.Read(id[:])
	// Version 4 and the variant of RFC 9562.
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	const subtypeUUID = 4
	session := bsoncore.NewDocumentBuilder().AppendBinary("id", subtypeUUID, id[:]).Build()
	s.numbered = bsoncore.AppendDocumentElement(s.numbered, "lsid", session)
	s.numbered = bsoncore.AppendInt64Element(s.numbered, "txnNumber", 0)
	s.numbered = append(s.numbered, s.plain...)
}

// drop gives up the connection.
func (s *Session) drop(err error) {
	if s.conn == nil {
		return
	}
	address := s.conn.Address()
	s.held.Drop()
	s.conn, s.cursor, s.load.outstanding = nil, 0, 0
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		s.opener.forget(address)
	}
}

// Execute sends one operation.
func (s *Session) Execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	*reply = loadgen.Reply{}
	if r.Kind == operation.Connect {
		return s.opener.Connect(ctx, r.Declared.ConnectUntil)
	}
	s.held.Enter(ctx)
	return s.held.Leave(ctx, s.execute(ctx, r, reply))
}

// Settle closes the cursor that was left open, and the connection that only one operation is for.
func (s *Session) Settle(ctx context.Context) {
	if s.cursor != 0 && s.conn != nil {
		s.begin(false)
		c := &s.build.Command
		c.Begin("killCursors", s.cursorCollection)
		c.BeginArray("cursors")
		c.Number("0", s.cursor)
		c.EndNested()
		c.End()
		s.cursor = 0
		s.held.Enter(ctx)
		_, err := s.exchange(ctx)
		_ = s.held.Leave(ctx, err)
	}
	if s.fresh && s.conn != nil {
		s.held.Drop()
		s.conn = nil
	}
}

// NewSnapshot has what is read from now on be of one instant.
func (s *Session) NewSnapshot() {
	s.build.NewSnapshot()
}

// Unacknowledged says whether an operation's writes go without a reply.
func (s *Session) Unacknowledged(operation int) bool {
	return s.build.UnacknowledgedWrites(operation)
}

// Drain asks over the session's connection whether all before was taken in.
func (s *Session) Drain(ctx context.Context) error {
	return s.held.Drain(ctx, func() error {
		s.begin(false)
		s.build.Command.CopyOpen(command.Ping)
		s.build.Command.End()
		_, err := s.judge(s.conn.Call(s.build.Command.Bytes))
		return err
	})
}

// begin is called before a command is written, with whether it may be sent twice.
func (s *Session) begin(again bool) {
	s.again, s.build.Command.Trailer = again, s.plain
}

// beginRetryable is called before the command of a write is written that the server may be able to tell from its
// repetition.
func (s *Session) beginRetryable(can bool) {
	if !s.retry || !can || len(s.numbered) == 0 {
		s.begin(false)
		return
	}
	s.number++
	place := len(s.numbered) - len(s.plain) - 8
	binary.LittleEndian.PutUint64(s.numbered[place:], s.number)
	s.again, s.build.Command.Trailer = true, s.numbered
}

// call sends the command, once more where that is allowed and makes sense, and returns the answer.
func (s *Session) call(ctx context.Context, reply *loadgen.Reply) (wire.Reply, error) {
	answer, err := s.exchange(ctx)
	if err != nil && s.again && ctx.Err() == nil && mayHelp(err) {
		reply.Retries++
		answer, err = s.exchange(ctx)
	}
	s.build.SnapshotAt(answer.At)
	return answer, err
}

// exchange sends the command and returns the answer, which is valid until the next.
func (s *Session) exchange(ctx context.Context) (wire.Reply, error) {
	if s.conn == nil {
		if err := s.connect(ctx); err != nil {
			return wire.Reply{}, err
		}
	}
	document, err := s.conn.Call(s.build.Command.Bytes)
	return s.judge(document, err)
}

// judge looks at what came back of a command.
func (s *Session) judge(document []byte, err error) (wire.Reply, error) {
	if err != nil {
		return wire.Reply{}, s.failed(err)
	}
	answer, err := wire.Parse(document)
	if err != nil {
		return wire.Reply{}, s.failed(err)
	}
	if answer.OK && !answer.Errors {
		return answer, nil
	}
	err = errorclass.OfReply(document, answer)
	if errorclass.Of(err) == errorclass.NotPrimary {
		s.drop(err)
	}
	return answer, err
}

// failed gives up the connection, unless nothing was sent.
func (s *Session) failed(err error) error {
	switch {
	case errors.Is(err, wire.ErrTooLarge):
		return commandError(err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("no reply within %s: %w", s.opener.watch.Timeout, err)
	default:
		err = fmt.Errorf("the connection to the server broke: %w", err)
	}
	s.drop(err)
	return err
}

// post sends a command that the server does not answer.
func (s *Session) post(ctx context.Context) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	s.held.Unanswered = true
	if err := s.conn.Post(s.build.Command.Bytes); err != nil {
		return s.failed(err)
	}
	return nil
}

const (
	// wirePipeline is how many batches are under way: while the server writes one, the next is made and sent.
	wirePipeline = 2
	// sampleDocuments is after how many documents the size of a batch is guessed.
	sampleDocuments = 16
)

// wireLoad is what a Load needs of a session.
type wireLoad struct {
	ordered, resume bool
	// batches are used in turn; turn is the one to be encoded or sent next.
	batches [wirePipeline]command.Buffer
	turn    int
	// outstanding is how many were sent and not acknowledged.
	outstanding int
}

// unconnected are the limits of every server.
var unconnected = wire.Hello{MaxMessageBytes: command.MaxBatchBytes, MaxBatch: command.MaxBatchDocuments}

// limitsOf are those of a connection's server.
func limitsOf(conn *wire.Conn) *wire.Hello {
	if conn == nil {
		return &unconnected
	}
	return conn.Hello()
}

// Pipeline is how many batches may be under way.
func (s *Session) Pipeline() int {
	return wirePipeline
}

// Encode writes one insert of as many documents as it may hold, each straight into the message.
func (s *Session) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	c := &s.load.batches[s.load.turn]
	c.Lead, c.Trailer = wire.Lead, s.plain
	c.Begin("insert", collection)
	c.Bool("ordered", s.load.ordered)
	c.Document("writeConcern", s.build.Loading)
	c.End()
	start, request := wire.BeginSequence(c.Bytes, "documents")
	limits := limitsOf(s.conn)
	most, maxBytes, begin := min(count, int64(limits.MaxBatch)), limits.MaxMessageBytes, len(request)
	var encoded int64
	for encoded < most {
		if encoded == sampleDocuments {
			// Growing by doubling would take up to twice of what is needed.
			each := int64(len(request)-begin)/sampleDocuments + 1
			request = slices.Grow(request, int(min(each*(most-encoded), int64(maxBytes-len(request)))))
		}
		before := len(request)
		request = documents.Append(request, first+encoded)
		if len(request) > maxBytes && encoded > 0 {
			request = request[:before]
			break
		}
		encoded++
	}
	wire.EndSequence(request, start)
	c.Bytes = request
	return encoded
}

// Send sends what Encode wrote, without waiting for the reply.
func (s *Session) Send(ctx context.Context) error {
	s.held.Enter(ctx)
	return s.held.Leave(ctx, s.send(ctx))
}

func (s *Session) send(ctx context.Context) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	if err := s.conn.Send(s.load.batches[s.load.turn].Bytes); err != nil {
		return s.failed(err)
	}
	s.load.turn = (s.load.turn + 1) % wirePipeline
	s.load.outstanding++
	return nil
}

// Acknowledge waits for the reply to the oldest batch that has none.
func (s *Session) Acknowledge(ctx context.Context) error {
	if s.load.outstanding == 0 {
		return wire.ErrNothingSent
	}
	s.load.outstanding--
	s.held.Enter(ctx)
	_, err := s.judge(s.conn.Receive())
	if s.load.resume && errorclass.OnlyThereAlready(err) {
		err = nil
	}
	return s.held.Leave(ctx, err)
}
