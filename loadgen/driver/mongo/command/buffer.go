package command

import (
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// What a server takes in one command: 100,000 writes and 16 MiB. The command is one BSON document, so that its limit is
// that of a document, not the 48 MB of a message. A document that would not fit is left for the next command.
const (
	MaxBatchDocuments = 100_000
	MaxBatchBytes     = 16<<20 - MaxEnvelope
	// MaxEnvelope is more than what stands around the documents of a command.
	MaxEnvelope = 16 << 10
)

// Ping is what any server answers.
var Ping = bson.Raw(bsoncore.NewDocumentBuilder().AppendInt32("ping", 1).Build())

// Buffer is a buffer in which one command at a time is written; it is reused from operation to operation.
type Buffer struct {
	Bytes []byte
	// Lead is how many bytes are left free in front of the command, for the header of its message.
	Lead int
	// Trailer are elements that every command ends with, such as a wire session's $db.
	Trailer []byte
	// open are the places where the documents and arrays begin that are not ended yet.
	open []int32
}

// begin starts a command.
func (c *Buffer) begin() {
	c.Bytes, c.open = append(c.Bytes[:0], make([]byte, c.Lead)...), c.open[:0]
	start, bytes := bsoncore.AppendDocumentStart(c.Bytes)
	c.Bytes, c.open = bytes, append(c.open, start)
}

// Begin starts a command by its name and what it applies to.
func (c *Buffer) Begin(name, collection string) {
	c.begin()
	c.Bytes = bsoncore.AppendStringElement(c.Bytes, name, collection)
}

// End finishes the command and returns it. It is valid until the next begin.
func (c *Buffer) End() bson.Raw {
	c.Bytes = append(c.Bytes, c.Trailer...)
	c.EndNested()
	return bson.Raw(c.Bytes[c.Lead:])
}

// BeginArray starts an array.
func (c *Buffer) BeginArray(name string) {
	start, bytes := bsoncore.AppendArrayElementStart(c.Bytes, name)
	c.Bytes, c.open = bytes, append(c.open, start)
}

func (c *Buffer) beginDocument(name string) {
	start, bytes := bsoncore.AppendDocumentElementStart(c.Bytes, name)
	c.Bytes, c.open = bytes, append(c.open, start)
}

// EndNested ends the innermost document or array.
func (c *Buffer) EndNested() {
	last := len(c.open) - 1
	start := c.open[last]
	c.open = c.open[:last]
	c.Bytes = append(c.Bytes, 0)
	c.Bytes = bsoncore.UpdateLength(c.Bytes, start, int32(len(c.Bytes))-start)
}

// beginDocumentAt starts an element of an array.
func (c *Buffer) beginDocumentAt(index int) {
	c.at(index)
	start, bytes := bsoncore.ReserveLength(c.Bytes)
	c.Bytes, c.open = bytes, append(c.open, start)
}

// at appends what is in front of a document in an array.
func (c *Buffer) at(index int) {
	c.Bytes = append(c.Bytes, byte(bson.TypeEmbeddedDocument))
	c.Bytes = append(strconv.AppendInt(c.Bytes, int64(index), 10), 0)
}

// CopyOpen starts a command that has all elements of another one, and may get more.
func (c *Buffer) CopyOpen(other bson.Raw) {
	c.begin()
	c.elements(other)
}

// elements adds all elements of a document.
func (c *Buffer) elements(document bson.Raw) {
	const length, end = 4, 1
	c.Bytes = append(c.Bytes, document[length:len(document)-end]...)
}

// Document adds a document, unless there is none.
func (c *Buffer) Document(name string, value []byte) {
	if len(value) > 0 {
		c.Bytes = bsoncore.AppendDocumentElement(c.Bytes, name, value)
	}
}

// filter adds a document that may be empty, but not missing.
func (c *Buffer) filter(name string, value []byte) {
	if len(value) == 0 {
		c.beginDocument(name)
		c.EndNested()
		return
	}
	c.Document(name, value)
}

func (c *Buffer) array(name string, value []byte) {
	c.Bytes = bsoncore.AppendArrayElement(c.Bytes, name, value)
}

// Bool adds a truth value.
func (c *Buffer) Bool(name string, value bool) {
	c.Bytes = bsoncore.AppendBooleanElement(c.Bytes, name, value)
}

// Number adds a number, whatever it is.
func (c *Buffer) Number(name string, value int64) {
	c.Bytes = bsoncore.AppendInt64Element(c.Bytes, name, value)
}

// positive adds a number, unless it is 0, which means the server's default.
func (c *Buffer) positive(name string, value int64) {
	if value > 0 {
		c.Bytes = bsoncore.AppendInt64Element(c.Bytes, name, value)
	}
}
