package document_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document"
	"github.com/mongobench/mongobench-operator/loadgen/records"
)

// people is a file of ten documents, every other of which has an _id, as its second field.
func people(t *testing.T, fields ...string) *records.Table {
	t.Helper()
	table := records.NewTable("people", fields)
	for i := range 10 {
		one := bson.D{{Key: "name", Value: fmt.Sprintf("n%d", i)}}
		if i%2 == 0 {
			one = append(one, bson.E{Key: "_id", Value: int64(i)})
		}
		one = append(one, bson.E{Key: "mail", Value: bson.D{{Key: "at", Value: fmt.Sprintf("m%d", i)}}})
		encoded, err := bson.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Add(encoded); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

func fromFile(field string, seed uint64, distribution string) planv1.Value {
	return planv1.Value{
		Type: benchv1alpha1.GeneratorFromFile, Seed: seed, FromFile: &planv1.FromFile{File: "people", Field: field},
		Distribution: planv1.Distribution{Type: distribution},
	}
}

func TestValuesAreTakenOfDocumentsOfAFile(t *testing.T) {
	c := planv1.Collection{Name: "c", Fields: []planv1.Field{
		{Name: "name", Value: fromFile("name", 1, "")},
		{Name: "mail", Value: fromFile("mail.at", 1, "")},
		{Name: "turn", Value: fromFile("name", 1, "Sequential")},
		{Name: "other", Value: fromFile("name", 2, "")},
		{Name: "none", Value: fromFile("missing", 1, "")},
	}}
	table := people(t, "mail.at", "missing", "name")
	g, err := document.Compile(5, c, table)
	if err != nil {
		t.Fatal(err)
	}
	names, others := map[any]int{}, 0
	for record := range int64(1000) {
		got := decode(t, g.Append(nil, record))
		names[got["name"]]++
		want := map[string]any{
			"_id": got["_id"], "name": got["name"], "mail": "m" + got["name"].(string)[1:], "other": got["other"],
			"turn": fmt.Sprintf("n%d", record%10), "none": nil,
		}
		if diff := cmp.Diff(want, map[string]any(got)); diff != "" {
			t.Fatalf("record %d (-want +got):\n%s", record, diff)
		}
		if got["other"] != got["name"] {
			others++
		}
	}
	if len(names) != 10 || names["n3"] < 60 || names["n3"] > 140 || others < 800 {
		t.Errorf("drawn %v, and %d times another by another seed", names, others)
	}
	buffer := g.Append(nil, 1)
	if allocations := testing.AllocsPerRun(100, func() { buffer = g.Append(buffer[:0], 7) }); allocations != 0 {
		t.Errorf("%v allocations for each document", allocations)
	}
	if _, err := document.Compile(5, c); err != nil {
		t.Errorf("before the file is read: %v", err)
	}
	if _, err := document.Compile(5, c, people(t, "name")); err == nil {
		t.Error("a field that was not read is taken")
	}
}

func TestWholeDocumentsAreTakenOfAFile(t *testing.T) {
	c := planv1.Collection{Name: "c", DocumentsFrom: "people", DocumentCount: 25}
	g, err := document.Compile(5, c, people(t, "", "_id", "name"))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for record := range int64(25) {
		ids[wantPerson(t, g, record)] = true
	}
	if len(ids) != 25 {
		t.Errorf("25 documents have %d ids", len(ids))
	}
	buffer := g.Append(nil, 1)
	if allocations := testing.AllocsPerRun(100, func() { buffer = g.Append(buffer[:0], 17) }); allocations != 0 {
		t.Errorf("%v allocations for each document", allocations)
	}
	unread, err := document.Compile(5, c)
	if err != nil || bson.Raw(unread.Append(nil, 3)).Validate() != nil {
		t.Errorf("before the file is read: %v", err)
	}
}

// wantPerson wants a record to be a document of the file, whose fields are drawn as they are, and returns its _id.
func wantPerson(t *testing.T, g *document.Generator, record int64) string {
	t.Helper()
	raw := bson.Raw(g.Append(nil, record))
	var got bson.D
	if err := bson.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	want := bson.D{
		{Key: "_id", Value: got[0].Value},
		{Key: "name", Value: fmt.Sprintf("n%d", record%10)},
		{Key: "mail", Value: bson.D{{Key: "at", Value: fmt.Sprintf("m%d", record%10)}}},
	}
	if record < 10 && record%2 == 0 {
		want[0].Value = record
	}
	_, made := want[0].Value.(bson.ObjectID)
	if diff := cmp.Diff(want, got); diff != "" || made == (record < 10 && record%2 == 0) {
		t.Errorf("record %d (-want +got):\n%s", record, diff)
	}
	for _, name := range []string{"name", "_id"} {
		field, _ := g.FieldIndex(name)
		kind, value := g.AppendValue(nil, field, record)
		if !raw.Lookup(name).Equal(bson.RawValue{Type: bson.Type(kind), Value: value}) {
			t.Errorf("record %d: %s is drawn as %x", record, name, value)
		}
	}
	return raw.Lookup("_id").String()
}
