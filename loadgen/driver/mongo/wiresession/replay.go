package wiresession

import (
	"context"
	"errors"
	"fmt"
	"time"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

var _ loadgen.Replayer = (*Replay)(nil)

// Replay is a session that sends commands as they were recorded. It adds nothing but their database: sessions and
// transactions are in the commands, and cursors are left open.
type Replay struct {
	session *Session
	// trailers are the ends of commands, by their database.
	trailers map[string][]byte
}

// Replay opens a handle and makes sure that the server answers it.
func (o *Opener) Replay(ctx context.Context, use loadgen.Use) (*Replay, error) {
	if reason := beyondWire(o.options); reason != "" {
		return nil, fmt.Errorf("a recording is replayed over connections of the load generator's own, which do not know what "+
			"the connection string has: %s", reason)
	}
	session, err := o.Session(ctx, use)
	if err != nil {
		return nil, err
	}
	return &Replay{session: session, trailers: map[string][]byte{}}, nil
}

// Client says that it is the wire client.
func (r *Replay) Client() string { return r.session.Client() }

// Sent says what goes with each operation.
func (r *Replay) Sent() (terms string, poolSize int64) {
	return "commands as recorded, with the lsid and txnNumber of sessions of their own, nothing decoded, a connection for " +
		"each thread", 0
}

// Execute sends one command, once.
func (r *Replay) Execute(ctx context.Context, request *workload.Request, reply *loadgen.Reply) error {
	*reply = loadgen.Reply{}
	s := r.session
	s.held.Enter(ctx)
	err := s.held.Leave(ctx, r.execute(ctx, request, reply))
	if err != nil {
		reply.Code = codeOf(err)
	}
	return err
}

func (r *Replay) execute(ctx context.Context, request *workload.Request, reply *loadgen.Reply) error {
	s := r.session
	if err := s.connect(ctx); err != nil {
		return err
	}
	s.again, s.build.Command.Trailer = false, r.trailer(request.Database)
	s.build.Command.CopyOpen(request.Command)
	s.build.Command.End()
	answer, err := s.exchange(ctx)
	reply.Documents, reply.Cursor = answer.N, answer.Cursor
	if err != nil || answer.Batch == nil {
		return err
	}
	if answer.HasCursor {
		reply.First = time.Now()
	}
	reply.Documents = 0
	return s.count(answer, reply)
}

// trailer is the end of the commands of a database: as that of the session's own, but for its name.
func (r *Replay) trailer(database string) []byte {
	if database == "" || database == r.session.database {
		return r.session.plain
	}
	known, made := r.trailers[database]
	if !made {
		known = bsoncore.AppendStringElement(nil, "$db", database)
		r.trailers[database] = known
	}
	return known
}

// Kill closes a cursor that a command left open.
func (r *Replay) Kill(ctx context.Context, request *workload.Request, cursor int64) {
	s := r.session
	if s.conn == nil {
		return
	}
	collection := collectionOf(request.Command)
	if more, ok := request.Command.Lookup("collection").StringValueOK(); ok {
		collection = more
	}
	s.again, s.build.Command.Trailer = false, r.trailer(request.Database)
	c := &s.build.Command
	c.Begin("killCursors", collection)
	c.BeginArray("cursors")
	c.Number("0", cursor)
	c.EndNested()
	c.End()
	s.held.Enter(ctx)
	_, err := s.exchange(ctx)
	_ = s.held.Leave(ctx, err)
}

// Settle has nothing to do: what a command left open may be used by another one.
func (r *Replay) Settle(context.Context) {}

// Encode is of a Load, of which there is none.
func (r *Replay) Encode(string, loadgen.Documents, int64, int64) int64 { return 1 }

// Send is of a Load, of which there is none.
func (r *Replay) Send(context.Context) error { return wire.ErrNothingSent }

// Acknowledge is of a Load, of which there is none.
func (r *Replay) Acknowledge(context.Context) error { return wire.ErrNothingSent }

// Pipeline is of a Load, of which there is none.
func (r *Replay) Pipeline() int { return 1 }

// Close ends the connection.
func (r *Replay) Close() { r.session.Close() }

// codeOf is the server's code of an error, 0 for none.
func codeOf(err error) int32 {
	if refused, ok := errors.AsType[driver.CommandError](err); ok {
		return refused.Code
	}
	failed, ok := errors.AsType[driver.WriteException](err)
	switch {
	case !ok:
		return 0
	case len(failed.WriteErrors) > 0:
		return int32(failed.WriteErrors[0].Code)
	case failed.WriteConcernError != nil:
		return int32(failed.WriteConcernError.Code)
	default:
		return 0
	}
}
