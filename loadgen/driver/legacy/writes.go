package legacy

import (
	"errors"
	"fmt"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// terms are how a write is acknowledged.
type terms struct {
	// lastError is the command that asks for it, and concern the same for a write command; both encoded.
	lastError, concern []byte
	unacknowledged     bool
}

// newTerms encodes a write concern; nil is the server's default.
func newTerms(declared *planv1.WriteConcern) (terms, error) {
	concern := bsoncore.NewDocumentBuilder()
	if declared == nil {
		return terms{lastError: newCommand("getlasterror", int32(1))}, nil
	}
	unacknowledged := false
	if w, err := strconv.ParseInt(declared.W, 10, 32); err == nil {
		concern.AppendInt32("w", int32(w))
		unacknowledged = w == 0
	} else if declared.W != "" {
		concern.AppendString("w", declared.W)
	}
	if declared.Journal != nil {
		if unacknowledged && *declared.Journal {
			return terms{}, errors.New("write concern w: 0 asks for no acknowledgement and j: true for one; use one of them")
		}
		concern.AppendBoolean("j", *declared.Journal)
	}
	if declared.TimeoutMillis > 0 {
		concern.AppendInt64("wtimeout", declared.TimeoutMillis)
	}
	encoded := concern.Build()
	lastError := bsoncore.NewDocumentBuilder().AppendInt32("getlasterror", 1)
	elements, err := encoded.Elements()
	if err != nil {
		return terms{}, err
	}
	for _, element := range elements {
		lastError.AppendValue(element.Key(), element.Value())
	}
	return terms{lastError: lastError.Build(), concern: encoded, unacknowledged: unacknowledged}, nil
}

// errTooLarge is a request that is larger than the server takes. Nothing of it was sent.
var errTooLarge = errors.New("the request is larger than the server takes")

// write sends an operation that changes documents, and adds how many.
func (s requests) write(r *workload.Request, reply *loadgen.Reply) error {
	if r.UpdateIsPipeline {
		return fmt.Errorf("an update by a pipeline: %w", errUnknown)
	}
	own := s.terms(r)
	if s.target.version >= firstWithWriteCommands && !own.unacknowledged {
		return s.writeCommand(r, own, reply)
	}
	s.out.reset()
	if err := s.appendWrite(r); err != nil {
		return err
	}
	return s.finish(r, own, reply)
}

// appendWrite appends the opcode of a write.
func (s requests) appendWrite(r *workload.Request) error {
	m := &s.out
	switch r.Kind.Row().Effect {
	case operation.Inserts:
		m.begin(opInsert)
		m.int32(insertContinueOnError)
		m.namespace(s.database, r.Collection)
		for _, document := range r.Documents {
			m.document(document)
		}
	case operation.Updates:
		m.begin(opUpdate)
		m.int32(0)
		m.namespace(s.database, r.Collection)
		flags := int32(0)
		if r.Upsert {
			flags |= updateUpsert
		}
		if r.Kind == operation.UpdateMany {
			flags |= updateMulti
		}
		m.int32(flags)
		m.document(r.Filter)
		m.document(newContent(r))
	case operation.Deletes:
		m.begin(opDelete)
		m.int32(0)
		m.namespace(s.database, r.Collection)
		flags := int32(deleteSingle)
		if r.Kind == operation.DeleteMany {
			flags = 0
		}
		m.int32(flags)
		m.document(r.Filter)
	case operation.Unknown, operation.Reads, operation.ByPipeline, operation.ByParts:
		return fmt.Errorf("an operation of kind %s: %w", r.Kind, errUnknown)
	}
	m.end(s.conn.next())
	if len(m.bytes) > s.conn.hello.maxMessageBytes {
		return fmt.Errorf("%w: %d bytes, of %d", errTooLarge, len(m.bytes), s.conn.hello.maxMessageBytes)
	}
	return nil
}

// newContent is what an update does, or the document that it puts in the place of another.
func newContent(r *workload.Request) []byte {
	if len(r.Documents) > 0 {
		return r.Documents[0]
	}
	return r.Update
}

// finish sends what was appended with the question how it went, in one system call, and adds how many documents were
// written. An insert is not told how many.
func (s requests) finish(r *workload.Request, own *terms, reply *loadgen.Reply) error {
	if own.unacknowledged {
		reply.Unacknowledged, s.unanswered = true, true
		return s.conn.send(s.out.bytes)
	}
	s.conn.appendCommand(&s.out, s.database, own.lastError)
	if err := s.conn.send(s.out.bytes); err != nil {
		return err
	}
	written, err := acknowledged(s.conn)
	if r.Kind.Row().Effect == operation.Inserts {
		written = int64(len(r.Documents))
	}
	if err == nil {
		reply.Documents += written
	}
	return err
}

// acknowledged waits for the answer to a getLastError, and returns how many documents were written.
func acknowledged(c *conn) (int64, error) {
	answer, err := c.receive()
	if err != nil {
		return 0, err
	}
	document, err := succeeded(answer)
	if err != nil {
		return 0, err
	}
	if failed := text(document, "err"); failed != "" {
		code := int32(number(document, "code"))
		if code == 0 && failed == "not master" {
			code = codeNotPrimary
		}
		return 0, errorclass.Refused(code, failed)
	}
	return number(document, "n"), nil
}

// writeCommand sends a write as a command, as servers since 2.6 have it.
func (s requests) writeCommand(r *workload.Request, own *terms, reply *loadgen.Reply) error {
	name, array := command.WriteOf(r.Kind)
	if name == "" {
		return fmt.Errorf("an operation of kind %s: %w", r.Kind, errUnknown)
	}
	start := s.beginFields(name, r.Collection)
	inner, bytes := bsoncore.AppendArrayElementStart(s.fields, array)
	if name == "insert" {
		for i, document := range r.Documents {
			bytes = appendAt(bytes, i)
			bytes = append(bytes, document...)
		}
	} else {
		bytes = appendAt(bytes, 0)
		bytes = appendPart(bytes, r)
	}
	s.fields = closeDocument(bytes, inner)
	return s.sendWrite(start, own, reply)
}

// sendWrite ends a write command, sends it, and adds how many documents were written.
func (s requests) sendWrite(start int32, own *terms, reply *loadgen.Reply) error {
	if len(own.concern) > 0 {
		s.fields = bsoncore.AppendDocumentElement(s.fields, "writeConcern", own.concern)
	}
	document, err := s.run(closeDocument(s.fields, start))
	if err != nil {
		return err
	}
	if err := writeErrors(document); err != nil {
		return err
	}
	reply.Documents += number(document, "n")
	return nil
}

// writeErrors is the first error of a write command that was carried out; a document that is there already is told only
// when there is no other error.
func writeErrors(document bson.Raw) error {
	var first error
	if array, ok := document.Lookup("writeErrors").ArrayOK(); ok {
		values, _ := array.Values()
		for _, value := range values {
			err := failure(value)
			if first == nil || isDuplicate(first) && !isDuplicate(err) {
				first = err
			}
		}
	}
	if concern := document.Lookup("writeConcernError"); first == nil && concern.Type == bson.TypeEmbeddedDocument {
		first = failure(concern)
	}
	return first
}

// failure is what one of the errors of a write says.
func failure(value bson.RawValue) error {
	document, _ := value.DocumentOK()
	return errorclass.Refused(int32(number(document, "code")), text(document, "errmsg"))
}

func isDuplicate(err error) bool {
	return errorclass.Of(err) == "duplicate key"
}

// appendAt starts an element of an array that is a document.
func appendAt(bytes []byte, index int) []byte {
	bytes = append(bytes, byte(bson.TypeEmbeddedDocument))
	return append(strconv.AppendInt(bytes, int64(index), 10), 0)
}

// appendPart appends the document that says what one update or delete does.
func appendPart(bytes []byte, r *workload.Request) []byte {
	start, bytes := bsoncore.AppendDocumentStart(bytes)
	bytes = appendFilter(bytes, "q", r.Filter)
	if name, _ := command.WriteOf(r.Kind); name == "delete" {
		limit := int32(1)
		if r.Kind == operation.DeleteMany {
			limit = 0
		}
		return closeDocument(bsoncore.AppendInt32Element(bytes, "limit", limit), start)
	}
	bytes = bsoncore.AppendDocumentElement(bytes, "u", newContent(r))
	bytes = bsoncore.AppendBooleanElement(bytes, "multi", r.Kind == operation.UpdateMany)
	bytes = bsoncore.AppendBooleanElement(bytes, "upsert", r.Upsert)
	return closeDocument(bytes, start)
}

// findAndModify sends the command of a FindOneAndUpdate.
func (s requests) findAndModify(r *workload.Request, reply *loadgen.Reply) error {
	if s.terms(r).unacknowledged || r.UpdateIsPipeline {
		return fmt.Errorf("a %s by a pipeline or without an acknowledgement: %w", r.Kind, errUnknown)
	}
	start := s.beginFields("findAndModify", r.Collection)
	s.fields = appendFilter(s.fields, "query", r.Filter)
	if len(r.Sort) > 0 {
		s.fields = bsoncore.AppendDocumentElement(s.fields, "sort", bsoncore.Document(r.Sort))
	}
	if len(r.Projection) > 0 {
		s.fields = bsoncore.AppendDocumentElement(s.fields, "fields", bsoncore.Document(r.Projection))
	}
	s.fields = bsoncore.AppendDocumentElement(s.fields, "update", newContent(r))
	s.fields = bsoncore.AppendBooleanElement(s.fields, "upsert", r.Upsert)
	document, err := s.run(closeDocument(s.fields, start))
	if err == nil {
		reply.Documents += number(document, "lastErrorObject", "n")
	}
	return err
}

// bulk sends the parts of a BulkWrite one after the other: these servers take one kind in a request, and before 2.6 one
// write. An unordered one goes on after an error, and then returns the first of them.
func (s requests) bulk(r *workload.Request, reply *loadgen.Reply) error {
	var first error
	for i := range r.Parts {
		err := s.write(&r.Parts[i], reply)
		if err != nil && (r.Ordered || !isRefusal(err)) {
			return err
		}
		if first == nil {
			first = err
		}
	}
	return first
}
