package validation_test

import (
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
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
		"operations that consist of nothing, or of parts that lack what they do": {
			spec: spec + "workload: {steps: [{name: s, durationSeconds: 1, operations: [{name: a, kind: BulkWrite}, " +
				"{name: b, kind: Transaction, operations: [{kind: UpdateOne}, {}]}, " +
				"{name: c, kind: InsertOne, operations: [{kind: InsertOne}], writeConcern: {}}]}]}",
			want: []string{
				"spec.workload.steps[0].operations[0].operations: Required",
				"spec.workload.steps[0].operations[1].operations[0].update: Required",
				"spec.workload.steps[0].operations[1].operations[1].kind: Required",
				"spec.workload.steps[0].operations[2].operations: and no other kind",
				"spec.workload.steps[0].operations[2].writeConcern.w: Required",
			},
		},
		"schedules that say nothing, or too much": {
			spec: spec + "workload: {steps: [" +
				"{name: a, durationSeconds: 1, arrival: {process: Poison}, operations: [{name: o, kind: FindOne}]}, " +
				"{name: b, durationSeconds: 1, arrival: {process: Trace}, operations: [{name: o, kind: FindOne}]}, " +
				"{name: c, durationSeconds: 1, arrival: {process: Poisson}, operations: [{name: o, kind: FindOne}]}, " +
				"{name: d, durationSeconds: 1, thinkTimeMicros: 5, arrival: {process: Constant, stages: [{seconds: 1}]}, " +
				"operations: [{name: o, kind: FindOne}]}]}",
			want: []string{
				`spec.workload.steps[0].arrival.process: supported values: "Constant"`,
				"spec.workload.steps[1].arrival.gapsMicros: Required",
				"spec.workload.steps[2].arrival.operationsPerSecond: exactly one of",
				"spec.workload.steps[3].thinkTimeMicros: without arrival",
				"spec.workload.steps[3].arrival.stages[0]: needs seconds and operationsPerSecond",
			},
		},
		"a search without an objective, beside what it excludes": {
			spec: spec + "workload: {steps: [{name: a, operationCount: 1, threads: 1, threadSweep: [1], search: {}, " +
				"operations: [{name: o, kind: FindOne}]}]}",
			want: []string{
				"spec.workload.steps[0].threadSweep: only one of",
				"spec.workload.steps[0].search: cannot be set together",
				"spec.workload.steps[0].durationSeconds: is confirmed",
				"spec.workload.steps[0].search.maxOperationsPerSecond: must be more than",
				"spec.workload.steps[0].search.limitMicros: Required",
			},
		},
		"a preset is valid": {spec: "preset: {name: YCSB-A}"},
		"a preset that does not exist": {
			spec: "preset: {name: YCSB-G}", want: []string{`spec.preset.name: supported values: "YCSB-A", "YCSB-B"`},
		},
		"a preset beside a dataset": {
			spec: spec + "preset: {name: YCSB-A}", want: []string{"spec.preset: set either it alone"},
		},
		"a preset with a wrong parameter": {
			spec: "preset: {name: YCSB-A, parameters: {target: '-1'}}",
			want: []string{"spec.preset.parameters[target]: whole number"},
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
