package condition

import (
	"bytes"
	"cmp"
	"math"
)

type kind uint8

const (
	// null is also what is missing.
	null kind = iota
	truth
	whole
	fraction
	characters
	// other is of a type that conditions know nothing of but whether two are the same.
	other
)

// Value is what a name of a condition stands for. The zero value is null.
type Value struct {
	kind kind
	// subtype keeps values of other types apart; ordered ones have their place in number.
	subtype byte
	// elements is how many an array has, and less than 0 for what is none.
	elements int32
	number   int64
	double   float64
	// text is that of characters, and the bytes of other.
	text []byte
}

// The truth values.
var (
	True  = Value{kind: truth, number: 1}
	False = Value{kind: truth}
)

// Truth is one of them.
func Truth(is bool) Value {
	if is {
		return True
	}
	return False
}

// Int is a whole number.
func Int(number int64) Value { return Value{kind: whole, number: number} }

// Double is a number that need not be whole.
func Double(number float64) Value { return Value{kind: fraction, double: number} }

// Text is a text, which must not be changed while the value is in use.
func Text(text []byte) Value { return Value{kind: characters, text: text} }

// Moment is a point in time, or another number, of a type of its own: it is compared with others of that type.
func Moment(subtype byte, number int64) Value {
	return Value{kind: whole, subtype: subtype, number: number}
}

// Other is a value of a type that has no order here: only two of the same bytes are equal. An array has a number of
// elements, and what is none less than 0.
func Other(subtype byte, encoded []byte, elements int) Value {
	return Value{kind: other, subtype: subtype, text: encoded, elements: int32(min(elements, math.MaxInt32))}
}

func (v Value) isTrue() bool { return v.kind == truth && v.number == 1 }

// Compare is the order of two values; those of different types have none, but for numbers.
func (v Value) Compare(with Value) (order int, ordered bool) {
	switch {
	case v.subtype != with.subtype:
		return 0, false
	case v.kind == with.kind:
		return v.sameKind(with)
	case v.kind == whole && with.kind == fraction:
		return mixed(v.number, with.double)
	case v.kind == fraction && with.kind == whole:
		order, ordered = mixed(with.number, v.double)
		return -order, ordered
	default:
		return 0, false
	}
}

func (v Value) sameKind(with Value) (order int, ordered bool) {
	switch v.kind {
	case whole, truth:
		return cmp.Compare(v.number, with.number), true
	case fraction:
		return cmp.Compare(v.double, with.double), v.double == v.double && with.double == with.double
	case characters, other:
		return bytes.Compare(v.text, with.text), true
	case null:
	}
	return 0, true
}

// mixed compares a whole number with another without rounding it.
func mixed(number int64, double float64) (order int, ordered bool) {
	const beyond = 1 << 63
	switch {
	case double != double:
		return 0, false
	case double >= beyond:
		return -1, true
	case double < -beyond:
		return 1, true
	}
	floor := math.Floor(double)
	if order = cmp.Compare(number, int64(floor)); order == 0 && floor < double {
		return -1, true
	}
	return order, true
}

// size is how long a text or array is; null of anything else.
func (v Value) size() Value {
	switch {
	case v.kind == characters:
		return Int(int64(len(v.text)))
	case v.kind == other && v.elements >= 0:
		return Int(int64(v.elements))
	default:
		return Value{}
	}
}
