package workload

import (
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Keys are fields of documents that were found in a collection, and not made here. The documents are numbered from 0
// on, and parameters of type Key draw from them as from loaded ones.
type Keys struct {
	collection string
	fields     []string
	// values are all of them, one after another; types and ends are those of each, with the fields of a document in a row.
	values []byte
	types  []byte
	ends   []uint32
}

// MostKeyBytes is how much memory the values of a collection's keys may take.
const MostKeyBytes = 64 << 20

// NewKeys are those of a collection, of which there are none yet.
func NewKeys(collection string, fields []string) *Keys {
	return &Keys{collection: collection, fields: fields}
}

// Name of the collection.
func (k *Keys) Name() string { return k.collection }

// Documents is how many there are.
func (k *Keys) Documents() int64 {
	if len(k.fields) == 0 {
		return 0
	}
	return int64(len(k.types) / len(k.fields))
}

// Add takes the fields of the next document. One that it is without is null, which matches it in a filter.
func (k *Keys) Add(document bson.Raw) error {
	for _, field := range k.fields {
		value, ok := valueAt(document, field)
		if !ok {
			value = bson.RawValue{Type: bson.TypeNull}
		}
		k.values, k.types = append(k.values, value.Value...), append(k.types, byte(value.Type))
		if len(k.values) > MostKeyBytes {
			return fmt.Errorf("the values of %s of %d documents take more than %d MiB; lower existing.sampledKeys",
				strings.Join(k.fields, ", "), k.Documents(), MostKeyBytes>>20)
		}
		k.ends = append(k.ends, uint32(len(k.values)))
	}
	return nil
}

// valueAt is the value at a name with dots. Of an array on the way it is in the first element that has it, as a filter
// by that value finds the document.
func valueAt(document bson.Raw, name string) (bson.RawValue, bool) {
	first, rest, more := strings.Cut(name, ".")
	value, err := document.LookupErr(first)
	if err != nil || !more {
		return value, err == nil
	}
	return valueIn(value, rest)
}

// valueIn is the value at a name with dots within another one.
func valueIn(value bson.RawValue, name string) (bson.RawValue, bool) {
	if inner, ok := value.DocumentOK(); ok {
		return valueAt(inner, name)
	}
	elements, ok := value.ArrayOK()
	if !ok {
		return bson.RawValue{}, false
	}
	if found, ok := valueAt(bson.Raw(elements), name); ok { // A number selects an element.
		return found, true
	}
	values, _ := elements.Values()
	for _, element := range values {
		if inner, ok := element.DocumentOK(); ok {
			if found, ok := valueAt(inner, name); ok {
				return found, true
			}
		}
	}
	return bson.RawValue{}, false
}

// FieldIndex finds a field by its name.
func (k *Keys) FieldIndex(name string) (int, bool) {
	index := slices.Index(k.fields, name)
	return index, index >= 0
}

// AppendValue appends the value of a field of the document with this number, and returns its BSON type too.
func (k *Keys) AppendValue(dst []byte, field int, record int64) (byte, []byte) {
	at := int(record)*len(k.fields) + field
	if at >= len(k.types) { // They were not read yet.
		return byte(bson.TypeNull), dst
	}
	start := uint32(0)
	if at > 0 {
		start = k.ends[at-1]
	}
	return k.types[at], append(dst, k.values[start:k.ends[at]]...)
}
