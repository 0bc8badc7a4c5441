package value

import (
	"iter"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// lengthBytes is the size of a document's length, which comes first in it.
const lengthBytes = 4

// Missing is the value of a field that is not there: null, as for MongoDB's indexes and sorts.
var Missing = bsoncore.Value{Type: bsoncore.TypeNull}

// Path is a field's name, split at its dots.
type Path []string

// ParsePath splits a name with dots.
func ParsePath(name string) Path {
	return strings.Split(name, ".")
}

// String is the name with dots.
func (p Path) String() string {
	return strings.Join(p, ".")
}

// Overlaps says whether one of two fields is the other, or lies within it.
func (p Path) Overlaps(other Path) bool {
	for i := range min(len(p), len(other)) {
		if p[i] != other[i] {
			return false
		}
	}
	return true
}

// Elements goes through the elements of a document or array.
type Elements struct {
	rest []byte
}

// In begins with the first element. What is no document has none.
func In(document []byte) Elements {
	if len(document) < lengthBytes {
		return Elements{}
	}
	return Elements{rest: document[lengthBytes:]}
}

// Next returns the next element; not ok at the end, and where the bytes are no BSON.
func (e *Elements) Next() (name []byte, v bsoncore.Value, ok bool) {
	if len(e.rest) == 0 || e.rest[0] == 0 {
		return nil, bsoncore.Value{}, false
	}
	element, rest, ok := bsoncore.ReadElement(e.rest)
	if !ok {
		return nil, bsoncore.Value{}, false
	}
	e.rest = rest
	name = element.KeyBytes()
	return name, bsoncore.Value{Type: bsoncore.Type(element[0]), Data: element[len(name)+2:]}, true
}

// All are the elements of a document or array.
func All(document []byte) iter.Seq2[[]byte, bsoncore.Value] {
	return func(yield func([]byte, bsoncore.Value) bool) {
		elements := In(document)
		for name, v, ok := elements.Next(); ok && yield(name, v); {
			name, v, ok = elements.Next()
		}
	}
}

// First is the first element of a document or array; not ok where there is none.
func First(document []byte) (name []byte, v bsoncore.Value, ok bool) {
	elements := In(document)
	return elements.Next()
}

// Find looks for a field, within nested documents but not within arrays.
func Find(document []byte, path Path) (bsoncore.Value, bool) {
	for depth := 0; ; depth++ {
		found, ok := Field(document, path[depth])
		if !ok || depth == len(path)-1 {
			return found, ok
		}
		if found.Type != bsoncore.TypeEmbeddedDocument {
			return bsoncore.Value{}, false
		}
		document = found.Data
	}
}

// Field looks for an element of a document by its name, in which dots are nothing special.
func Field(document []byte, name string) (bsoncore.Value, bool) {
	for found, v := range All(document) {
		if string(found) == name {
			return v, true
		}
	}
	return bsoncore.Value{}, false
}

// Texts are the texts of an array, or the one.
func Texts(v bsoncore.Value) []string {
	if v.Type != bsoncore.TypeArray {
		text, _ := v.StringValueOK()
		return []string{text}
	}
	var found []string
	for _, item := range All(v.Data) {
		text, _ := item.StringValueOK()
		found = append(found, text)
	}
	return found
}

// Number is a value as a whole number, and whether it is a number.
func Number(v bsoncore.Value) (int64, bool) {
	if canonical(v.Type) != classNumber {
		return 0, false
	}
	return asInt64(v), true
}
