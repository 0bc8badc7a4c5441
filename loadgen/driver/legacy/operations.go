package legacy

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// errUnknown is an operation that cannot be sent; nothing of it was.
var errUnknown = errors.New("servers of this age do not know it")

// own are the kinds that this client does in a way of its own. Other reads are commands as newer servers get them, and
// other writes are opcodes, or commands where the server knows them.
var own = map[operation.Kind]func(*session, *workload.Request, *loadgen.Reply) error{
	operation.FindOne: func(s *session, r *workload.Request, reply *loadgen.Reply) error {
		return s.query(r, 0, -1, reply)
	},
	operation.Find:                   (*session).find,
	operation.CountDocuments:         (*session).count,
	operation.Aggregate:              (*session).aggregate,
	operation.RunCommand:             (*session).anyCommand,
	operation.FindOneAndUpdate:       (*session).writeCommand,
	operation.FindOneAndDelete:       (*session).writeCommand,
	operation.FindOneAndReplace:      (*session).writeCommand,
	operation.EstimatedDocumentCount: (*session).count,
	operation.ReadModifyWrite:        (*session).readAndWrite,
	operation.BulkWrite:              (*session).bulk,
}

func (s *session) execute(r *workload.Request, reply *loadgen.Reply) error {
	if does := own[r.Kind]; does != nil {
		return does(s, r, reply)
	}
	if form := command.FormOf(r.Kind); form.Answer == command.Documents {
		form.Write(&s.build, r)
		_, err := s.documents(reply)
		return err
	}
	return s.write(r, reply)
}

// send sends the command that was built.
func (s *session) send() error {
	m := messages{bytes: s.build.Command.Bytes}
	copy(m.bytes, s.header)
	m.end(s.conn.next())
	return s.conn.Write(m.bytes)
}

// call sends the command that was built, and returns what its reply says.
func (s *session) call() (wire.Reply, error) {
	if err := s.send(); err != nil {
		return wire.Reply{}, err
	}
	_, found, err := s.conn.answer()
	return found, err
}

// documents sends the command that was built, and counts the documents of its reply.
func (s *session) documents(reply *loadgen.Reply) (wire.Reply, error) {
	found, err := s.call()
	if err != nil {
		return found, err
	}
	documents, err := wire.Count(found.Batch)
	reply.Documents += documents
	return found, err
}

// query sends an OP_QUERY, and counts the documents of the first reply. A filter that comes with a sort is wrapped.
func (s *session) query(r *workload.Request, skip, number int32, reply *loadgen.Reply) error {
	m := &s.out
	m.reset()
	m.query(s.database, r.Collection, skip, number)
	if len(r.Sort) == 0 {
		m.document(r.Filter)
	} else {
		start, bytes := bsoncore.AppendDocumentStart(m.bytes)
		m.bytes = bsoncore.AppendHeader(bytes, bsoncore.TypeEmbeddedDocument, "$query")
		m.document(r.Filter)
		m.bytes = bsoncore.AppendDocumentElement(m.bytes, "$orderby", bsoncore.Document(r.Sort))
		m.bytes = append(m.bytes, 0)
		m.bytes = bsoncore.UpdateLength(m.bytes, start, int32(len(m.bytes))-start)
	}
	if len(r.Projection) > 0 {
		m.document(r.Projection)
	}
	m.end(s.conn.next())
	return s.batch(reply)
}

// batch sends a query, or the question for the next documents of its cursor, and counts those of the reply.
func (s *session) batch(reply *loadgen.Reply) error {
	answer, err := s.conn.ask(s.out.bytes)
	if err != nil {
		return err
	}
	s.cursor = answer.cursor
	reply.Documents += answer.count
	return nil
}

// find reads as many documents as the request says. A server takes a number that is negative as the whole limit, and
// cuts it where a reply is full; so the number is positive, the rest is asked for, and Settle closes the cursor.
func (s *session) find(r *workload.Request, reply *loadgen.Reply) error {
	err := s.query(r, int32(r.Skip), firstBatch(r.Limit, r.BatchSize), reply)
	reply.First = time.Now()
	if err != nil {
		return err
	}
	return s.rest(r, reply)
}

// rest reads what is left of a cursor, as far as the request wants it.
func (s *session) rest(r *workload.Request, reply *loadgen.Reply) error {
	for s.cursor != 0 && !r.FirstBatchOnly {
		left := r.Limit - reply.Documents
		if r.Limit > 0 && left <= 0 {
			return nil
		}
		s.out.reset()
		s.out.getMore(s.conn, s.database, r.Collection, nextBatch(left, r.BatchSize), s.cursor)
		if err := s.batch(reply); err != nil {
			return err
		}
	}
	return nil
}

// firstBatch is how many documents a query asks for; 0 is the server's default. One alone closes the cursor.
func firstBatch(limit int64, size int32) int32 {
	number := nextBatch(limit, size)
	if number == 1 && limit != 1 {
		return 2
	}
	return number
}

// nextBatch is how many documents to ask for next.
func nextBatch(left int64, size int32) int32 {
	switch {
	case left <= 0:
		return size
	case size > 0:
		return int32(min(left, int64(size)))
	default:
		return int32(min(left, math.MaxInt32))
	}
}

// count sends the command of its name. These servers know no better: their aggregations count no faster.
func (s *session) count(r *workload.Request, reply *loadgen.Reply) error {
	s.build.CountByCommand(r)
	_, err := s.call()
	if err == nil {
		reply.Documents++
	}
	return err
}

// aggregate sends a pipeline. Cursors of aggregations came with 2.6; before it the whole result is one document.
func (s *session) aggregate(r *workload.Request, reply *loadgen.Reply) error {
	if s.target.version >= firstWithWriteCommands {
		s.build.Aggregate(r)
	} else {
		s.build.AggregateInOne(r)
	}
	answer, err := s.documents(reply)
	reply.First = time.Now()
	if err != nil {
		return err
	}
	s.cursor = answer.Cursor
	return s.rest(r, reply)
}

func (s *session) anyCommand(r *workload.Request, _ *loadgen.Reply) error {
	s.build.CopyCommand(r)
	_, err := s.call()
	return err
}

func (s *session) readAndWrite(r *workload.Request, reply *loadgen.Reply) error {
	if err := s.query(r, 0, -1, &loadgen.Reply{}); err != nil {
		return err
	}
	return s.write(r, reply)
}

// bulk sends the parts of a BulkWrite one after the other: these servers take one kind in a request, and before 2.6 one
// write. An unordered one goes on after an error, and then returns the first of them.
func (s *session) bulk(r *workload.Request, reply *loadgen.Reply) error {
	var first error
	for i := range r.Parts {
		err := s.write(&r.Parts[i], reply)
		if err != nil && (r.Ordered || !isRefusal(err)) {
			return err
		}
		first = cmp.Or(first, err)
	}
	return first
}

// write sends an operation that changes documents, and adds how many.
func (s *session) write(r *workload.Request, reply *loadgen.Reply) error {
	if r.UpdateIsPipeline {
		return fmt.Errorf("an update by a pipeline: %w", errUnknown)
	}
	terms := s.build.Terms(r)
	if s.target.version >= firstWithWriteCommands && !terms.Unacknowledged {
		return s.writeCommand(r, reply)
	}
	s.out.reset()
	if err := s.appendWrite(r); err != nil {
		return err
	}
	if terms.Unacknowledged {
		reply.Unacknowledged, s.held.Unanswered = true, true
		return s.conn.Write(s.out.bytes)
	}
	// The question how it went goes in the same system call.
	s.out.command(s.conn, s.database, s.build.LastError(terms.WriteConcern))
	if err := s.conn.Write(s.out.bytes); err != nil {
		return err
	}
	written, err := s.conn.acknowledged()
	if r.Kind.Row().Effect == operation.Inserts {
		written = int64(len(r.Documents)) // It is not told how many.
	}
	if err == nil {
		reply.Wrote(r.Kind.Row().Effect, written, 0, 0)
	}
	return err
}

// writeCommand sends a write as a command, as servers since 2.6 have it.
func (s *session) writeCommand(r *workload.Request, reply *loadgen.Reply) error {
	form := command.FormOf(r.Kind)
	if form.Answer != command.Changes || r.UpdateIsPipeline {
		return fmt.Errorf("an operation of kind %s, or its update by a pipeline: %w", r.Kind, errUnknown)
	}
	form.Write(&s.build, r)
	found, err := s.call()
	if err == nil {
		reply.Wrote(r.Kind.Row().Effect, found.N, found.Modified, found.Upserted)
	}
	return err
}

// appendWrite appends the opcode of a write.
func (s *session) appendWrite(r *workload.Request) error {
	m := &s.out
	switch r.Kind.Row().Effect {
	case operation.Inserts:
		m.begin(opInsert, insertContinueOnError, s.database, r.Collection)
		for _, document := range r.Documents {
			m.document(document)
		}
	case operation.Updates:
		flags := int32(0)
		if r.Upsert {
			flags |= updateUpsert
		}
		if r.Kind == operation.UpdateMany {
			flags |= updateMulti
		}
		m.begin(opUpdate, 0, s.database, r.Collection)
		m.int32(flags)
		m.document(r.Filter)
		if len(r.Documents) > 0 {
			m.document(r.Documents[0])
		} else {
			m.document(r.Update)
		}
	case operation.Deletes:
		flags := int32(deleteSingle)
		if r.Kind == operation.DeleteMany {
			flags = 0
		}
		m.begin(opDelete, 0, s.database, r.Collection)
		m.int32(flags)
		m.document(r.Filter)
	case operation.Unknown, operation.Reads, operation.ByPipeline, operation.ByParts, operation.Nothing:
		return fmt.Errorf("an operation of kind %s: %w", r.Kind, errUnknown)
	}
	m.end(s.conn.next())
	if limit := s.conn.hello.MaxMessageBytes; len(m.bytes) > limit {
		return fmt.Errorf("%w: %d bytes, of %d", wire.ErrTooLarge, len(m.bytes), limit)
	}
	return nil
}
