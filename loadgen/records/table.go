package records

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Table has fields of documents, which are numbered from 0 on.
type Table struct {
	name   string
	fields []string
	// values are all of them, one after another; types and ends are those of each, with the fields of a document in a row.
	values []byte
	types  []byte
	ends   []uint32
}

// MostBytes is how much memory the values of a table may take.
const MostBytes = 64 << 20

// ErrTooMuch is the error of a table that is full.
var ErrTooMuch = errors.New("too much to be kept in memory")

// Whole is the field that stands for the whole document.
const Whole = ""

// NewTable is one of these fields, without documents yet. Its name is that of what they come from.
func NewTable(name string, fields []string) *Table { return &Table{name: name, fields: fields} }

// Name of what the documents come from.
func (t *Table) Name() string { return t.name }

// Documents is how many there are.
func (t *Table) Documents() int64 {
	if len(t.fields) == 0 {
		return 0
	}
	return int64(len(t.types) / len(t.fields))
}

// Add takes the fields of the next document. One that it is without is null, which matches it in a filter.
func (t *Table) Add(document bson.Raw) error {
	for _, field := range t.fields {
		value, ok := bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: document}, true
		if field != Whole {
			value, ok = valueAt(document, field)
		}
		if !ok {
			value = bson.RawValue{Type: bson.TypeNull}
		}
		t.values, t.types = append(t.values, value.Value...), append(t.types, byte(value.Type))
		if len(t.values) > MostBytes {
			return fmt.Errorf("%w: what is needed of the first %d documents takes more than %d MiB", ErrTooMuch,
				t.Documents()+1, MostBytes>>20)
		}
		t.ends = append(t.ends, uint32(len(t.values)))
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
func (t *Table) FieldIndex(name string) (int, bool) {
	index := slices.Index(t.fields, name)
	return index, index >= 0
}

// AppendValue appends the value of a field of the document with this number, and returns its BSON type too. Of a
// document that is not there it is null.
func (t *Table) AppendValue(dst []byte, field int, number int64) (byte, []byte) {
	at := int(number)*len(t.fields) + field
	if at >= len(t.ends) {
		return byte(bson.TypeNull), dst
	}
	return t.types[at], append(dst, t.Value(field, number)...)
}

// Value is the same without the type. It must not be changed.
func (t *Table) Value(field int, number int64) []byte {
	at := int(number)*len(t.fields) + field
	if at >= len(t.ends) {
		return nil
	}
	start := uint32(0)
	if at > 0 {
		start = t.ends[at-1]
	}
	return t.values[start:t.ends[at]]
}

// Longest is how many bytes the longest value of a field takes.
func (t *Table) Longest(field int) int64 {
	longest := 0
	for number := range t.Documents() {
		longest = max(longest, len(t.Value(field, number)))
	}
	return int64(longest)
}
