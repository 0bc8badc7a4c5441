package verify

import (
	"bytes"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// maxReadable is the longest text of a value in a difference.
const maxReadable = 100

// whole is the name of the difference between two documents that cannot be told by a field.
const whole = "(the whole document)"

// firstDifference finds the first field in which two documents differ, with its name after the prefix, and both values.
func firstDifference(prefix string, want, got bson.Raw) (field, wanted, gotten string) {
	wants, err := want.Elements()
	if err != nil {
		return whole, "readable", err.Error()
	}
	gots, err := got.Elements()
	if err != nil {
		return whole, "readable", err.Error()
	}
	for i := range max(len(wants), len(gots)) {
		switch {
		case i >= len(wants):
			return prefix + gots[i].Key(), "", readable(gots[i].Value())
		case i >= len(gots):
			return prefix + wants[i].Key(), readable(wants[i].Value()), ""
		case bytes.Equal(wants[i], gots[i]):
			continue
		case wants[i].Key() != gots[i].Key():
			return prefix + wants[i].Key(), readable(wants[i].Value()), "not in this place: " + gots[i].Key() + " is"
		}
		return differentValue(prefix+wants[i].Key(), wants[i].Value(), gots[i].Value())
	}
	return whole, readable(bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: want}), "other bytes"
}

// differentValue looks into values that are documents or arrays.
func differentValue(name string, want, got bson.RawValue) (field, wanted, gotten string) {
	nested := want.Type == bson.TypeEmbeddedDocument || want.Type == bson.TypeArray
	if nested && want.Type == got.Type {
		return firstDifference(name+".", want.Value, got.Value)
	}
	return name, readable(want), readable(got)
}

// readable is a value in Extended JSON, cut where it gets too long to read.
func readable(value bson.RawValue) string {
	return measure.Shorten(value.String(), maxReadable)
}
