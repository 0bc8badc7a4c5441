package engine_test

import (
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// watcher remembers what it was told, and at the end of each step what that had come to.
type watcher struct {
	told       []string
	threads    []int
	recordings []*measure.Recording
	dropped    func() int64
	// came is what the recordings of each step came to, and lost the operations that were dropped in it.
	came map[string]measure.Live
	lost map[string]int64
	step string
}

func (w *watcher) Begin(step planv1.Step) {
	w.step, w.recordings, w.dropped = step.Name, nil, nil
	w.told = append(w.told, "begin "+step.Name)
}

func (w *watcher) Record(window ...measure.Recorded) {
	w.told = append(w.told, "record")
	for _, recorded := range window {
		w.threads = append(w.threads, recorded.Threads)
		w.recordings, w.dropped = append(w.recordings, recorded.Recording), recorded.Dropped
	}
}

func (w *watcher) End() {
	w.told = append(w.told, "end")
	if w.came == nil {
		w.came, w.lost = map[string]measure.Live{}, map[string]int64{}
	}
	var sum measure.Live
	for _, recording := range w.recordings {
		sum.Add(recording.Live())
	}
	w.came[w.step] = sum
	if w.dropped != nil {
		w.lost[w.step] = w.dropped()
	}
}

// watched follows a plan of one measured step under fake time, with a watcher.
func watched(t *testing.T, step planv1.Step, target *drivertest.Target) (*watcher, reportv1.Report) {
	t.Helper()
	w := &watcher{}
	var report reportv1.Report
	synctest.Test(t, func(t *testing.T) {
		engine := &engine.Engine{
			Plan: testPlan(1, step), Target: target, Reporter: &drivertest.Reporter{}, Log: slog.New(slog.DiscardHandler),
			NewAlarm: func() alarm.Alarm { return alarm.Timer{} }, Watcher: w,
		}
		var err error
		if report, err = engine.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	return w, report
}

func TestAWatcherSeesWhatTheReportSays(t *testing.T) {
	for name, tc := range map[string]struct {
		step    planv1.Step
		target  *drivertest.Target
		dropped bool
	}{
		"a closed loop, with failures": {
			step:   planv1.Step{Threads: 3, WarmupSeconds: 2, DurationSeconds: 10},
			target: &drivertest.Target{Latency: 10 * time.Millisecond, FailEvery: 7},
		},
		"an open loop that drops operations": {
			step:   planv1.Step{Threads: 3, DurationSeconds: 20, Arrival: constant(100, 20)},
			target: stalling(), dropped: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, report := watched(t, tc.step, tc.target)
			want := []string{
				"begin prepare", "end", "begin load", "record", "end", "begin verify", "end", "begin mixed", "record", "end",
			}
			if diff := cmp.Diff(want, w.told); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]int{4, 3}, w.threads); diff != "" {
				t.Errorf("threads (-want +got):\n%s", diff)
			}
			for _, step := range report.Steps {
				sameAsReported(t, step, w.came[step.Name])
				sameArrivals(t, step.Arrivals, w.came[step.Name].Sent, w.lost[step.Name])
			}
			if tc.dropped != (w.lost["mixed"] > 0) {
				t.Errorf("%d operations were dropped", w.lost["mixed"])
			}
		})
	}
}

// sameAsReported compares the counts of every operation.
func sameAsReported(t *testing.T, step reportv1.Step, came measure.Live) {
	t.Helper()
	if len(step.Operations) != len(came.Operations) {
		t.Fatalf("step %s: %d operations are told of, want %d", step.Name, len(came.Operations), len(step.Operations))
	}
	for i, operation := range step.Operations {
		got := came.Operations[i]
		if got.Count != operation.Count || got.Errors != operation.Errors || got.Documents != operation.Documents {
			t.Errorf("step %s: %+v is told, want that of %s: %d, %d errors, %d documents", step.Name, got, operation.Name,
				operation.Count, operation.Errors, operation.Documents)
		}
	}
}

// sameArrivals compares those of an open loop.
func sameArrivals(t *testing.T, arrivals *reportv1.Arrivals, sent, dropped int64) {
	t.Helper()
	if arrivals != nil && (dropped != arrivals.Dropped || sent+dropped != arrivals.Due) {
		t.Errorf("%d sent and %d dropped, want %+v", sent, dropped, arrivals)
	}
}

// TestEveryTrialOfASearchIsTold: the report has the operations of the last one only.
func TestEveryTrialOfASearchIsTold(t *testing.T) {
	w, report := watched(t, searchStep(), &drivertest.Target{Latency: 10 * time.Millisecond})
	step := report.Steps[len(report.Steps)-1]
	recorded := len(w.recordings)
	if recorded != len(step.Search.Trials) || recorded < 3 {
		t.Fatalf("%d recordings are told of, want one of each of the %d trials", recorded, len(step.Search.Trials))
	}
	last := w.recordings[recorded-1].Live()
	sameAsReported(t, step, last)
	if came := w.came[step.Name]; came.Sent <= last.Sent {
		t.Errorf("all trials sent %d, and the last alone %d", came.Sent, last.Sent)
	}
	if slices.Contains(w.threads, 0) {
		t.Errorf("threads are %v", w.threads)
	}
}
