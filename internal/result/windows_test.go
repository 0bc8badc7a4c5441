package result

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// windowStep is a window of a second that begins some seconds after the first.
func windowStep(t *testing.T, after time.Duration, delay int64) reportv1.Step {
	t.Helper()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(after)
	histogram := reportv1.NewHistogram()
	if err := histogram.RecordValue(delay); err != nil {
		t.Fatal(err)
	}
	encoded, err := reportv1.EncodeHistogram(histogram)
	if err != nil {
		t.Fatal(err)
	}
	return reportv1.Step{
		Name: "mixed", Kind: reportv1.KindMeasure, Start: start, MeasureStart: start, End: start.Add(time.Second),
		WindowMillis: 1000, OverrunMicros: delay, Threads: 4, IntervalMillis: 1000,
		Operations: []reportv1.Operation{{Name: "read", Count: 7}},
		Generator: reportv1.Generator{
			CPUMicros: 100_000 * delay, AvailableCPUMicros: 1_000_000, BusiestPodPercent: int(10 * delay), Processors: 4,
			ThrottledMicros: 10, StealMicros: 20, PressureMicros: 30, PeakMemoryBytes: delay << 20, Delay: encoded,
		},
		Traffic: reportv1.Traffic{BytesIn: 1000, BytesOut: 100},
		Drain:   &reportv1.Drain{Micros: 1000 / delay},
		Arrivals: &reportv1.Arrivals{
			Process: "Poisson", Due: 100, Dropped: 1, Late: 2, WindowMillis: 1000, LargestQueue: delay,
		},
	}
}

func TestWindowsOfADuetAreOneStep(t *testing.T) {
	windows := &Windows{}
	for i, delay := range []int64{2, 5, 3} {
		part := windowStep(t, time.Duration(i)*4*time.Second, delay)
		if i == 1 {
			part.Drain.Failed = "no reply"
		}
		windows.Add(part)
	}
	operations := []reportv1.Operation{{Name: "read", Count: 21, Intervals: []int64{7, 7, 7}}}
	step, err := windows.Step(operations, 1000, &reportv1.Arrivals{Lag: "lag", WakeUp: "wake-up"})
	if err != nil {
		t.Fatal(err)
	}
	if windows.Count() != 3 {
		t.Errorf("there are %d windows, want 3", windows.Count())
	}
	delays, err := reportv1.DecodeHistogram(step.Generator.Delay)
	if err != nil {
		t.Fatal(err)
	}
	if delays.TotalCount() != 3 || delays.Min() != 2 || delays.Max() != 5 {
		t.Errorf("%d delays from %d to %d, want 3 from 2 to 5", delays.TotalCount(), delays.Min(), delays.Max())
	}
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	want := reportv1.Step{
		Name: "mixed", Kind: reportv1.KindMeasure, Start: start, MeasureStart: start, End: start.Add(9 * time.Second),
		// Three seconds were measured, over nine.
		WindowMillis: 3000, SpanMillis: 9000, OverrunMicros: 5, Threads: 4, IntervalMillis: 1000, Operations: operations,
		Generator: reportv1.Generator{
			CPUMicros: 1_000_000, AvailableCPUMicros: 3_000_000, BusiestPodPercent: 33, Processors: 4,
			ThrottledMicros: 30, StealMicros: 60, PressureMicros: 90, PeakMemoryBytes: 5 << 20,
		},
		Traffic: reportv1.Traffic{BytesIn: 3000, BytesOut: 300},
		Drain:   &reportv1.Drain{Micros: 500, Failed: "no reply"},
		Arrivals: &reportv1.Arrivals{
			Process: "Poisson", Due: 300, Dropped: 3, Late: 6, WindowMillis: 3000, LargestQueue: 5, Lag: "lag",
			WakeUp: "wake-up",
		},
	}
	step.Generator.Delay, step.Steady = "", nil
	if diff := cmp.Diff(want, step); diff != "" {
		t.Errorf("step (-want +got):\n%s", diff)
	}
}

func TestAWindowThatWasAddedStaysAsItWas(t *testing.T) {
	first := windowStep(t, 0, 2)
	drain, arrivals := *first.Drain, *first.Arrivals
	windows := &Windows{}
	windows.Add(first)
	windows.Add(windowStep(t, 4*time.Second, 1))
	if diff := cmp.Diff(drain, *first.Drain) + cmp.Diff(arrivals, *first.Arrivals); diff != "" {
		t.Errorf("the first window changed:\n%s", diff)
	}
}
