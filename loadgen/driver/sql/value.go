package sql

import (
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// dateLayout is how a date is written: a DATETIME(3), in UTC.
const dateLayout = "2006-01-02 15:04:05.000"

const (
	lengthBytes   = 4
	objectIDBytes = 12
	// shortBytes are those that are written as hexadecimal digits, which takes no looking for what has to be escaped.
	shortBytes = 16
)

// Value is one value of a BSON document: its type, and its bytes without the length and the end of a text, and without
// the length and the subtype of binary data.
type Value struct {
	Kind  bson.Type
	Bytes []byte
}

// Flatten appends the values of a document that are no documents or arrays themselves, in their order, those within
// nested ones included. So a filter, an update and a document yield what the placeholders of their statement stand for.
func Flatten(values []Value, document []byte) ([]Value, error) {
	rest := elements(document)
	for len(rest) > 0 {
		kind, content, next, err := cut(rest)
		if err != nil {
			return nil, err
		}
		if kind == bson.TypeEmbeddedDocument || kind == bson.TypeArray {
			if values, err = Flatten(values, content); err != nil {
				return nil, err
			}
		} else {
			values = append(values, Value{kind, content})
		}
		rest = next
	}
	return values, nil
}

// elements are the bytes of a document between its length and its end.
func elements(document []byte) []byte {
	if len(document) <= lengthBytes {
		return nil
	}
	return document[lengthBytes : len(document)-1]
}

// cut takes the first element off: what is left of its value is what belongs to it without the length of a text or of
// binary data, and without their ends.
func cut(rest []byte) (kind bson.Type, content, next []byte, err error) {
	kind, at := bson.Type(rest[0]), 1
	for at < len(rest) && rest[at] != 0 {
		at++
	}
	rest = rest[min(at+1, len(rest)):]
	lead, length, tail, known := extent(kind, rest)
	switch {
	case !known:
		return 0, nil, nil, fmt.Errorf("no column holds a value of BSON type %s", kind)
	case length < 0 || lead+length+tail > len(rest):
		return 0, nil, nil, fmt.Errorf("a value of BSON type %s ends too early", kind)
	}
	return kind, rest[lead : lead+length], rest[lead+length+tail:], nil
}

// extent is how many bytes a value has before, within and after what belongs to it.
func extent(kind bson.Type, rest []byte) (lead, length, tail int, known bool) {
	switch kind {
	case bson.TypeDouble, bson.TypeDateTime, bson.TypeInt64:
		return 0, 8, 0, true
	case bson.TypeInt32:
		return 0, 4, 0, true
	case bson.TypeBoolean:
		return 0, 1, 0, true
	case bson.TypeObjectID:
		return 0, objectIDBytes, 0, true
	case bson.TypeNull:
		return 0, 0, 0, true
	case bson.TypeString:
		return lengthBytes, sized(rest) - 1, 1, true
	case bson.TypeBinary:
		return lengthBytes + 1, sized(rest), 0, true
	case bson.TypeEmbeddedDocument, bson.TypeArray:
		return 0, sized(rest), 0, true
	default:
		return 0, 0, 0, false
	}
}

// sized is the length that stands before a value.
func sized(rest []byte) int {
	if len(rest) < lengthBytes {
		return -1
	}
	return int(int32(binary.LittleEndian.Uint32(rest)))
}

// argument is a value for a placeholder. Bytes are not copied; dates are written to the end of scratch.
func (v Value) argument(scratch []byte) (driver.Value, []byte) {
	switch v.Kind {
	case bson.TypeInt64:
		return int64(binary.LittleEndian.Uint64(v.Bytes)), scratch
	case bson.TypeInt32:
		return int64(int32(binary.LittleEndian.Uint32(v.Bytes))), scratch
	case bson.TypeDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(v.Bytes)), scratch
	case bson.TypeBoolean:
		return v.Bytes[0] != 0, scratch
	case bson.TypeDateTime:
		start := len(scratch)
		scratch = v.AppendDate(scratch)
		return scratch[start:len(scratch):len(scratch)], scratch
	case bson.TypeNull:
		return nil, scratch
	default:
		return v.Bytes, scratch
	}
}

// AppendDate writes a date as DATETIME(3) has it, in UTC.
func (v Value) AppendDate(dst []byte) []byte {
	return time.UnixMilli(int64(binary.LittleEndian.Uint64(v.Bytes))).UTC().AppendFormat(dst, dateLayout)
}

// appendLiteral writes a value as SQL has it.
func (v Value) appendLiteral(dst []byte) []byte {
	switch v.Kind {
	case bson.TypeInt64:
		return strconv.AppendInt(dst, int64(binary.LittleEndian.Uint64(v.Bytes)), 10)
	case bson.TypeInt32:
		return strconv.AppendInt(dst, int64(int32(binary.LittleEndian.Uint32(v.Bytes))), 10)
	case bson.TypeDouble:
		// With an exponent it is a DOUBLE, and without one a DECIMAL, which knows no negative zero.
		return strconv.AppendFloat(dst, math.Float64frombits(binary.LittleEndian.Uint64(v.Bytes)), 'e', -1, 64)
	case bson.TypeBoolean:
		return append(dst, '0'+v.Bytes[0])
	case bson.TypeDateTime:
		return append(v.AppendDate(append(dst, '\'')), '\'')
	case bson.TypeNull:
		return append(dst, "NULL"...)
	default:
		return appendBytes(dst, v.Bytes)
	}
}

// appendBytes writes a string of bytes. The modes of a session are such that a backslash escapes.
func appendBytes(dst, content []byte) []byte {
	if len(content) <= shortBytes {
		return append(hex.AppendEncode(append(dst, 'x', '\''), content), '\'')
	}
	dst = append(dst, "_binary'"...)
	for {
		plain := 0
		for plain < len(content) && !special(content[plain]) {
			plain++
		}
		dst = append(dst, content[:plain]...)
		if plain == len(content) {
			return append(dst, '\'')
		}
		escaped := content[plain]
		if escaped == 0 {
			escaped = '0'
		}
		dst = append(dst, '\\', escaped)
		content = content[plain+1:]
	}
}

func special(b byte) bool {
	return b == '\'' || b == '\\' || b == 0
}
