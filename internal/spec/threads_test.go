package spec_test

import (
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

func TestThreadsOfAnOpenLoopFollowFromItsRate(t *testing.T) {
	type step = benchv1alpha1.Step
	type arrival = benchv1alpha1.Arrival
	constant := func(rate int64) step {
		return step{Arrival: &arrival{OperationsPerSecond: &rate}}
	}
	ramp := step{Arrival: &arrival{Stages: []benchv1alpha1.ArrivalStage{
		{Seconds: 1, OperationsPerSecond: 1000},
		{Seconds: 1, FromOperationsPerSecond: new(int64(3000)), OperationsPerSecond: 1},
	}}}
	declared := constant(5000)
	declared.Threads = new(int32(3))
	for name, tc := range map[string]struct {
		step step
		pods int32
		want int32
	}{
		"a closed loop has one":               {step{}, 1, 1},
		"2,000 a second":                      {constant(2000), 1, 40},
		"few a second":                        {constant(10), 1, 16},
		"many a second":                       {constant(1_000_000), 1, 128},
		"few a second of many pods":           {constant(10), 64, 64},
		"the highest rate of stages":          {ramp, 1, 60},
		"the mean rate of a trace":            {step{Arrival: &arrival{GapsMicros: []int64{0, 500}}}, 1, 80},
		"the highest rate of a search":        {step{Search: &benchv1alpha1.Search{MaxOperationsPerSecond: 1500}}, 1, 30},
		"a number that is declared, whatever": {declared, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			normal := spec.Normalise(benchv1alpha1.BenchmarkRunSpec{
				LoadGenerator: &benchv1alpha1.LoadGenerator{Pods: &tc.pods},
				Workload:      benchv1alpha1.Workload{Steps: []step{tc.step}},
			})
			if got := *normal.Workload.Steps[0].Threads; got != tc.want {
				t.Errorf("%d threads, want %d", got, tc.want)
			}
		})
	}
}
