package show_test

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/testing/madeup"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// golden compares what is written with a file of testdata.
func golden(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var written strings.Builder
	if err := write(&written); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(written.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), written.String()); diff != "" {
		t.Errorf("%s differs (-want +got); go test -update rewrites it:\n%s", path, diff)
	}
	for number, line := range strings.Split(written.String(), "\n") {
		if strings.TrimRight(line, " ") != line {
			t.Errorf("%s:%d ends with a space", path, number+1)
		}
	}
}

// object reads an object of testdata.
func object[T any](t *testing.T, name string) *T {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	read := new(T)
	if err := yaml.UnmarshalStrict(content, read); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return read
}

func TestLists(t *testing.T) {
	young := benchv1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{
		Name: "young", Namespace: "two", CreationTimestamp: metav1.NewTime(noon.Add(-3 * time.Second)),
	}}
	runs := []benchv1alpha1.BenchmarkRun{*object[benchv1alpha1.BenchmarkRun](t, "run.yaml"), young}
	suites := []benchv1alpha1.BenchmarkSuite{*object[benchv1alpha1.BenchmarkSuite](t, "suite.yaml"), {}}
	suites[1].Name = "new"
	target := *object[benchv1alpha1.BenchmarkTarget](t, "target.yaml")
	cases := map[string]struct {
		list  show.List
		write func(show.List, io.Writer) error
	}{
		"runs.txt": {write: func(l show.List, to io.Writer) error { return l.Runs(to, runs) }},
		"runs-all.txt": {
			list:  show.List{Namespaces: true},
			write: func(l show.List, to io.Writer) error { return l.Runs(to, runs) },
		},
		"runs-colour.txt": {
			list:  show.List{Paint: true},
			write: func(l show.List, to io.Writer) error { return l.Runs(to, runs) },
		},
		"suites.txt": {write: func(l show.List, to io.Writer) error { return l.Suites(to, suites) }},
		"targets.txt": {write: func(l show.List, to io.Writer) error {
			return l.Targets(to, []benchv1alpha1.BenchmarkTarget{target})
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.list.Now = noon
			golden(t, name, func(to io.Writer) error { return tc.write(tc.list, to) })
		})
	}
}

func TestDescriptions(t *testing.T) {
	golden(t, "run.txt", func(to io.Writer) error {
		return show.Run(to, false, object[benchv1alpha1.BenchmarkRun](t, "run.yaml"))
	})
	golden(t, "suite.txt", func(to io.Writer) error {
		return show.Suite(to, false, object[benchv1alpha1.BenchmarkSuite](t, "suite.yaml"))
	})
	golden(t, "suite-nightly.txt", func(to io.Writer) error {
		return show.Suite(to, false, object[benchv1alpha1.BenchmarkSuite](t, "suite-nightly.yaml"))
	})
	golden(t, "empty.txt", func(to io.Writer) error {
		return show.Run(to, false, &benchv1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "one", Name: "new"}})
	})
}

// pair is a comparison of two runs, which no test can tell apart.
func pair(t *testing.T) comparison.Result {
	t.Helper()
	first, second := object[benchv1alpha1.BenchmarkRun](t, "run.yaml"), object[benchv1alpha1.BenchmarkRun](t, "run.yaml")
	second.Name = "slower|run"
	second.Status.Result.Steps[0].Operations[0].P99Micros = new(int64(80_000))
	sides := []comparison.Side{
		{Name: first.Name, Spec: first.Spec, Samples: []comparison.Sample{comparison.SampleOf(first)}},
		{Name: second.Name, Spec: second.Spec, Samples: []comparison.Sample{comparison.SampleOf(second)}},
	}
	lines := comparison.Compare([]comparison.Pair{{Baseline: sides[0], Candidate: sides[1]}}, comparison.Settings{})
	return comparison.Result{Sides: sides, Lines: lines}
}

func TestComparisons(t *testing.T) {
	result := pair(t)
	golden(t, "comparison.txt", func(to io.Writer) error { return show.Comparison(to, false, result) })
	golden(t, "comparison.md", func(to io.Writer) error { return show.ComparisonMarkdown(to, "Two runs", result) })
	if got, want := show.Verdicts(result.Lines), "2 Inconclusive"; got != want {
		t.Errorf("the verdicts are %q, want %q", got, want)
	}
}

func TestAGrowthIsATableByItsCheckpoints(t *testing.T) {
	stored, err := madeup.Growth(200, 1000)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "growth.md", func(to io.Writer) error { return show.ComparisonMarkdown(to, "Growth", stored.Result) })
}

func TestAFailureShowsItsConditionsAndWhatToDo(t *testing.T) {
	run := &benchv1alpha1.BenchmarkRun{}
	run.Status.Conditions = []metav1.Condition{
		{
			Type: benchv1alpha1.RunSucceeded, Status: metav1.ConditionFalse,
			Reason: benchv1alpha1.ReasonOOMKilled, Message: "gone",
		},
		{Type: benchv1alpha1.RunTrusted, Status: metav1.ConditionUnknown, Reason: benchv1alpha1.ReasonNotMeasured},
	}
	var written strings.Builder
	if err := show.RunEnd(&written, false, run); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Succeeded  False   OOMKilled  gone", "OOMKilled  raise the memory limit"} {
		if !strings.Contains(written.String(), want) {
			t.Errorf("there is no %q in\n%s", want, written.String())
		}
	}
	if strings.Contains(written.String(), "Trusted") {
		t.Errorf("a run without numbers is said to be trusted or not:\n%s", written.String())
	}
}

func TestStagesAreATable(t *testing.T) {
	at := func(second int) metav1.MicroTime {
		return metav1.NewMicroTime(time.Date(2026, 11, 21, 0, 0, second, 0, time.UTC))
	}
	run := &benchv1alpha1.BenchmarkRun{}
	run.Status.Stages = []benchv1alpha1.StageStatus{
		{Name: "Provisioning", StartTime: at(0), CompletionTime: new(at(7))},
		{Name: "Loading", StartTime: at(7), CompletionTime: new(at(9))},
		{Name: "Measuring", StartTime: at(9)},
	}
	var written strings.Builder
	if err := show.Stages(&written, false, run); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Provisioning     0.0 s      7.0 s", "Loading          7.0 s      2.0 s", "not ended",
		"all                         9.0 s",
	} {
		if !strings.Contains(written.String(), want) {
			t.Errorf("there is no %q in\n%s", want, written.String())
		}
	}
}

func TestRunsAreShownSideBySide(t *testing.T) {
	measured, failed := &benchv1alpha1.BenchmarkRun{}, &benchv1alpha1.BenchmarkRun{}
	measured.Name, failed.Name = "one", "two"
	failed.Status.Conditions = []metav1.Condition{{Type: benchv1alpha1.RunSucceeded, Status: metav1.ConditionFalse}}
	measured.Status.Result = &benchv1alpha1.Result{
		Load: &benchv1alpha1.LoadResult{DocumentsPerSecond: new(int64(4711))},
		Steps: []benchv1alpha1.StepResult{{Name: "sort", Operations: []benchv1alpha1.OperationResult{{
			Name: "all", Count: new(int64(7)), P50Micros: new(int64(1500)), FirstDocumentP50Micros: new(int64(1400)),
		}}}},
	}
	var written strings.Builder
	if err := show.SideBySide(&written, false, []*benchv1alpha1.BenchmarkRun{measured, failed}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"sort  all         4,711", "1.50 ms", "1.40 ms", "two  failed"} {
		if !strings.Contains(written.String(), want) {
			t.Errorf("there is no %q in\n%s", want, written.String())
		}
	}
}

func TestOutcomesAndVerdicts(t *testing.T) {
	condition := func(name, status, reason string) metav1.Condition {
		return metav1.Condition{Type: name, Status: metav1.ConditionStatus(status), Reason: reason}
	}
	runs := map[string][]metav1.Condition{
		"-":         {condition("Succeeded", "Unknown", "NotEnded")},
		"succeeded": {condition("Succeeded", "True", "Completed"), condition("Trusted", "True", "NoConcern")},
		"untrusted": {condition("Succeeded", "True", "Completed"), condition("Trusted", "False", "StartSkew")},
		"failed":    {condition("Succeeded", "False", "OOMKilled")},
		"refused":   {condition("Accepted", "False", "Invalid"), condition("Succeeded", "False", "Invalid")},
	}
	for want, conditions := range runs {
		t.Run("a run that is "+want, func(t *testing.T) {
			run := &benchv1alpha1.BenchmarkRun{Status: benchv1alpha1.BenchmarkRunStatus{Conditions: conditions}}
			if got := show.Outcome(run); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	suites := map[string][]metav1.Condition{
		"-":             {condition("Regressed", "Unknown", "NotCompared")},
		"regressed":     {condition("Regressed", "True", "MetricRegressed")},
		"not regressed": {condition("Regressed", "False", "NoRegression")},
		"no baseline":   {condition("Regressed", "Unknown", "NoBaseline")},
		"unknown":       {condition("Regressed", "Unknown", "Inconclusive")},
		"refused":       {condition("Accepted", "False", "Invalid"), condition("Regressed", "Unknown", "NotCompared")},
	}
	for want, conditions := range suites {
		t.Run("a suite that is "+want, func(t *testing.T) {
			suite := &benchv1alpha1.BenchmarkSuite{Status: benchv1alpha1.BenchmarkSuiteStatus{Conditions: conditions}}
			if got := show.Verdict(suite); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
