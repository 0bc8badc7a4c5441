package mongo

import (
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// command is a buffer in which one command at a time is written; it is reused from operation to operation.
type command struct {
	bytes []byte
	// lead is how many bytes are left free in front of the command: a wire session has its message's header there.
	lead int
	// trailer are elements that every command ends with, such as a wire session's $db.
	trailer []byte
	// open are the places where the documents and arrays begin that are not ended yet.
	open []int32
}

// noLead is what the bytes in front of a command are until they are written: as many as a wire session's header has.
var noLead [wireLead]byte

// begin starts a command by its name and what it applies to.
func (c *command) begin(name, collection string) {
	c.bytes, c.open = append(c.bytes[:0], noLead[:c.lead]...), c.open[:0]
	start, bytes := bsoncore.AppendDocumentStart(c.bytes)
	c.open = append(c.open, start)
	c.bytes = bsoncore.AppendStringElement(bytes, name, collection)
}

// end finishes the command and returns it. It is valid until the next begin.
func (c *command) end() bson.Raw {
	c.bytes = append(c.bytes, c.trailer...)
	c.endNested()
	return bson.Raw(c.bytes[c.lead:])
}

func (c *command) beginArray(name string) {
	start, bytes := bsoncore.AppendArrayElementStart(c.bytes, name)
	c.bytes, c.open = bytes, append(c.open, start)
}

func (c *command) beginDocument(name string) {
	start, bytes := bsoncore.AppendDocumentElementStart(c.bytes, name)
	c.bytes, c.open = bytes, append(c.open, start)
}

// endNested ends the innermost document or array.
func (c *command) endNested() {
	last := len(c.open) - 1
	start := c.open[last]
	c.open = c.open[:last]
	c.bytes = append(c.bytes, 0)
	c.bytes = bsoncore.UpdateLength(c.bytes, start, int32(len(c.bytes))-start)
}

// beginDocumentAt starts an element of an array.
func (c *command) beginDocumentAt(index int) {
	c.bytes = append(c.bytes, byte(bson.TypeEmbeddedDocument))
	c.bytes = append(strconv.AppendInt(c.bytes, int64(index), 10), 0)
	start, bytes := bsoncore.ReserveLength(c.bytes)
	c.bytes, c.open = bytes, append(c.open, start)
}

// copyOpen starts a command that has all elements of another one, and may get more.
func (c *command) copyOpen(other bson.Raw) {
	c.bytes = append(c.bytes[:0], noLead[:c.lead]...)
	start, bytes := bsoncore.AppendDocumentStart(c.bytes)
	c.bytes, c.open = bytes, append(c.open[:0], start)
	c.elements(other)
}

// elements adds all elements of a document.
func (c *command) elements(document bson.Raw) {
	const length, end = 4, 1
	c.bytes = append(c.bytes, document[length:len(document)-end]...)
}

// document adds a document, unless there is none.
func (c *command) document(name string, value []byte) {
	if len(value) > 0 {
		c.bytes = bsoncore.AppendDocumentElement(c.bytes, name, value)
	}
}

// filter adds a document that may be empty, but not missing.
func (c *command) filter(name string, value []byte) {
	if len(value) == 0 {
		c.beginDocument(name)
		c.endNested()
		return
	}
	c.document(name, value)
}

func (c *command) array(name string, value []byte) {
	c.bytes = bsoncore.AppendArrayElement(c.bytes, name, value)
}

func (c *command) bool(name string, value bool) {
	c.bytes = bsoncore.AppendBooleanElement(c.bytes, name, value)
}

// number adds a number, whatever it is.
func (c *command) number(name string, value int64) {
	c.bytes = bsoncore.AppendInt64Element(c.bytes, name, value)
}

// positive adds a number, unless it is 0, which means the server's default.
func (c *command) positive(name string, value int64) {
	if value > 0 {
		c.bytes = bsoncore.AppendInt64Element(c.bytes, name, value)
	}
}
