package validation_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/api/v1alpha1/validation"
)

const operation = "spec.workload.steps[0].operations[0]."

func TestValidateOperations(t *testing.T) {
	tests := map[string]testCase{
		"a collection that does not exist": {
			spec: withOperation("{name: o, kind: FindOne, collection: d}"),
			want: []string{operation + `collection: supported values: "c", "empty"`},
		},
		"an update without a filter": {
			spec: withOperation(`{name: o, kind: UpdateOne, update: '{"$inc": {"num": 1}}'}`),
			want: []string{operation + "filter: UpdateOne has to be told which document"},
		},
		"a deletion without a filter": {
			spec: withOperation("{name: o, kind: DeleteOne}"), want: []string{operation + "filter: DeleteOne has to be told"},
		},
		"a read and write without a filter": {
			spec: withOperation(`{name: o, kind: ReadModifyWrite, update: '[{"$set": {"num": 1}}]'}`),
			want: []string{operation + "filter: ReadModifyWrite has to be told"},
		},
		"an update that is a whole document": {
			spec: withOperation(`{name: o, kind: UpdateOne, filter: '{}', update: '{"num": 1}'}`),
			want: []string{operation + "update: must consist of update operators"},
		},
		"an update of nothing": {
			spec: withOperation(`{name: o, kind: UpdateOne, filter: '{}', update: '{}'}`),
			want: []string{operation + "update: must consist of update operators"},
		},
		"a replacement without a key": {
			spec: withOperation("{name: o, kind: ReplaceOne, filter: '{}'}"),
			want: []string{operation + "parameters: ReplaceOne needs a parameter of type Key"},
		},
		"a replacement by a parameter that is no key": {
			spec: withOperation(`{name: o, kind: ReplaceOne, replaceKey: p, parameters: [{name: p, type: Int}], ` +
				`filter: '{"num": {"$param": "p"}}'}`),
			want: []string{operation + "replaceKey: must be the name of a parameter of type Key"},
		},
		"a replacement by its key alone is valid": {
			spec: withOperation("{name: o, kind: ReplaceOne, parameters: [{name: k, type: Key}]}"),
		},
		"a replacement by the key of another field": {
			spec: withOperation("{name: o, kind: ReplaceOne, parameters: [{name: k, type: Key, key: {field: num}}]}"),
			want: []string{operation + `filter: the value of parameter "k" is the field num`},
		},
		"a command without a name": {
			spec: withOperation("{name: o, kind: RunCommand, command: '{}'}"),
			want: []string{operation + "command: must begin with the name of a command"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestValidateDocuments(t *testing.T) {
	find := func(filter string) string { return withOperation("{name: o, kind: Find, filter: '" + filter + "'}") }
	tests := map[string]testCase{
		"extended JSON is valid": {
			spec: find(`{"at": {"$gt": {"$date": "2026-01-01T00:00:00Z"}}, "big": 12345678901234567890}`),
		},
		"a filter without its end": {
			spec: find(`{"a": 1`), want: []string{operation + "filter: it ends too early"},
		},
		"a filter in the shell's notation": {
			spec: find(`{a: 1}`), want: []string{operation + "filter: is no JSON: at byte 2"},
		},
		"a filter with something behind it": {
			spec: find(`{"a": 1} {}`), want: []string{operation + "filter: something after its end"},
		},
		"a filter that is an array": {
			spec: find(`[]`), want: []string{operation + "filter: must be an object in braces"},
		},
		"a filter that is a parameter": {
			spec: find(`{"$param": "a"}`), want: []string{operation + "filter: must not be a parameter as a whole"},
		},
		"a parameter with a neighbour": {
			spec: find(`{"a": {"$param": "p", "b": 1}}`), want: []string{operation + "filter: refers to a parameter wrongly"},
		},
		"a parameter without a name": {
			spec: find(`{"a": [{"$param": 1}]}`), want: []string{operation + "filter: refers to a parameter wrongly"},
		},
		"a parameter that is not declared": {
			spec: find(`{"a": [1, {"b": {"$param": "p"}}]}`),
			want: []string{operation + `filter: refers to parameter "p", which is not declared`},
		},
		"a parameter that is not used": {
			spec: withOperation("{name: o, kind: Find, parameters: [{name: p, type: Int}]}"),
			want: []string{operation + `parameters[0].name: is used nowhere`},
		},
		"a pipeline that is an object": {
			spec: withOperation(`{name: o, kind: Aggregate, pipeline: '{"$match": {}}'}`),
			want: []string{operation + "pipeline: must be an array in brackets"},
		},
		"a pipeline of words": {
			spec: withOperation(`{name: o, kind: Aggregate, pipeline: '["$match"]'}`),
			want: []string{operation + "pipeline: must be an array of objects"},
		},
		"a pipeline and a parameter of it are valid": {
			spec: withOperation(`{name: o, kind: Aggregate, parameters: [{name: p, type: Int}], ` +
				`pipeline: '[{"$match": {"num": {"$param": "p"}}}]'}`),
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestValidateParameters(t *testing.T) {
	find := func(collection, parameter string) string {
		return withOperation("{name: o, kind: Find, collection: " + collection + ", parameters: [{name: p, " + parameter +
			`}], filter: '{"x": {"$param": "p"}}'}`)
	}
	tests := map[string]testCase{
		"a key of the _id that nobody declared is valid": {spec: find("c", "type: Key")},
		"a key of a declared field is valid": {
			spec: find("c", "type: Key, key: {field: num}, distribution: {type: Zipfian}"),
		},
		"a key of a field that does not exist": {
			spec: find("c", "type: Key, key: {field: m}"),
			want: []string{operation + "parameters[0].key.field: is no top-level field of collection c"},
		},
		"a key of a document": {
			spec: find("c", "type: Key, key: {field: d}"),
			want: []string{operation + "parameters[0].key.field: must be a single value at the top"},
		},
		"a key of a nested field": {
			spec: find("c", "type: Key, key: {field: a.b}"),
			want: []string{operation + "parameters[0].key.field: must be a single value at the top"},
		},
		"a key of a collection that starts empty": {
			spec: find("empty", "type: Key"),
			want: []string{operation + "parameters[0].type: collection empty is loaded with none"},
		},
		"an Int outside of 32 bits": {
			spec: find("c", "type: Int, integer: {max: 3000000000}"),
			want: []string{operation + "parameters[0].integer.max: use type Long"},
		},
		"a distribution that would be ignored": {
			spec: find("c", "type: Bool, distribution: {type: Uniform}"),
			want: []string{operation + "parameters[0].distribution: not drawn from a range"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}
