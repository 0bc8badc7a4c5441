package decide

import (
	"maps"
	"slices"
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
)

// inTurns makes a suite one of duets, whose baseline is the variant few.
func inTurns(s *benchv1alpha1.BenchmarkSuite) {
	s.Spec.Order, s.Spec.Repetitions = new(benchv1alpha1.SuiteDuet), nil
	s.Spec.Baseline = &benchv1alpha1.Baseline{Variant: new("few")}
	s.Spec.Thresholds = []benchv1alpha1.Threshold{{Metric: benchv1alpha1.MetricOperationsPerSecond}}
}

// answer ends a run of a duet, which tells this verdict of its only line.
func (w *world) answer(run *benchv1alpha1.BenchmarkRun, verdict benchv1alpha1.Verdict) {
	w.succeed(run, 10_000)
	run.Status.Duet = &benchv1alpha1.DuetResult{
		Baseline: "few", Server: run.Status.Server.DeepCopy(),
		Comparison: []benchv1alpha1.ComparisonLine{{
			Variant: "candidate", Baseline: "few", Metric: benchv1alpha1.MetricOperationsPerSecond, Step: "read",
			Verdict: verdict, EffectBasisPoints: new(int64(-1200)), LowBasisPoints: new(int64(-1500)),
			HighBasisPoints: new(int64(-900)), Test: benchv1alpha1.TestSequential, Message: "known after 30 s",
		}},
	}
}

func TestADuetIsOneRunOfEachVariantButTheBaseline(t *testing.T) {
	w := newWorld(t, inTurns, func(s *benchv1alpha1.BenchmarkSuite) {
		choices := &s.Spec.Matrix.Dimensions[0].Choices
		*choices = append(*choices, suitetest.Threads("more", 16))
	})
	baselines := make([]string, 0, 2)
	for _, want := range []string{"many", "more"} {
		w.settle()
		active := w.active()
		if len(active) != 1 || variantOf(active[0]) != want || active[0].Spec.Duet == nil {
			t.Fatalf("the runs %v were made, want one of %s in turns with the baseline", w.made, want)
		}
		own, other := active[0].Spec.TargetRef.Name, active[0].Spec.Duet.Baseline.TargetRef.Name
		if len(w.Targets) != 2 || w.Targets[own] == nil || w.Targets[other] == nil {
			t.Errorf("the targets %v stand, want %s and %s", slices.Sorted(maps.Keys(w.Targets)), own, other)
		}
		checkTogether(t, w)
		baselines = append(baselines, other)
		w.answer(active[0], benchv1alpha1.VerdictUnchanged)
	}
	w.settle()
	if baselines[0] != baselines[1] {
		t.Errorf("the baselines are %v, want the same for all", baselines)
	}
	if len(w.Targets) > 0 || len(w.made) != 2 {
		t.Errorf("at the end there are the targets %v; made were %v", slices.Sorted(maps.Keys(w.Targets)), w.made)
	}
	w.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
}

// checkTogether wants the targets to be placed beside each other.
func checkTogether(t *testing.T, w *world) {
	t.Helper()
	for _, target := range w.Targets {
		if target.Labels[naming.DuetLabel] != w.Suite.Name {
			t.Errorf("target %s has the labels %v, by which its members are not placed beside the other's", target.Name,
				target.Labels)
		}
	}
}

func TestTheVerdictOfADuetIsTheSuites(t *testing.T) {
	for name, tc := range map[string]struct {
		verdict benchv1alpha1.Verdict
		play    func(*world)
		want    string
		line    benchv1alpha1.Verdict
	}{
		"a loss": {
			verdict: benchv1alpha1.VerdictRegressed, play: func(*world) {}, want: "True MetricRegressed",
			line: benchv1alpha1.VerdictRegressed,
		},
		"no change": {
			verdict: benchv1alpha1.VerdictUnchanged, play: func(*world) {}, want: "False NoRegression",
			line: benchv1alpha1.VerdictUnchanged,
		},
		"a loss in doubt": {
			verdict: benchv1alpha1.VerdictRegressed, play: func(w *world) { w.doubtful = true },
			want: "Unknown Inconclusive", line: benchv1alpha1.VerdictInconclusive,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, inTurns)
			w.settle()
			tc.play(w)
			w.answer(w.active()[0], tc.verdict)
			w.settle()
			w.want(benchv1alpha1.SuiteRegressed, tc.want)
			lines := w.Suite.Status.Comparison
			if len(lines) != 1 || lines[0].Verdict != tc.line || lines[0].Variant != "many" || lines[0].Baseline != "few" {
				t.Errorf("the comparison is %+v", lines)
			}
		})
	}
}

// TestADuetIsMeasuredAgainWhenEitherSideChanges also wants the other variants to stay as they were measured.
func TestADuetIsMeasuredAgainWhenEitherSideChanges(t *testing.T) {
	w := newWorld(t, inTurns)
	finish := func() int {
		for range 3 {
			w.settle()
			for _, run := range w.active() {
				w.answer(run, benchv1alpha1.VerdictUnchanged)
			}
		}
		return len(w.made)
	}
	if got := finish(); got != 1 {
		t.Fatalf("%d runs were made, want 1", got)
	}
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Parallelism = new(int32(2)) })
	if got := finish(); got != 1 {
		t.Errorf("what changes no result is measured again: %v", w.made)
	}
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Matrix.Dimensions[0].Choices[0] = suitetest.Threads("few", 2)
	})
	if got := finish(); got != 2 {
		t.Errorf("with another baseline these are the runs: %v", w.made)
	}
	w.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
}

func TestADuetThatFailsIsTold(t *testing.T) {
	w := newWorld(t, inTurns)
	w.settle()
	w.fail(w.active()[0])
	w.settle()
	if len(w.Targets) > 0 || len(w.active()) > 0 {
		t.Errorf("the targets %v stand, and %d runs go on", slices.Sorted(maps.Keys(w.Targets)), len(w.active()))
	}
	if got := w.status(benchv1alpha1.SuiteRegressed); !strings.HasPrefix(got, "Unknown ") {
		t.Errorf("Regressed is %s", got)
	}
}
