package validation_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

func TestValidateCopies(t *testing.T) {
	const (
		ten    = "dataset: {collections: [{name: c, copies: 10, documentCount: 100}]}\n"
		tenant = "spec.workload.steps[0].operations[0]."
	)
	step := func(operation string) string {
		return "workload: {steps: [{name: s, durationSeconds: 10, operations: [" + operation + "]}]}"
	}
	for name, tc := range map[string]testCase{
		"many are valid":              {spec: withCollection("copies: 100000, documentCount: 100000")},
		"many without documents too":  {spec: withCollection("copies: 100000")},
		"a read, a write and a count": {spec: ten + step("{name: o, kind: FindOne, filter: {_id: {$key: _id}}}")},
		"more than documents": {
			spec: withCollection("copies: 11, documentCount: 10"),
			want: []string{theCollection + "copies: no more than documentCount, 10"},
		},
		"more than there can be": {
			spec: "dataset: {collections: [{name: a, copies: 60000}, {name: b, copies: 60000}]}",
			want: []string{
				"spec.dataset.collections[0].copies: stand for 120000", "spec.dataset.collections[1].copies: stand for 120000",
			},
		},
		"another of the name of one": {
			spec: "dataset: {collections: [{name: a, copies: 10}, {name: a_9}, {name: a_10}, {name: a_09}]}",
			want: []string{"spec.dataset.collections[0].copies: collection a_9 has the name of one"},
		},
		"growth": {
			spec: ten + "workload: {growth: {sizes: [1, 2]}, steps: [{name: s, durationSeconds: 10, operations: " +
				"[{name: o, kind: InsertOne}]}]}",
			want: []string{
				theCollection + "documentCount: grows to 2", theCollection + "copies: is a single one",
				theCollection + "copies: no more than documentCount",
			},
		},
		"following one": {
			spec: ten + step("{name: o, kind: ChangeStream}"), want: []string{tenant + "kind: stands for several"},
		},
		"writes without a reply": {
			spec: ten + step(`{name: o, kind: InsertOne, writeConcern: {w: "0"}}`),
			want: []string{tenant + "writeConcern.w: stands for several"},
		},
		"an index that is built": {
			spec: ten + `workload: {steps: [{name: s, durationSeconds: 10, operations: [{name: o, kind: InsertOne}],
        actions: [{name: a, type: CreateIndex, index: {keys: [{field: x}]}}]}]}`,
			want: []string{"spec.workload.steps[0].actions[0].collection: stands for several"},
		},
		"of what is there": {
			spec: "dataset: {existing: {}, collections: [{name: a, copies: 10}]}",
			want: []string{"spec.dataset.collections[0].copies: named one by one"},
		},
		"of tables": {
			spec: ten + step("{name: o, kind: InsertOne}") + "\ntarget: {mariadb: {version: \"11.4.2\"}}",
			want: []string{theCollection + "copies: is for MongoDB"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}
