package validation_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

const operationPath = "spec.workload.steps[0].operations[0]."

func TestValidateOperations(t *testing.T) {
	tests := map[string]testCase{
		"a collection that does not exist": {
			spec: withOperation("{name: o, kind: FindOne, collection: d}"),
			want: []string{operationPath + `collection: supported values: "c", "empty", "journal"`},
		},
		"an operation of a dataset of several collections": {
			spec: `{dataset: {collections: [{name: c}, {name: d}]}, workload: {steps: [{name: s, durationSeconds: 1, ` +
				`operations: [{name: o, kind: InsertOne}]}]}}`,
			want: []string{operationPath + "collection: the dataset has several collections: name one of c, d"},
		},
		"a command needs none of them": {
			spec: `{dataset: {collections: [{name: c}, {name: d}]}, workload: {steps: [{name: s, durationSeconds: 1, ` +
				`operations: [{name: o, kind: RunCommand, command: {ping: 1}}]}]}}`,
		},
		"an update without a filter": {
			spec: withOperation(`{name: o, kind: UpdateOne, update: '{"$inc": {"num": 1}}'}`),
			want: []string{operationPath + "filter: UpdateOne has to be told which document"},
		},
		"a deletion without a filter": {
			spec: withOperation("{name: o, kind: DeleteOne}"),
			want: []string{operationPath + "filter: DeleteOne has to be told"},
		},
		"a read and write without a filter": {
			spec: withOperation(`{name: o, kind: ReadModifyWrite, update: '[{"$set": {"num": 1}}]'}`),
			want: []string{operationPath + "filter: ReadModifyWrite has to be told"},
		},
		"an update that is a whole document": {
			spec: withOperation(`{name: o, kind: UpdateOne, filter: '{}', update: '{"num": 1}'}`),
			want: []string{operationPath + "update: must consist of update operators"},
		},
		"an update of nothing": {
			spec: withOperation(`{name: o, kind: UpdateOne, filter: '{}', update: '{}'}`),
			want: []string{operationPath + "update: must consist of update operators"},
		},
		"a replacement without a key": {
			spec: withOperation("{name: o, kind: ReplaceOne, filter: '{}'}"),
			want: []string{operationPath + "parameters: ReplaceOne needs a parameter of type Key"},
		},
		"a replacement by a parameter that is no key": {
			spec: withOperation(`{name: o, kind: ReplaceOne, replaceKey: p, parameters: [{name: p, type: Int}], ` +
				`filter: '{"num": {"$param": "p"}}'}`),
			want: []string{operationPath + "replaceKey: must be the name of a parameter of type Key"},
		},
		"a replacement by its key alone is valid": {
			spec: withOperation("{name: o, kind: ReplaceOne, parameters: [{name: k, type: Key}]}"),
		},
		"a replacement by the key of another field": {
			spec: withOperation("{name: o, kind: ReplaceOne, parameters: [{name: k, type: Key, key: {field: num}}]}"),
			want: []string{operationPath + `filter: the value of parameter "k" is the field num`},
		},
		"a change of many without a filter": {
			spec: withOperation(`{name: o, kind: UpdateMany, update: '{"$inc": {"num": 1}}'}`),
			want: []string{operationPath + "filter: UpdateMany has to be told which documents; {} selects all"},
		},
		"a deletion of many without a filter": {
			spec: withOperation("{name: o, kind: DeleteMany}"), want: []string{operationPath + "filter: {} selects all"},
		},
		"a deletion of all is valid": {spec: withOperation("{name: o, kind: DeleteMany, filter: '{}'}")},
		"a change with a return by a whole document": {
			spec: withOperation(`{name: o, kind: FindOneAndUpdate, filter: '{}', update: '{"num": 1}'}`),
			want: []string{operationPath + "update: must consist of update operators"},
		},
		"a tail of a collection that is not capped": {
			spec: withOperation("{name: o, kind: Tail}"),
			want: []string{operationPath + "collection: follows a capped collection"},
		},
		"a tail of a capped collection is valid": {spec: withOperation("{name: o, kind: Tail, collection: journal}")},
		"a limit by a parameter is valid": {
			spec: withOperation("{name: o, kind: Find, limitParameter: l, " +
				"parameters: [{name: l, type: Int, integer: {min: 1}}]}"),
		},
		"a limit by a parameter that may be 0": {
			spec: withOperation("{name: o, kind: Find, limitParameter: l, parameters: [{name: l, type: Int}]}"),
			want: []string{operationPath + "limitParameter: must be at least 1"},
		},
		"a limit by a parameter of another type": {
			spec: withOperation("{name: o, kind: Find, limitParameter: l, parameters: [{name: l, type: Long}]}"),
			want: []string{operationPath + "limitParameter: of type Int"},
		},
		"a part of a transaction without a filter": {
			spec: withOperation("{name: o, kind: Transaction, operations: [{kind: FindOne}, {kind: DeleteOne}]}"),
			want: []string{operationPath + "operations[1].filter: DeleteOne has to be told"},
		},
		"a part of a transaction that uses a parameter of the whole is valid": {
			spec: withOperation(`{name: o, kind: Transaction, parameters: [{name: k, type: Key}], ` +
				`operations: [{kind: FindOne, filter: '{"_id": {"$param": "k"}}'}]}`),
		},
		"a part of a transaction in a collection that does not exist": {
			spec: withOperation("{name: o, kind: Transaction, operations: [{kind: InsertOne, collection: x}]}"),
			want: []string{operationPath + `operations[0].collection: supported values: "c"`},
		},
		"a part of a transaction in another collection is valid": {
			spec: withOperation("{name: o, kind: Transaction, operations: [{kind: InsertOne, collection: empty}]}"),
		},
		"a write to a capped collection in a transaction": {
			spec: withOperation("{name: o, kind: Transaction, operations: [{kind: FindOne, collection: journal}, " +
				"{kind: InsertOne, collection: journal}]}"),
			want: []string{operationPath + "operations[1].collection: writes to no capped collection in a transaction"},
		},
		"a replacement in another collection than its record": {
			spec: withOperation("{name: o, kind: Transaction, parameters: [{name: k, type: Key}], " +
				"operations: [{kind: ReplaceOne, collection: empty}]}"),
			want: []string{operationPath + "operations[0].collection: draw records of collection c"},
		},
		"a command without a name": {
			spec: withOperation("{name: o, kind: RunCommand, command: '{}'}"),
			want: []string{operationPath + "command: must begin with the name of a command"},
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
			spec: find(`{"a": 1`), want: []string{operationPath + "filter: it ends too early"},
		},
		"a filter in the shell's notation": {
			spec: find(`{a: 1}`), want: []string{operationPath + "filter: is no JSON: at byte 2"},
		},
		"a filter with something behind it": {
			spec: find(`{"a": 1} {}`), want: []string{operationPath + "filter: something after its end"},
		},
		"a filter that is an array": {
			spec: find(`[]`), want: []string{operationPath + "filter: must be an object in braces"},
		},
		"a filter that is a parameter": {
			spec: find(`{"$param": "a"}`), want: []string{operationPath + "filter: must not be a parameter as a whole"},
		},
		"a parameter with a neighbour": {
			spec: find(`{"a": {"$param": "p", "b": 1}}`),
			want: []string{operationPath + "filter: refers to a parameter wrongly"},
		},
		"a parameter without a name": {
			spec: find(`{"a": [{"$param": 1}]}`), want: []string{operationPath + "filter: refers to a parameter wrongly"},
		},
		"a parameter that is not declared": {
			spec: find(`{"a": [1, {"b": {"$param": "p"}}]}`),
			want: []string{operationPath + `filter: refers to parameter "p", which is not declared`},
		},
		"a parameter for a key is valid": {
			spec: withOperation(`{name: o, kind: UpdateOne, filter: '{}', update: '{"$set": {"$param:p": {"$param": "q"}}}', ` +
				`parameters: [{name: p, type: Choice, choice: {values: [{value: a}]}}, {name: q, type: Int}]}`),
		},
		"a String of at least one byte for a key is valid": {
			spec: withOperation(`{name: o, kind: Find, projection: '{"$param:p": 1}', parameters: [{name: p, type: String}]}`),
		},
		"a parameter for a key that is not declared": {
			spec: find(`{"$param:p": 1}`),
			want: []string{operationPath + `filter: refers to parameter "p", which is not declared`},
		},
		"a number for a key": {
			spec: withOperation(`{name: o, kind: Find, projection: '{"$param:p": 1}', parameters: [{name: p, type: Int}]}`),
			want: []string{operationPath + "projection: it must be a Choice of texts"},
		},
		"a choice that is not always a text for a key": {
			spec: withOperation(`{name: o, kind: Find, projection: '{"$param:p": 1}', parameters: ` +
				`[{name: p, type: Choice, choice: {values: [{value: a}, {value: 1}]}}]}`),
			want: []string{operationPath + "projection: it must be a Choice of texts"},
		},
		"a parameter that is not used": {
			spec: withOperation("{name: o, kind: Find, parameters: [{name: p, type: Int}]}"),
			want: []string{operationPath + `parameters[0].name: is used nowhere`},
		},
		"a pipeline that is an object": {
			spec: withOperation(`{name: o, kind: Aggregate, pipeline: '{"$match": {}}'}`),
			want: []string{operationPath + "pipeline: must be an array in brackets"},
		},
		"a pipeline of words": {
			spec: withOperation(`{name: o, kind: Aggregate, pipeline: '["$match"]'}`),
			want: []string{operationPath + "pipeline: must be an array of objects"},
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
		"a key of an undeclared _id is valid": {spec: find("c", "type: Key")},
		"a key of a declared field is valid": {
			spec: find("c", "type: Key, key: {field: num}, distribution: {type: Zipfian}"),
		},
		"a key of a field that does not exist": {
			spec: find("c", "type: Key, key: {field: m}"),
			want: []string{operationPath + "parameters[0].key.field: is no top-level field of collection c"},
		},
		"a key of a document": {
			spec: find("c", "type: Key, key: {field: d}"),
			want: []string{operationPath + "parameters[0].key.field: must be a single value at the top"},
		},
		"a key of a nested field": {
			spec: find("c", "type: Key, key: {field: a.b}"),
			want: []string{operationPath + "parameters[0].key.field: must be a single value at the top"},
		},
		"a key of a collection that starts empty": {
			spec: find("empty", "type: Key"),
			want: []string{operationPath + "parameters[0].type: collection empty is loaded with none"},
		},
		"an Int outside of 32 bits": {
			spec: find("c", "type: Int, integer: {max: 3000000000}"),
			want: []string{operationPath + "parameters[0].integer.max: use type Long"},
		},
		"the latest numbers": {
			spec: find("c", "type: Int, distribution: {type: Latest}"),
			want: []string{operationPath + "parameters[0].distribution.type: of type Reference draw records"},
		},
		"the latest records are valid": {spec: find("c", "type: Key, distribution: {type: Latest}")},
		"a distribution that would be ignored": {
			spec: find("c", "type: Bool, distribution: {type: Uniform}"),
			want: []string{operationPath + "parameters[0].distribution: not drawn from a range"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestValidateTiedParameters(t *testing.T) {
	find := func(parameters string) string {
		return withOperation(`{name: o, kind: Find, parameters: [` + parameters + `], filter: '{"x": {"$param": "p"}}'}`)
	}
	tests := map[string]testCase{
		"a field of the same record is valid": {
			spec: find("{name: k, type: Key}, {name: p, type: Key, key: {field: num}, sameRecordAs: k}"),
		},
		"a record of a parameter that comes later": {
			spec: find("{name: p, type: Key, key: {field: num}, sameRecordAs: k}, {name: k, type: Key, sameRecordAs: p}"),
			want: []string{operationPath + "parameters[0].sameRecordAs: comes before this one"},
		},
		"a record of its own": {
			spec: find("{name: p, type: Key, sameRecordAs: p}"),
			want: []string{operationPath + "parameters[0].sameRecordAs: comes before this one"},
		},
		"a record of a parameter without one": {
			spec: find("{name: k, type: Int}, {name: p, type: Key, sameRecordAs: k}"),
			want: []string{operationPath + "parameters[1].sameRecordAs: type Key"},
		},
		"the end of a range is valid": {spec: find("{name: k, type: Date}, {name: p, type: Date, plusParameter: k}")},
		"the end of a range from a loaded value is valid": {
			spec: find("{name: k, type: Key, key: {field: num}}, {name: p, type: Int, plusParameter: k}"),
		},
		"a sum of two types": {
			spec: find("{name: k, type: Int}, {name: p, type: Long, plusParameter: k}"),
			want: []string{operationPath + "parameters[1].plusParameter: of type Long"},
		},
		"a sum with a loaded value of another type": {
			spec: find("{name: k, type: Key, key: {field: num}}, {name: p, type: Double, plusParameter: k}"),
			want: []string{operationPath + "parameters[1].plusParameter: of type Double"},
		},
		"a sum with an identity": {
			spec: find("{name: k, type: Key}, {name: p, type: Long, plusParameter: k}"),
			want: []string{operationPath + "parameters[1].plusParameter: or a Key whose field is"},
		},
		"a sum with no other": {
			spec: find("{name: p, type: Int, plusParameter: k}"),
			want: []string{operationPath + "parameters[0].plusParameter: comes before this one"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}
