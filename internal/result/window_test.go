package result_test

import (
	"strings"
	"testing"
	"time"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// straggling is a step of ten seconds with 1,000 reads in each of them, and one more that took nine seconds longer.
func straggling(t *testing.T) reportv1alpha1.Report {
	t.Helper()
	times := make([]int64, 10_001)
	for i := range times {
		times[i] = 100
	}
	times[0] = 9_500_000
	report := podReport(t, times...)
	step := &report.Steps[1]
	step.WindowMillis, step.OverrunMicros, step.End = 10_000, 9_000_000, step.MeasureStart.Add(19*time.Second)
	read := &step.Operations[0]
	read.Stragglers, read.Intervals = 1, make([]int64, 20)
	for second := range 10 {
		read.Intervals[second] = 1000
	}
	read.Intervals[19] = 1
	return report
}

func TestOneStragglerLeavesTheRateAsItWas(t *testing.T) {
	report := straggling(t)
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	step := summary.Steps[0]
	read := step.Operations[0]
	if read.OperationsPerSecond != 1000 || step.Overall.OperationsPerSecond != 1000 {
		t.Errorf("%d reads and %d operations per second, want 1000", read.OperationsPerSecond,
			step.Overall.OperationsPerSecond)
	}
	if step.DurationMillis != 10_000 || step.OverrunMillis != 9000 || read.Stragglers != 1 || read.Count != 10_001 {
		t.Errorf("%d of %d operations ended up to %d ms after a window of %d ms", read.Stragglers, read.Count,
			step.OverrunMillis, step.DurationMillis)
	}
	if read.MaxMicros < 9_500_000 {
		t.Errorf("the straggler is not among the latencies: the largest is %d", read.MaxMicros)
	}
	if counts := result.Throughput(report.Steps[1]); len(counts) != 10 {
		t.Errorf("%d intervals are judged, want those of the window, 10", len(counts))
	}
	if _, err := result.Doubts(report); err != nil {
		t.Error(err)
	}
}

func TestRepliesToTheWarmUpAreInTheRateAlone(t *testing.T) {
	report := straggling(t)
	read := &report.Steps[1].Operations[0]
	read.CarriedOver, read.Intervals[0] = 500, 1500
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	if got := summary.Steps[0].Operations[0]; got.OperationsPerSecond != 1050 || got.Count != 10_001 {
		t.Errorf("%d per second of %d operations, want 1050 of 10001", got.OperationsPerSecond, got.Count)
	}
	if _, err := result.Doubts(report); err != nil {
		t.Error(err)
	}
}

func TestAStepOfANumberOfOperationsEndsWithItsLastReply(t *testing.T) {
	report := straggling(t)
	step := &report.Steps[1]
	step.WindowMillis, step.OverrunMicros, step.Operations[0].Stragglers = 0, 0, 0
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	if got := summary.Steps[0]; got.DurationMillis != 19_000 || got.Operations[0].OperationsPerSecond != 526 {
		t.Errorf("%d per second over %d ms, want 526 over 19000", got.Operations[0].OperationsPerSecond, got.DurationMillis)
	}
}

func TestStragglersThatTheIntervalsDoNotShowAreAContradiction(t *testing.T) {
	report := straggling(t)
	report.Steps[1].Operations[0].Stragglers = 0
	_, err := result.Doubts(report)
	if want := "10001 replies came within the measure window, and its intervals have 10000 to 10000"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want one with %q", err, want)
	}
}

func TestPodsAddTheirStragglersUp(t *testing.T) {
	one, other := straggling(t), straggling(t)
	other.Steps[1].OverrunMicros = 9_500_000
	merged, err := result.Merge([]reportv1alpha1.Report{one, other})
	if err != nil {
		t.Fatal(err)
	}
	summary, err := result.Summarise(merged)
	if err != nil {
		t.Fatal(err)
	}
	step := summary.Steps[0]
	if step.Overall.OperationsPerSecond != 2000 || step.Overall.Stragglers != 2 || step.OverrunMillis != 9500 {
		t.Errorf("%d per second and %d stragglers up to %d ms late, want 2000, 2 and 9500", step.Overall.OperationsPerSecond,
			step.Overall.Stragglers, step.OverrunMillis)
	}
}
