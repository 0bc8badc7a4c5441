package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Reply is what matters of a reply's document. Slices are of the document.
type Reply struct {
	// OK says that the command was carried out; its writes may have failed even so.
	OK bool
	// Errors says that there are writeErrors, or a writeConcernError.
	Errors bool
	// N is the number of documents that were written, Modified how many of them an update changed, and Upserted how many
	// it inserted.
	N, Modified, Upserted int64
	// HasCursor says that there is a cursor; Cursor is its number, 0 once it is read to its end.
	HasCursor bool
	Cursor    int64
	// Batch is the array of documents of the cursor or of a result without one, or of the values of a distinct, as it
	// stands in the reply.
	Batch []byte
	// Value is the document that a findAndModify answers with, nil for none.
	Value []byte
	// At is the time of the snapshot that was read from, as a timestamp of MongoDB's; 0 for none.
	At uint64
	// Document is the whole reply.
	Document []byte
}

// Parse looks through the top of a reply, and through its cursor. It allocates nothing unless it fails.
func Parse(document []byte) (Reply, error) {
	reply := Reply{Document: document}
	err := each(document, func(e element) error {
		switch string(e.name) {
		case "ok":
			reply.OK = e.number() == 1
		case "n":
			reply.N = e.number()
		case "nModified":
			reply.Modified = e.number()
		case "upserted":
			return reply.upserts(e)
		case "writeErrors", "writeConcernError":
			reply.Errors = true
		case "lastErrorObject":
			return reply.lastError(e)
		case "cursor":
			return reply.cursor(e)
		default:
			reply.result(e)
		}
		return nil
	})
	return reply, err
}

// result is what comes in the reply itself, without a cursor.
func (r *Reply) result(e element) {
	switch string(e.name) {
	case "value":
		if e.kind == bsoncore.TypeEmbeddedDocument {
			r.Value = e.value
		}
	case "values", "result":
		if e.kind == bsoncore.TypeArray {
			r.Batch = e.value
		}
	case "atClusterTime":
		r.At = e.timestamp()
	}
}

// lastError is where a findAndModify has its number of documents.
func (r *Reply) lastError(object element) error {
	if object.kind != bsoncore.TypeEmbeddedDocument {
		return nil
	}
	return each(object.value, func(e element) error {
		switch string(e.name) {
		case "n":
			r.N = e.number()
		case "upserted":
			r.Upserted = 1
		}
		return nil
	})
}

// upserts counts the documents that an update has inserted.
func (r *Reply) upserts(list element) error {
	if list.kind != bsoncore.TypeArray {
		// Servers before 2.6 have the one in its place.
		r.Upserted = 1
		return nil
	}
	var err error
	r.Upserted, err = Count(list.value)
	return err
}

func (r *Reply) cursor(cursor element) error {
	if cursor.kind != bsoncore.TypeEmbeddedDocument {
		return nil
	}
	r.HasCursor = true
	return each(cursor.value, func(e element) error {
		switch string(e.name) {
		case "id":
			r.Cursor = e.number()
		case "atClusterTime":
			r.At = e.timestamp()
		case "firstBatch", "nextBatch":
			if e.kind == bsoncore.TypeArray {
				r.Batch = e.value
			}
		}
		return nil
	})
}

// Count counts the elements of a document or array, without looking into them.
func Count(document []byte) (int64, error) {
	var count int64
	err := each(document, func(element) error {
		count++
		return nil
	})
	return count, err
}

// each visits the elements of a document in their order, until the first error.
func each(document []byte, visit func(element) error) error {
	length, ok := size(document)
	if !ok || length != len(document) || length < smallestBody || document[length-1] != 0 {
		return fmt.Errorf("%w: a document of %d bytes does not fit its length", ErrProtocol, len(document))
	}
	elements := document[4 : length-1]
	for len(elements) > 0 {
		e, rest, err := next(elements)
		if err != nil {
			return err
		}
		if err := visit(e); err != nil {
			return err
		}
		elements = rest
	}
	return nil
}

// element is one element of a document.
type element struct {
	kind  bsoncore.Type
	name  []byte
	value []byte
}

// number is the value as a whole number, 0 if it is none.
func (e element) number() int64 {
	switch e.kind {
	case bsoncore.TypeInt32:
		return int64(int32(binary.LittleEndian.Uint32(e.value)))
	case bsoncore.TypeInt64:
		return int64(binary.LittleEndian.Uint64(e.value))
	case bsoncore.TypeDouble:
		return int64(math.Float64frombits(binary.LittleEndian.Uint64(e.value)))
	case bsoncore.TypeBoolean:
		return int64(e.value[0])
	default:
		return 0
	}
}

// timestamp is the value as a timestamp, 0 if it is none.
func (e element) timestamp() uint64 {
	if e.kind != bsoncore.TypeTimestamp {
		return 0
	}
	return binary.LittleEndian.Uint64(e.value)
}

// text is the value as a string, empty if it is none.
func (e element) text() string {
	if e.kind != bsoncore.TypeString || len(e.value) < 5 {
		return ""
	}
	return string(e.value[4 : len(e.value)-1])
}

// next splits off the first element.
func next(elements []byte) (first element, rest []byte, _ error) {
	end := bytes.IndexByte(elements[1:], 0)
	if end < 0 {
		return element{}, nil, fmt.Errorf("%w: a name does not end", ErrProtocol)
	}
	first.kind, first.name = bsoncore.Type(elements[0]), elements[1:1+end]
	rest = elements[2+end:]
	length, ok := valueLength(first.kind, rest)
	if !ok || length > len(rest) {
		return element{}, nil, fmt.Errorf("%w: value %q of type %#x is cut off", ErrProtocol, first.name, first.kind)
	}
	first.value = rest[:length]
	return first, rest[length:], nil
}

// fixedLengths of the types whose values all have the same; -1 for the others.
var fixedLengths = func() (lengths [256]int8) {
	for i := range lengths {
		lengths[i] = -1
	}
	for kind, length := range map[bsoncore.Type]int8{
		bsoncore.TypeUndefined: 0, bsoncore.TypeNull: 0, bsoncore.TypeMaxKey: 0, bsoncore.TypeMinKey: 0,
		bsoncore.TypeBoolean: 1, bsoncore.TypeInt32: 4, bsoncore.TypeInt64: 8, bsoncore.TypeDouble: 8,
		bsoncore.TypeDateTime: 8, bsoncore.TypeTimestamp: 8, bsoncore.TypeObjectID: 12, bsoncore.TypeDecimal128: 16,
	} {
		lengths[kind] = length
	}
	return lengths
}()

// valueLength is how many bytes the value takes that these begin with. It may be more than there are.
func valueLength(kind bsoncore.Type, value []byte) (int, bool) {
	if fixed := fixedLengths[kind]; fixed >= 0 {
		return int(fixed), true
	}
	if kind == bsoncore.TypeRegex {
		return regexLength(value)
	}
	if len(value) < 4 {
		return 0, false
	}
	length := uint64(binary.LittleEndian.Uint32(value))
	least := uint64(smallestBody)
	switch kind {
	case bsoncore.TypeEmbeddedDocument, bsoncore.TypeArray, bsoncore.TypeCodeWithScope:
	case bsoncore.TypeString, bsoncore.TypeJavaScript, bsoncore.TypeSymbol:
		// The length counts the zero byte at the end, but not itself.
		length += 4
	case bsoncore.TypeBinary:
		length += 5
	case bsoncore.TypeDBPointer:
		length, least = length+4+12, 5+12
	default:
		return 0, false
	}
	return int(length), length >= least && length <= math.MaxInt32
}

// regexLength is that of two texts that end with zero bytes.
func regexLength(value []byte) (int, bool) {
	pattern := bytes.IndexByte(value, 0)
	if pattern < 0 {
		return 0, false
	}
	flags := bytes.IndexByte(value[pattern+1:], 0)
	return pattern + 1 + flags + 1, flags >= 0
}
