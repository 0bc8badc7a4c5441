package records_test

import (
	"errors"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/records"
)

func TestATableHasTheValuesThatAFilterFindsTheDocumentBy(t *testing.T) {
	fields := []string{"_id", "a.b", "lines.sku", "lines.1.sku", "tags", "tags.1", "missing", "a.b.c", "lines.9"}
	keys := records.NewTable("c", fields)
	document, err := bson.Marshal(bson.D{
		{Key: "_id", Value: "x"},
		{Key: "a", Value: bson.D{{Key: "b", Value: int32(5)}}},
		{Key: "lines", Value: bson.A{bson.D{{Key: "n", Value: 1}}, bson.D{{Key: "sku", Value: "s"}}}},
		{Key: "tags", Value: bson.A{"one", "two"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	empty, _ := bson.Marshal(bson.D{})
	for _, one := range []bson.Raw{empty, document} {
		if err := keys.Add(one); err != nil {
			t.Fatal(err)
		}
	}
	if keys.Documents() != 2 {
		t.Fatalf("%d documents", keys.Documents())
	}
	want := []string{`"x"`, `{"$numberInt":"5"}`, `"s"`, `"s"`, `["one","two"]`, `"two"`, "null", "null", "null"}
	for i, field := range fields {
		index, ok := keys.FieldIndex(field)
		if !ok || index != i {
			t.Fatalf("field %s is %d", field, index)
		}
		kind, value := keys.AppendValue([]byte{7}, index, 1)
		if got := (bson.RawValue{Type: bson.Type(kind), Value: value[1:]}).String(); got != want[i] || value[0] != 7 {
			t.Errorf("%s is %s, want %s", field, got, want[i])
		}
		if kind, _ := keys.AppendValue(nil, index, 0); bson.Type(kind) != bson.TypeNull {
			t.Errorf("%s of a document without is of type %d", field, kind)
		}
	}
	if _, ok := keys.FieldIndex("other"); ok {
		t.Error("a field that was not read is found")
	}
}

func TestATableHasABound(t *testing.T) {
	keys := records.NewTable("c", []string{"text"})
	document, err := bson.Marshal(bson.D{{Key: "text", Value: strings.Repeat("x", 15<<20)}})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if err := keys.Add(document); err != nil {
			t.Fatal(err)
		}
	}
	if err := keys.Add(document); !errors.Is(err, records.ErrTooMuch) {
		t.Errorf("error %v, want that it is too much", err)
	}
}
