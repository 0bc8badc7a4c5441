package handlersocket

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
)

// Bytes that the protocol gives a meaning. A line is tokens with tabs between them; all that is below the first byte
// that is written as it is goes as a mark and the byte, moved up.
const (
	separator   = '\t'
	lineEnd     = '\n'
	null        = 0x00
	escapeMark  = 0x01
	escapeShift = 0x40
	firstPlain  = 0x10
)

// appendText appends a value's bytes as a token.
func appendText(dst, text []byte) []byte {
	start := 0
	for i, b := range text {
		if b < firstPlain {
			dst = append(dst, text[start:i]...)
			dst = append(dst, escapeMark, b+escapeShift)
			start = i + 1
		}
	}
	return append(dst, text[start:]...)
}

// appendName appends a name, such as that of a table, as a token.
func appendName(dst []byte, name string) []byte {
	return appendText(dst, []byte(name))
}

// appendToken appends a separator and a value as a token.
func appendToken(dst []byte, name string) []byte {
	return appendName(append(dst, separator), name)
}

// appendNumber appends a separator and a number.
func appendNumber(dst []byte, number int64) []byte {
	return strconv.AppendInt(append(dst, separator), number, 10)
}

// errValue is of a value that no column holds.
var errValue = errors.New("no column holds such a value")

// appendValue appends a value as a token: what a column of its type takes for the same value.
func appendValue(dst []byte, value sql.Value) ([]byte, error) {
	switch value.Kind {
	case bson.TypeInt64:
		return strconv.AppendInt(dst, int64(binary.LittleEndian.Uint64(value.Bytes)), 10), nil
	case bson.TypeInt32:
		return strconv.AppendInt(dst, int64(int32(binary.LittleEndian.Uint32(value.Bytes))), 10), nil
	case bson.TypeDouble:
		return appendDouble(dst, math.Float64frombits(binary.LittleEndian.Uint64(value.Bytes)))
	case bson.TypeBoolean:
		return append(dst, '0'+value.Bytes[0]), nil
	case bson.TypeDateTime:
		return value.AppendDate(dst), nil
	case bson.TypeNull:
		return append(dst, null), nil
	default:
		return appendText(dst, value.Bytes), nil
	}
}

// appendDouble writes a number with as many digits as are needed to read the same one.
func appendDouble(dst []byte, number float64) ([]byte, error) {
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return dst, fmt.Errorf("%w: %v", errValue, number)
	}
	return strconv.AppendFloat(dst, number, 'g', -1, 64), nil
}
