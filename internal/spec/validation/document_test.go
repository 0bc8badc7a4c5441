package validation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

func TestValidateWrittenDocuments(t *testing.T) {
	for name, tc := range map[string]testCase{
		"objects and lists are valid": {
			spec: withOperation(`{name: o, kind: Aggregate, pipeline: [{$match: {num: {$gt: 1}}}, {$sort: {num: 1}}]}`),
		},
		"a string is valid": {spec: withOperation(`{name: o, kind: RunCommand, command: '{"dbStats": 1, "scale": 1}'}`)},
		"types are valid": {
			spec: withOperation(
				`{name: o, kind: Find, filter: {a: {$date: "2026-01-01T00:00:00Z"}, b: {$numberDecimal: "1"}}}`),
		},
		"a number for a filter": {
			spec: withOperation(`{name: o, kind: Find, filter: 5}`), want: []string{operationPath + "filter: must be an object"},
		},
		"an empty filter": {
			spec: withOperation(`{name: o, kind: Find, filter: ""}`),
			want: []string{operationPath + "filter: it ends too early"},
		},
		"a command of several keys": {
			spec: withOperation(`{name: o, kind: RunCommand, command: {dbStats: 1, scale: 1}}`),
			want: []string{operationPath + `command: write it as {$json: '{"dbStats":1,"scale":1}'}`},
		},
		"a command without a name": {
			spec: withOperation(`{name: o, kind: RunCommand, command: {}}`),
			want: []string{operationPath + "command: must begin with the name of a command"},
		},
		"a sort order of several keys": {
			spec: withOperation(`{name: o, kind: Aggregate, pipeline: [{$match: {num: 1}}, {$sort: {price: -1, _id: 1}}]}`),
			want: []string{operationPath + "pipeline[1].$sort: the order of its keys decides, and the API server sorts keys"},
		},
		"a whole subdocument in a part": {
			spec: withOperation(`{name: o, kind: BulkWrite, operations: [{kind: DeleteOne, filter: {a: {x: 1, y: 2}}}]}`),
			want: []string{operationPath + "operations[0].filter.a: the order of its keys decides"},
		},
		"a document that is too long": {
			spec: withOperation(`{name: o, kind: Find, filter: {a: ` + strings.Repeat("x", 8190) + `}}`),
			want: []string{operationPath + "filter: has 8198 characters; at most 8192 are possible"},
		},
		"a field of a loaded document is valid": {
			spec: withOperation(`{name: o, kind: UpdateOne, record: {rangePercent: 5}, filter: {_id: {$key: _id}}, ` +
				`update: {$set: {a: {$key: num}}}}`),
		},
		"a declared parameter for a field is valid": {
			spec: withOperation(`{name: o, kind: Find, ` +
				`parameters: [{name: num, type: Key, key: {field: num, rangePercent: 5}}], ` +
				`filter: {_id: {$key: _id}, num: {$key: num}}}`),
		},
		"a replacement of what is drawn is valid": {spec: withOperation(`{name: o, kind: ReplaceOne}`)},
		"a replacement of a part is valid": {
			spec: withOperation(`{name: o, kind: BulkWrite, operations: [{kind: ReplaceOne}]}`),
		},
		"a field that is none": {
			spec: withOperation(`{name: o, kind: Find, filter: {a: {$key: a}}}`),
			want: []string{strings.TrimSuffix(operationPath, ".") + ": {$key: a} is no top-level field of collection c"},
		},
		"a field whose parameter's name is taken": {
			spec: withOperation(`{name: o, kind: Find, parameters: [{name: num, type: Int}], ` +
				`filter: {a: {$key: num}, b: {$param: num}}}`),
			want: []string{operationPath + `filter: stands for a parameter "num"`},
		},
		"fields of two records": {
			spec: withOperation(`{name: o, kind: Find, parameters: [{name: num, type: Key, key: {field: num}}, ` +
				`{name: id, type: Key}], filter: {_id: {$key: _id}, num: {$key: num}, a: {$param: id}}}`),
			want: []string{operationPath + `filter: rename that one`},
		},
		"a field with more beside it": {
			spec: withOperation(`{name: o, kind: Find, filter: {a: {$key: num, b: 1}}}`),
			want: []string{operationPath + "filter: write {$key: field} and nothing else"},
		},
		"options": {
			spec: withOperation(`{name: o, kind: UpdateMany, filter: {a: {$key: num}}, update: {$set: {"l.$[e].a": 1}}, ` +
				`arrayFilters: [{e.a: {$gt: {$key: num}}}], let: {v: {$key: num}}, hint: {num: 1}, comment: c, ` +
				`maxTimeMillis: 5, collation: {locale: de}}`),
		},
		"a hint of two keys without an order": {
			spec: withOperation(`{name: o, kind: Find, hint: {a: 1, b: 1}}`),
			want: []string{operationPath + "hint"},
		},
		"a hint of two keys in their order": {spec: withOperation(`{name: o, kind: Find, hint: '{"b": 1, "a": 1}'}`)},
		"a hint with a parameter": {
			spec: withOperation(`{name: o, kind: Find, hint: {a: {$param: b}}}`),
			want: []string{operationPath + "hint: is constant"},
		},
		"a hint without keys": {
			spec: withOperation(`{name: o, kind: Find, hint: {}}`), want: []string{operationPath + "hint: must name a key"},
		},
		"array filters that are none": {
			spec: withOperation(`{name: o, kind: UpdateMany, filter: {}, update: {$set: {a: 1}}, arrayFilters: [1]}`),
			want: []string{operationPath + "arrayFilters: must be an array of objects"},
		},
		"a command's settings at a part of a bulk write": {
			spec: withOperation(`{name: o, kind: BulkWrite, comment: a, let: {v: 1}, ` +
				`operations: [{kind: DeleteOne, filter: {}, comment: b}]}`),
			want: []string{operationPath + "operations[0].comment: the parts of a BulkWrite share a command"},
		},
		"a record of nothing": {
			spec: withOperation(`{name: o, kind: Find, record: {rangePercent: 5}}`),
			want: []string{operationPath + "record: it is of the document that a {$key: field} draws"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

// settings are what the kinds need, and their documents.
var settings = map[operation.Setting]string{
	operation.Filter: "{}", operation.Projection: "{a: 1}", operation.Update: "{$set: {a: 1}}",
	operation.Collation: "{locale: de}", operation.MaxTimeMillis: "5", operation.Comment: "c",
	operation.Hint: "a_1", operation.ArrayFilters: "[{e: 1}]", operation.Let: "{v: 1}",
	operation.Pipeline: "[]", operation.Command: "{ping: 1}", operation.Field: "a",
	operation.Operations: "[{kind: InsertOne}]", operation.ConnectUntil: "TCP",
	operation.ReadTags: "[{name: use, value: reports}]", operation.Recall: "{exact: []}",
}

// TestDocumentsOfEveryKind has every kind of operation without each document that it needs, and with each, and each
// plain setting, that it does not take.
func TestDocumentsOfEveryKind(t *testing.T) {
	for kind := range operation.Kinds() {
		row := kind.Row()
		wantDocument(t, kind, row.Needs, "")
		for _, document := range slices.Concat(operation.Documents, operation.Plain) {
			without := slices.DeleteFunc(slices.Clone(row.Needs), func(s operation.Setting) bool { return s == document })
			switch {
			case row.Requires(document):
				wantDocument(t, kind, without, document)
			case !row.Takes(document):
				wantDocument(t, kind, append(without, document), document)
			case !row.Replaces(): // With a filter it would need a parameter of type Key besides.
				wantDocument(t, kind, append(without, document), "")
			}
		}
	}
}

// wantDocument wants an operation with these settings to be refused at one, or accepted for none.
func wantDocument(t *testing.T, kind operation.Kind, with []operation.Setting, refused operation.Setting) {
	t.Helper()
	written := strings.Builder{}
	fmt.Fprintf(&written, "{name: o, kind: %s, collection: %s", kind, collectionFor(kind))
	for _, setting := range with {
		fmt.Fprintf(&written, ", %s: %s", setting, settings[setting])
	}
	written.WriteString("}")
	if len(with) == 0 || !slices.Contains(with, operation.Operations) {
		if kind == operation.Flow || kind == operation.Transaction {
			fmt.Fprint(&written, ", {name: part, partOf: o, kind: FindOne, collection: c}")
		}
	}
	got := validation.ValidateRun(runOf(t, withOperation(written.String())))
	if refused == "" && len(got) > 0 ||
		refused != "" && (len(got) != 1 || got[0].Field != operationPath+string(refused)) {
		t.Errorf("%s is to be refused at %q: got %v", written.String(), refused, got)
	}
}

// collectionFor is one that a kind can be done to.
func collectionFor(kind operation.Kind) string {
	if kind == operation.Tail {
		return "journal"
	}
	return "c"
}
