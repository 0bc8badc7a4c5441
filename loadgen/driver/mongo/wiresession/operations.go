package wiresession

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

func (s *Session) execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	form := command.FormOf(r.Kind)
	switch {
	case form.Answer == command.Documents:
		s.beginRead()
		form.Write(&s.build, r)
		return requests{s}.first(ctx, reply)
	case form.Answer == command.Cursor:
		s.beginRead()
		form.Write(&s.build, r)
		return s.stream(ctx, r, reply)
	case r.Kind == operation.RunCommand:
		return s.runCommand(ctx, r, reply)
	case r.Kind == operation.BulkWrite:
		return requests{s}.writeBulk(ctx, r, reply)
	case r.Kind == operation.ReadModifyWrite:
		var read loadgen.Reply
		s.beginRead()
		s.build.FindOne(r)
		err := requests{s}.first(ctx, &read)
		reply.Retries = read.Retries
		if err != nil {
			return err
		}
	}
	return requests{s}.write(ctx, r, reply)
}

// runCommand sends a command. Whether it may be sent twice is not known, so that it is not.
func (s *Session) runCommand(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	s.beginOnce()
	s.build.CopyCommand(r)
	answer, err := s.call(ctx, reply)
	if err != nil || !answer.HasCursor {
		return err
	}
	s.cursor, s.cursorCollection = answer.Cursor, collectionOf(r.Command)
	return requests{s}.counted(answer, reply)
}

// requests are how a session carries out what needs more than one command.
type requests struct{ *Session }

// write sends the command of an operation that changes documents, and adds how many.
func (s requests) write(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	unacknowledged, row := s.build.Terms(r).Unacknowledged, r.Kind.Row()
	if unacknowledged && row.Acknowledged {
		return fmt.Errorf("an operation of kind %s cannot be sent without an acknowledgement", r.Kind)
	}
	if command.FormOf(r.Kind).Answer != command.Changes {
		return fmt.Errorf("the wire client does not know operations of kind %s; use the driver", r.Kind)
	}
	s.encodeWrite(r, unacknowledged)
	return s.change(ctx, unacknowledged, reply)
}

// encodeWrite writes the command of a write.
func (s requests) encodeWrite(r *workload.Request, unacknowledged bool) {
	s.beginRetryable(!unacknowledged && r.Kind.Row().Repeatable)
	if r.Kind.Row().Effect == operation.Inserts {
		s.insertSequence(r)
		return
	}
	command.FormOf(r.Kind).Write(&s.build, r)
}

// change sends a command that changes documents, and adds how many.
func (s requests) change(ctx context.Context, unacknowledged bool, reply *loadgen.Reply) error {
	if unacknowledged {
		reply.Unacknowledged = true
		return s.post(ctx)
	}
	answer, err := s.call(ctx, reply)
	if err == nil {
		reply.Documents += answer.N
	}
	return err
}

// insertSequence writes the command of an InsertOne or InsertMany, with its documents in a section of their own: the
// server takes larger requests so, and array indexes need not be written.
func (s requests) insertSequence(r *workload.Request) {
	c := s.build.BeginWrite("insert", r.Collection, s.build.Terms(r))
	c.End()
	start, request := wire.BeginSequence(c.Bytes, "documents")
	for _, document := range r.Documents {
		request = append(request, document...)
	}
	wire.EndSequence(request, start)
	c.Bytes = request
}

// collectionOf is what the cursor of a command is on: the collection that it names first, and with none the one that
// the server gives such cursors.
func collectionOf(command bson.Raw) string {
	first, err := command.IndexErr(0)
	if err != nil {
		return ""
	}
	if collection, ok := first.Value().StringValueOK(); ok {
		return collection
	}
	return "$cmd." + first.Key()
}

// writeBulk sends the commands of a BulkWrite one after the other.
func (s requests) writeBulk(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	unacknowledged := s.build.Terms(r).Unacknowledged
	return command.EachRun(r, func(from, end int) error {
		s.beginRetryable(!unacknowledged && command.Repeatable(r.Parts[from:end]))
		s.build.Bulk(r, from, end)
		return s.change(ctx, unacknowledged, reply)
	})
}

// first sends a command whose whole answer is the first batch of a cursor, and adds how many documents it has.
func (s requests) first(ctx context.Context, reply *loadgen.Reply) error {
	answer, err := s.call(ctx, reply)
	if err != nil {
		return err
	}
	return s.counted(answer, reply)
}

// counted adds the documents of a batch.
func (s requests) counted(answer wire.Reply, reply *loadgen.Reply) error {
	if answer.Batch == nil {
		return s.failed(fmt.Errorf("%w: it holds no documents", wire.ErrProtocol))
	}
	documents, err := wire.Count(answer.Batch)
	if err != nil {
		return s.failed(err)
	}
	reply.Documents += documents
	return nil
}

// stream sends a command that answers with a cursor, and reads as much of it as the request says.
func (s *Session) stream(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	answer, err := s.call(ctx, reply)
	if err == nil {
		reply.First = time.Now()
	}
	for {
		if err != nil {
			return err
		}
		// Before anything else goes wrong, so that the cursor is closed.
		s.cursor, s.cursorCollection = answer.Cursor, r.Collection
		if err := (requests{s}).counted(answer, reply); err != nil || s.cursor == 0 || r.FirstBatchOnly {
			return err
		}
		s.beginOnce()
		s.build.GetMore(r, s.cursor)
		answer, err = s.call(ctx, reply)
	}
}
