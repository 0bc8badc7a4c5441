package handlersocket

import (
	"bytes"
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

// appendToken appends a separator, and a name or another value as a token.
func appendToken(dst []byte, name string) []byte {
	return appendText(append(dst, separator), []byte(name))
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

// Limits of what is kept of a reply.
const (
	// keptBytes are kept of the values of a reply. More is counted and thrown away.
	keptBytes = 512
	// headDigits is how many digits the numbers that a reply begins with may have.
	headDigits = 9
)

// Statuses of a reply. There is also 2, of a request that cannot be understood, or not be done on this port.
const (
	statusDone = 0
	// statusEngine is an error of the storage engine, whose number follows, or that a table cannot be opened or locked.
	statusEngine = 1
	// statusLogin is a client that has not said the secret, or the wrong one.
	statusLogin = 3
)

// ErrProtocol is what comes of bytes that are no reply. The connection is of no use afterwards.
var ErrProtocol = errors.New("what came is no reply of HandlerSocket")

// Reply is what came back for one line.
type Reply struct {
	// Status is 0 when the line was carried out.
	Status int
	// Columns is how many values make a row.
	Columns int64
	// Values that followed, and Bytes of the whole line.
	Values, Bytes int64
	// Begin is the start of the values as they came, each with a tab before it; valid until the next reply.
	Begin []byte
}

// Rows that the values make.
func (r Reply) Rows() int64 {
	if r.Columns == 0 {
		return 0
	}
	return r.Values / r.Columns
}

// number is the first value as a number.
func (r Reply) number() (int64, error) {
	if len(r.Begin) < 2 {
		return 0, fmt.Errorf("%w: it has no number", ErrProtocol)
	}
	number, err := strconv.ParseInt(string(r.Begin[1:]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %q is no number", ErrProtocol, r.Begin[1:])
	}
	return number, nil
}

// failure is the error that the reply tells; nil when the line was carried out.
func (r Reply) failure() error {
	if r.Status == statusDone {
		return nil
	}
	failed := &ServerError{Status: r.Status}
	if len(r.Begin) > 0 {
		failed.Text = string(r.Begin[1:])
	}
	if r.Status == statusEngine {
		failed.Number, _ = strconv.Atoi(failed.Text)
	}
	return failed
}

// parts of a reply, in their order.
const (
	partStatus = iota
	partColumns
	partValues
)

// parser takes a reply to pieces as it comes. It needs no more memory for a long one than for a short one.
type parser struct {
	reply  Reply
	part   int
	digits int
	// kept are the first bytes of the values.
	kept [keptBytes]byte
	held int
}

// reset begins another reply.
func (p *parser) reset() {
	p.reply, p.part, p.digits, p.held = Reply{}, partStatus, 0, 0
}

// feed takes what has come, up to the end of the reply. It says how many bytes that was, and whether the reply is
// complete.
func (p *parser) feed(chunk []byte) (used int, done bool, err error) {
	line, _, done := bytes.Cut(chunk, []byte{lineEnd})
	used = len(line)
	p.reply.Bytes += int64(len(line))
	for len(line) > 0 && p.part != partValues {
		if err := p.head(line[0]); err != nil {
			return used, false, err
		}
		if p.part != partValues {
			line = line[1:]
		}
	}
	// The tab that ends the head is the one before the first value.
	p.reply.Values += int64(bytes.Count(line, []byte{separator}))
	p.held += copy(p.kept[p.held:], line)
	if !done {
		return used, false, nil
	}
	p.reply.Bytes++
	if p.part == partStatus || p.digits == 0 && p.part == partColumns {
		return used + 1, false, fmt.Errorf("%w: it ends within its head", ErrProtocol)
	}
	p.reply.Begin = p.kept[:p.held]
	return used + 1, true, nil
}

// head takes one byte of the two numbers that a reply begins with.
func (p *parser) head(b byte) error {
	switch {
	case b == separator && p.digits > 0:
		p.part, p.digits = p.part+1, 0
		return nil
	case b < '0' || b > '9' || p.digits == headDigits:
		return fmt.Errorf("%w: it begins with other than two numbers", ErrProtocol)
	}
	p.digits++
	if p.part == partStatus {
		p.reply.Status = p.reply.Status*10 + int(b-'0')
	} else {
		p.reply.Columns = p.reply.Columns*10 + int64(b-'0')
	}
	return nil
}
