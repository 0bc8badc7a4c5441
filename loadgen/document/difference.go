package document

import (
	"bytes"
	"fmt"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// shownBytes is how much of a value a difference shows.
const shownBytes = 100

// Difference compares a document that was read with the one that it should be, byte by byte, and says in words where
// they first differ, by the name of the field; nested fields have names with dots. It is empty when they are the same.
// The order of the fields counts.
func Difference(want, got bson.Raw) string {
	if bytes.Equal(want, got) {
		return ""
	}
	if err := got.Validate(); err != nil {
		return fmt.Sprintf("what was read is no BSON document: %v", err)
	}
	if err := want.Validate(); err != nil {
		return fmt.Sprintf("what should be there is no BSON document: %v", err)
	}
	return differenceIn("", want, got)
}

// differenceIn compares two valid documents, or arrays, that differ.
func differenceIn(path string, want, got bson.Raw) string {
	// Both are valid.
	wanted, _ := want.Elements()
	found, _ := got.Elements()
	for i := range min(len(wanted), len(found)) {
		w, g := wanted[i], found[i]
		if bytes.Equal(w, g) {
			continue
		}
		name := path + w.Key()
		if w.Key() != g.Key() {
			return fmt.Sprintf("field %s is missing or not in its place, where field %s is",
				strconv.Quote(name), strconv.Quote(path+g.Key()))
		}
		return differenceOf(name, w.Value(), g.Value())
	}
	if len(found) > len(wanted) {
		return fmt.Sprintf("field %s should not be there", strconv.Quote(path+found[len(wanted)].Key()))
	}
	if len(wanted) > len(found) {
		return fmt.Sprintf("field %s is missing", strconv.Quote(path+wanted[len(found)].Key()))
	}
	return fmt.Sprintf("the document is stored in %d bytes, not %d", len(got), len(want))
}

// differenceOf compares two values of one field.
func differenceOf(name string, want, got bson.RawValue) string {
	if want.Type != got.Type {
		return fmt.Sprintf("field %s is of type %s, not %s", strconv.Quote(name), got.Type, want.Type)
	}
	switch want.Type {
	case bson.TypeEmbeddedDocument:
		return differenceIn(name+".", want.Document(), got.Document())
	case bson.TypeArray:
		return differenceIn(name+".", bson.Raw(want.Array()), bson.Raw(got.Array()))
	default:
		return fmt.Sprintf("field %s is %s, not %s", strconv.Quote(name), shown(got), shown(want))
	}
}

// shown is a value in Extended JSON, cut short.
func shown(value bson.RawValue) string {
	text := value.String()
	if len(text) > shownBytes {
		return text[:shownBytes] + "..."
	}
	return text
}
