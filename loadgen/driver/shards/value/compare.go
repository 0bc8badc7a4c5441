package value

import (
	"bytes"
	"cmp"
	"encoding/binary"

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
