package legacy

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen"
)

// loading is what a Load needs of a session.
type loading struct {
	terms           terms
	ordered, resume bool
	// command says that the batch is a write command, and outstanding that one was sent and not acknowledged.
	command, outstanding bool
}

// commandReserve is the room in a batch for what is not documents: the namespace, the write concern, a getLastError.
const commandReserve = 4 << 10

// errNothingSent is a mistake of the caller's: there is no batch, or it was lost with its connection.
var errNothingSent = errors.New("no batch waits to be acknowledged on this connection")

// Pipeline is how many batches may be under way: these servers answer one after the other, and a second one in the
// buffers of the network would gain nothing.
func (s *session) Pipeline() int {
	return 1
}

// Encode writes one insert of as many documents as a request may hold, by the opcode or by the command.
func (s *session) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	limits := hello{maxMessageBytes: oldMessageBytes, maxDocument: oldDocumentBytes, maxBatch: oldBatch}
	if s.conn != nil {
		limits = s.conn.hello
	}
	s.load.command = s.target.version >= firstWithWriteCommands && !s.load.terms.unacknowledged
	s.out.reset()
	if s.load.command {
		return s.encodeCommand(collection, documents, first, min(count, int64(limits.maxBatch)), limits.maxDocument)
	}
	m := &s.out
	m.begin(opInsert)
	flags := int32(insertContinueOnError)
	if s.load.ordered {
		flags = 0
	}
	m.int32(flags)
	m.namespace(s.database, collection)
	var encoded int64
	for encoded < count {
		before := len(m.bytes)
		m.bytes = documents.Append(m.bytes, first+encoded)
		if encoded > 0 && len(m.bytes) > limits.maxMessageBytes-commandReserve {
			m.bytes = m.bytes[:before]
			break
		}
		encoded++
	}
	return encoded
}

// encodeCommand writes an insert command, its documents last.
func (s *session) encodeCommand(
	collection string, documents loadgen.Documents, first, count int64, maxBytes int,
) int64 {
	m := &s.out
	m.begin(opQuery)
	m.int32(0)
	m.namespace(s.database, commandCollection)
	m.int32(0)
	m.int32(-1)
	start, bytes := bsoncore.AppendDocumentStart(m.bytes)
	bytes = bsoncore.AppendStringElement(bytes, "insert", collection)
	bytes = bsoncore.AppendBooleanElement(bytes, "ordered", s.load.ordered)
	if len(s.load.terms.concern) > 0 {
		bytes = bsoncore.AppendDocumentElement(bytes, "writeConcern", s.load.terms.concern)
	}
	inner, bytes := bsoncore.AppendArrayElementStart(bytes, "documents")
	var encoded int64
	for encoded < count {
		before := len(bytes)
		bytes = documents.Append(appendAt(bytes, int(encoded)), first+encoded)
		if encoded > 0 && len(bytes)-int(start) > maxBytes-commandReserve {
			bytes = bytes[:before]
			break
		}
		encoded++
	}
	m.bytes = closeDocument(closeDocument(bytes, inner), start)
	return encoded
}

// Send sends what Encode wrote, and with an opcode the question how it went.
func (s *session) Send(ctx context.Context) error {
	err := s.enter(ctx)
	if err == nil {
		err = s.sendBatch()
	}
	return s.leave(ctx, err)
}

func (s *session) sendBatch() error {
	// The number is the connection's, which may be another one than when the batch was made.
	s.out.end(s.conn.next())
	if !s.load.command && !s.load.terms.unacknowledged {
		s.conn.appendCommand(&s.out, s.database, s.load.terms.lastError)
	}
	s.load.outstanding, s.unanswered = true, s.unanswered || s.load.terms.unacknowledged
	return s.conn.send(s.out.bytes)
}

// Acknowledge waits for the answer to the batch.
func (s *session) Acknowledge(ctx context.Context) error {
	if !s.load.outstanding {
		return errNothingSent
	}
	s.load.outstanding = false
	if s.load.terms.unacknowledged {
		return nil
	}
	err := s.enter(ctx)
	if err == nil {
		err = s.judgeBatch()
	}
	return s.leave(ctx, err)
}

func (s *session) judgeBatch() error {
	if !s.load.command {
		_, err := acknowledged(s.conn)
		return s.unlessThereAlready(err)
	}
	answer, err := s.conn.receive()
	if err != nil {
		return err
	}
	document, err := succeeded(answer)
	if err != nil {
		return err
	}
	return s.unlessThereAlready(writeErrors(document))
}

// unlessThereAlready forgives documents that are there already to a load that is resumed.
func (s *session) unlessThereAlready(err error) error {
	if err != nil && s.load.resume && isDuplicate(err) {
		return nil
	}
	return err
}
