package value

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/big"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// The classes of types that MongoDB compares first, and hashes along with a value. Those of one class compare by their
// values.
const (
	classMinKey    = -1
	classUndefined = 0
	classNull      = 5
	classNumber    = 10
	classString    = 15
	classDocument  = 20
	classArray     = 25
	classBinary    = 30
	classObjectID  = 35
	classBool      = 40
	classDate      = 45
	classTimestamp = 47
	classRegex     = 50
	classPointer   = 55
	classCode      = 60
	classScope     = 65
	classMaxKey    = 127
)

var classes = [256]int16{
	bsoncore.TypeMinKey:           classMinKey,
	bsoncore.TypeUndefined:        classUndefined,
	bsoncore.TypeNull:             classNull,
	bsoncore.TypeDouble:           classNumber,
	bsoncore.TypeInt32:            classNumber,
	bsoncore.TypeInt64:            classNumber,
	bsoncore.TypeDecimal128:       classNumber,
	bsoncore.TypeString:           classString,
	bsoncore.TypeSymbol:           classString,
	bsoncore.TypeEmbeddedDocument: classDocument,
	bsoncore.TypeArray:            classArray,
	bsoncore.TypeBinary:           classBinary,
	bsoncore.TypeObjectID:         classObjectID,
	bsoncore.TypeBoolean:          classBool,
	bsoncore.TypeDateTime:         classDate,
	bsoncore.TypeTimestamp:        classTimestamp,
	bsoncore.TypeRegex:            classRegex,
	bsoncore.TypeDBPointer:        classPointer,
	bsoncore.TypeJavaScript:       classCode,
	bsoncore.TypeCodeWithScope:    classScope,
	bsoncore.TypeMaxKey:           classMaxKey,
}

func canonical(t bsoncore.Type) int {
	return int(classes[t])
}

// Compare is negative when a comes before b in MongoDB's order, and 0 when they are equal to it: numbers are by their
// value, whatever their types.
func Compare(a, b bsoncore.Value) int {
	class := canonical(a.Type)
	if c := cmp.Compare(class, canonical(b.Type)); c != 0 {
		return c
	}
	switch class {
	case classMinKey, classUndefined, classNull, classMaxKey:
		return 0
	case classNumber:
		return compareNumbers(a, b)
	case classString, classCode:
		return bytes.Compare(text(a), text(b))
	case classDocument, classArray:
		return compareDocuments(a.Data, b.Data)
	case classDate:
		return cmp.Compare(int64(binary.LittleEndian.Uint64(a.Data)), int64(binary.LittleEndian.Uint64(b.Data)))
	case classTimestamp:
		return cmp.Compare(binary.LittleEndian.Uint64(a.Data), binary.LittleEndian.Uint64(b.Data))
	case classBinary, classPointer:
		return compareSized(a.Data, b.Data)
	case classScope:
		return compareScopes(a.Data, b.Data)
	default:
		return bytes.Compare(a.Data, b.Data)
	}
}

// text is what lies between the length of a text and its zero byte.
func text(v bsoncore.Value) []byte {
	return v.Data[lengthBytes : len(v.Data)-1]
}

// compareSized compares by the length first, and then by what follows it.
func compareSized(a, b []byte) int {
	if c := cmp.Compare(binary.LittleEndian.Uint32(a), binary.LittleEndian.Uint32(b)); c != 0 {
		return c
	}
	return bytes.Compare(a[lengthBytes:], b[lengthBytes:])
}

// compareDocuments compares element by element: by class, name and value.
func compareDocuments(a, b []byte) int {
	elementsA, elementsB := In(a), In(b)
	for {
		nameA, valueA, okA := elementsA.Next()
		nameB, valueB, okB := elementsB.Next()
		switch {
		case !okA && !okB:
			return 0
		case !okA:
			return -1
		case !okB:
			return 1
		}
		if c := cmp.Compare(canonical(valueA.Type), canonical(valueB.Type)); c != 0 {
			return c
		}
		if c := bytes.Compare(nameA, nameB); c != 0 {
			return c
		}
		if c := Compare(valueA, valueB); c != 0 {
			return c
		}
	}
}

// compareScopes compares code with a scope: by the code, then by the scope.
func compareScopes(a, b []byte) int {
	codeA, scopeA := splitScope(a)
	codeB, scopeB := splitScope(b)
	if c := bytes.Compare(codeA, codeB); c != 0 {
		return c
	}
	return compareDocuments(scopeA, scopeB)
}

// splitScope splits code with a scope into both: a length of the whole, a text, and a document.
func splitScope(data []byte) (code, scope []byte) {
	length := int(binary.LittleEndian.Uint32(data[lengthBytes:]))
	begin := 2 * lengthBytes
	return data[begin : begin+length-1], data[begin+length:]
}

// beyondInt64 is the least double that is larger than every int64.
const beyondInt64 = 1 << 63

func integer(v bsoncore.Value) (int64, bool) {
	switch v.Type {
	case bsoncore.TypeInt32:
		return int64(int32(binary.LittleEndian.Uint32(v.Data))), true
	case bsoncore.TypeInt64:
		return int64(binary.LittleEndian.Uint64(v.Data)), true
	default:
		return 0, false
	}
}

func float(v bsoncore.Value) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(v.Data))
}

// asInt64 cuts a number off to a whole one, as MongoDB does before it hashes it.
func asInt64(v bsoncore.Value) int64 {
	if number, ok := integer(v); ok {
		return number
	}
	if v.Type == bsoncore.TypeDouble {
		return truncate(float(v))
	}
	rank, number := exactly(v)
	switch {
	case rank == notANumber:
		return 0
	case rank != 0:
		return truncate(math.Inf(rank))
	}
	whole := new(big.Int).Quo(number.Num(), number.Denom())
	if whole.IsInt64() {
		return whole.Int64()
	}
	return truncate(math.Inf(whole.Sign()))
}

func truncate(number float64) int64 {
	switch {
	case math.IsNaN(number):
		return 0
	case number >= beyondInt64:
		return math.MaxInt64
	case number < -beyondInt64:
		return math.MinInt64
	default:
		return int64(number)
	}
}

// compareNumbers puts numbers of any type into one order; what is no number is the least.
func compareNumbers(a, b bsoncore.Value) int {
	wholeA, isWholeA := integer(a)
	wholeB, isWholeB := integer(b)
	switch {
	case isWholeA && isWholeB:
		return cmp.Compare(wholeA, wholeB)
	case a.Type == bsoncore.TypeDecimal128 || b.Type == bsoncore.TypeDecimal128:
		return compareDecimals(a, b)
	case isWholeA:
		return -compareFloat(float(b), wholeA)
	case isWholeB:
		return compareFloat(float(a), wholeB)
	default:
		return cmp.Compare(float(a), float(b))
	}
}

// compareFloat compares exactly: not every int64 is a float64.
func compareFloat(number float64, whole int64) int {
	const exact = 1 << 53
	switch {
	case math.IsNaN(number):
		return -1
	case whole > -exact && whole < exact:
		return cmp.Compare(number, float64(whole))
	case number >= beyondInt64:
		return 1
	case number < -beyondInt64:
		return -1
	default:
		return cmp.Compare(int64(number), whole)
	}
}

// compareDecimals compares numbers of which one is a Decimal128.
func compareDecimals(a, b bsoncore.Value) int {
	rankA, exactA := exactly(a)
	rankB, exactB := exactly(b)
	if rankA != 0 || rankB != 0 {
		return cmp.Compare(rankA, rankB)
	}
	return exactA.Cmp(exactB)
}

// notANumber is the rank of what is no number at all, below that of both infinities.
const notANumber = -2

// exactly is a number as it is, or the rank of one that is not finite: no number at all, and the infinities.
func exactly(v bsoncore.Value) (rank int, _ *big.Rat) {
	if whole, ok := integer(v); ok {
		return 0, new(big.Rat).SetInt64(whole)
	}
	if v.Type == bsoncore.TypeDecimal128 {
		d := bson.NewDecimal128(binary.LittleEndian.Uint64(v.Data[8:]), binary.LittleEndian.Uint64(v.Data))
		switch {
		case d.IsNaN():
			return notANumber, nil
		case d.IsInf() != 0:
			return d.IsInf(), nil
		default:
			exact, _ := new(big.Rat).SetString(d.String())
			return 0, exact
		}
	}
	number := float(v)
	switch {
	case math.IsNaN(number):
		return notANumber, nil
	case math.IsInf(number, 0):
		return cmp.Compare(number, 0), nil
	default:
		return 0, new(big.Rat).SetFloat64(number)
	}
}
