package legacy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Codes of messages, from https://www.mongodb.com/docs/manual/legacy-opcodes/.
const (
	opReply       = 1
	opUpdate      = 2001
	opInsert      = 2002
	opQuery       = 2004
	opGetMore     = 2005
	opDelete      = 2006
	opKillCursors = 2007
)

// Flags of those messages.
const (
	querySlaveOK = 1 << 2

	insertContinueOnError = 1 << 0
	updateUpsert          = 1 << 0
	updateMulti           = 1 << 1
	deleteSingle          = 1 << 0

	replyCursorNotFound = 1 << 0
	replyQueryFailure   = 1 << 1
)

const (
	headerBytes = 16
	// replyBytes are those of a reply in front of its documents.
	replyBytes = headerBytes + 20
	// largestReply is more than any server sends: 48 MB and a header.
	largestReply = 48_000_000 + 1024
)

// errProtocol is what every reply is wrapped in that is not as the protocol says. The connection cannot be used any
// more.
var errProtocol = errors.New("the reply is not as the wire protocol says")

// messages are one or more requests that are sent together.
type messages struct {
	bytes []byte
	// start is where the last one begins.
	start int
}

func (m *messages) reset() {
	m.bytes = m.bytes[:0]
}

// begin starts a request. Its length and number are filled in by end.
func (m *messages) begin(code uint32) {
	m.start = len(m.bytes)
	m.bytes = append(m.bytes, make([]byte, headerBytes)...)
	binary.LittleEndian.PutUint32(m.bytes[m.start+12:], code)
}

func (m *messages) end(id uint32) {
	header := m.bytes[m.start:]
	binary.LittleEndian.PutUint32(header, uint32(len(header)))
	binary.LittleEndian.PutUint32(header[4:], id)
}

func (m *messages) int32(value int32) {
	m.bytes = binary.LittleEndian.AppendUint32(m.bytes, uint32(value))
}

func (m *messages) int64(value int64) {
	m.bytes = binary.LittleEndian.AppendUint64(m.bytes, uint64(value))
}

// namespace adds the name of a collection with its database.
func (m *messages) namespace(database, collection string) {
	m.bytes = append(append(append(m.bytes, database...), '.'), collection...)
	m.bytes = append(m.bytes, 0)
}

// document adds a document; none is an empty one.
func (m *messages) document(document []byte) {
	if len(document) == 0 {
		m.bytes = append(m.bytes, 5, 0, 0, 0, 0)
		return
	}
	m.bytes = append(m.bytes, document...)
}

// reply is an answer. Its documents are slices of the connection's buffer.
type reply struct {
	flags  uint32
	cursor int64
	// count of documents, one after the other.
	count     int64
	documents []byte
}

// parseReply reads a whole message that answers the request with this number.
func parseReply(message []byte, request uint32) (reply, error) {
	if len(message) < replyBytes {
		return reply{}, fmt.Errorf("%w: it has %d bytes", errProtocol, len(message))
	}
	if code := binary.LittleEndian.Uint32(message[12:]); code != opReply {
		return reply{}, fmt.Errorf("%w: it has code %d", errProtocol, code)
	}
	if to := binary.LittleEndian.Uint32(message[8:]); to != request {
		return reply{}, fmt.Errorf("%w: it answers request %d, not %d", errProtocol, to, request)
	}
	found := reply{
		flags:     binary.LittleEndian.Uint32(message[16:]),
		cursor:    int64(binary.LittleEndian.Uint64(message[20:])),
		count:     int64(binary.LittleEndian.Uint32(message[32:])),
		documents: message[replyBytes:],
	}
	rest := found.documents
	for range found.count {
		length, ok := documentLength(rest)
		if !ok {
			return reply{}, fmt.Errorf("%w: a document is cut off", errProtocol)
		}
		rest = rest[length:]
	}
	if len(rest) > 0 {
		return reply{}, fmt.Errorf("%w: %d bytes follow its documents", errProtocol, len(rest))
	}
	return found, nil
}

func documentLength(bytes []byte) (int, bool) {
	const smallest = 5
	if len(bytes) < smallest {
		return 0, false
	}
	length := binary.LittleEndian.Uint32(bytes)
	return int(length), length >= smallest && uint64(length) <= uint64(len(bytes)) && bytes[length-1] == 0
}

// first is the first document of a reply; nil if there is none.
func (r reply) first() bson.Raw {
	length, ok := documentLength(r.documents)
	if !ok {
		return nil
	}
	return bson.Raw(r.documents[:length])
}

// number reads a number of whatever type at the end of a path, and 0 where there is none.
func number(document bson.Raw, path ...string) int64 {
	value, err := document.LookupErr(path...)
	if err != nil {
		return 0
	}
	if double, ok := value.DoubleOK(); ok && math.Abs(double) < 1<<53 {
		return int64(double)
	}
	if truth, ok := value.BooleanOK(); ok && truth {
		return 1
	}
	found, _ := value.AsInt64OK()
	return found
}

func text(document bson.Raw, path ...string) string {
	value, err := document.LookupErr(path...)
	if err != nil {
		return ""
	}
	found, _ := value.StringValueOK()
	return found
}

// newCommand makes a small command of alternating names and values, outside of any measurement.
func newCommand(fields ...any) bson.Raw {
	builder := bsoncore.NewDocumentBuilder()
	for i := 0; i+1 < len(fields); i += 2 {
		name, _ := fields[i].(string)
		switch value := fields[i+1].(type) {
		case string:
			builder.AppendString(name, value)
		case int32:
			builder.AppendInt32(name, value)
		case int64:
			builder.AppendInt64(name, value)
		case bool:
			builder.AppendBoolean(name, value)
		case bson.Raw:
			builder.AppendDocument(name, bsoncore.Document(value))
		}
	}
	return bson.Raw(builder.Build())
}
