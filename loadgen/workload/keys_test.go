package workload_test

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

func TestKeysAreTheValuesThatAFilterFindsTheDocumentBy(t *testing.T) {
	fields := []string{"_id", "a.b", "lines.sku", "lines.1.sku", "tags", "tags.1", "missing", "a.b.c", "lines.9"}
	keys := workload.NewKeys("c", fields)
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

func TestKeysHaveABound(t *testing.T) {
	keys := workload.NewKeys("c", []string{"text"})
	document, err := bson.Marshal(bson.D{{Key: "text", Value: strings.Repeat("x", 15<<20)}})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if err := keys.Add(document); err != nil {
			t.Fatal(err)
		}
	}
	if err := keys.Add(document); err == nil || !strings.Contains(err.Error(), "lower existing.sampledKeys") {
		t.Errorf("error %v, want one that says what to do", err)
	}
}

// TestKeysAreDrawnAsRecordsAre has the same numbers drawn, whether documents were loaded or found.
func TestKeysAreDrawnAsRecordsAre(t *testing.T) {
	op := planv1.Operation{
		Parameters: []planv1.Parameter{person},
		Request:    planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`},
	}
	loadedPlan, foundPlan := single(op), single(op)
	foundPlan.Collections[0].DocumentCount, foundPlan.Existing = 0, &planv1.Existing{SampledKeys: 10}
	d, err := workload.NewDataset(foundPlan)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := workload.Compile(d, 0); err != nil {
		t.Errorf("before the keys are known: %v", err)
	}
	of, drawn := compile(t, loadedPlan, 0)
	keys := workload.NewKeys("people", []string{"_id"})
	for record := range int64(loaded) {
		if err := keys.Add(of.Generator("people").Append(nil, record)); err != nil {
			t.Fatal(err)
		}
	}
	d.Found(keys)
	mix, err := workload.Compile(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want, got workload.Request
	for number := range int64(200) {
		drawn.Draw(number, &want)
		mix.Draw(number, &got)
		if want.Filter.String() != got.Filter.String() {
			t.Fatalf("operation %d has %s, want %s", number, got.Filter, want.Filter)
		}
	}
	if allocations := testing.AllocsPerRun(100, func() { mix.Draw(5, &got) }); allocations != 0 {
		t.Errorf("%v allocations for each draw", allocations)
	}
}
