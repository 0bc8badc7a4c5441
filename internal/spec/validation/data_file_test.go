package validation_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

func TestValidateFiles(t *testing.T) {
	const (
		files = "dataset: {files: [{name: p, format: CSV, configMap: {name: m, key: k}}], collections: [{name: c, "
		read  = "}]}\nworkload: {steps: [{name: s, durationSeconds: 10, operations: [{name: o, kind: FindOne, " +
			"filter: {a: {$key: a.b}}}]}]}"
		anOperation = "spec.workload.steps[0].operations[0]"
		fromP       = "type: FromFile, fromFile: {file: p, field: x}"
		fromQ       = "type: FromFile, fromFile: {file: q, field: x}"
	)
	for name, tc := range map[string]testCase{
		"values are valid": {
			spec: files + "fields: [{name: a, " + fromP + ", distribution: {type: Sequential}}]}]}",
		},
		"whole documents are valid": {spec: files + "documents: {file: p}, documentCount: 10" + read},
		"a parameter is valid": {spec: files + "documents: {file: p}, documentCount: 10}]}\nworkload: {steps: [{name: s, " +
			"durationSeconds: 10, operations: [{name: o, kind: FindOne, parameters: [{name: x, " + fromP + "}], " +
			"filter: {a: {$param: x}}}]}]}"},
		"files that are not there": {
			spec: files + "fields: [{name: a, " + fromQ + "}, {name: b, type: Document, document: {fields: [{name: x, " +
				fromQ + "}]}}, {name: d, type: Array, array: {maxItems: 2, element: {" + fromQ + "}}}]}, " +
				"{name: e, documentCount: 1, documents: {file: q}}]}",
			want: []string{
				"spec.dataset.collections[0].fields[0].fromFile.file: supported values: \"p\"",
				"spec.dataset.collections[0].fields[1].document.fields[0].fromFile.file: supported values",
				"spec.dataset.collections[0].fields[2].array.element.fromFile.file: supported values",
				"spec.dataset.collections[1].documents.file: supported values",
			},
		},
		"a parameter of a file that is not there": {
			spec: files + "documentCount: 1}]}\nworkload: {steps: [{name: s, durationSeconds: 10, operations: [{name: o, " +
				"kind: FindOne, parameters: [{name: x, " + fromQ + "}], filter: {a: {$param: x}}}]}]}",
			want: []string{anOperation + ".parameters[0].fromFile.file: supported values"},
		},
		"two places of one file": {
			spec: "dataset: {files: [{name: p, format: CSV, configMap: {name: m, key: k}, persistentVolumeClaim: " +
				"{claimName: v, path: f}}], collections: [{name: c}]}",
			want: []string{"spec.dataset.files[0]: exactly one of"},
		},
		"a value without a file": {
			spec: files + "fields: [{name: a, type: FromFile}]}]}",
			want: []string{"spec.dataset.collections[0].fields[0].fromFile: is required with type FromFile"},
		},
		"a file of another type": {
			spec: files + "fields: [{name: a, type: Int, fromFile: {file: p, field: x}}]}]}",
			want: []string{"spec.dataset.collections[0].fields[0].fromFile: may be set only with type FromFile"},
		},
		"documents without a number of them": {
			spec: files + "documents: {file: p}}]}",
			want: []string{theCollection + "documentCount: is required with documents"},
		},
		"an _id that may repeat": {
			spec: files + "documentCount: 5, fields: [{name: _id, " + fromP + "}]}]}",
			want: []string{theCollection + "fields[0].type: must not repeat"},
		},
		"a replacement of a document of a file": {
			spec: files + "documents: {file: p}, documentCount: 10}]}\nworkload: {steps: [{name: s, durationSeconds: 10, " +
				"operations: [{name: o, kind: ReplaceOne}]}]}",
			want: []string{anOperation + ".kind: use UpdateOne"},
		},
		"documents of a time series": {
			spec: files + "documents: {file: p}, documentCount: 10, options: {timeSeries: {timeField: at}}}]}",
			want: []string{
				theCollection + "options.timeSeries.timeField: of type Date", theCollection + "documents: are made of fields here",
			},
		},
		"more volumes than memory": {
			spec: "dataset: {files: [{name: a, format: CSV, persistentVolumeClaim: {claimName: v, path: a}}, {name: b, " +
				"format: CSV, persistentVolumeClaim: {claimName: v, path: b}}, {name: c, format: BSON, " +
				"persistentVolumeClaim: {claimName: v, path: c}}], collections: [{name: c}]}",
			want: []string{"spec.dataset.load.batchDocuments: resources.limits.memory"},
		},
		"documents of a table": {
			spec: files + "documents: {file: p}, documentCount: 10}]}\nworkload: {steps: [{name: s, durationSeconds: 10, " +
				"operations: [{name: o, kind: InsertOne}]}]}\ntarget: {mariadb: {version: \"11.4.2\"}}",
			want: []string{theCollection + "documents: declare fields of type FromFile"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}
