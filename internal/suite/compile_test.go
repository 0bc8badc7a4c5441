package suite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/internal/suite"
)

// many returns the given number of choices of one dimension.
func many(dimension string, choices int) string {
	names := make([]string, 0, choices)
	for i := range choices {
		names = append(names, fmt.Sprintf("{name: %s%d}", dimension, i))
	}
	return fmt.Sprintf("{name: %s, choices: [%s]}", dimension, strings.Join(names, ", "))
}

func TestSuitesThatAreRefused(t *testing.T) {
	tests := map[string]struct {
		fields string
		want   []string
	}{
		"what the validation refuses": {
			"template: {metadata: {labels: {mongobench.dev/run: a}}}",
			[]string{"spec.template.metadata.labels[mongobench.dev/run]: operator keeps it"},
		},
		"an error of the template, once": {
			"repetitions: 1\nmatrix: {include: [{name: a, patch: {seed: 5}}, {name: b}]}\n" +
				"template: {spec: {workload: {steps: [{name: load, durationSeconds: 1, operations: [{name: o, kind: FindOne}]}]}}}",
			[]string{"spec.template.spec.workload.steps[0].name: variant a: prepare, load"},
		},
		"an error of a choice, once, with the first variant that has it": {
			`matrix:
  dimensions:
    - {name: d, choices: [{name: a}, {name: b, patch: {loadGenerator: {pods: 8}}}]}
    - {name: e, choices: [{name: u, patch: {seed: 5}}, {name: v}]}`,
			[]string{
				"spec.matrix.dimensions[0].choices[1].patch: variant b-u: spec.workload.steps[0].threads: must be at least",
				"spec.matrix.dimensions[0].choices[1].patch: variant b-u: spec.dataset.load.threads: must be at least",
			},
		},
		"an error of two choices together is the later one's": {
			`matrix:
  dimensions:
    - name: d
      choices: [{name: a, patch: {workload: {steps: [{name: read, threads: 9}]}, dataset: {load: {threads: 9}}}}]
    - {name: e, choices: [{name: u}, {name: v, jsonPatch: [{op: add, path: /loadGenerator, value: {pods: 10}}]}]}`,
			[]string{
				"spec.matrix.dimensions[1].choices[1].jsonPatch: variant a-v: spec.workload.steps[0].threads: must be",
				"spec.matrix.dimensions[1].choices[1].jsonPatch: variant a-v: spec.dataset.load.threads: must be",
			},
		},
		"an error of a choice that a later one mends is none": {
			`matrix:
  dimensions:
    - {name: d, choices: [{name: a, patch: {loadGenerator: {pods: 2}, dataset: {load: {threads: 2}}}}]}
    - {name: e, choices: [{name: u, patch: {workload: {steps: [{name: read, threads: 2}]}}}]}`,
			nil,
		},
		"an error of what is included": {
			"matrix: {include: [{name: a, patch: {dataset: {collections: [{name: c, documentCount: 5}, {name: d}]}, " +
				"workload: {steps: [{name: read, threads: 1, operations: [{name: find, collection: e}]}]}}}]}",
			[]string{"spec.matrix.include[0].patch: variant a: spec.workload.steps[0].operations[0].collection"},
		},
		"two places to measure": {
			"matrix: {include: [{name: a, patch: {targetRef: {name: b}}}]}",
			[]string{"spec.matrix.include[0].patch: variant a: spec.target: exactly one of target and targetRef"},
		},
		"two products to measure": {
			"matrix: {include: [{name: a, patch: {target: {mariadb: {version: 10.11.6}}}}]}",
			[]string{"spec.matrix.include[0].patch: variant a: spec.target: exactly one of mongodb, mariadb, ferretdb and"},
		},
		"a product that is taken away": {
			"matrix: {include: [{name: a, patch: {target: {mongodb: null}}}]}",
			[]string{"spec.matrix.include[0].patch: variant a: spec.target: exactly one of mongodb, mariadb, ferretdb and"},
		},
		"two shapes of a MongoDB": {
			"matrix: {include: [{name: a, patch: {target: {mongodb: {replicaSet: {}, sharded: {}}}}}]}",
			[]string{"spec.matrix.include[0].patch: variant a: spec.target.mongodb: at most one of standalone, replicaSet and"},
		},
		"a target that the version does not have": {
			"matrix: {include: [{name: a, patch: {target: {mongodb: {version: 7.0.1, engine: {name: EphemeralForTest}}}}}]}",
			[]string{"spec.matrix.include[0].patch: variant a: spec.target.mongodb.engine.name"},
		},
		"a variant without a target to share": {
			"targetReuse: PerVariant\nmatrix: {include: [{name: a, patch: {target: null, targetRef: {name: b}}}]}",
			[]string{"spec.matrix.include[0].patch: variant a: spec.target: targetReuse PerVariant makes one"},
		},
		"a patch that does not apply, once": {
			`matrix:
  dimensions:
    - {name: d, choices: [{name: a, jsonPatch: [{op: remove, path: /seed}]}]}
    - {name: e, choices: [{name: u, patch: {seed: 5}}, {name: v}]}`,
			[]string{"spec.matrix.dimensions[0].choices[0].jsonPatch[0]: variant a-u: "},
		},
		"a name twice": {
			"matrix: {dimensions: [{name: d, choices: [{name: a}]}], include: [{name: a}]}",
			[]string{"spec.matrix.include[0].name: Duplicate value: \"a\""},
		},
		"combinations of one name": {
			"matrix: {dimensions: [{name: d, choices: [{name: a}, {name: a-b}]}, {name: e, choices: [{name: b-c}, {name: c}]}]}",
			[]string{`spec.matrix.dimensions: Duplicate value: "a-b-c"`},
		},
		"names that differ in a dot alone": {
			"matrix: {dimensions: [{name: d, choices: [{name: 6-0}, {name: \"6.0\"}]}]}",
			[]string{"spec.matrix.dimensions: those of variant 6-0"},
		},
		"everything is excluded": {
			"matrix: {dimensions: [{name: d, choices: [{name: a}]}], exclude: [{choices: {d: a}}]}",
			[]string{"spec.matrix.exclude: leaves no variant"},
		},
		"201 variants": {
			"repetitions: 1\nmatrix: {dimensions: [" + many("d", 50) + ", " + many("e", 4) + "], include: [{name: a}]}",
			[]string{"spec.matrix: must have at most 200 items"},
		},
		"200 variants are few enough": {
			"repetitions: 5\nmatrix: {dimensions: [" + many("d", 50) + ", " + many("e", 4) + "]}", nil,
		},
		"more combinations than anybody counts": {
			"matrix: {dimensions: [" + many("d", 64) + ", " + many("e", 64) + ", " + many("f", 64) + ", " + many("g", 64) + "]}",
			[]string{"spec.matrix.dimensions: more than 10000 combinations"},
		},
		"more than 1000 runs": {
			"repetitions: 11\nmatrix: {dimensions: [" + many("d", 50) + ", " + many("e", 2) + "]}",
			[]string{"spec.repetitions: of 100 variants are 1100 runs"},
		},
		"a baseline that does not exist": {
			"baseline: {variant: c}\nmatrix: {dimensions: [{name: d, choices: [{name: a}, {name: b}]}]}",
			[]string{"spec.baseline.variant: there are a, b"},
		},
		"a baseline that is excluded": {
			"baseline: {variant: b}\nmatrix: {dimensions: [" + many("d", 12) + "]}",
			[]string{"spec.baseline.variant: d9, 2 more"},
		},
		"a step that no variant has": {
			"thresholds: [{metric: P99Micros}, {metric: P99Micros, step: write}]",
			[]string{"spec.thresholds[1].step: no variant has such a step"},
		},
		"an operation that the step does not have": {
			"thresholds: [{metric: P99Micros, step: read, operation: write}]",
			[]string{"spec.thresholds[0].operation: no variant has such an operation there"},
		},
		"an operation that no step has": {
			"baseline: {figures: [{metric: P99Micros, operation: write, value: 5}]}",
			[]string{"spec.baseline.figures[0].operation: no variant has such an operation there"},
		},
		"a step that one variant has": {
			"thresholds: [{metric: P99Micros, step: read-2}, {metric: P99Micros, step: read, operation: find}]\n" +
				"matrix: {include: [{name: a}, {name: b, patch: {workload: {steps: [{name: read, threadSweep: [1, 2]}]}}}]}",
			nil,
		},
		"a percentile of fewer operations than carry it": {
			"thresholds: [{metric: MeanMicros}, {metric: P50Micros}, {metric: FirstDocumentP50Micros, step: read}]\n" +
				"baseline: {figures: [{metric: P99Micros, operation: find, value: 5}]}\n" +
				"template: {spec: {workload: {steps: [{name: read, operationCount: 19, operations: [{name: find, kind: Find}]}]}}}",
			[]string{
				"spec.thresholds[1].metric: it needs 20 operations, and there are 19 at most: raise operationCount, or compare",
				"spec.thresholds[2].metric: it needs 20 operations",
				"spec.baseline.figures[0].metric: it needs 1000 operations",
			},
		},
		"a percentile of as many operations as carry it, in one variant": {
			"thresholds: [{metric: P50Micros, step: read}, {metric: OperationsPerSecond}, {metric: LoadDocumentsPerSecond}]\n" +
				"matrix: {include: [{name: a}, {name: b, patch: {workload: {steps: [{name: read, operationCount: 20}]}}}]}\n" +
				"template: {spec: {workload: {steps: [{name: read, operationCount: 3, operations: [{name: find, kind: Find}]}]}}}",
			nil,
		},
		"a step of a preset": {
			"thresholds: [{metric: P99Micros, step: ycsb-a, operation: update}]\n" +
				"matrix: {include: [{name: a, patch: {dataset: null, workload: null, preset: {name: YCSB-A}}}]}",
			nil,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			declared := small(t, "repetitions: 1")
			other := suiteOf(t, "spec:\n"+indented(tc.fields))
			template := declared.Spec.Template
			template.Metadata = other.Spec.Template.Metadata
			if steps := other.Spec.Template.Spec.Workload.Steps; steps != nil {
				template.Spec.Workload.Steps = steps
			}
			declared.Spec = other.Spec
			declared.Spec.Template = template
			plan, errs := suite.Compile(declared)
			check(t, errs, tc.want)
			if diff := cmp.Diff(len(errs) > 0, len(plan.Slots)+len(plan.Variants) == 0 && plan.Revision == ""); diff != "" {
				t.Errorf("with %d errors the plan is %v", len(errs), plan)
			}
		})
	}
}

// BenchmarkCompile works out the largest suite that there may be.
func BenchmarkCompile(b *testing.B) {
	content := `
spec:
  template:
    spec:
      target: {mongodb: {version: "6.0.5"}}
      dataset: {collections: [{name: c, documentCount: 10, fields: [{name: a, type: Int}]}]}
      workload: {steps: [{name: read, durationSeconds: 9, operations: [{name: find, kind: FindOne}]}]}
  matrix:
    dimensions: [` + many("d", 20) + ", " + many("e", 10) + "]"
	for i := range 20 {
		content = strings.ReplaceAll(content, fmt.Sprintf("{name: d%d}", i),
			fmt.Sprintf("{name: d%d, patch: {seed: %d}}", i, i))
	}
	for i := range 10 {
		content = strings.ReplaceAll(content, fmt.Sprintf("{name: e%d}", i),
			fmt.Sprintf("{name: e%d, patch: {workload: {steps: [{name: read, threads: %d}]}}}", i, i+1))
	}
	declared := suiteOf(b, content)
	for b.Loop() {
		if plan, errs := suite.Compile(declared); len(plan.Slots) != suite.MaxRuns {
			b.Fatalf("%d runs: %v", len(plan.Slots), errs.ToAggregate())
		}
	}
}
