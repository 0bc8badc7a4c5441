package schema_test

import (
	"runtime"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/mongobench/mongobench-operator/internal/spec/schema"
)

// testCase is the specification of a run, and what is wrong with it: a path and some of the words of each error.
type testCase struct {
	spec string
	want []string
}

const (
	head    = "apiVersion: mongobench.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: r}\nspec:\n  "
	dataset = "dataset: {collections: [{name: c, documentCount: 10}]}\n"
	oneStep = "workload: {steps: [{name: s, durationSeconds: 1, operations: [{name: o, kind: FindOne}]}]}\n"
)

// run is a run with a specification, of a target that it refers to unless it declares one.
func run(spec string) string {
	if !strings.Contains(spec, "target:") {
		spec = "targetRef: {name: t}\n" + spec
	}
	return head + strings.ReplaceAll(spec, "\n", "\n  ")
}

// steps are a dataset and a workload of these steps.
func steps(steps string) string {
	return dataset + "workload: {steps: [" + steps + "]}"
}

// operations are a dataset and a step of these operations.
func operations(operations string) string {
	return steps("{name: s, durationSeconds: 1, operations: [" + operations + "]}")
}

func check(t *testing.T, text string, want []string) {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(encoded, &object); err != nil {
		t.Fatal(err)
	}
	got, err := schema.Validate(object)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d errors, want %d:\n%v", len(got), len(want), got.ToAggregate())
	}
	for i, err := range got {
		path, part, _ := strings.Cut(want[i], ": ")
		if err.Field != path || !strings.Contains(err.ErrorBody(), part) {
			t.Errorf("got error %v, want one at %s with %q", err, path, part)
		}
	}
}

func TestValidate(t *testing.T) {
	const find = "operations: [{name: o, kind: FindOne}]"
	tests := map[string]testCase{
		"a whole run is valid": {spec: dataset + oneStep},
		"what only ValidateRun finds is not looked at": {
			spec: dataset + oneStep + `target: {mongodb: {version: "6.0.5", resources: {limits: {memory: 32Mi}}}}`,
		},
		"a name that YAML reads as false": {
			spec: "dataset: {collections: [{name: c, fields: [{name: n, type: Int}]}]}\n" + oneStep,
			want: []string{`spec.dataset.collections[0].fields[0].name: must be of type string: "boolean"`},
		},
		"a field that is not known": {
			spec: dataset + oneStep + "sede: 7", want: []string{"spec.sede: is not known"},
		},
		"a step without an end": {
			spec: steps("{name: s, " + find + "}"),
			want: []string{"spec.workload.steps[0].durationSeconds: exactly one of"},
		},
		"a step with two ends": {
			spec: steps("{name: s, durationSeconds: 1, operationCount: 1, " + find + "}"),
			want: []string{"spec.workload.steps[0].durationSeconds: exactly one of"},
		},
		"operations that lack what they do": {
			spec: operations("{name: a, kind: Distinct}, {name: b, kind: BulkWrite}"),
			want: []string{
				"spec.workload.steps[0].operations[0].field: required",
				"spec.workload.steps[0].operations[1].operations: required",
			},
		},
		"documents in every form, of which the schema says nothing": {
			spec: operations("{name: a, kind: Find, filter: {a: {$gt: 1}}}, {name: b, kind: Find, filter: '{}'}, " +
				"{name: c, kind: Aggregate, pipeline: [{$match: {a: 1}}]}, {name: d, kind: Find, filter: 5}"),
		},
		"operations that lack a kind or a name, or have that of another": {
			spec: operations("{name: a, kind: FindOne}, {name: d}, {kind: FindOne}, {name: a, kind: Find}"),
			want: []string{
				"spec.workload.steps[0].operations[1].kind: Required",
				"spec.workload.steps[0].operations[2].name: Required",
				"spec.workload.steps[0].operations[3]: Duplicate",
			},
		},
		"fields that lack their settings": {
			spec: "dataset: {collections: [{name: c, fields: [{name: a, type: Choice}, {name: b, type: Array}, " +
				"{name: c, type: Document}]}]}\n" + oneStep,
			want: []string{
				"spec.dataset.collections[0].fields[0].choice: Choice",
				"spec.dataset.collections[0].fields[1].array: Array",
				"spec.dataset.collections[0].fields[2].document: Document",
			},
		},
		"a field without a type": {
			spec: "dataset: {collections: [{name: c, fields: [{name: d}]}]}\n" + oneStep,
			want: []string{"spec.dataset.collections[0].fields[0].type: Required"},
		},
		"operations that consist of nothing, or of parts that lack what they do": {
			spec: operations("{name: a, kind: BulkWrite}, {name: b, kind: Transaction, operations: [{kind: Distinct}]}, " +
				"{name: c, kind: InsertOne, operations: [{kind: InsertOne}]}"),
			want: []string{
				"spec.workload.steps[0].operations[0].operations: required",
				"spec.workload.steps[0].operations[1].operations[0].field: required",
				"spec.workload.steps[0].operations[2].operations: operations is required with BulkWrite",
			},
		},
		"parts without a kind, and a write concern without w": {
			spec: operations("{name: b, kind: Transaction, operations: [{}]}, " +
				"{name: c, kind: InsertOne, writeConcern: {}}"),
			want: []string{
				"spec.workload.steps[0].operations[0].operations[0].kind: Required",
				"spec.workload.steps[0].operations[1].writeConcern.w: Required",
			},
		},
		"schedules of a process that is not known, or of stages that lack their rate": {
			spec: steps("{name: a, durationSeconds: 1, arrival: {process: Poison}, " + find + "}, " +
				"{name: d, durationSeconds: 1, arrival: {stages: [{seconds: 1}]}, " + find + "}"),
			want: []string{
				`spec.workload.steps[0].arrival.process: supported values: "Constant"`,
				"spec.workload.steps[1].arrival.stages[0].operationsPerSecond: Required",
			},
		},
		"schedules that say nothing, or too much": {
			spec: steps("{name: b, durationSeconds: 1, arrival: {process: Trace}, " + find + "}, " +
				"{name: c, durationSeconds: 1, arrival: {process: Poisson}, " + find + "}, " +
				"{name: d, durationSeconds: 1, thinkTimeMicros: 5, arrival: {operationsPerSecond: 1}, " + find + "}"),
			want: []string{
				"spec.workload.steps[0].arrival.gapsMicros: required with process Trace",
				"spec.workload.steps[1].arrival.operationsPerSecond: exactly one of",
				"spec.workload.steps[2].thinkTimeMicros: arrival",
			},
		},
		"a search beside arrivals": {
			spec: steps("{name: a, durationSeconds: 1, arrival: {operationsPerSecond: 1}, " +
				"search: {limitMicros: 1, maxOperationsPerSecond: 4}, " + find + "}"),
			want: []string{"spec.workload.steps[0].search: cannot be set together"},
		},
		"a search without an objective": {
			spec: steps("{name: a, durationSeconds: 1, search: {}, " + find + "}"),
			want: []string{
				"spec.workload.steps[0].search.limitMicros: Required",
				"spec.workload.steps[0].search.maxOperationsPerSecond: Required",
			},
		},
		"a search beside what it excludes": {
			spec: steps("{name: a, operationCount: 1, threads: 1, threadSweep: [1], " +
				"search: {limitMicros: 1, minOperationsPerSecond: 5, maxOperationsPerSecond: 4}, " + find + "}"),
			want: []string{
				"spec.workload.steps[0].threadSweep: only one of",
				"spec.workload.steps[0].search: cannot be set together",
				"spec.workload.steps[0].durationSeconds: search ne",
				"spec.workload.steps[0].search.minOperationsPerSecond: less than max",
			},
		},
		"a preset is valid": {spec: "preset: {name: YCSB-A}"},
		"a preset whose name could be none": {
			spec: "preset: {name: YCSB_A}", want: []string{"spec.preset.name: should match"},
		},
		"a preset beside a dataset": {
			spec: dataset + "preset: {name: YCSB-A}", want: []string{"spec.preset: either preset alone"},
		},
		"neither a dataset nor a workload": {
			spec: "seed: 1", want: []string{"spec.preset: dataset and workload, must be set"},
		},
		"a dataset and a workload of nothing": {
			spec: "dataset: {collections: []}\nworkload: {steps: []}",
			want: []string{
				"spec.dataset.collections: at least 1", "spec.workload.steps: at least 1",
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, run(tc.spec), tc.want) })
	}
}

func TestValidateOtherKinds(t *testing.T) {
	for text, want := range map[string][]string{
		"apiVersion: v1\nkind: ConfigMap":                           {`apiVersion: supported values: "mongobench.dev/`},
		"apiVersion: mongobench.dev/v1alpha1\nkind: Benchmark":      {"kind: is no kind"},
		"apiVersion: mongobench.dev/v1alpha1\nkind: BenchmarkRun":   {"spec: Required"},
		"apiVersion: mongobench.dev/v1alpha1\nkind: BenchmarkSuite": {"spec: Required"},
		"apiVersion: mongobench.dev/v1alpha1\nkind: BenchmarkTarget\nspec: {mongodb: {}}": {
			"spec.mongodb.version: Required",
		},
		"apiVersion: mongobench.dev/v1alpha1\nkind: BenchmarkTarget\n" +
			"spec: {mongodb: {version: '6.0'}, ferretdb: {version: 1.24.0}}": {
			"spec: exactly one of the fields in [mongodb mariadb ferretdb external] must be set",
		},
	} {
		t.Run(text, func(t *testing.T) { check(t, text, want) })
	}
}

func TestWhatWasForgottenIsReadAgain(t *testing.T) {
	held := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	schema.Forget()
	forgotten, whole := held(), run(dataset+oneStep)
	check(t, whole, nil)
	checked := held()
	if checked < forgotten+1<<20 {
		t.Fatalf("a check after it goes from %d bytes to %d: nothing was forgotten before it", forgotten, checked)
	}
	schema.Forget()
	if after := held(); after > (forgotten+checked)/2 {
		t.Errorf("%d bytes are held after it, of %d with the check and %d without", after, checked, forgotten)
	}
	check(t, whole, nil)
}

// TestNames has names that no object can have, and one that no run can have.
func TestNames(t *testing.T) {
	const none = "metadata.name: a lowercase RFC 1123 subdomain"
	for name, want := range map[string][]string{
		"a_b": {none}, "A": {none}, "a.b": {"<nil>: begin with a letter"},
	} {
		object := strings.Replace(head, "name: r", "name: "+name, 1) + "target: {mongodb: {version: '6.0.5'}}\n  "
		check(t, object+dataset+"  "+oneStep, want)
	}
}
