package validation_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

func TestValidateFieldsThatMayBeMissing(t *testing.T) {
	const fields = "spec.dataset.collections[0].fields"
	tests := map[string]testCase{
		"missing and null is valid": {spec: withFields("{name: f, type: Int, presencePercent: 50, nullPercent: 10}")},
		"an _id that may be missing": {
			spec: withFields("{name: _id, type: UUID, presencePercent: 99}"),
			want: []string{fields + "[0].name: is in every document"},
		},
		"an _id that may be null": {
			spec: withFields("{name: _id, type: UUID, nullPercent: 1}"),
			want: []string{fields + "[0].name: is in every document"},
		},
		"an element that may be missing": {
			spec: withFields(`{name: "f[3]", type: Int, presencePercent: 50}`),
			want: []string{fields + "[0].presencePercent: an element of an array cannot be missing"},
		},
		"a unique index of a field that may be missing": {
			spec: withCollection("fields: [{name: f, type: UUID, presencePercent: 5}], " +
				"indexes: [{keys: [{field: f}], properties: [Unique]}]"),
			want: []string{fields + "[0].name: a Unique index f_1 allows one"},
		},
		"a sparse unique index of a field that may be missing is valid": {
			spec: withCollection("fields: [{name: f, type: UUID, presencePercent: 5}], " +
				"indexes: [{keys: [{field: f}], properties: [Unique, Sparse]}]"),
		},
		"a sparse unique index of a field that may be null": {
			spec: withCollection("fields: [{name: f, type: UUID, nullPercent: 5}], " +
				"indexes: [{keys: [{field: f}], properties: [Unique, Sparse]}]"),
			want: []string{fields + "[0].name: no value null"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestValidateNamesWithBrackets(t *testing.T) {
	const fields = "spec.dataset.collections[0].fields"
	named := func(names ...string) string {
		for i, name := range names {
			names[i] = fmt.Sprintf(`{name: %q, type: Int}`, name)
		}
		return withFields(strings.Join(names, ", "))
	}
	tests := map[string]testCase{
		"arrays of arrays are valid": {spec: named("a[1-2].b[3].c", "a[].b[].d", "a[].e", "m[2][2]", "x.y[1].z")},
		"brackets of something else": {spec: named("a[b]"), want: []string{fields + "[0].name: has [b], which is neither"}},
		"too many elements":          {spec: named("a[10001]"), want: []string{fields + "[0].name: has at most 10000"}},
		"no number of elements": {
			spec: named("a[].b"), want: []string{fields + "[0].name: has no number of elements for the array a"},
		},
		"two numbers of elements": {
			spec: named("a[1].b", "a[2].c"), want: []string{fields + "[1].name: has another number of elements"},
		},
		"one field twice": {spec: named("a[1].b", "a[].b"), want: []string{fields + "[1].name: a[].b"}},
		"a value and an array": {
			spec: named("a", "a[1].b"), want: []string{fields + "[1].name: field \"a\" has a value of its own"},
		},
		"elements that are values and documents": {
			spec: named("a[1]", "a[].b"), want: []string{fields + "[1].name: field \"a[1]\" has a value of its own"},
		},
		"an array and a document": {
			spec: named("x.a[1].b", "x.a.c"), want: []string{fields + "[0].name: field \"x.a.c\" makes a document"},
		},
		"an array within an array, and a document there": {
			spec: named("a[1].b[1].c", "a[].b.d"), want: []string{fields + "[0].name: makes an array of what"},
		},
		"an _id that is an array": {spec: named("_id[3]"), want: []string{fields + "[0].name: _id is a value of its own"}},
		"documents over 16 MiB": {
			spec: withFields(`{name: "a[1-1000].b[1-1000].c", type: UUID}`), want: []string{
				fields + ": over the 16 MiB", "spec.dataset.load.batchDocuments: needs about",
			},
		},
		"a nested name": {
			spec: withFields(`{name: d, type: Document, document: {fields: [{name: "a[]", type: Int}]}}`),
			want: []string{fields + "[0].document.fields[0].name: has no number of elements"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestValidateTypesOfRealData(t *testing.T) {
	const first = "spec.dataset.collections[0].fields[0]."
	field := func(settings string) string { return withFields("{name: f, " + settings + "}") }
	tests := map[string]testCase{
		"settings of other types": {
			spec: field("type: Int, decimal: {}, geo: {}, words: {}, fake: Name, refersTo: {collection: c}"),
			want: []string{
				first + "decimal: only with type Decimal128", first + "geo: only with type GeoPoint",
				first + "words: only with type Words", first + "fake: only with type Fake",
				first + "refersTo: only with type Reference",
			},
		},
		"a fake of nothing":      {spec: field("type: Fake"), want: []string{first + "fake: is required with type Fake"}},
		"a reference to nothing": {spec: field("type: Reference"), want: []string{first + "refersTo: is required"}},
		"a decimal with too many digits after the point": {
			spec: field(`type: Decimal128, decimal: {min: "0.123"}`), want: []string{first + "decimal.min: more than 2 digits"},
		},
		"a decimal with too many digits": {
			spec: field(`type: Decimal128, decimal: {max: "100000000000000000"}`),
			want: []string{first + "decimal.max: at most 18 digits"},
		},
		"a decimal from more to less": {
			spec: field(`type: Decimal128, decimal: {min: "2000"}`), want: []string{first + "decimal.min: no more than max"},
		},
		"a timestamp before 1970": {
			spec: field(`type: Timestamp, date: {min: "1960-01-01T00:00:00Z"}`),
			want: []string{first + "date.min: is no time of a Timestamp"},
		},
		"a timestamp after 2106": {
			spec: field(`type: Timestamp, date: {max: "2107-01-01T00:00:00Z"}`),
			want: []string{first + "date.max: is no time of a Timestamp"},
		},
		"a timestamp long before the load": {
			spec: field(`type: Timestamp, date: {minOffsetSeconds: -1600000000, maxOffsetSeconds: 0}`),
			want: []string{first + "date.minOffsetSeconds: which is 50 years, for a Timestamp"},
		},
		"beyond the pole": {
			spec: field(`type: GeoPoint, geo: {maxLatitude: "90.1"}`), want: []string{first + "geo.maxLatitude: from -90 to 90"},
		},
		"from east to west": {
			spec: field(`type: GeoPoint, geo: {minLongitude: "9", maxLongitude: "8"}`),
			want: []string{first + "geo.minLongitude: no more than maxLongitude, 8"},
		},
		"a radius and distribution of no clusters": {
			spec: field("type: GeoPoint, geo: {clusterRadiusMeters: 5}, distribution: {type: Zipfian}"),
			want: []string{first + "geo.clusterRadiusMeters: only with clusters", first + "distribution: set geo.clusters"},
		},
		"a vector without settings": {
			spec: field("type: Vector"), want: []string{first + "vector: is required with type Vector"},
		},
		"a spread and distribution of no clusters of vectors": {
			spec: field("type: Vector, vector: {dimensions: 3, clusters: 0, spreadPercent: 5}, distribution: {type: Zipfian}"),
			want: []string{
				first + "vector.spreadPercent: only with clusters", first + "distribution: set vector.clusters",
			},
		},
		"fewer words at most than at least": {
			spec: field("type: Words, words: {minWords: 9, maxWords: 8}"),
			want: []string{first + "words.minWords: no more than maxWords, 8"},
		},
		"an _id of names": {
			spec: withFields("{name: _id, type: Fake, fake: Email}"), want: []string{first + "type: must not repeat"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestValidateReferences(t *testing.T) {
	const path = "spec.dataset.collections[1].fields[0]."
	// parents has fields of several kinds; children refers to it.
	refer := func(settings string) string {
		return fmt.Sprintf(`
dataset:
  collections:
    - name: parents
      documentCount: 10
      fields:
        - {name: email, type: Fake, fake: Email}
        - {name: number, type: Sequence}
        - {name: far, type: Sequence, sequence: {step: 1000000000}}
        - {name: phone, type: Fake, fake: Phone, presencePercent: 50}
        - {name: d, type: Document, document: {fields: [{name: x, type: Int}]}}
        - {name: up, type: Reference, refersTo: {collection: empty}}
    - name: children
      fields: [{name: f, type: Reference, %s}]
    - {name: empty, documentCount: 1}
    - {name: none}
`, settings)
	}
	tests := map[string]testCase{
		"an _id with orphans is valid":  {spec: refer("refersTo: {collection: parents, orphanPercent: 5}")},
		"a count for each is valid":     {spec: refer("refersTo: {collection: parents, field: email, documentsPerKey: 5}")},
		"the latest are valid":          {spec: refer("refersTo: {collection: parents}, distribution: {type: Latest}")},
		"orphans of a number are valid": {spec: refer("refersTo: {collection: parents, field: number, orphanPercent: 5}")},
		"an unknown collection": {
			spec: refer("refersTo: {collection: parent}"), want: []string{path + "refersTo.collection: of the dataset"},
		},
		"a collection without documents": {
			spec: refer("refersTo: {collection: none}"), want: []string{path + "refersTo.collection: set its documentCount"},
		},
		"an unknown field": {
			spec: refer("refersTo: {collection: parents, field: name}"), want: []string{path + "refersTo.field: or _id"},
		},
		"a document": {
			spec: refer("refersTo: {collection: parents, field: d}"), want: []string{path + "refersTo.field: a single value"},
		},
		"a field that may be missing": {
			spec: refer("refersTo: {collection: parents, field: phone}"), want: []string{path + "refersTo.field: all have"},
		},
		"a reference to a reference": {
			spec: refer("refersTo: {collection: parents, field: up}"),
			want: []string{path + "refersTo.field: refer to field _id of collection empty"},
		},
		"orphans of what repeats": {
			spec: refer("refersTo: {collection: parents, field: email, orphanPercent: 1}"),
			want: []string{path + "refersTo.orphanPercent: never repeat"},
		},
		"orphans beyond 64 bits": {
			spec: refer("refersTo: {collection: parents, field: far, orphanPercent: 1}"),
			want: []string{path + "refersTo.orphanPercent: never repeat"},
		},
		"a count and a distribution": {
			spec: refer("refersTo: {collection: parents, documentsPerKey: 2}, distribution: {type: Zipfian}"),
			want: []string{path + "distribution: is not possible with refersTo.documentsPerKey"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestValidateNothingIsAddedToWhatMayBeMissing(t *testing.T) {
	spec := `
dataset: {collections: [{name: c, documentCount: 10, fields: [{name: n, type: Int, presencePercent: 50}]}]}
workload:
  steps:
    - name: s
      durationSeconds: 1
      operations:
        - {name: o, kind: Find, filter: {n: {$gte: {$param: k}, $lt: {$param: m}}},
           parameters: [{name: k, type: Key, key: {field: n}}, {name: m, type: Int, plusParameter: k}]}
`
	check(t, validation.ValidateRun(runOf(t, spec)), []string{
		"spec.workload.steps[0].operations[0].parameters[1].plusParameter: must be the name of a parameter",
	})
}

// What the page about data shows is not only what the schema allows, as the tests of pages say, but valid.
func TestTheFieldsOfThePageAreValid(t *testing.T) {
	page, err := os.ReadFile("../../../docs/how-to/data.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	for block := range strings.SplitSeq(string(page), "```yaml\n") {
		fields, _, closed := strings.Cut(block, "```")
		if !closed || !strings.HasPrefix(fields, "fields:") {
			continue
		}
		examples++
		run := runOf(t, "dataset: {collections: [{name: customers, documentCount: 10, fields: [{name: email, type: Fake, "+
			"fake: Email}]}, {name: shown, documentCount: 10}]}")
		var shown struct {
			Fields []benchv1alpha1.Field `json:"fields"`
		}
		if err := yaml.UnmarshalStrict([]byte(fields), &shown); err != nil {
			t.Fatalf("%v in\n%s", err, fields)
		}
		run.Spec.Dataset.Collections[1].Fields = shown.Fields
		check(t, validation.ValidateRun(run), nil)
	}
	if examples < 6 {
		t.Errorf("the page has %d examples of fields", examples)
	}
}
