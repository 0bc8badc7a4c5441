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
	s.taking = r.Taking
	if r.Kind == operation.BulkWrite {
		return command.EachRun(r, func(from, end int) error {
			return s.change(ctx, s.encodeRun(r, from, end), r.Parts[from].Kind.Row().Effect, reply)
		})
	}
	if r.Kind == operation.InsertMany {
		limits := limitsOf(s.conn)
		return command.EachInsert(r, limits.MaxBatch, limits.MaxMessageBytes-command.MaxEnvelope,
			func(r *workload.Request) error {
				unacknowledged, err := s.encode(r)
				if err != nil {
					return err
				}
				return s.change(ctx, unacknowledged, r.Kind.Row().Effect, reply)
			})
	}
	if r.Kind == operation.ReadModifyWrite {
		var read loadgen.Reply
		s.begin(s.retry)
		s.build.FindOne(r)
		err := s.documents(ctx, &read)
		reply.Retries = read.Retries
		if err != nil {
			return err
		}
	}
	unacknowledged, err := s.encode(r)
	if err != nil {
		return err
	}
	switch command.FormOf(r.Kind).Answer {
	case command.Changes:
		return s.change(ctx, unacknowledged, r.Kind.Row().Effect, reply)
	case command.Documents:
		return s.documents(ctx, reply)
	case command.Cursor:
		return s.stream(ctx, r, reply)
	case command.Number:
		return number(ctx, s, reply)
	case command.Various:
	}
	return anyCommand(ctx, s, r, reply)
}

// encode writes the first command of an operation, and says whether the server is not to answer it. Whether a raw
// command may be sent twice is not known, so that it is not.
func (s *Session) encode(r *workload.Request) (unacknowledged bool, _ error) {
	form := command.FormOf(r.Kind)
	switch {
	case r.Kind == operation.RunCommand:
		s.begin(false)
		s.build.CopyCommand(r)
	case form.Write == nil:
		return false, fmt.Errorf("the wire client does not know operations of kind %s; use the driver", r.Kind)
	case form.Answer != command.Changes:
		s.begin(s.retry)
		form.Write(&s.build, r)
	default:
		unacknowledged = s.build.Terms(r).Unacknowledged
		s.beginRetryable(!unacknowledged && r.Kind.Row().Repeatable)
		if r.Kind.Row().Effect == operation.Inserts {
			insertSequence(s, r)
		} else {
			form.Write(&s.build, r)
		}
	}
	return unacknowledged, nil
}

// encodeRun writes the command of some of a BulkWrite's parts, and says whether the server is not to answer it.
func (s *Session) encodeRun(r *workload.Request, from, end int) (unacknowledged bool) {
	unacknowledged = s.build.Terms(r).Unacknowledged
	s.beginRetryable(!unacknowledged && command.Repeatable(r.Parts[from:end]))
	s.build.Bulk(r, from, end)
	return unacknowledged
}

// insertSequence writes the command of an InsertOne or InsertMany, with its documents in a section of their own: the
// server takes larger requests so, and array indexes need not be written.
func insertSequence(s *Session, r *workload.Request) {
	c := s.build.BeginWrite("insert", r.Collection, s.build.Terms(r))
	s.build.Around(r)
	c.End()
	start, request := wire.BeginSequence(c.Bytes, "documents")
	for _, document := range r.Documents {
		request = append(request, document...)
	}
	wire.EndSequence(request, start)
	c.Bytes = request
}

// anyCommand sends a RunCommand.
func anyCommand(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	answer, err := s.call(ctx, reply)
	if err != nil {
		return err
	}
	if !answer.HasCursor {
		s.taking.Document(answer.Document)
		return nil
	}
	s.cursor, s.cursorCollection = answer.Cursor, collectionOf(r.Command)
	return s.count(answer, reply)
}

// change sends a command that changes documents, and adds how many.
func (s *Session) change(
	ctx context.Context, unacknowledged bool, effect operation.Effect, reply *loadgen.Reply,
) error {
	if unacknowledged {
		reply.Unacknowledged = true
		return s.post(ctx)
	}
	answer, err := s.call(ctx, reply)
	if err == nil {
		reply.Wrote(effect, answer.N, answer.Modified, answer.Upserted)
		s.taking.Document(answer.Value)
	}
	return err
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

// documents sends a command that is answered with documents, all of them or the first of a cursor, and adds how many.
func (s *Session) documents(ctx context.Context, reply *loadgen.Reply) error {
	answer, err := s.call(ctx, reply)
	if err != nil {
		return err
	}
	return s.count(answer, reply)
}

// count adds the documents of a batch.
func (s *Session) count(answer wire.Reply, reply *loadgen.Reply) error {
	if answer.Batch == nil {
		return s.failed(fmt.Errorf("%w: it holds no documents", wire.ErrProtocol))
	}
	documents, err := wire.Count(answer.Batch)
	if err != nil {
		return s.failed(err)
	}
	reply.Documents += documents
	s.taking.Batch(answer.Batch)
	return nil
}

// number sends a command whose answer is a number, and counts it as one document, unless there is nothing to count.
func number(ctx context.Context, s *Session, reply *loadgen.Reply) error {
	answer, err := s.call(ctx, reply)
	reply.Documents += min(answer.N, 1)
	if err == nil {
		s.taking.Number(answer.N)
	}
	return err
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
		if err := s.count(answer, reply); err != nil || s.cursor == 0 || r.FirstBatchOnly {
			return err
		}
		s.begin(false)
		s.build.GetMore(r, s.cursor)
		answer, err = s.call(ctx, reply)
	}
}
