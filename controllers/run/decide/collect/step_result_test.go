package collect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
)

func TestStepResult(t *testing.T) {
	tests := map[string]struct {
		step reportv1alpha1.StepSummary
		want benchv1alpha1.StepResult
	}{
		"an open loop says how its schedule was kept": {
			step: reportv1alpha1.StepSummary{
				Name: "s", DurationMillis: 1000, Client: "wire", Threads: 8,
				Arrivals: &reportv1alpha1.ArrivalsSummary{
					RequestedPerSecond: 100, AchievedPerSecond: 90, Dropped: 5,
					Lag: reportv1alpha1.TimesSummary{Timed: 1000, P99Micros: 70},
				},
			},
			want: benchv1alpha1.StepResult{
				Name: "s", DurationMillis: new(int64(1000)), OperationsPerSecond: new(int64(0)),
				Client: "wire", Threads: new(int32(8)),
				RequestedOperationsPerSecond: new(int64(100)), AchievedOperationsPerSecond: new(int64(90)),
				DroppedOperations: new(int64(5)), ScheduleLagP99Micros: new(int64(70)),
			},
		},
		"a search says what it found, also when that is nothing": {
			step: reportv1alpha1.StepSummary{Search: &reportv1alpha1.Search{Trials: make([]reportv1alpha1.Trial, 3)}},
			want: benchv1alpha1.StepResult{
				DurationMillis: new(int64(0)), OperationsPerSecond: new(int64(0)),
				Search: &benchv1alpha1.SearchResult{
					FoundOperationsPerSecond: new(int64(0)), Trials: new(int32(3)),
				},
			},
		},
		"a throughput that was steady from the first moment on": {
			step: reportv1alpha1.StepSummary{Steady: &reportv1alpha1.Steady{Reached: true}},
			want: benchv1alpha1.StepResult{
				DurationMillis: new(int64(0)), OperationsPerSecond: new(int64(0)),
				Steadiness: new(benchv1alpha1.SteadinessReached), SteadyAfterMillis: new(int64(0)),
			},
		},
		"replies after the window are told apart": {
			step: reportv1alpha1.StepSummary{
				DurationMillis: 1000, OverrunMillis: 900, Overall: reportv1alpha1.OperationSummary{OperationsPerSecond: 7},
			},
			want: benchv1alpha1.StepResult{
				DurationMillis: new(int64(1000)), OverrunMillis: new(int64(900)), OperationsPerSecond: new(int64(7)),
			},
		},
		"what limited a step, with the causes that were seen too by name": {
			step: reportv1alpha1.StepSummary{LimitedBy: []reportv1alpha1.Limit{
				{By: "Cache", Certainty: "Likely", Because: strings.Repeat("f", 500), Try: "more"},
				{By: "ServerCPU", Certainty: "Possible", Because: "busy"},
				{By: "Disk"},
				{By: "Tickets"},
				{By: "Locks"},
			}},
			want: benchv1alpha1.StepResult{
				DurationMillis: new(int64(0)), OperationsPerSecond: new(int64(0)),
				LimitedBy: &benchv1alpha1.StepLimit{
					Cause: benchv1alpha1.LimitCache, Certainty: benchv1alpha1.LimitLikely,
					Because: condition.Cut(strings.Repeat("f", 500), maxBecause), Try: "more",
					AlsoSeen: []benchv1alpha1.LimitCause{
						benchv1alpha1.LimitServerCPU, benchv1alpha1.LimitDisk, benchv1alpha1.LimitTickets,
					},
				},
			},
		},
		"a throughput that never was": {
			step: reportv1alpha1.StepSummary{Steady: &reportv1alpha1.Steady{VariationPercent: 50}},
			want: benchv1alpha1.StepResult{
				DurationMillis: new(int64(0)), OperationsPerSecond: new(int64(0)),
				Steadiness: new(benchv1alpha1.SteadinessNever),
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, stepResult(tc.step)); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOperationResultHasWhatThereIs(t *testing.T) {
	got := operationResult(reportv1alpha1.OperationSummary{
		Name: "o", Count: 10, Retries: 2, Unacknowledged: 3, Stragglers: 4,
		TimesSummary:  reportv1alpha1.TimesSummary{Timed: 1000, P99Micros: 900},
		ServiceTime:   &reportv1alpha1.TimesSummary{Timed: 1000, P99Micros: 400},
		FirstDocument: &reportv1alpha1.TimesSummary{Timed: 1000, P50Micros: 50, P99Micros: 60},
	})
	zero := new(int64(0))
	want := benchv1alpha1.OperationResult{
		Name: "o", Count: new(int64(10)), Errors: zero, Retries: new(int64(2)), Unacknowledged: new(int64(3)),
		Stragglers:          new(int64(4)),
		OperationsPerSecond: zero, MeanMicros: zero, P50Micros: zero, P95Micros: zero, P99Micros: new(int64(900)),
		MaxMicros: zero, StdDevMicros: zero,
		ServiceP99Micros: new(int64(400)), FirstDocumentP50Micros: new(int64(50)),
		FirstDocumentP99Micros: new(int64(60)),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	plain := operationResult(reportv1alpha1.OperationSummary{Name: "o"})
	if plain.Retries != nil || plain.Unacknowledged != nil || plain.Stragglers != nil || plain.ServiceP99Micros != nil ||
		plain.FirstDocumentP50Micros != nil || plain.FirstDocumentP99Micros != nil {
		t.Errorf("what did not happen is told: %+v", plain)
	}
}

func TestAResultTellsHowUnacknowledgedWritesEnded(t *testing.T) {
	for name, tc := range map[string]struct {
		drain *reportv1alpha1.Drain
		want  benchv1alpha1.StepResult
	}{
		"none": {nil, benchv1alpha1.StepResult{}},
		"waited for": {
			&reportv1alpha1.Drain{Micros: 1_234_567}, benchv1alpha1.StepResult{DrainMillis: new(int64(1234))},
		},
		"counted": {
			&reportv1alpha1.Drain{Counted: true, Sent: 5, Arrived: 4}, benchv1alpha1.StepResult{
				DrainMillis: new(int64(0)), SentDocuments: new(int64(5)), ArrivedDocuments: new(int64(4)),
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.want.DurationMillis, tc.want.OperationsPerSecond = new(int64(0)), new(int64(0))
			if diff := cmp.Diff(tc.want, stepResult(reportv1alpha1.StepSummary{Drain: tc.drain})); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnacknowledgedWritesHaveNoLatency(t *testing.T) {
	for want, all := range map[string]reportv1alpha1.OperationSummary{
		"-":      {Count: 3, Unacknowledged: 3},
		"900 µs": {Count: 1002, Unacknowledged: 2, TimesSummary: reportv1alpha1.TimesSummary{Timed: 1000, P99Micros: 900}},
		"few":    {Count: 999, TimesSummary: reportv1alpha1.TimesSummary{Timed: 999, P99Micros: 900}},
	} {
		if got := latency(all.TimesSummary); got != want {
			t.Errorf("the p99 of %+v is %q, want %q", all, got, want)
		}
	}
}

// TestSweepsAreInTheResult takes a run through a sweep over two numbers of threads.
