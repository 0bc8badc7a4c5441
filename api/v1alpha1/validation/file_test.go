package validation_test

import (
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/api/v1alpha1/validation"
)

func TestValidateFile(t *testing.T) {
	const spec = "dataset: {collections: [{name: c, documentCount: 10}]}\n"
	tests := map[string]testCase{
		"a whole run is valid": {
			spec: spec + "workload: {steps: [{name: s, durationSeconds: 1, operations: [{name: o, kind: FindOne}]}]}",
		},
		"an inline target is not looked at": {
			spec: spec + "workload: {steps: [{name: s, durationSeconds: 1, operations: [{name: o, kind: FindOne}]}]}\n" +
				`target: {topology: Standalone, version: "6.0.5", resources: {memory: 1Mi}}`,
		},
		"a step without an end": {
			spec: spec + "workload: {steps: [{name: s, operations: [{name: o, kind: FindOne}]}]}",
			want: []string{"spec.workload.steps[0].durationSeconds: exactly one of"},
		},
		"a step with two ends": {
			spec: spec + "workload: {steps: [{name: s, durationSeconds: 1, operationCount: 1, " +
				"operations: [{name: o, kind: Find}]}]}",
			want: []string{"spec.workload.steps[0].durationSeconds: exactly one of"},
		},
		"operations that lack what they do": {
			spec: spec + "workload: {steps: [{name: s, durationSeconds: 1, operations: [{name: a, kind: UpdateOne}, " +
				"{name: b, kind: Aggregate}, {name: c, kind: RunCommand}, {name: d}, {kind: FindOne}, {name: a, kind: Find}]}]}",
			want: []string{
				"spec.workload.steps[0].operations[0].update: Required",
				"spec.workload.steps[0].operations[1].pipeline: Required",
				"spec.workload.steps[0].operations[2].command: Required",
				"spec.workload.steps[0].operations[3].kind: Required",
				"spec.workload.steps[0].operations[4].name: Required",
				"spec.workload.steps[0].operations[5].name: Duplicate",
			},
		},
		"fields that lack their settings": {
			spec: withFields("{name: a, type: Choice}, {name: b, type: Array}, {name: c, type: Document}, {name: d}") +
				"\nworkload: {steps: [{name: s, durationSeconds: 1, operations: [{name: o, kind: FindOne}]}]}",
			want: []string{
				"spec.dataset.collections[0].fields[0].choice: with type Choice",
				"spec.dataset.collections[0].fields[1].array: with type Array",
				"spec.dataset.collections[0].fields[2].document: with type Document",
				"spec.dataset.collections[0].fields[3].type: Required",
			},
		},
		"what ValidateRun finds is found": {
			spec: spec + "workload: {steps: [{name: load, durationSeconds: 1, operations: [{name: o, kind: FindOne}]}]}",
			want: []string{"spec.workload.steps[0].name: choose another"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateFile(runOf(t, tc.spec)), tc.want) })
	}
	check(t, validation.ValidateFile(&benchv1alpha1.BenchmarkRun{}), []string{
		"spec.dataset.collections: at least one", "spec.workload.steps: at least one",
	})
}
