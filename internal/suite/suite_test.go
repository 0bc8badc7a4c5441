package suite_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestCompileGolden compiles each testdata/NAME.yaml and compares the plan with testdata/NAME.txt. A hash that changes
// for the same suite makes all runs again when the operator is upgraded, so a difference here needs a
// reason.
func TestCompileGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("finding suites: %d files, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			compareGolden(t, strings.TrimSuffix(file, ".yaml")+".txt", text(compiled(t, suiteOf(t, string(content)))))
		})
	}
}

// compareGolden compares with a golden file, or writes it.
func compareGolden(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-golden +got); go test -update rewrites it:\n%s", golden, diff)
	}
}

// text is a plan as people read it.
func text(plan suite.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "revision %s\n", plan.Revision)
	for _, variant := range plan.Variants {
		fmt.Fprintf(&b, "variant %s %s %v\n", variant.Hash, variant.Name, variant.Choices)
	}
	for _, slot := range plan.Slots {
		fmt.Fprintf(&b, "run %s\n", slot.Name)
	}
	return b.String()
}

// suiteOf reads a suite that is written as YAML.
func suiteOf(tb testing.TB, content string) *benchv1alpha1.BenchmarkSuite {
	tb.Helper()
	read := &benchv1alpha1.BenchmarkSuite{}
	if err := yaml.UnmarshalStrict([]byte(content), read); err != nil {
		tb.Fatalf("%v in\n%s", err, content)
	}
	return read
}

// small is a suite of a small run, with further fields of its spec.
func small(t *testing.T, fields string) *benchv1alpha1.BenchmarkSuite {
	t.Helper()
	return suiteOf(t, `
metadata: {name: s, namespace: team}
spec:
  template:
    spec:
      target: {mongodb: {version: "6.0.5"}}
      dataset: {collections: [{name: c, documentCount: 10, 
        fields: [{name: a, type: Int}], indexes: [{keys: [{field: a}]}]}]}
      workload: {steps: [{name: read, durationSeconds: 9, operations: [{name: find, kind: FindOne}]}]}
`+indented(fields))
}

// with is a small suite of one dimension "d", whose only choice "x" has this patch.
func with(t *testing.T, patch string) *benchv1alpha1.BenchmarkSuite {
	t.Helper()
	return small(t, "matrix: {dimensions: [{name: d, choices: [{name: x, "+patch+"}]}]}")
}

func indented(fields string) string {
	lines := strings.Split(strings.TrimSpace(fields), "\n")
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return strings.Join(lines, "\n")
}

// compiled is the plan of a suite that is valid.
func compiled(t *testing.T, declared *benchv1alpha1.BenchmarkSuite) suite.Plan {
	t.Helper()
	plan, errs := suite.Compile(declared)
	if len(errs) > 0 {
		t.Fatalf("%v", errs.ToAggregate())
	}
	return plan
}

// check compares errors with what is wanted of each: "PATH: PART" of its message.
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

func names(plan suite.Plan) []string {
	all := make([]string, 0, len(plan.Variants))
	for _, variant := range plan.Variants {
		all = append(all, variant.Name)
	}
	return all
}

func TestVariantsOfAMatrix(t *testing.T) {
	tests := map[string]struct {
		fields string
		want   []string
	}{
		"no matrix is one variant":       {"repetitions: 1", []string{"default"}},
		"an empty matrix is one as well": {"matrix: {}", []string{"default"}},
		"the last dimension is the fastest": {
			"matrix: {dimensions: [{name: d, choices: [{name: a}, {name: b}]}, {name: e, choices: [{name: u}, {name: v}]}]}",
			[]string{"a-u", "a-v", "b-u", "b-v"},
		},
		"a combination is left out": {
			`matrix:
  dimensions: [{name: d, choices: [{name: a}, {name: b}]}, {name: e, choices: [{name: u}, {name: v}]}]
  exclude: [{choices: {d: a, e: v}}]`,
			[]string{"a-u", "b-u", "b-v"},
		},
		"all combinations with a choice are left out": {
			`matrix:
  dimensions: [{name: d, choices: [{name: a}, {name: b}]}, {name: e, choices: [{name: u}, {name: v}]}]
  exclude: [{choices: {d: a}}, {choices: {e: v, d: b}}]`,
			[]string{"b-u"},
		},
		"what is included comes last": {
			"matrix: {dimensions: [{name: d, choices: [{name: b}]}], include: [{name: a}]}", []string{"b", "a"},
		},
		"inclusions alone": {"matrix: {include: [{name: v}, {name: u}]}", []string{"v", "u"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, names(compiled(t, small(t, tc.fields)))); diff != "" {
				t.Errorf("variants (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheStepsOfAVariantHaveTheNamesOfTheResult(t *testing.T) {
	tests := map[string]struct {
		patch string
		want  []suite.Step
	}{
		"a step": {"patch: {}", []suite.Step{{Name: "read", Declared: "read", Operations: []string{"find"}}}},
		"a sweep": {
			"patch: {workload: {steps: [{name: read, threadSweep: [1, 4]}]}}",
			[]suite.Step{
				{Name: "read-1", Declared: "read", Operations: []string{"find"}},
				{Name: "read-4", Declared: "read", Operations: []string{"find"}},
			},
		},
		"a growth": {
			"patch: {workload: {growth: {sizes: [10]}}}",
			[]suite.Step{{Name: "read-10", Declared: "read", Operations: []string{"find"}}},
		},
		"a preset": {
			"patch: {dataset: null, workload: null, preset: {name: YCSB-C}}",
			[]suite.Step{{Name: "ycsb-c", Declared: "ycsb-c", Operations: []string{"read"}, OperationCount: 1000}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, compiled(t, with(t, tc.patch)).Variants[0].Steps); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOrders(t *testing.T) {
	const matrix = "matrix: {dimensions: [{name: d, choices: [{name: a}, {name: b}, {name: c}]}]}\nrepetitions: 3\n"
	tests := map[string]struct{ order, want string }{
		"forwards and backwards by default": {"", "a1 b1 c1 c2 b2 a2 a3 b3 c3"},
		"one variant after the other":       {"order: Sequential", "a1 a2 a3 b1 b2 b3 c1 c2 c3"},
		"drawn, each once in a round":       {"order: Shuffled", "b1 c1 a1 b2 c2 a2 a3 b3 c3"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			plan := compiled(t, small(t, matrix+tc.order))
			got := make([]string, 0, len(plan.Slots))
			for _, slot := range plan.Slots {
				got = append(got, fmt.Sprintf("%s%d", plan.Variants[slot.Variant].Name, slot.Repetition))
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMoreRepetitionsLeaveTheEarlierOnesWhereTheyAre(t *testing.T) {
	const fields = "order: Shuffled\nmatrix: {dimensions: [{name: d, choices: [{name: a}, {name: b}, {name: c}]}]}\n"
	few := compiled(t, small(t, fields+"repetitions: 4"))
	many := compiled(t, small(t, fields+"repetitions: 9"))
	if !slices.Equal(few.Slots, many.Slots[:len(few.Slots)]) {
		t.Errorf("the first runs of %v are not %v", many.Slots, few.Slots)
	}
	other := small(t, fields+"repetitions: 9")
	other.Spec.Template.Spec.Seed = new(int64(2))
	variants := func(plan suite.Plan) []int {
		all := make([]int, 0, len(plan.Slots))
		for _, slot := range plan.Slots {
			all = append(all, slot.Variant)
		}
		return all
	}
	if slices.Equal(variants(many), variants(compiled(t, other))) {
		t.Error("another seed gives the same order")
	}
}
