package infer

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/loadgen/document"
)

func raw(t *testing.T, json string) bson.Raw {
	t.Helper()
	var document bson.Raw
	if err := bson.UnmarshalExtJSON([]byte(json), false, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

func TestIndexesAndOptions(t *testing.T) {
	declared := func(texts ...string) []bson.Raw {
		indexes := make([]bson.Raw, len(texts))
		for i, text := range texts {
			indexes[i] = raw(t, text)
		}
		return indexes
	}
	sample := sampleOf(t, Settings{MaxChoices: 20}, 50, func(i int) bson.D { return bson.D{{Key: "_id", Value: i}} })
	collection, notes := sample.Collection(About{
		Name: "c", Documents: 50,
		Options: raw(t, `{"capped": true, "size": 65536, "max": 500, "validator": {"a": 1},
			"storageEngine": {"wiredTiger": {"configString": "block_compressor=zlib,other=1"}}}`),
		Indexes: declared(
			`{"v": 2, "key": {"_id": 1}, "name": "_id_"}`,
			`{"v": 2, "key": {"a": 1, "b.c": -1.0}, "name": "a_1_b.c_-1", "unique": true}`,
			`{"v": 2, "key": {"d": "hashed"}, "name": "mine"}`,
			`{"v": 2, "key": {"e": 1}, "name": "e_1", "unique": true, "sparse": true, "partialFilterExpression": {"e": 1}}`,
			`{"v": 2, "key": {"t": 1}, "name": "t_1", "expireAfterSeconds": 60}`,
			`{"v": 2, "key": {"$**": 1}, "name": "$**_1"}`,
			`{"v": 2, "key": {"_fts": "text", "_ftsx": 1}, "name": "words"}`,
		),
	})
	got := make([]string, 0, len(collection.Indexes))
	for _, index := range collection.Indexes {
		got = append(got, flow(index))
	}
	want := []string{
		"{keys: [{field: a}, {field: b.c, type: Descending}]}",
		"{name: mine, keys: [{field: d, type: Hashed}]}",
		"{keys: [{field: e}], properties: [Sparse, Unique]}",
		"{keys: [{field: t}]}",
		`{keys: [{field: "$**"}]}`,
	}
	if !cmp.Equal(got, want) {
		t.Errorf("indexes differ: %s", cmp.Diff(want, got))
	}
	options := flow(collection.Options)
	if wanted := "{capped: {sizeBytes: 65536, maxDocuments: 500}, compressor: Zlib}"; options != wanted {
		t.Errorf("options are %s; want %s", options, wanted)
	}
	for _, note := range []string{
		"option validator", "a_1_b.c_-1 is not unique", "e_1 is made without its partialFilterExpression",
		"t_1 lets documents expire", "words is left out",
	} {
		if !strings.Contains(notesOf(notes), note) {
			t.Errorf("notes are %q, want one with %q", notesOf(notes), note)
		}
	}
}

func TestValuesThatMustNotRepeat(t *testing.T) {
	for name, tc := range map[string]struct {
		value func(i int) any
		want  string
	}{
		"numbers here and there": {
			func(i int) any { return int64(i * i * 1000) },
			"type: Sequence, sequence: {start: 0, step: 98010}",
		},
		"small ones": {
			func(i int) any { return int32(i * i) },
			"type: Int, distribution: {type: Sequential}, integer: {min: 0, max: 99}",
		},
		"large ones": {
			func(i int) any { return math.MaxInt64 - int64(i)*3 },
			"type: Sequence, sequence: {start: 0, step: 3}",
		},
		"long texts": {
			func(i int) any { return fmt.Sprintf("%015d-%d", i*i, i%10) },
			"type: String, bytes: {minLength: 17, maxLength: 17}",
		},
		"short texts": {
			func(i int) any { return fmt.Sprintf("%04d-", i*i) },
			"type: Serial, serial: {digits: 5}",
		},
		"binaries": {
			func(i int) any { return bson.Binary{Data: []byte(fmt.Sprintf("%020d", i))} },
			"type: Binary, bytes: {minLength: 20, maxLength: 20}",
		},
		"doubles": {func(i int) any { return float64(i) / 2 }, "type: ObjectID"},
		"few, though all differ": {
			func(i int) any { return int32(5 * i) },
			"type: Sequence, sequence: {start: 0, step: 5}",
		},
		"ObjectIDs": {func(int) any { return bson.NewObjectID() }, "type: ObjectID"},
		"documents": {
			func(i int) any {
				return bson.D{{Key: "a", Value: int32(i)}, {Key: "b", Value: bson.D{{Key: "c", Value: true}}}}
			},
			"type: Document, document: {fields: [{name: a, type: Int, distribution: {type: Sequential}, " +
				"integer: {min: 0, max: 99}}, {name: b.c, type: Bool, bool: {truePercent: 100}}]}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			sample := sampleOf(t, Settings{MaxChoices: 20}, 100, func(i int) bson.D {
				return bson.D{{Key: "_id", Value: tc.value(i)}}
			})
			collection, _ := sample.Collection(About{Name: "c", Documents: 100})
			if got := lines(t, collection)["_id"]; got != tc.want {
				t.Errorf("_id is %s, want %s", got, tc.want)
			}
			if _, err := Generated(benchv1alpha1.Dataset{Collections: []benchv1alpha1.Collection{collection}}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFieldsThatNotAllDocumentsHave(t *testing.T) {
	sample := sampleOf(t, Settings{MaxChoices: 20}, 100, func(i int) bson.D {
		in := bson.D{{Key: "x", Value: true}}
		document := bson.D{{Key: "_id", Value: i}, {Key: "$odd", Value: 1}, {Key: "in", Value: in}}
		if i%10 > 0 {
			document = append(document, bson.E{Key: "most", Value: true})
		}
		if i%10 == 0 {
			document = append(document, bson.E{Key: "few", Value: true}, bson.E{Key: "doc", Value: bson.D{
				{Key: "a", Value: bson.A{bson.D{{Key: "b", Value: true}, {Key: "c", Value: nil}}}},
			}})
		}
		if i%2 == 0 {
			document = append(document, bson.E{Key: "plain", Value: letters(20)}, bson.E{Key: "sparse", Value: letters(20)})
		}
		return document
	})
	collection, notes := sample.Collection(About{Name: "c", Documents: 100, Indexes: []bson.Raw{
		raw(t, `{"key": {"plain": 1}, "name": "plain_1", "unique": true}`),
		raw(t, `{"key": {"sparse": 1}, "name": "sparse_1", "unique": true, "sparse": true}`),
	}})
	got := lines(t, collection)
	const yes = "bool: {truePercent: 100}"
	for name, want := range map[string]string{
		"in.x": "type: Bool, " + yes, "most": "presencePercent: 90, type: Bool, " + yes,
		"few": "presencePercent: 10, type: Bool, " + yes, "$odd": "",
		"doc": "presencePercent: 10, type: Document, document: {fields: [{name: \"a[1].b\", type: Bool, " + yes +
			"}, {name: \"a[].c\", type: Choice, choice: {values: [{value: {\"$json\": \"null\"}}]}}]}",
		"plain":  "type: String, bytes: {minLength: 20, maxLength: 20}",
		"sparse": "presencePercent: 50, type: String, bytes: {minLength: 20, maxLength: 20}",
	} {
		if got[name] != want {
			t.Errorf("%s is %s, want %s", name, got[name], want)
		}
	}
	checkNotes(t, notes, []string{"$odd: is left out", "plain: is in 50 % of the documents; of the generated ones in all"})
	if _, err := Generated(benchv1alpha1.Dataset{Collections: []benchv1alpha1.Collection{collection}}); err != nil {
		t.Error(err)
	}
}

func TestDecimalsAreWrittenAsShortAsTheyAre(t *testing.T) {
	for want, tc := range map[string]struct {
		number int64
		scale  int
	}{
		"0": {0, 2}, "-0.05": {-5, 2}, "12.5": {1250, 2}, "7": {7, 0}, "100": {100, 0}, "-3": {-3000, 3},
		"0.000000000000000001": {1, 18},
	} {
		if got := withPoint(tc.number, tc.scale); got != want {
			t.Errorf("%d with %d digits after the point is %s, want %s", tc.number, tc.scale, got, want)
		}
	}
}

func TestDatesAreAsFarFromTheLoadAsFromTheSample(t *testing.T) {
	sample := sampleOf(t, Settings{Now: start}, 100, func(i int) bson.D {
		ago := time.Duration(i) * time.Hour
		return bson.D{
			{Key: "_id", Value: i},
			{Key: "seen", Value: bson.NewDateTimeFromTime(start.Add(-ago))},
			{Key: "at", Value: bson.Timestamp{T: uint32(start.Add(ago).Unix()), I: 1}},
		}
	})
	collection, _ := sample.Collection(About{Name: "c", Documents: 100})
	want := map[string]string{
		"seen": "type: Date, date: {minOffsetSeconds: -356400, maxOffsetSeconds: 0}",
		"at":   "type: Timestamp, date: {minOffsetSeconds: 0, maxOffsetSeconds: 356400}",
	}
	got := lines(t, collection)
	delete(got, "_id")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNoValuesAreMadeUpWithTheSameTypesLengthsAndWeights(t *testing.T) {
	secret := []any{"secret", "private", int32(7777), int64(88888), 99.5, bson.NewObjectID(), bson.DateTime(1), true, nil}
	sample := sampleOf(t, Settings{MaxChoices: 20, NoValues: true}, 900, func(i int) bson.D {
		return bson.D{{Key: "_id", Value: fmt.Sprintf("hidden%03d", i)}, {Key: "v", Value: secret[i%len(secret)]}}
	})
	collection, _ := sample.Collection(About{Name: "c", Documents: 900})
	got := lines(t, collection)
	for _, leak := range []string{"secret", "private", "7777", "88888", "99.5", "hidden"} {
		if strings.Contains(got["v"]+got["_id"], leak) {
			t.Errorf("%q is in %s", leak, got)
		}
	}
	if want := "type: Serial, serial: {prefix: xxxxxx, digits: 3}"; got["_id"] != want {
		t.Errorf("_id is %s, want %s", got["_id"], want)
	}
	lengths := map[int]int{}
	for _, choice := range collection.Fields[1].Choice.Values {
		lengths[len(choice.Value)]++
		if *choice.Weight != 100 {
			t.Errorf("%s has weight %d, want 100", choice.Value, *choice.Weight)
		}
	}
	if len(collection.Fields[1].Choice.Values) != len(secret) || lengths[len(`"secret"`)] != 1 {
		t.Errorf("choices are %v", collection.Fields[1].Choice.Values)
	}
}

func TestWhatIsWrittenIsTheDatasetWithItsNotes(t *testing.T) {
	sample := sampleOf(t, Settings{MaxChoices: 20}, 100, func(i int) bson.D {
		return bson.D{
			{Key: "_id", Value: bson.NewObjectID()},
			{Key: "yes", Value: []string{"a: b", "#", "ü\""}[i%3]},
			{Key: "tags", Value: bson.A{bson.D{{Key: "n", Value: i % 7}, {Key: "code", Value: bson.JavaScript(letters(9))}}}},
		}
	})
	collection, notes := sample.Collection(About{Name: "on", Documents: 7, Options: raw(t, `{"validator": {}}`)})
	database := "true"
	dataset := benchv1alpha1.Dataset{Database: &database, Collections: []benchv1alpha1.Collection{collection}}
	var text bytes.Buffer
	if err := Write(&text, Result{Dataset: dataset, Notes: notes, Header: []string{"Made by a test."}}); err != nil {
		t.Fatal(err)
	}
	var read benchv1alpha1.Dataset
	if err := yaml.UnmarshalStrict(text.Bytes(), &read); err != nil {
		t.Fatalf("%v in\n%s", err, text.String())
	}
	if !cmp.Equal(read, dataset) {
		t.Errorf("what is read differs: %s", cmp.Diff(dataset, read))
	}
	for _, want := range []string{
		"# Made by a test.\n", "# its option validator is left out\n- name: \"on\"\n",
		"  # tags[].code is of type javascript, which cannot be generated: it is a Long instead\n  - {name: tags,",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("it lacks %q:\n%s", want, text.String())
		}
	}
}

// TestRoundTrip: what is inferred from generated documents generates such documents.
func TestRoundTrip(t *testing.T) {
	content := `
collections:
- name: c
  documentCount: 5000
  indexes:
  - {keys: [{field: code}], properties: [Unique]}
  fields:
  - {name: _id, type: Serial, serial: {prefix: user, digits: 8}}
  - {name: code, type: String, bytes: {minLength: 20, maxLength: 30}}
  - {name: age, type: Int, integer: {min: 18, max: 90}}
  - {name: rank, type: Long, integer: {min: 0, max: 999}, distribution: {type: Zipfian}}
  - {name: price, type: Double, double: {min: "0.5", max: "99.5"}}
  - {name: at, type: Date, date: {min: "2024-01-01T00:00:00Z", max: "2025-01-01T00:00:00Z"}}
  - {name: text, type: String, bytes: {minLength: 10, maxLength: 400, compressiblePercent: 50}}
  - {name: colour, type: Choice, choice: {values: [{value: red, weight: 3}, {value: blue}]}}
  - {name: address.city, type: String, bytes: {minLength: 4, maxLength: 12}}
  - {name: address.geo.lat, type: Double, double: {min: "-90", max: "90"}}
  - {name: flag, type: Bool, bool: {truePercent: 30}}
  - {name: key, type: UUID}
  - {name: data, type: Binary, bytes: {minLength: 16, maxLength: 64}}
  - {name: tags, type: Array, array: {minItems: 1, maxItems: 5, element: {type: String, bytes: {maxLength: 9}}}}
  - {name: items, type: Array, array: {maxItems: 4, element: {type: Document, document: {fields: [
      {name: sku, type: Int, integer: {max: 99999}}, {name: count, type: Int, integer: {min: 1, max: 9}}]}}}}
`
	var dataset benchv1alpha1.Dataset
	if err := yaml.UnmarshalStrict([]byte(content), &dataset); err != nil {
		t.Fatal(err)
	}
	first := sampleOfDataset(t, dataset)
	// As the server tells it of the index.
	about := About{
		Name: "c", Documents: 5000, Indexes: []bson.Raw{raw(t, `{"key": {"code": 1}, "name": "code_1", "unique": true}`)},
	}
	collection, notes := first.Collection(about)
	inferred := benchv1alpha1.Dataset{Collections: []benchv1alpha1.Collection{collection}}
	second := sampleOfDataset(t, inferred)
	if ratio := float64(second.AverageBytes()) / float64(first.AverageBytes()); ratio < 0.98 || ratio > 1.02 {
		t.Errorf("documents have %d bytes, and those that were inferred %d", first.AverageBytes(), second.AverageBytes())
	}
	again, _ := second.Collection(about)
	want, got := lines(t, collection), lines(t, again)
	for name, text := range want {
		// Draws differ in their ends and shares; the types do not.
		if kind, _, _ := strings.Cut(text, ","); !strings.HasPrefix(got[name], kind) {
			t.Errorf("%s is %s, and inferred again %s", name, text, got[name])
		}
	}
	for name, wanted := range map[string]string{
		"_id":  "type: Serial, serial: {prefix: user, digits: 8}",
		"code": "type: String, bytes: {minLength: 20, maxLength: 30}",
		"age":  "type: Int, integer: {min: 18, max: 90}", "key": "type: UUID",
		"text": "type: String, bytes: {minLength: 10, maxLength: 400, compressiblePercent: 50}",
		"tags": "type: Array, array: {minItems: 1, maxItems: 5, element: " +
			"{type: String, bytes: {minLength: 9, maxLength: 9}}}",
	} {
		if want[name] != wanted {
			t.Errorf("%s is %s, want %s", name, want[name], wanted)
		}
	}
	if !strings.Contains(want["rank"], "Zipfian") {
		t.Errorf("rank is %s, want it by Zipf's law", want["rank"])
	}
	if len(notes) != 0 {
		t.Errorf("there is nothing to note, and it said %q", notesOf(notes))
	}
}

func sampleOfDataset(t *testing.T, dataset benchv1alpha1.Dataset) *Sample {
	t.Helper()
	if _, err := Generated(dataset); err != nil {
		t.Fatal(err)
	}
	plan := spec.Compile(benchv1alpha1.BenchmarkRunSpec{Dataset: dataset})
	generator, err := document.Compile(plan.Seed, plan.Collections[0])
	if err != nil {
		t.Fatal(err)
	}
	sample := NewSample(Settings{MaxChoices: 20})
	for record := range int64(5000) {
		if err := sample.Add(generator.Append(nil, record)); err != nil {
			t.Fatal(err)
		}
	}
	return sample
}
