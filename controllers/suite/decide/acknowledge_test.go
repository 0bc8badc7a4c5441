package decide

import (
	"strings"
	"testing"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// acknowledged is a suite of which the throughput halves, and what is acknowledged of it.
func acknowledged(all ...benchv1alpha1.Acknowledgement) func(*benchv1alpha1.BenchmarkSuite) {
	return func(s *benchv1alpha1.BenchmarkSuite) {
		against(s)
		s.Spec.Thresholds = []benchv1alpha1.Threshold{{Metric: benchv1alpha1.MetricOperationsPerSecond}}
		for i := range all {
			all[i].Metric, all[i].Reason = benchv1alpha1.MetricOperationsPerSecond, "issue 42"
		}
		s.Spec.Acknowledged = all
	}
}

func TestAcknowledgements(t *testing.T) {
	const later = "2026-12-24"
	const failed = "False MetricRegressed"
	tests := map[string]struct {
		acknowledged benchv1alpha1.Acknowledgement
		passed, says string
	}{
		"of the metric": {
			benchv1alpha1.Acknowledgement{Until: later},
			"True RegressionAcknowledged",
			"many: OperationsPerSecond of read -50.0 % against few, acknowledged until 2026-12-25T00:00:00Z: issue 42",
		},
		"of the very line": {
			benchv1alpha1.Acknowledgement{Until: later, Variant: new("many"), Step: new("read")},
			"True RegressionAcknowledged", "acknowledged until",
		},
		"of another variant": {
			benchv1alpha1.Acknowledgement{Until: later, Variant: new("man")},
			failed,
			"spec.acknowledged[0] is about none of the compared lines",
		},
		"of another step": {
			benchv1alpha1.Acknowledgement{Until: later, Step: new("reads")}, failed, "spec.acknowledged[0] is about none",
		},
		"of an operation": {
			benchv1alpha1.Acknowledgement{Until: later, Operation: new("find")}, failed, "spec.acknowledged[0] is about none",
		},
		"of as much": {
			benchv1alpha1.Acknowledgement{Until: later, MaxEffectPercent: new(int32(51))},
			"True RegressionAcknowledged",
			"acknowledged until",
		},
		"of less": {
			benchv1alpha1.Acknowledgement{Until: later, MaxEffectPercent: new(int32(40))},
			failed,
			"spec.acknowledged[0] allows for 40 %",
		},
		"that has ended": {
			benchv1alpha1.Acknowledgement{Until: "2026-11-20"}, failed, "ended at 2026-11-21T00:00:00Z",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, acknowledged(tc.acknowledged))
			w.play(slower)
			w.want(passed, tc.passed)
			if said := w.message(passed); !strings.Contains(said, tc.says) {
				t.Errorf("it says %q, want %q in it", said, tc.says)
			}
			line := w.Suite.Status.Comparison[0]
			known := strings.HasPrefix(tc.passed, "True")
			if line.Verdict != benchv1alpha1.VerdictRegressed || (line.Acknowledged != nil) != known {
				t.Errorf("the line is %s, acknowledged %v", line.Verdict, line.Acknowledged)
			}
			if stored := w.lines(); stored[0].Acknowledged != nil {
				t.Error("the stored line is acknowledged: it is a measurement")
			}
			if verdict := w.Suite.Status.History[0].Verdict; *verdict != benchv1alpha1.VerdictRegressed {
				t.Errorf("the history says %s", *verdict)
			}
		})
	}
}

// lines are those of the stored result of the present revision.
func (w *world) lines() []benchv1alpha1.ComparisonLine {
	o := w.Observation
	o.Stored = w.contents
	return o.result(o.resultName()).Lines
}

// TestAnAcknowledgementEndsByItself has two of one line, of which the longer one holds, and no room for an earlier
// revision.
func TestAnAcknowledgementEndsByItself(t *testing.T) {
	w := newWorld(t, acknowledged(
		benchv1alpha1.Acknowledgement{Until: "2026-11-22T12:00:00+02:00"},
		benchv1alpha1.Acknowledgement{Until: "2026-11-23T12:00:00.5+02:00"},
	), func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Baseline, s.Spec.RevisionHistoryLimit = nil, new(int32(0))
	})
	w.play(steady)
	w.ask("again")
	w.play(slower)
	w.want(regressed, "False RegressionAcknowledged")
	w.until(22, 10, 0)
	w.settle()
	w.want(passed, "True RegressionAcknowledged")
	if want := 24 * time.Hour; w.wait != want {
		t.Errorf("it is looked at again after %s, want %s", w.wait, want)
	}
	made := len(w.made)
	w.until(23, 10, 0)
	w.settle()
	w.want(regressed, "True MetricRegressed")
	w.want(passed, "False MetricRegressed")
	if len(w.made) != made || w.Suite.Status.AcknowledgedUntil != nil || w.wait != 0 {
		t.Errorf("it goes on: %d runs, until %v, after %s", len(w.made)-made, w.Suite.Status.AcknowledgedUntil, w.wait)
	}
	if len(w.Suite.Status.History) != 1 {
		t.Errorf("the history is %+v", w.Suite.Status.History)
	}
}

func TestAnAcknowledgementThatComesLaterChangesTheVerdict(t *testing.T) {
	w := newWorld(t, acknowledged())
	w.play(slower)
	w.want(passed, "False MetricRegressed")
	w.edit(acknowledged(benchv1alpha1.Acknowledgement{Until: "2026-12-24"}))
	w.settle()
	w.want(passed, "True RegressionAcknowledged")
	w.edit(acknowledged())
	w.settle()
	w.want(passed, "False MetricRegressed")
}

// TestWhatIsNotAcknowledgedStillCounts has the throughput be known to be lower, and not the latency.
func TestWhatIsNotAcknowledgedStillCounts(t *testing.T) {
	known := acknowledged(benchv1alpha1.Acknowledgement{Until: "2026-12-24"})
	w := newWorld(t, known, func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Thresholds = append(s.Spec.Thresholds, benchv1alpha1.Threshold{Metric: benchv1alpha1.MetricP99Micros})
	})
	w.play(slower)
	w.want(regressed, "True MetricRegressed")
	if said := w.message(regressed); !strings.HasPrefix(said, "many: P99Micros") ||
		!strings.Contains(said, "acknowledged until") {
		t.Errorf("it says %q", said)
	}
}
