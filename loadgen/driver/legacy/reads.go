package legacy

import (
	"fmt"
	"math"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// query is what an OP_QUERY asks.
type query struct {
	database, collection     string
	filter, sort, projection bson.Raw
	skip, number             int32
}

// appendQuery appends an OP_QUERY. A filter that comes with a sort is wrapped.
func appendQuery(m *messages, id uint32, q query) {
	m.begin(opQuery)
	m.int32(querySlaveOK)
	m.namespace(q.database, q.collection)
	m.int32(q.skip)
	m.int32(q.number)
	if len(q.sort) == 0 {
		m.document(q.filter)
	} else {
		start, bytes := bsoncore.AppendDocumentStart(m.bytes)
		m.bytes = appendFilter(bytes, "$query", q.filter)
		m.bytes = bsoncore.AppendDocumentElement(m.bytes, "$orderby", q.sort)
		m.bytes = closeDocument(m.bytes, start)
	}
	if len(q.projection) > 0 {
		m.document(q.projection)
	}
	m.end(id)
}

// appendGetMore appends an OP_GET_MORE, for the next documents of a query's cursor.
func appendGetMore(m *messages, id uint32, q query, cursor int64) {
	m.begin(opGetMore)
	m.int32(0)
	m.namespace(q.database, q.collection)
	m.int32(q.number)
	m.int64(cursor)
	m.end(id)
}

// appendFilter adds a document that may be empty, but not missing.
func appendFilter(bytes []byte, name string, filter []byte) []byte {
	if len(filter) == 0 {
		start, bytes := bsoncore.AppendDocumentElementStart(bytes, name)
		return closeDocument(bytes, start)
	}
	return bsoncore.AppendDocumentElement(bytes, name, filter)
}

// closeDocument ends the document that began at start.
func closeDocument(bytes []byte, start int32) []byte {
	bytes = append(bytes, 0)
	return bsoncore.UpdateLength(bytes, start, int32(len(bytes))-start)
}

// queried looks for an error in the reply to a query.
func queried(answer reply) error {
	switch {
	case answer.flags&replyCursorNotFound != 0:
		const codeCursorNotFound = 43
		return errorclass.Refused(codeCursorNotFound, "the cursor was not found")
	case answer.flags&replyQueryFailure != 0:
		document := answer.first()
		return errorclass.Refused(int32(number(document, "code")), text(document, "$err"))
	}
	return nil
}

func (s requests) findOne(r *workload.Request, reply *loadgen.Reply) error {
	q := query{
		database: s.database, collection: r.Collection, filter: r.Filter, sort: r.Sort, projection: r.Projection,
		number: -1,
	}
	s.out.reset()
	appendQuery(&s.out, s.conn.next(), q)
	answer, err := s.ask()
	reply.Documents += answer.count
	return err
}

// ask sends a query and returns its answer, valid until the next.
func (s requests) ask() (reply, error) {
	if err := s.conn.send(s.out.bytes); err != nil {
		return reply{}, err
	}
	answer, err := s.conn.receive()
	if err == nil {
		err = queried(answer)
	}
	return answer, err
}

// find reads as many documents as the request says. A server takes a number that is negative as the whole limit, and
// cuts it where a reply is full; so the number is positive, the rest is asked for, and Settle closes the cursor.
func (s requests) find(r *workload.Request, reply *loadgen.Reply) error {
	left := r.Limit
	q := query{
		database: s.database, collection: r.Collection, filter: r.Filter, sort: r.Sort, projection: r.Projection,
		skip: int32(r.Skip), number: firstBatch(left, r.BatchSize),
	}
	s.out.reset()
	appendQuery(&s.out, s.conn.next(), q)
	answer, err := s.ask()
	reply.First = time.Now()
	for {
		if err != nil {
			return err
		}
		s.cursor = answer.cursor
		reply.Documents += answer.count
		left -= answer.count
		if s.cursor == 0 || r.FirstBatchOnly || r.Limit > 0 && left <= 0 {
			return nil
		}
		s.out.reset()
		q.number = nextBatch(left, r.BatchSize)
		appendGetMore(&s.out, s.conn.next(), q, s.cursor)
		answer, err = s.ask()
	}
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
func (s requests) count(r *workload.Request, reply *loadgen.Reply) error {
	start := s.beginFields("count", r.Collection)
	s.fields = appendFilter(s.fields, "query", r.Filter)
	if r.Skip > 0 {
		s.fields = bsoncore.AppendInt64Element(s.fields, "skip", r.Skip)
	}
	if r.Limit > 0 {
		s.fields = bsoncore.AppendInt64Element(s.fields, "limit", r.Limit)
	}
	_, err := s.run(closeDocument(s.fields, start))
	if err == nil {
		reply.Documents++
	}
	return err
}

// beginFields starts a command.
func (s *session) beginFields(name, collection string) (start int32) {
	start, s.fields = bsoncore.AppendDocumentStart(s.fields[:0])
	s.fields = bsoncore.AppendStringElement(s.fields, name, collection)
	return start
}

// aggregate sends a pipeline. Cursors of aggregations came with 2.6; before it the whole result is one document.
func (s requests) aggregate(r *workload.Request, reply *loadgen.Reply) error {
	start := s.beginFields("aggregate", r.Collection)
	s.fields = bsoncore.AppendArrayElement(s.fields, "pipeline", bsoncore.Array(r.Pipeline))
	if s.target.version >= firstWithWriteCommands {
		s.fields = bsoncore.AppendBooleanElement(s.fields, "allowDiskUse", true)
		inner, bytes := bsoncore.AppendDocumentElementStart(s.fields, "cursor")
		if r.BatchSize > 0 {
			bytes = bsoncore.AppendInt32Element(bytes, "batchSize", r.BatchSize)
		}
		s.fields = closeDocument(bytes, inner)
	}
	document, err := s.run(closeDocument(s.fields, start))
	if err != nil {
		return err
	}
	reply.First = time.Now()
	results := document.Lookup("result")
	if s.target.version >= firstWithWriteCommands {
		results = document.Lookup("cursor", "firstBatch")
		s.cursor = number(document, "cursor", "id")
	}
	documents, err := wire.Count(results.Value)
	if err != nil {
		return fmt.Errorf("%w: it holds no documents: %w", errProtocol, err)
	}
	reply.Documents += documents
	return s.rest(r, reply)
}

// rest reads what is left of the cursor of an aggregation.
func (s requests) rest(r *workload.Request, reply *loadgen.Reply) error {
	q := query{database: s.database, collection: r.Collection, number: r.BatchSize}
	for s.cursor != 0 && !r.FirstBatchOnly {
		s.out.reset()
		appendGetMore(&s.out, s.conn.next(), q, s.cursor)
		answer, err := s.ask()
		if err != nil {
			return err
		}
		s.cursor = answer.cursor
		reply.Documents += answer.count
	}
	return nil
}
