package validation_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// testCase is a specification and what is wrong with it.
type testCase struct {
	spec string
	// want are the paths and parts of the messages of the errors, "PATH: PART", in their order; none for a valid one.
	want []string
}

func check(t *testing.T, got field.ErrorList, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d errors, want %d:\n%v", len(got), len(want), got.ToAggregate())
	}
	for i, wanted := range want {
		err := got[i]
		path, part, _ := strings.Cut(wanted, ": ")
		if err.Field != path || !strings.Contains(err.ErrorBody(), part) {
			t.Errorf("got error %v, want one at %s with %q", err, path, part)
		}
	}
}

func runOf(t *testing.T, spec string) *benchv1alpha1.BenchmarkRun {
	t.Helper()
	run := &benchv1alpha1.BenchmarkRun{}
	if err := yaml.UnmarshalStrict([]byte(spec), &run.Spec); err != nil {
		t.Fatalf("%v in\n%s", err, spec)
	}
	return run
}

// withFields is a run whose collection "c" of ten documents has these fields.
func withFields(fields string) string {
	return fmt.Sprintf("dataset: {collections: [{name: c, documentCount: 10, fields: [%s]}]}", fields)
}

// withCollection is a run whose collection has this content.
func withCollection(content string) string {
	return fmt.Sprintf("dataset: {collections: [{name: c, %s}]}", content)
}

// withOperation is a run of one operation on a collection with fields of several kinds, unless it names an empty one or
// a capped one.
func withOperation(operation string) string {
	if outer, _, _ := strings.Cut(operation, "operations:"); !strings.Contains(outer, "collection:") {
		operation = strings.Replace(operation, "{name: ", "{collection: c, name: ", 1)
	}
	return fmt.Sprintf(`
dataset:
  collections:
    - name: c
      documentCount: 10
      fields:
        - {name: num, type: Int}
        - {name: d, type: Document, document: {fields: [{name: x, type: Int}]}}
        - {name: a.b, type: Int}
    - {name: empty}
    - {name: journal, options: {capped: {sizeBytes: 4096}}}
workload: {steps: [{name: s, durationSeconds: 1, operations: [%s]}]}
`, operation)
}

func TestValidateRunAsAWhole(t *testing.T) {
	steps := func(steps string) string {
		return "dataset: {collections: [{name: c, documentCount: 10}]}\nworkload: {steps: [" + steps + "]}\n"
	}
	const insert = "operations: [{name: i, kind: InsertOne}]"
	tests := map[string]testCase{
		"a small run is valid": {spec: steps("{name: s, durationSeconds: 1, " + insert + "}")},
		"an inline target is checked": {
			spec: steps("") + `target: {mongodb: {version: "6.0.5", resources: {limits: {memory: 100Mi}}}}`,
			want: []string{"spec.target.mongodb.resources.limits[memory]: at least 320Mi"},
		},
		"an inline target of two products": {
			spec: steps("") + `target: {mongodb: {version: "6.0.5"}, ferretdb: {version: 1.24.0}}`,
			want: []string{"spec.target: exactly one of mongodb, mariadb, ferretdb and external"},
		},
		"an inline target of none": {
			spec: steps("") + `target: {}`,
			want: []string{"spec.target: exactly one of mongodb, mariadb, ferretdb and external"},
		},
		"a step named as one that every run has": {
			spec: steps("{name: verify, durationSeconds: 1, " + insert + "}"),
			want: []string{"spec.workload.steps[0].name: choose another"},
		},
		"fewer workers than pods": {
			spec: steps("{name: s, durationSeconds: 1, threads: 7, "+insert+"}") + "loadGenerator: {pods: 8}",
			want: []string{
				"spec.workload.steps[0].threads: must be at least the number of load pods, 8",
				"spec.dataset.load.threads: must be at least the number of load pods, 8",
			},
		},
		"as many workers as pods are valid": {
			spec: steps("{name: s, durationSeconds: 1, threads: 4, "+insert+"}") + "loadGenerator: {pods: 4}",
		},
		"a load pod that requests more than its limit": {
			spec: steps("") + "loadGenerator: {resources: {requests: {memory: 1Gi}}}",
			want: []string{"spec.loadGenerator.resources.requests[memory]: which is 256Mi when unset"},
		},
		"a deadline that the steps cannot keep": {
			spec: steps("{name: s, durationSeconds: 50, warmupSeconds: 10, "+insert+"}") + "deadlines: {measuringSeconds: 60}",
			want: []string{"spec.deadlines.measuringSeconds: must be more than 60"},
		},
		"a deadline with time to spare is valid": {
			spec: steps("{name: s, durationSeconds: 50, warmupSeconds: 10, "+insert+"}") + "deadlines: {measuringSeconds: 61}",
		},
		"more documents than a step may insert": {
			spec: steps("{name: s, operationCount: 100000000000, operations: [{name: i, kind: InsertMany}]}"),
			want: []string{"spec.workload.steps[0].operations[0]: times operationCount 100000000000"},
		},
		"batches that a load pod cannot hold": {
			spec: `
dataset:
  load: {threads: 4, batchDocuments: 1000}
  collections:
    - {name: c, documentCount: 100000, fields: [{name: f, type: Binary, bytes: {maxLength: 100000}}]}
`,
			want: []string{"spec.dataset.load.batchDocuments: a load pod with 4 workers and 1000 documents for each"},
		},
		"threads that a load pod cannot hold": {
			spec: steps("{name: s, durationSeconds: 5, threads: 4096, "+insert+"}") +
				"loadGenerator: {resources: {limits: {memory: 128Mi}}}",
			want: []string{"spec.workload.steps[0]: a load pod with 4,096 workers and 1 operation needs about 349 MiB of " +
				"memory, and its limit is 128 MiB; raise spec.loadGenerator.resources.limits.memory"},
		},
		"threads that four load pods can hold": {
			spec: steps("{name: s, durationSeconds: 5, threads: 4096, "+insert+"}") +
				"loadGenerator: {pods: 4, resources: {limits: {memory: 256Mi}}}",
		},
		"batches that are never full are valid": {
			spec: `
dataset:
  collections: [{name: c, documentCount: 100, fields: [{name: f, type: Binary, bytes: {maxLength: 100000}}]}]
`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

// TestEverythingIsValid takes the specification that uses every setting once.
func TestEverythingIsValid(t *testing.T) {
	content, err := os.ReadFile("../testdata/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	check(t, validation.ValidateRun(runOf(t, string(content))), nil)
}

func TestAnEmptyRunDoesNotPanic(t *testing.T) {
	check(t, validation.ValidateRun(&benchv1alpha1.BenchmarkRun{}), nil)
}
