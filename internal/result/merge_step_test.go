package result_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// openReport is a pod's report of an open loop: of the operation one time of each kind.
func openReport(tb testing.TB, service, response, first, lag int64) reportv1alpha1.Report {
	tb.Helper()
	report := podReport(tb, service)
	step := &report.Steps[1]
	step.Client, step.SweepOf = "wire", "sweep"
	step.Arrivals = &reportv1alpha1.Arrivals{
		Process: "Poisson", Due: 100, Dropped: 3, Late: 2, LargestQueue: 7, WindowMillis: 10_000,
		Lag: histogram(tb, lag), WakeUp: histogram(tb, lag),
	}
	step.Traffic = reportv1alpha1.Traffic{
		BytesIn: 10, BytesOut: 20, Checkouts: 30, CheckoutMicros: 40, MaxCheckoutMicros: service,
	}
	step.Generator = reportv1alpha1.Generator{
		GCPauseMicros: 1, GCCPUMicros: 2, WaitMicros: 3, Processors: int(service), PeakMemoryBytes: service,
	}
	operation := &step.Operations[0]
	operation.ResponseTime, operation.FirstDocument = histogram(tb, response), histogram(tb, first)
	operation.Retries, operation.Unacknowledged, operation.Count = 5, 1, 2
	operation.Intervals, operation.IntervalErrors = []int64{2}, []int64{0, 1}
	operation.IntervalTimes = [][]int64{{0, 0, service}}
	return report
}

func TestMergeOfOpenLoops(t *testing.T) {
	one, two := openReport(t, 100, 200, 50, 9), openReport(t, 300, 400, 60, 8)
	one.Members = nil
	two.Members = []reportv1alpha1.Member{{Name: "db-0"}}
	two.Steps[1].Operations[0].IntervalTimes = [][]int64{{1}, {0, 4}}
	merged, err := result.Merge([]reportv1alpha1.Report{one, two})
	if err != nil {
		t.Fatal(err)
	}
	want := podReport(t, 100, 300).Steps[1]
	want.Threads, want.Client, want.SweepOf = 8, "wire", "sweep"
	want.Arrivals = &reportv1alpha1.Arrivals{
		Process: "Poisson", Due: 200, Dropped: 6, Late: 4, LargestQueue: 14, WindowMillis: 10_000,
		Lag: histogram(t, 8, 9), WakeUp: histogram(t, 8, 9),
	}
	want.Traffic = reportv1alpha1.Traffic{
		BytesIn: 20, BytesOut: 40, Checkouts: 60, CheckoutMicros: 80, MaxCheckoutMicros: 300,
	}
	want.Generator = reportv1alpha1.Generator{
		GCPauseMicros: 2, GCCPUMicros: 4, WaitMicros: 6, Processors: 300, PeakMemoryBytes: 300,
	}
	operation := &want.Operations[0]
	operation.Count, operation.Retries, operation.Unacknowledged = 4, 10, 2
	operation.ResponseTime, operation.FirstDocument = histogram(t, 200, 400), histogram(t, 50, 60)
	operation.Intervals, operation.IntervalErrors = []int64{4}, []int64{0, 2}
	operation.IntervalTimes = [][]int64{{1, 0, 100}, {0, 4}}
	if diff := cmp.Diff(want, merged.Steps[1]); diff != "" {
		t.Errorf("step (-want +got):\n%s", diff)
	}
	if len(merged.Members) != 1 {
		t.Errorf("got %d members, want those of the pod that observed", len(merged.Members))
	}
	if diff := cmp.Diff(openReport(t, 100, 200, 50, 9).Steps[1], one.Steps[1]); diff != "" {
		t.Errorf("merging changed what it was given (-before +after):\n%s", diff)
	}
}

func TestMergeDropsTheTimesOfIntervalsThatOnePodLacks(t *testing.T) {
	one, two := openReport(t, 1, 1, 1, 1), openReport(t, 1, 1, 1, 1)
	two.Steps[1].Operations[0].IntervalTimes = nil
	merged, err := result.Merge([]reportv1alpha1.Report{one, two})
	if err != nil {
		t.Fatal(err)
	}
	if got := merged.Steps[1].Operations[0].IntervalTimes; got != nil {
		t.Errorf("got %v, want none: they would look like those of both", got)
	}
}

func TestMergeLooksAtTheThroughputOfAllPods(t *testing.T) {
	pod := func(rate func(second int) float64) reportv1alpha1.Report {
		report := podReport(t)
		step := series(60, rate)
		step.Name, step.Kind = "mixed", "Measure"
		step.Steady = result.FindSteady(step)
		report.Steps[1] = step
		return report
	}
	// Neither pod is steady; what one does not get, the other does.
	up := pod(func(second int) float64 { return float64(100 * second) })
	down := pod(func(second int) float64 { return float64(6000 - 100*second) })
	merged, err := result.Merge([]reportv1alpha1.Report{up, down})
	if err != nil {
		t.Fatal(err)
	}
	if up.Steps[1].Steady.Reached || down.Steps[1].Steady.Reached || !merged.Steps[1].Steady.Reached {
		t.Errorf("steady: %v and %v, together %v", up.Steps[1].Steady, down.Steps[1].Steady, merged.Steps[1].Steady)
	}
	// Of intervals that have become too long to tell, the pods' own answers are left.
	for _, report := range []*reportv1alpha1.Report{&up, &down} {
		report.Steps[1].IntervalMillis = 30_000
		report.Steps[1].Operations[0].Intervals = []int64{1, 1}
	}
	up.Steps[1].Steady = &reportv1alpha1.Steady{Reached: true}
	if merged, err = result.Merge([]reportv1alpha1.Report{up, down}); err != nil {
		t.Fatal(err)
	}
	if got := merged.Steps[1].Steady; got == nil || got.Reached {
		t.Errorf("got %v, want the pod's that was not steady", got)
	}
}

func TestSummariseOfAnOpenLoop(t *testing.T) {
	report := openReport(t, 100, 2000, 50, 9)
	got, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	same := func(micros int64) reportv1alpha1.TimesSummary {
		return reportv1alpha1.TimesSummary{
			Timed: 1, MeanMicros: micros, P50Micros: micros, P95Micros: micros, P99Micros: micros, P999Micros: micros,
			P9999Micros: micros, MaxMicros: micros,
		}
	}
	service, first := same(100), same(50)
	operation := reportv1alpha1.OperationSummary{
		Name: "read", Kind: "FindOne", Count: 2, Retries: 5, Unacknowledged: 1, ServiceTime: &service, FirstDocument: &first,
		TimesSummary: same(2000),
	}
	overall := operation
	overall.Name, overall.Kind = "", ""
	want := reportv1alpha1.StepSummary{
		Name: "mixed", DurationMillis: 10_000, Threads: 4, Client: "wire", SweepOf: "sweep", DispersionMillis: 1800,
		NotChecked: "10.0 s were measured, and it takes 30.0 s", BytesIn: 10, BytesOut: 20,
		Operations: []reportv1alpha1.OperationSummary{operation}, Overall: overall,
		Arrivals: &reportv1alpha1.ArrivalsSummary{
			// 95 of 100 operations were sent within the ten seconds.
			Process: "Poisson", RequestedPerSecond: 10, AchievedPerSecond: 10, Due: 100, Dropped: 3, Late: 2, LargestQueue: 7,
			Lag: same(9), WakeUp: same(9),
		},
	}
	got.Steps[0].LimitedBy = nil // Has tests of its own.
	if diff := cmp.Diff(want, got.Steps[0]); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

func TestRatesOfAnOpenLoopAreThoseOfThePlannedWindow(t *testing.T) {
	for name, tc := range map[string]struct {
		windowMillis, wantRequested, wantAchieved int64
	}{
		"a window of ten seconds":                     {10_000, 1000, 990},
		"a window that a number of operations ended":  {0, 500, 495},
		"a window whose last replies came much later": {20_000, 500, 495},
	} {
		t.Run(name, func(t *testing.T) {
			report := podReport(t, 1)
			step := &report.Steps[1]
			step.End = step.MeasureStart.Add(20 * time.Second)
			step.Arrivals = &reportv1alpha1.Arrivals{Due: 10_000, Dropped: 90, Late: 10, WindowMillis: tc.windowMillis}
			got, err := result.Summarise(report)
			if err != nil {
				t.Fatal(err)
			}
			arrivals := got.Steps[0].Arrivals
			if arrivals.RequestedPerSecond != tc.wantRequested || arrivals.AchievedPerSecond != tc.wantAchieved {
				t.Errorf("%d requested and %d achieved, want %d and %d", arrivals.RequestedPerSecond,
					arrivals.AchievedPerSecond, tc.wantRequested, tc.wantAchieved)
			}
		})
	}
}
