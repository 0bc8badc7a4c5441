package validation_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

func TestValidateFields(t *testing.T) {
	const fields = "spec.dataset.collections[0].fields"
	tests := map[string]testCase{
		"an Int outside of 32 bits": {
			spec: withFields("{name: f, type: Int, integer: {min: -2147483649, max: 2147483648}}"),
			want: []string{fields + "[0].integer.min: use type Long", fields + "[0].integer.max: use type Long"},
		},
		"a Long outside of 32 bits is valid": {spec: withFields("{name: f, type: Long, integer: {max: 9000000000}}")},
		"a Long over all 64 bits": {
			spec: withFields("{name: f, type: Long, integer: {min: -9223372036854775808, max: 9223372036854775807}}"),
			want: []string{fields + "[0].integer.max: must be less than 9223372036854775807 above min"},
		},
		"a Double without a range": {
			spec: withFields(`{name: f, type: Double, double: {min: "1"}}`),
			want: []string{fields + "[0].double.min: must be less than max, 1"},
		},
		"a Date after the default end": {
			spec: withFields(`{name: f, type: Date, date: {min: "2031-01-01T00:00:00Z"}}`),
			want: []string{fields + "[0].date.min: must be no later than max, 2030-01-01T00:00:00Z"},
		},
		"a Date before the default start": {
			spec: withFields(`{name: f, type: Date, date: {max: "2019-01-01T00:00:00Z"}}`),
			want: []string{fields + "[0].date.max: which is 2020-01-01T00:00:00Z when unset"},
		},
		"a Date around the load is valid": {
			spec: withFields("{name: f, type: Date, date: {minOffsetSeconds: -60, maxOffsetSeconds: 0}}"),
		},
		"a Date around the load that ends before it begins": {
			spec: withFields("{name: f, type: Date, date: {minOffsetSeconds: 1, maxOffsetSeconds: 0}}"),
			want: []string{fields + "[0].date.minOffsetSeconds: must be no more than maxOffsetSeconds, 0"},
		},
		"a Date around the load without an end": {
			spec: withFields("{name: f, type: Date, date: {minOffsetSeconds: 1}}"),
			want: []string{fields + "[0].date.maxOffsetSeconds: must be given together with minOffsetSeconds"},
		},
		"a Date of both kinds": {
			spec: withFields(
				`{name: f, type: Date, date: {min: "2031-01-01T00:00:00Z", minOffsetSeconds: 0, maxOffsetSeconds: 1}}`),
			want: []string{fields + "[0].date.min: is not possible with minOffsetSeconds"},
		},
		"a choice that holds no JSON": {
			spec: withFields("{name: f, type: Choice, choice: {values: [{value: {$json: red}}]}}"),
			want: []string{fields + "[0].choice.values[0].value: has a {$json: ...} that is no JSON"},
		},
		"a choice of a parameter": {
			spec: withFields(`{name: f, type: Choice, choice: {values: [{value: {$param: x}}]}}`),
			want: []string{fields + "[0].choice.values[0].value: cannot refer to a parameter"},
		},
		"a distribution that would be ignored": {
			spec: withFields("{name: f, type: UUID, distribution: {type: Zipfian}}"),
			want: []string{fields + "[0].distribution: a value of type UUID is not drawn from a range"},
		},
		"a sequence that leaves 64 bits": {
			spec: withFields("{name: f, type: Sequence, sequence: {step: 1000000000000000000}}"),
			want: []string{fields + "[0].sequence.step: leave 64 bits"},
		},
		"a name within another": {
			spec: withFields("{name: a.b.c, type: Int}, {name: a.b, type: Int}, {name: a.bc, type: Int}"),
			want: []string{fields + `[0].name: field "a.b" has a value of its own`},
		},
		"a name within another in a nested document": {
			spec: withFields("{name: f, type: Document, document: {fields: [{name: x, type: Int}, {name: x.y, type: Int}]}}"),
			want: []string{fields + `[0].document.fields[1].name: field "x" has a value`},
		},
		"a wrong value in an array of documents": {
			spec: withFields("{name: f, type: Array, array: {maxItems: 1, element: {type: Document, document: " +
				"{fields: [{name: x, type: Int, integer: {max: 3000000000}}]}}}}"),
			want: []string{fields + "[0].array.element.document.fields[0].integer.max: use type Long"},
		},
		"a part of the _id": {
			spec: withFields("{name: _id.a, type: Int}"),
			want: []string{fields + "[0].name: declare a field _id of type Document"},
		},
		"an _id that repeats itself": {
			spec: withFields("{name: _id, type: Bool}"), want: []string{fields + "[0].type: must not repeat"},
		},
		"an _id drawn at random from few values": {
			spec: withFields("{name: _id, type: Int, integer: {max: 9}}"), want: []string{fields + "[0].type: must not repeat"},
		},
		"an _id that goes through enough values is valid": {
			spec: withFields("{name: _id, type: Int, integer: {max: 9}, distribution: {type: Sequential}}"),
		},
		"an _id that repeats too soon": {
			spec: withFields("{name: _id, type: Int, integer: {max: 8}, distribution: {type: Sequential}}"),
			want: []string{fields + "[0].type: must not repeat"},
		},
		"an _id that is made of the record number is valid": {
			spec: withFields("{name: _id, type: Serial, serial: {prefix: user, order: Hashed}}"),
		},
		"the latest of a field": {
			spec: withFields("{name: a, type: Int, distribution: {type: Latest}}"),
			want: []string{fields + "[0].distribution.type: only a parameter of type Key"},
		},
		"a serial from a distribution": {
			spec: withFields("{name: a, type: Serial, distribution: {type: Uniform}}"),
			want: []string{fields + "[0].distribution: a value of type Serial is not drawn from a range"},
		},
		"an _id of random text is valid": {spec: withFields("{name: _id, type: String}")},
		"an _id that is a document is valid": {
			spec: withFields("{name: _id, type: Document, document: {fields: [{name: a, type: UUID}]}}"),
		},
		"an _id of a sequence is valid": {spec: withFields("{name: _id, type: Sequence}")},
		"an _id of short text repeats itself": {
			spec: withFields("{name: _id, type: String, bytes: {maxLength: 4}}"),
			want: []string{fields + "[0].type: must not repeat"},
		},
		"documents over 16 MiB": {
			spec: withCollection("fields: [{name: f, type: Array, array: {maxItems: 2, " +
				"element: {type: Binary, bytes: {maxLength: 9000000}}}}]"),
			want: []string{"spec.dataset.collections[0].fields: over the 16 MiB"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestValidateCollections(t *testing.T) {
	const collection = "spec.dataset.collections[0]."
	tests := map[string]testCase{
		"a capped collection that loses documents by their number": {
			spec: withCollection("documentCount: 11, options: {capped: {sizeBytes: 4096, maxDocuments: 10}}"),
			want: []string{collection + "options.capped.maxDocuments: must be at least documentCount, 11"},
		},
		"a capped collection that loses documents by their size": {
			spec: withCollection("documentCount: 100, fields: [{name: f, type: String, bytes: {minLength: 100}}], " +
				"options: {capped: {sizeBytes: 4096}}"),
			want: []string{collection + "options.capped.sizeBytes: must have room for documentCount, 100"},
		},
		"a capped collection with room is valid": {
			spec: withCollection("documentCount: 100, options: {capped: {sizeBytes: 1000000, maxDocuments: 100}}"),
		},
		"two indexes with the same keys": {
			spec: withCollection("indexes: [{keys: [{field: a}]}, {name: other, keys: [{field: a, type: Ascending}]}]"),
			want: []string{collection + "indexes[1].keys: a_1"},
		},
		"two indexes of one name": {
			spec: withCollection("indexes: [{name: i, keys: [{field: a}]}, {name: i, keys: [{field: b}]}]"),
			want: []string{collection + "indexes[1].name: i"},
		},
		"an index named as the server names another": {
			spec: withCollection("indexes: [{keys: [{field: a}]}, {name: a_1, keys: [{field: b}]}]"),
			want: []string{collection + "indexes[1].name: a_1"},
		},
		"the index that is always there": {
			spec: withCollection("indexes: [{keys: [{field: _id}]}]"),
			want: []string{collection + "indexes[0].keys: leave it out"},
		},
		"a hashed index on _id is valid": {spec: withCollection("indexes: [{keys: [{field: _id, type: Hashed}]}]")},
		"two hashed keys": {
			spec: withCollection("indexes: [{keys: [{field: a, type: Hashed}, {field: b, type: Hashed}]}]"),
			want: []string{collection + "indexes[0].keys: at most one Hashed key"},
		},
		"a wildcard index is valid": {spec: withCollection("indexes: [{keys: [{field: a.$**}]}]")},
		"a unique wildcard index": {
			spec: withCollection("indexes: [{keys: [{field: $**}], properties: [Unique]}]"),
			want: []string{collection + "indexes[0].keys: a wildcard index cannot be"},
		},
		"an indexed field with an empty part": {
			spec: withCollection("indexes: [{keys: [{field: a..b}]}, {keys: [{field: $a}]}]"),
			want: []string{
				collection + "indexes[0].keys[0].field: joined by dots",
				collection + "indexes[1].keys[0].field: joined by dots",
			},
		},
		"a TTL index on a capped collection": {
			spec: withCollection("indexes: [{keys: [{field: a}], expireAfterSeconds: 5}], options: {capped: {sizeBytes: 4096}}"),
			want: []string{collection + "indexes[0].expireAfterSeconds: capped collection cannot expire"},
		},
		"a TTL index on _id": {
			spec: withCollection("indexes: [{keys: [{field: _id, type: Descending}], expireAfterSeconds: 5}]"),
			want: []string{collection + "indexes[0].expireAfterSeconds: cannot be a TTL index"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}
