package junit_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/junit"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/testing/madeup"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/golden"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// condition of the present content.
func condition(name string, status metav1.ConditionStatus, reason string) metav1.Condition {
	return metav1.Condition{Type: name, Status: status, Reason: reason, Message: "as the test says", ObservedGeneration: 1}
}

// lineOf is a line of a verdict, of a step of its name.
func lineOf(verdict benchv1alpha1.Verdict) benchv1alpha1.ComparisonLine {
	return benchv1alpha1.ComparisonLine{
		Variant: "version-7.0.14", Baseline: "version-6.0.5", Metric: benchv1alpha1.MetricOperationsPerSecond,
		Step: strings.ToLower(string(verdict)), Operation: "find", Verdict: verdict, BaselineMedian: new(int64(2000)),
		Median: new(int64(1000)), BaselineSamples: new(int32(5)), Samples: new(int32(4)), Test: benchv1alpha1.TestRankSum,
		EffectBasisPoints: new(int64(-5000)), LowBasisPoints: new(int64(-5100)), HighBasisPoints: new(int64(-4900)),
		PMillionths: new(int64(7937)), DetectableBasisPoints: new(int64(1200)),
		Message: "throughput of find: 1,000/s, 50 % less than the baseline of 2,000/s (-51 to -49 %), p = 0.0079",
	}
}

// endedRun is one of the suite's that has ended.
func endedRun(variant, repetition string, succeeded metav1.ConditionStatus, reason string) benchv1alpha1.BenchmarkRun {
	run := benchv1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{
		Name: "upgrade-" + repetition, Labels: map[string]string{suite.RepetitionLabel: repetition},
		Annotations: map[string]string{suite.VariantAnnotation: variant},
	}}
	run.Status.Conditions = []metav1.Condition{condition(benchv1alpha1.RunSucceeded, succeeded, reason)}
	run.Status.Stages = []benchv1alpha1.StageStatus{{
		Name: "Loading", StartTime: metav1.NewMicroTime(noon),
		CompletionTime: new(metav1.NewMicroTime(noon.Add(90 * time.Second))),
	}}
	return run
}

// upgrade is a suite with a line of every verdict, and with a run that failed and two in doubt.
func upgrade(failOn benchv1alpha1.FailOn, conditions ...metav1.Condition) cluster.Stored {
	object := &benchv1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{
		Name: "upgrade", Namespace: "benchmarks", Generation: 1,
	}}
	object.Spec.FailOn, object.Spec.AllowDoubts = &failOn, []string{"NotSteady"}
	object.Status.StartTime = new(metav1.NewTime(noon))
	object.Status.CompletionTime = new(metav1.NewTime(noon.Add(20 * time.Minute)))
	object.Status.Conditions = conditions
	stored := cluster.Stored{Object: object}
	stored.Suite, stored.Revision = object.Name, "5e2f"
	for _, verdict := range comparison.Verdicts {
		stored.Lines = append(stored.Lines, lineOf(verdict))
	}
	stored.Sides = []comparison.Side{{Name: "version-7.0.14", Samples: []comparison.Sample{
		{Run: "upgrade-1", Repetition: 1},
		{Run: "upgrade-2", Repetition: 2, Doubts: []string{"NotSteady"}},
		{Run: "upgrade-3", Repetition: 3, Doubts: []string{"NotSteady", "GeneratorLate"}},
	}}}
	stored.Runs = []benchv1alpha1.BenchmarkRun{
		endedRun("version-7.0.14", "1", metav1.ConditionTrue, benchv1alpha1.ReasonCompleted),
	}
	return stored
}

// The conditions of a suite, as the operator writes them.
var (
	allSucceeded = condition(benchv1alpha1.SuiteComplete, metav1.ConditionTrue, benchv1alpha1.ReasonAllSucceeded)
	someFailed   = condition(benchv1alpha1.SuiteComplete, metav1.ConditionTrue, benchv1alpha1.ReasonSomeFailed)
	regressed    = condition(benchv1alpha1.SuiteRegressed, metav1.ConditionTrue, benchv1alpha1.ReasonRegressed)
	noRegression = condition(benchv1alpha1.SuiteRegressed, metav1.ConditionFalse, benchv1alpha1.ReasonNoRegression)
	noBaseline   = condition(benchv1alpha1.SuiteRegressed, metav1.ConditionUnknown, benchv1alpha1.ReasonNoBaseline)
	notPassed    = condition(benchv1alpha1.SuitePassed, metav1.ConditionFalse, benchv1alpha1.ReasonRegressed)
	passed       = condition(benchv1alpha1.SuitePassed, metav1.ConditionTrue, benchv1alpha1.ReasonNoRegression)
)

func suiteOf(t *testing.T, stored cluster.Stored) (document *node, text string) {
	t.Helper()
	var to strings.Builder
	if err := junit.Suite(&to, stored); err != nil {
		t.Fatal(err)
	}
	return read(t, to.String()), to.String()
}

// wantLine compares the test of a verdict's line with what becomes of it.
func wantLine(t *testing.T, document *node, failOn benchv1alpha1.FailOn, verdict benchv1alpha1.Verdict) {
	t.Helper()
	want := "skipped"
	switch {
	case comparison.Fails(failOn, verdict):
		want = "failure"
	case comparison.Shown(verdict):
		want = "passed"
	}
	got, said := outcome(t, document, variantClass, "throughput "+strings.ToLower(string(verdict))+" find")
	if got != want {
		t.Errorf("%s is %s, want %s", verdict, got, want)
	}
	for _, words := range []string{string(verdict), "50 % less", "(-51 to -49 %), p = 0.0079", "4 runs against 5"} {
		if !strings.Contains(said, words) {
			t.Errorf("%s does not say %q:\n%s", verdict, words, said)
		}
	}
}

const variantClass = "upgrade.version-7_0_14"

func TestWhatFailsIsWhatFailOnNames(t *testing.T) {
	for _, failOn := range []benchv1alpha1.FailOn{
		benchv1alpha1.FailOnNever, benchv1alpha1.FailOnRegressed, benchv1alpha1.FailOnInconclusive,
		benchv1alpha1.FailOnNotDetected,
	} {
		t.Run(string(failOn), func(t *testing.T) {
			gate := notPassed
			if failOn == benchv1alpha1.FailOnNever {
				gate = passed
			}
			document, _ := suiteOf(t, upgrade(failOn, allSucceeded, regressed, gate))
			for _, verdict := range comparison.Verdicts {
				wantLine(t, document, failOn, verdict)
			}
			failing := len(document.all("failure")) + len(document.all("error"))
			if (failing > 0) != (failOn != benchv1alpha1.FailOnNever) {
				t.Errorf("%d tests fail", failing)
			}
		})
	}
}

// TestNothingFailsOfWhatPassed has lines that failOn names in a suite that passes all the same, as one does of which
// another variant has no baseline.
func TestNothingFailsOfWhatPassed(t *testing.T) {
	document, _ := suiteOf(t, upgrade(benchv1alpha1.FailOnNotDetected, allSucceeded, noBaseline, passed))
	if failing := len(document.all("failure")) + len(document.all("error")); failing > 0 {
		t.Errorf("%d tests fail of a suite that passed", failing)
	}
	if got, said := outcome(t, document, "upgrade", "passed"); got != "skipped" || !strings.Contains(said, "NoBaseline") {
		t.Errorf("without a baseline the gate is %s: %s", got, said)
	}
}

func TestTheGateIsHowTheSuiteEnded(t *testing.T) {
	accepted := condition(benchv1alpha1.SuiteAccepted, metav1.ConditionFalse, benchv1alpha1.ReasonInvalid)
	stale := notPassed
	stale.ObservedGeneration = 0
	for name, tc := range map[string]struct {
		conditions []metav1.Condition
		want, says string
	}{
		"passed":          {[]metav1.Condition{allSucceeded, noRegression, passed}, "passed", "not regressed"},
		"not passed":      {[]metav1.Condition{allSucceeded, regressed, notPassed}, "failure", "MetricRegressed | regressed"},
		"runs failed":     {[]metav1.Condition{someFailed, regressed, notPassed}, "error", "SomeFailed | failed: SomeFailed"},
		"refused":         {[]metav1.Condition{accepted}, "error", "Invalid | refused: as the test says"},
		"not compared":    {nil, "skipped", "it is not known yet: Waiting for the operator"},
		"is not a gate":   {[]metav1.Condition{allSucceeded, regressed, passed}, "skipped", "succeeded, and regressed"},
		"older operators": {[]metav1.Condition{allSucceeded, regressed}, "failure", "regressed: as the test says"},
		"a stale gate":    {[]metav1.Condition{allSucceeded, noRegression, stale}, "passed", "not regressed"},
	} {
		t.Run(name, func(t *testing.T) {
			stored := cluster.Stored{Object: upgrade(benchv1alpha1.FailOnRegressed, tc.conditions...).Object}
			document, _ := suiteOf(t, stored)
			got, said := outcome(t, document, "upgrade", "passed")
			if got != tc.want || !strings.Contains(said, tc.says) {
				t.Errorf("it is %s, want %s, and says %q, want %q", got, tc.want, said, tc.says)
			}
		})
	}
}

func TestRunsOfASuite(t *testing.T) {
	stored := upgrade(benchv1alpha1.FailOnNotDetected, someFailed, regressed, notPassed)
	stored.Runs = append(stored.Runs, endedRun("version-7.0.14", "4", metav1.ConditionFalse, "Crashed"))
	refused := endedRun("version-7.0.14", "5", metav1.ConditionUnknown, "NotEnded")
	refused.Status.Conditions = []metav1.Condition{condition(benchv1alpha1.RunAccepted, metav1.ConditionFalse, "Invalid")}
	stored.Runs = append(stored.Runs, refused)
	document, text := suiteOf(t, stored)
	golden.Compare(t, "testdata/suite.xml", text)
	for number, want := range map[string][2]string{
		"1": {"passed", "run upgrade-1"},
		"2": {"passed", "run upgrade-2 is in doubt, which spec.allowDoubts allows: NotSteady"},
		"3": {"skipped", "run upgrade-3 succeeded, and is not to be trusted: NotSteady, GeneratorLate"},
		"4": {"error", "Crashed | run upgrade-4 failed: Crashed: as the test says"},
		"5": {"error", "Invalid | run upgrade-5 refused: as the test says"},
	} {
		got, said := outcome(t, document, variantClass, "repetition "+number)
		if got != want[0] || !strings.Contains(said, want[1]) {
			t.Errorf("repetition %s is %s, want %s, and says %q, want %q", number, got, want[0], said, want[1])
		}
	}
	said := document.all("testsuite")[0].attributes
	if said["timestamp"] != "2026-11-21T12:00:00" || said["time"] != "1200.000" {
		t.Errorf("it began at %s and took %s s", said["timestamp"], said["time"])
	}
	properties := map[string]string{}
	for _, one := range document.all("property") {
		properties[one.attributes["name"]] = one.attributes["value"]
	}
	for name, want := range map[string]string{
		"revision": "5e2f", "baseline": "version-6.0.5", "failOn": "NotDetected", "namespace": "benchmarks",
	} {
		if properties[name] != want {
			t.Errorf("the property %s is %q, want %q", name, properties[name], want)
		}
	}
}

func TestHostileTextStaysText(t *testing.T) {
	const hostile = "]]>]]&gt;<failure/>&quot;\"'\x00\x0b\x1b[31m\ufffe\uffff\xff[[ATTACHMENT|/etc/passwd]]\n" +
		"next\tline\U0001F600"
	stored := upgrade(benchv1alpha1.FailOnNotDetected, allSucceeded, regressed, notPassed)
	for i := range stored.Lines {
		line := &stored.Lines[i]
		line.Message, line.Variant, line.Baseline, line.Operation = hostile, hostile, hostile, hostile
	}
	stored.Sides[0].Name, stored.Sides[0].Samples[0].Run, stored.Revision = hostile, hostile, hostile
	run := endedRun(hostile, hostile, metav1.ConditionFalse, hostile)
	run.Status.Conditions[0].Message = hostile
	stored.Runs = append(stored.Runs, run)
	document, text := suiteOf(t, stored)
	for _, forbidden := range []string{"\x00", "\x0b", "\x1b", "\ufffe", "\uffff", "[[ATTACHMENT|"} {
		if strings.Contains(text, forbidden) {
			t.Errorf("%q is in the document", forbidden)
		}
	}
	const left = "]]>]]&gt;<failure/>&quot;\"'[31m\ufffd[[ATTACHMENT |/etc/passwd]]\nnext\tline\U0001F600"
	if value := document.all("property")[0].attributes["value"]; value != left {
		t.Errorf("a property is read as %q, want %q", value, left)
	}
	failures := document.all("failure")
	if said := failures[len(failures)-1].text; !strings.Contains(said, left) {
		t.Errorf("a text is read as %q", said)
	}
	// A message is one line: where the text has white space, it has a space.
	oneLine := strings.Join(strings.Fields(left), " ")
	oneLine = strings.Replace(oneLine, "'[31m", "' [31m", 1)
	if said := document.all("error")[0].attributes["message"]; !strings.Contains(said, oneLine) {
		t.Errorf("a message is read as %q", said)
	}
}

func TestLinesOfTheSameNameAreNumbered(t *testing.T) {
	stored := upgrade(benchv1alpha1.FailOnNotDetected, allSucceeded, regressed, notPassed)
	stored.Lines = append(stored.Lines, stored.Lines[0], stored.Lines[0])
	document, _ := suiteOf(t, stored) // It looks for tests of the same name.
	outcome(t, document, variantClass, "throughput regressed find (3)")
}

func TestASuiteOfMadeUpRuns(t *testing.T) {
	stored, err := madeup.Suite(madeup.SuiteShape{
		Name: "made-up", Shards: []int32{1, 2, 4}, Repetitions: 8, Revisions: 3, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	document, _ := suiteOf(t, stored)
	runs := 0
	for _, side := range stored.Sides {
		runs += len(side.Samples)
	}
	if tests, want := len(document.all("testcase")), 1+len(stored.Lines)+runs; tests != want {
		t.Errorf("%d tests, want the gate, %d lines and %d runs", tests, len(stored.Lines), runs)
	}
	var compared strings.Builder
	if err := junit.Compared(&compared, "compare", stored.Result); err != nil {
		t.Fatal(err)
	}
	if tests := len(read(t, compared.String()).all("testcase")); tests != len(stored.Lines)+runs {
		t.Errorf("of the comparison alone there are %d tests", tests)
	}
}

func TestRuns(t *testing.T) {
	report, err := madeup.Run(madeup.RunShape{Seconds: 40, Operations: 2, Servers: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	good := endedRun("", "1", metav1.ConditionTrue, benchv1alpha1.ReasonCompleted)
	bad := endedRun("", "1", metav1.ConditionFalse, "Crashed")
	doubted := report
	doubted.OperatorDoubts = []reportv1.Doubt{{Reason: "Throttled", Message: "as the test says"}}
	for name, tc := range map[string]struct {
		source page.Source
		want   map[string]string
	}{
		"a good one": {
			page.Source{Name: "first", Report: report, Object: &good},
			map[string]string{"succeeded": "passed", "trusted": "passed", "mixed": "passed"},
		},
		"one in doubt": {
			page.Source{Name: "first", Report: doubted, Object: &good},
			map[string]string{"succeeded": "passed", "trusted": "skipped", "mixed": "skipped"},
		},
		"one that failed": {page.Source{Name: "first", Object: &bad}, map[string]string{"succeeded": "error"}},
		"that of a file":  {page.Source{Name: "first", Report: report}, map[string]string{"mixed": "passed"}},
		"one that goes on": {
			page.Source{Name: "first", Object: &benchv1alpha1.BenchmarkRun{}}, map[string]string{"succeeded": "skipped"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var to strings.Builder
			if err := junit.Run(&to, tc.source); err != nil {
				t.Fatal(err)
			}
			document := read(t, to.String())
			for test, want := range tc.want {
				if got, said := outcome(t, document, "first", test); got != want {
					t.Errorf("%s is %s, want %s: %s", test, got, want, said)
				}
			}
			if tests := len(document.all("testcase")); tests < len(tc.want) {
				t.Errorf("%d tests", tests)
			}
		})
	}
}
