package wiresession

import (
	"context"
	"fmt"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// Stream is a wire session whose operations can also be begun and ended apart, so that one goroutine can have one under
// way at each of several deployments, and which hands out the documents of a read as they came. What was begun has to
// be ended, or settled, before anything else is done with it.
type Stream struct {
	*Session
	// request is the read whose cursor is asked for more.
	request *workload.Request
	// effect is that of the write that was begun.
	effect operation.Effect
	// waiting says that a reply is still to come, and posted that none will.
	waiting, posted bool
}

// Stream opens a handle and makes sure that the server answers it.
func (o *Opener) Stream(ctx context.Context, use loadgen.Use) (*Stream, error) {
	session, err := o.Session(ctx, use)
	if err != nil {
		return nil, err
	}
	return &Stream{Session: session}, nil
}

// Begin sends the first command of an operation, which may be anything but a BulkWrite and what only the driver knows.
// The reply to a write is taken by End, and that to a read by Batch, which the request has to be there for.
func (s *Stream) Begin(ctx context.Context, r *workload.Request) error {
	if r.Kind == operation.ReadModifyWrite || r.Kind.Row().Acknowledged {
		return fmt.Errorf("operations of kind %s go to one server, and are not begun and ended apart", r.Kind)
	}
	unacknowledged, err := s.encode(r)
	if err != nil {
		return err
	}
	s.request, s.effect = r, r.Kind.Row().Effect
	return s.dispatch(ctx, unacknowledged)
}

// BeginBulk sends the first command of a BulkWrite's parts from one on, and returns the part that the next begins with.
func (s *Stream) BeginBulk(ctx context.Context, r *workload.Request, from int) (next int, _ error) {
	next, s.effect = command.BulkEnd(r.Parts, from), r.Parts[from].Kind.Row().Effect
	return next, s.dispatch(ctx, s.encodeRun(r, from, next))
}

// End waits for the reply to what was begun, and adds the documents that were written.
func (s *Stream) End(ctx context.Context, reply *loadgen.Reply) error {
	if s.posted {
		s.posted, reply.Unacknowledged = false, true
		return nil
	}
	answer, err := s.receive(ctx, reply)
	if err == nil {
		reply.Wrote(s.effect, answer.N, answer.Modified, answer.Upserted)
	}
	return err
}

// Batch waits for the next documents of a read: an array, as it stands in the reply, which is valid until the next
// call. Ahead asks for those after it at once, so that the server looks for them meanwhile. There is more while the
// server has a cursor open.
func (s *Stream) Batch(ctx context.Context, reply *loadgen.Reply, ahead bool) (documents []byte, more bool, _ error) {
	if !s.waiting {
		if err := s.ask(ctx); err != nil {
			return nil, false, err
		}
	}
	answer, err := s.receive(ctx, reply)
	if err != nil {
		return nil, false, err
	}
	if answer.Batch == nil {
		return nil, false, s.failed(fmt.Errorf("%w: it holds no documents", wire.ErrProtocol))
	}
	s.cursor, s.cursorCollection = answer.Cursor, s.request.Collection
	if s.cursor != 0 && ahead {
		err = s.ask(ctx)
	}
	return answer.Batch, s.cursor != 0, err
}

// Settle waits for what was begun and not ended, and closes the cursor that was left open.
func (s *Stream) Settle(ctx context.Context) {
	s.posted = false
	if s.waiting {
		s.again = false
		if answer, err := s.receive(ctx, new(loadgen.Reply)); err == nil && answer.HasCursor {
			s.cursor, s.cursorCollection = answer.Cursor, s.request.Collection
		}
	}
	s.Session.Settle(ctx)
}

// ask asks for the next batch of the cursor.
func (s *Stream) ask(ctx context.Context) error {
	s.begin(false)
	s.build.GetMore(s.request, s.cursor)
	return s.dispatch(ctx, false)
}

// dispatch sends the command, which may be one without a reply.
func (s *Stream) dispatch(ctx context.Context, unacknowledged bool) error {
	s.held.Enter(ctx)
	s.posted = unacknowledged
	if unacknowledged {
		return s.held.Leave(ctx, s.post(ctx))
	}
	err := s.connect(ctx)
	if err == nil {
		if err = s.conn.Send(s.build.Command.Bytes); err != nil {
			err = s.failed(err)
		}
	}
	s.waiting = err == nil
	return s.held.Leave(ctx, err)
}

// receive waits for a reply. What failed is sent once more where that is allowed and makes sense.
func (s *Stream) receive(ctx context.Context, reply *loadgen.Reply) (wire.Reply, error) {
	if !s.waiting || s.conn == nil {
		s.waiting = false
		return wire.Reply{}, wire.ErrNothingSent
	}
	s.waiting = false
	s.held.Enter(ctx)
	answer, err := s.judge(s.conn.Receive())
	if err != nil && s.again && ctx.Err() == nil && mayHelp(err) {
		reply.Retries++
		answer, err = s.exchange(ctx)
	}
	return answer, s.held.Leave(ctx, err)
}
