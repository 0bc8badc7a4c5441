package legacy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// session is one worker's handle: one connection, which it owns. After an error of the network, and when its server is
// no longer primary, the next operation reconnects.
type session struct {
	target     *Target
	database   string
	operations []terms
	out        messages
	// build writes commands that are those of newer servers.
	build command.Builder
	// fields is where commands are built before they are put into a message.
	fields []byte

	// conn is nil when there is none. shared is the same, for those who watch.
	conn   *conn
	shared atomic.Pointer[conn]
	// done belongs to the context that ends what is waited for on the connection watched, until stop is called. A context
	// that was followed by another one must not end what that one's operation waits for: it sees by the number, which
	// mutex guards, that it is the last no more.
	done     <-chan struct{}
	watched  *conn
	stop     func() bool
	mutex    sync.Mutex
	contexts uint64

	// cursor is one that was not read to its end, 0 for none.
	cursor int64
	// unanswered says that unacknowledged writes went over the connection, and broken that such a connection ended.
	unanswered, broken bool
	load               loading
}

// Client says that it is the legacy client, and which form of the protocol it speaks.
func (s *session) Client() string {
	return s.target.Driver()
}

// Close ends the connection.
func (s *session) Close() {
	if s.stop != nil {
		s.stop()
	}
	s.drop()
	s.target.mutex.Lock()
	defer s.target.mutex.Unlock()
	delete(s.target.sessions, s)
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
	s.shared.Store(found)
	return nil
}

// drop gives up the connection.
func (s *session) drop() {
	if s.conn == nil {
		return
	}
	s.conn.close()
	s.target.mutex.Lock()
	defer s.target.mutex.Unlock()
	s.target.bytesIn += s.conn.bytesIn.Load()
	s.target.bytesOut += s.conn.bytesOut.Load()
	s.shared.Store(nil)
	s.unanswered, s.broken = false, s.broken || s.unanswered
	s.conn, s.cursor, s.load.outstanding = nil, 0, false
}

// enter begins an operation: it ends in time, and with its context.
func (s *session) enter(ctx context.Context) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	if ctx.Done() != s.done || s.watched != s.conn {
		s.follow(ctx)
	}
	if err := s.conn.conn.SetDeadline(time.Now().Add(s.target.servers.Timeout)); err != nil {
		return err
	}
	// It may have ended before the deadline was set.
	return ctx.Err()
}

// follow watches a context, whose end then ends what waits on the connection. The connection outlives it: what was sent
// over it may still be on its way.
func (s *session) follow(ctx context.Context) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.stop != nil {
		s.stop()
	}
	s.contexts++
	number, watched := s.contexts, s.conn
	s.done, s.watched = ctx.Done(), watched
	s.stop = context.AfterFunc(ctx, func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if s.contexts == number {
			watched.abort()
		}
	})
}

// leave looks at how an operation ended.
func (s *session) leave(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	class := errorclass.Of(err)
	if !isRefusal(err) || class == "not primary" {
		s.drop()
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: within %s", errAborted, s.target.servers.Timeout)
	}
	return err
}

// isRefusal says whether the server answered, and the connection is as good as before.
func isRefusal(err error) bool {
	var refused interface{ HasErrorCode(code int) bool }
	return errors.As(err, &refused) || errors.Is(err, errTooLarge) || errors.Is(err, errUnknown)
}

// errUnknown is an operation that cannot be sent; nothing of it was.
var errUnknown = errors.New("servers of this age do not know it")

// Execute sends one operation.
func (s *session) Execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	*reply = loadgen.Reply{}
	err := s.enter(ctx)
	if err == nil {
		err = s.execute(r, reply)
	}
	return s.leave(ctx, err)
}

func (s *session) execute(r *workload.Request, reply *loadgen.Reply) error {
	if does := own[r.Kind]; does != nil {
		return does(requests{s}, r, reply)
	}
	if command.FormOf(r.Kind).Answer == command.Documents {
		return s.readCommand(r, reply)
	}
	return requests{s}.write(r, reply)
}

// requests are the ways of a session for kinds of requests.
type requests struct{ *session }

// own are the kinds that this client does in a way of its own. Other reads are commands as newer servers get them, and
// other writes are opcodes.
var own = map[operation.Kind]func(requests, *workload.Request, *loadgen.Reply) error{
	operation.FindOne:          requests.findOne,
	operation.Find:             requests.find,
	operation.CountDocuments:   requests.count,
	operation.Aggregate:        requests.aggregate,
	operation.RunCommand:       requests.anyCommand,
	operation.FindOneAndUpdate: requests.findAndModify,
	operation.ReadModifyWrite:  requests.readAndWrite,
	operation.BulkWrite:        requests.bulk,
}

// readCommand sends a read that is the same command to newer servers.
func (s *session) readCommand(r *workload.Request, reply *loadgen.Reply) error {
	document, err := s.run(command.FormOf(r.Kind).Write(&s.build, r))
	if err != nil {
		return err
	}
	answer, err := wire.Parse(document)
	if err != nil {
		return err
	}
	documents, err := wire.Count(answer.Batch)
	reply.Documents += documents
	return err
}

func (s requests) anyCommand(r *workload.Request, _ *loadgen.Reply) error {
	_, err := s.run(r.Command)
	return err
}

func (s requests) readAndWrite(r *workload.Request, reply *loadgen.Reply) error {
	if err := s.findOne(r, &loadgen.Reply{}); err != nil {
		return err
	}
	return s.write(r, reply)
}

// Settle closes the cursor that was left open. The server does not answer.
func (s *session) Settle(context.Context) {
	if s.cursor == 0 || s.conn == nil {
		return
	}
	s.out.reset()
	s.out.begin(opKillCursors)
	s.out.int32(0)
	s.out.int32(1)
	s.out.int64(s.cursor)
	s.out.end(s.conn.next())
	s.cursor = 0
	if err := s.conn.send(s.out.bytes); err != nil {
		s.drop()
	}
}

// terms of a request.
func (s *session) terms(r *workload.Request) *terms {
	if r.Operation < len(s.operations) {
		return &s.operations[r.Operation]
	}
	return &s.load.terms
}

// run sends a command and returns the document of its reply, valid until the next.
func (s *session) run(document []byte) (bson.Raw, error) {
	s.out.reset()
	s.conn.appendCommand(&s.out, s.database, document)
	if err := s.conn.send(s.out.bytes); err != nil {
		return nil, err
	}
	answer, err := s.conn.receive()
	if err != nil {
		return nil, err
	}
	return succeeded(answer)
}
