package result_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

func TestKnee(t *testing.T) {
	type point = reportv1alpha1.SweepPoint
	// Each server is asked by 1, 2, 4 ... 64 threads: its throughput gives the mean latency by Little's law.
	curve := func(perSecond ...int64) []point {
		points := make([]point, len(perSecond))
		for i, rate := range perSecond {
			threads := 1 << i
			points[i] = point{
				Threads: threads, OperationsPerSecond: rate, MeanMicros: int64(threads) * 1_000_000 / rate,
			}
		}
		return points
	}
	for name, tc := range map[string]struct {
		points []point
		want   int
	}{
		"a server with eight places":                {curve(1000, 2000, 4000, 8000, 8000, 8000, 8000), 8},
		"a server that slows down when it is full":  {curve(1000, 1900, 3600, 6000, 7000, 6000, 4000), 8},
		"a server that saturates little by little":  {curve(1000, 1600, 2280, 2900, 3350, 3660, 3830), 4},
		"a server that is not full at the end":      {curve(1000, 2000, 4000, 8000), 0},
		"a server that was full from the beginning": {curve(1000, 1010, 1020, 1030), 0},
		"two points":                       {curve(1000, 1100), 0},
		"no point":                         {nil, 0},
		"operations that no time is known": {[]point{{Threads: 1, OperationsPerSecond: 1}, {Threads: 2}, {Threads: 4}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := result.Knee(tc.points); got != tc.want {
				t.Errorf("got %d threads, want %d", got, tc.want)
			}
		})
	}
}

func TestSummariseOfASweep(t *testing.T) {
	report := podReport(t, 500)
	one := report.Steps[1]
	report.Steps = nil
	// Out of order, with a step between that is no part of it.
	for _, part := range []struct {
		name           string
		threads, count int
		micros         int64
	}{{"sweep-8", 8, 40, 2000}, {"sweep-1", 1, 10, 1000}, {"other", 1, 10, 1000}, {"sweep-4", 4, 39, 1025}} {
		step := one
		step.Name, step.Threads = part.name, part.threads
		if part.name != "other" {
			step.SweepOf = "sweep"
		}
		times := make([]int64, part.count*10)
		for i := range times {
			times[i] = part.micros
		}
		step.Operations = []reportv1alpha1.Operation{{
			Name: "read", Kind: "FindOne", Count: int64(len(times)), ServiceTime: histogram(t, times...),
		}}
		report.Steps = append(report.Steps, step)
	}
	got, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	// Of some hundred operations there is no p99.
	want := []reportv1alpha1.SweepSummary{{
		Name: "sweep", KneeThreads: 4, SaturationThreads: 4,
		Points: []reportv1alpha1.SweepPoint{
			{Step: "sweep-1", Threads: 1, OperationsPerSecond: 10, MeanMicros: 1000},
			{Step: "sweep-4", Threads: 4, OperationsPerSecond: 39, MeanMicros: 1025},
			{Step: "sweep-8", Threads: 8, OperationsPerSecond: 40, MeanMicros: 2000},
		},
	}}
	if diff := cmp.Diff(want, got.Sweeps); diff != "" {
		t.Errorf("sweeps (-want +got):\n%s", diff)
	}
}
