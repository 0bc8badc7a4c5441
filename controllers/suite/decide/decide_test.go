package decide

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// scenario is a history, and what is said of the suite at its end.
type scenario struct {
	change func(*benchv1alpha1.BenchmarkSuite)
	play   func(*world)
	// want are conditions as "Status Reason".
	want map[string]string
	// says is a part of the message of a condition.
	says map[string]string
}

func TestDecide(t *testing.T) {
	for name, tc := range scenarios() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if tc.change != nil {
				tc.change(w.Suite)
			}
			tc.play(w)
			w.settle()
			for conditionType, want := range tc.want {
				w.want(conditionType, want)
			}
			for conditionType, says := range tc.says {
				if said := w.message(conditionType); !strings.Contains(said, says) {
					t.Errorf("%s says %q, want it to contain %q", conditionType, said, says)
				}
			}
		})
	}
}

func nothing(*world) {}

func playSteady(w *world) { w.play(steady) }

func repetitions(n int32) func(*benchv1alpha1.BenchmarkSuite) {
	return func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Repetitions = &n }
}

// against compares with a variant, with enough repetitions for a verdict.
func against(s *benchv1alpha1.BenchmarkSuite) {
	repetitions(8)(s)
	s.Spec.Baseline = &benchv1alpha1.Baseline{Variant: new("few")}
}

// slower makes variant many slower.
func slower(run *benchv1alpha1.BenchmarkRun) int64 {
	if variantOf(run) == "many" {
		return 5_000
	}
	return 10_000
}

// restless is a throughput that varies by a fifth from run to run.
func restless() func(*benchv1alpha1.BenchmarkRun) int64 {
	random := rand.New(rand.NewPCG(1, 1))
	return func(*benchv1alpha1.BenchmarkRun) int64 { return 9_000 + random.Int64N(2_000) }
}

// playDoubtful has one run of which the numbers are not to be trusted.
func playDoubtful(w *world) {
	w.doubtful = true
	w.play(steady)
}

// scenarios produce every reason that a suite may have; TestEveryReasonIsProduced compares.
func scenarios() map[string]scenario {
	return map[string]scenario{
		"a new suite makes its first run": {
			play: nothing,
			want: map[string]string{
				accepted: "True Valid", complete: "False RunsPending", regressed: "Unknown NotCompared",
			},
			says: map[string]string{accepted: "4 runs of 2 variants", complete: "0 of 4 runs have ended"},
		},
		"a regression that is acknowledged": {
			change: acknowledged(benchv1alpha1.Acknowledgement{Until: "2026-12-24"}),
			play:   func(w *world) { w.play(slower) },
			want:   map[string]string{regressed: "False RegressionAcknowledged", passed: "True RegressionAcknowledged"},
		},
		"a specification that makes no sense": {
			change: func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Baseline = &benchv1alpha1.Baseline{Variant: new("none")} },
			play:   nothing,
			want: map[string]string{
				accepted: "False Invalid", complete: "False NotAccepted", regressed: "Unknown NotCompared",
			},
			says: map[string]string{accepted: "no variant has this name"},
		},
		"a variant that the API server refuses": {
			play: func(w *world) {
				w.refuse = func(p Probe) string {
					if p.Variant == "many" {
						return "no more than 7 threads here"
					}
					return ""
				}
			},
			want: map[string]string{accepted: "False VariantInvalid", complete: "False NotAccepted"},
			says: map[string]string{accepted: `variant "many": no more than 7 threads here`},
		},
		"a search that finds": {
			change: sized, play: func(w *world) { w.play(perCPU(1100)) },
			want: map[string]string{complete: "True Searched", passed: "True Found", regressed: "Unknown NoBaseline"},
		},
		"a search through variants that are too small": {
			change: sized, play: func(w *world) { w.play(perCPU(500)) },
			want: map[string]string{complete: "True Searched", passed: "False NothingKeeps"},
		},
		"a search of which the runs say nothing": {
			change: sized, play: func(w *world) {
				w.play(func(*benchv1alpha1.BenchmarkRun) int64 { w.doubtful = true; return 9000 })
			},
			want: map[string]string{complete: "True Searched", passed: "False NotKnown"},
		},
		"a suspended suite": {
			change: func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Suspend = new(true) },
			play:   nothing,
			want:   map[string]string{accepted: "True Valid", complete: "False Suspended"},
		},
		"all runs succeed and there is no earlier revision": {
			play: playSteady,
			want: map[string]string{
				complete: "True AllSucceeded", regressed: "Unknown NoBaseline", passed: "True NoBaseline",
			},
			says: map[string]string{regressed: "no earlier revision"},
		},
		"a variant that is slower than the one it is compared with": {
			change: against,
			play:   func(w *world) { w.play(slower) },
			want: map[string]string{
				complete: "True AllSucceeded", regressed: "True MetricRegressed", passed: "False MetricRegressed",
			},
			says: map[string]string{regressed: "many: OperationsPerSecond of read"},
		},
		"a suite that finds out, and is no gate": {
			change: func(s *benchv1alpha1.BenchmarkSuite) { against(s); s.Spec.FailOn = new(benchv1alpha1.FailOnNever) },
			play:   func(w *world) { w.play(slower) },
			want:   map[string]string{regressed: "True MetricRegressed", passed: "True MetricRegressed"},
		},
		"variants that vary too much to tell": {
			change: against,
			play:   func(w *world) { w.play(restless()) },
			want:   map[string]string{regressed: "Unknown NotDetected", passed: "False NotDetected"},
			says: map[string]string{
				regressed: "would be found in 80 of 100 such comparisons", passed: "spec.failOn is NotDetected: many: ",
			},
		},
		"the same with a gate that lets that pass": {
			change: func(s *benchv1alpha1.BenchmarkSuite) {
				against(s)
				s.Spec.FailOn = new(benchv1alpha1.FailOnInconclusive)
			},
			play: func(w *world) { w.play(restless()) },
			want: map[string]string{regressed: "Unknown NotDetected", passed: "True NotDetected"},
		},
		"a run in doubt": {
			change: against,
			play:   func(w *world) { playDoubtful(w) },
			want:   map[string]string{regressed: "Unknown Inconclusive", passed: "False Inconclusive"},
			says:   map[string]string{regressed: "1 of the 16 runs in doubt: GeneratorLate"},
		},
		"a run in doubt for a reason that is allowed": {
			change: func(s *benchv1alpha1.BenchmarkSuite) {
				against(s)
				s.Spec.AllowDoubts = []string{benchv1alpha1.ReasonGeneratorLate}
			},
			play: func(w *world) { playDoubtful(w) },
			want: map[string]string{regressed: "False NoRegression", passed: "True NoRegression"},
		},
		"variants that do not differ": {
			change: func(s *benchv1alpha1.BenchmarkSuite) {
				against(s)
				s.Spec.Thresholds = []benchv1alpha1.Threshold{{
					Metric: benchv1alpha1.MetricOperationsPerSecond, MinEffectPercent: new(int32(10)),
				}}
			},
			play: playSteady,
			want: map[string]string{regressed: "False NoRegression", passed: "True NoRegression"},
			says: map[string]string{regressed: `variant "few": none is worse by as much as matters`},
		},
		"too few runs for a verdict": {
			change: func(s *benchv1alpha1.BenchmarkSuite) { against(s); repetitions(2)(s) },
			play:   playSteady,
			want:   map[string]string{regressed: "Unknown Inconclusive", passed: "False Inconclusive"},
		},
		"some runs fail": {
			play: func(w *world) {
				w.play(func(*benchv1alpha1.BenchmarkRun) int64 { return int64(len(w.made)%2) * 10_000 })
			},
			want: map[string]string{complete: "True SomeFailed", passed: "False SomeFailed"},
			says: map[string]string{complete: "2 of 4 runs succeeded, 2 failed: s-"},
		},
		"all runs of a variant fail": {
			change: against,
			play: func(w *world) {
				w.play(func(run *benchv1alpha1.BenchmarkRun) int64 { return (slower(run) - 5_000) * 2 })
			},
			want: map[string]string{complete: "True SomeFailed", regressed: "Unknown Inconclusive"},
			says: map[string]string{regressed: `no run of variant "many" succeeded`},
		},
		"the first failure ends the revision": {
			change: func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.StopOnFailure = new(true); repetitions(8)(s) },
			play:   func(w *world) { w.play(func(*benchv1alpha1.BenchmarkRun) int64 { return 0 }) },
			want:   map[string]string{complete: "True StoppedOnFailure"},
			says:   map[string]string{complete: "0 of 16 runs succeeded, 1 failed"},
		},
		"the time is over": {
			change: func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.TimeoutSeconds = new(int32(60)) },
			play: func(w *world) {
				w.settle()
				if w.wait != time.Minute {
					w.t.Errorf("the suite is looked at again after %s", w.wait)
				}
				w.Now = w.Now.Add(w.wait)
				w.settle()
				w.want(complete, "False RunsPending")
				w.cancelEnds()
			},
			want: map[string]string{complete: "True TimedOut"},
			says: map[string]string{complete: "0 of 4 runs succeeded, 1 failed"},
		},
		"the result of another suite is awaited": {
			change: func(s *benchv1alpha1.BenchmarkSuite) {
				s.Spec.Baseline = &benchv1alpha1.Baseline{Suite: &benchv1alpha1.SuiteReference{Name: "other"}}
			},
			play: playSteady,
			want: map[string]string{complete: "True AllSucceeded", regressed: "Unknown NoBaseline"},
			says: map[string]string{regressed: `no BenchmarkSuite "other"`},
		},
		"figures are not kept": {
			change: func(s *benchv1alpha1.BenchmarkSuite) {
				repetitions(8)(s)
				s.Spec.Thresholds = []benchv1alpha1.Threshold{{Metric: benchv1alpha1.MetricOperationsPerSecond}}
				s.Spec.Baseline = &benchv1alpha1.Baseline{Figures: []benchv1alpha1.Figure{
					{Metric: benchv1alpha1.MetricOperationsPerSecond, Value: new(int64(20_000))},
				}}
			},
			play: playSteady,
			want: map[string]string{regressed: "True MetricRegressed"},
		},
	}
}
