package legacy

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

var _ loadgen.Drainer = (*session)(nil)

// session is one worker's handle: one connection, which it owns. After an error of the network, and when its server is
// no longer primary, the next operation reconnects.
type session struct {
	target   *Target
	database string
	out      messages
	// build writes commands, in front of which it leaves room for their header: header has all of it but the length and
	// the number.
	build  command.Builder
	header []byte

	// conn is nil when there is none. held is the hold on it.
	conn *conn
	held wire.Handle

	// cursor is one that was not read to its end, 0 for none.
	cursor int64
	load   loading
}

// loading is what a Load needs of a session.
type loading struct {
	ordered, resume bool
	// command says that the batch is a write command, and outstanding that one was sent and not acknowledged.
	command, outstanding bool
}

// Client says that it is the legacy client, and which form of the protocol it speaks.
func (s *session) Client() string {
	return s.target.Driver()
}

// Close ends the connection.
func (s *session) Close() {
	s.held.Close()
	s.conn = nil
}

// connect makes sure that there is a connection.
func (s *session) connect(ctx context.Context) error {
	if s.conn != nil {
		return nil
	}
	found, err := s.target.dial(ctx)
	if err != nil {
		return err
	}
	s.conn = found
	s.held.Hold(ctx, &found.Link)
	return nil
}

// drop gives up the connection.
func (s *session) drop() {
	s.held.Drop()
	s.conn, s.cursor, s.load.outstanding = nil, 0, false
}

// carryOut does what waits for the server, and looks at how it ended.
func (s *session) carryOut(ctx context.Context, do func() error) error {
	s.held.Enter(ctx)
	err := s.connect(ctx)
	if err == nil {
		err = do()
	}
	return s.held.Leave(ctx, s.judged(err))
}

// judged gives up the connection after an error that it is no good after.
func (s *session) judged(err error) error {
	if err == nil {
		return nil
	}
	if !isRefusal(err) || errorclass.Of(err) == errorclass.NotPrimary {
		s.drop()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("no reply within %s: %w", s.target.watch.Timeout, err)
	}
	return err
}

// isRefusal says whether the server answered, and the connection is as good as before.
func isRefusal(err error) bool {
	var refused interface{ HasErrorCode(code int) bool }
	return errors.As(err, &refused) || errors.Is(err, wire.ErrTooLarge) || errors.Is(err, errUnknown)
}

// Execute sends one operation.
func (s *session) Execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	*reply = loadgen.Reply{}
	return s.carryOut(ctx, func() error { return s.execute(r, reply) })
}

// Settle closes the cursor that was left open. The server does not answer.
func (s *session) Settle(context.Context) {
	if s.cursor == 0 || s.conn == nil {
		return
	}
	s.out.reset()
	s.out.open(opKillCursors, 0)
	s.out.int32(1)
	s.out.int64(s.cursor)
	s.out.end(s.conn.next())
	s.cursor = 0
	if err := s.conn.Write(s.out.bytes); err != nil {
		s.drop()
	}
}

// Unacknowledged says whether an operation's writes go without a getLastError.
func (s *session) Unacknowledged(operation int) bool {
	return s.build.UnacknowledgedWrites(operation)
}

// Drain asks over the session's connection whether all before was taken in.
func (s *session) Drain(ctx context.Context) error {
	return s.held.Drain(ctx, func() error {
		_, err := s.conn.run(s.database, command.Ping)
		return s.judged(err)
	})
}

// commandReserve is the room in a batch for what is not documents: the namespace, the write concern, a getLastError.
const commandReserve = 4 << 10

// Pipeline is how many batches may be under way: these servers answer one after the other, and a second one in the
// buffers of the network would gain nothing.
func (s *session) Pipeline() int {
	return 1
}

// Encode writes one insert of as many documents as a request may hold, by the opcode or by the command.
func (s *session) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	limits := oldest
	if s.conn != nil {
		limits = s.conn.hello
	}
	s.load.command = s.target.version >= firstWithWriteCommands
	if s.load.command {
		return s.build.Load(command.Batch{
			Collection: collection, Ordered: s.load.ordered,
			MaxDocuments: int64(limits.MaxBatch), MaxBytes: limits.MaxDocumentBytes - commandReserve,
		}, documents, first, count)
	}
	m := &s.out
	m.reset()
	flags := int32(insertContinueOnError)
	if s.load.ordered {
		flags = 0
	}
	m.begin(opInsert, flags, s.database, collection)
	var encoded int64
	for encoded < count {
		before := len(m.bytes)
		m.bytes = documents.Append(m.bytes, first+encoded)
		if encoded > 0 && len(m.bytes) > limits.MaxMessageBytes-commandReserve {
			m.bytes = m.bytes[:before]
			break
		}
		encoded++
	}
	return encoded
}

// Send sends what Encode wrote, and with an opcode the question how it went.
func (s *session) Send(ctx context.Context) error {
	return s.carryOut(ctx, func() error {
		s.load.outstanding = true
		if s.load.command {
			return s.send()
		}
		// The number is the connection's, which may be another one than when the batch was made.
		s.out.end(s.conn.next())
		s.out.command(s.conn, s.database, s.build.LastError(s.build.Loading))
		return s.conn.Write(s.out.bytes)
	})
}

// Acknowledge waits for the answer to the batch.
func (s *session) Acknowledge(ctx context.Context) error {
	if !s.load.outstanding {
		return wire.ErrNothingSent
	}
	s.load.outstanding = false
	s.held.Enter(ctx)
	var err error
	if s.load.command {
		_, _, err = s.conn.answer()
	} else {
		_, err = s.conn.acknowledged()
	}
	if err != nil && s.load.resume && (errorclass.OnlyThereAlready(err) ||
		!s.load.command && errorclass.Of(err) == errorclass.DuplicateKey) {
		err = nil
	}
	return s.held.Leave(ctx, s.judged(err))
}
