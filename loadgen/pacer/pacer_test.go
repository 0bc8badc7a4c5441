package pacer_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/pacer"
)

func constant(stages ...planv1.ArrivalStage) planv1.Arrival {
	return planv1.Arrival{Process: benchv1alpha1.ArrivalConstant, Stages: stages}
}

func poisson(stages ...planv1.ArrivalStage) planv1.Arrival {
	return planv1.Arrival{Process: benchv1alpha1.ArrivalPoisson, Stages: stages}
}

// upDownUp is a profile with everything: a ramp from nothing, a level, a ramp down to nothing, a pause, and a final
// rate.
var upDownUp = []planv1.ArrivalStage{
	{Seconds: 10, From: 0, To: 1000},
	{Seconds: 5, From: 1000, To: 1000},
	{Seconds: 10, From: 1000, To: 0},
	{Seconds: 5},
	{Seconds: 0, From: 7, To: 9},
	{Seconds: 1, From: 50, To: 200},
}

func schedule(tb testing.TB, arrival planv1.Arrival) *pacer.Schedule {
	tb.Helper()
	s, err := pacer.New(arrival, 42, "step")
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// dues are the first due times.
func dues(s *pacer.Schedule, count int) []time.Duration {
	cursor := s.Cursor(0, 1)
	all := make([]time.Duration, count)
	for i := range all {
		_, all[i] = cursor.Next()
	}
	return all
}

func TestDueTimes(t *testing.T) {
	const ms = time.Millisecond
	for name, tc := range map[string]struct {
		arrival planv1.Arrival
		want    []time.Duration
	}{
		"a constant rate": {
			constant(planv1.ArrivalStage{Seconds: 1, From: 4, To: 4}),
			[]time.Duration{0, 250 * ms, 500 * ms, 750 * ms, 1000 * ms, 1250 * ms},
		},
		"a rate that steps up": {
			constant(planv1.ArrivalStage{Seconds: 1, From: 2, To: 2}, planv1.ArrivalStage{Seconds: 1, From: 4, To: 4}),
			[]time.Duration{0, 500 * ms, 1000 * ms, 1250 * ms, 1500 * ms, 1750 * ms, 2000 * ms},
		},
		"a ramp from nothing: t*t operations are due at t": {
			constant(planv1.ArrivalStage{Seconds: 3, From: 0, To: 6}),
			[]time.Duration{0, time.Second, 1414213562, 1732050808, 2 * time.Second},
		},
		"what is not due before a pause is due after it": {
			constant(planv1.ArrivalStage{Seconds: 1, From: 2, To: 2}, planv1.ArrivalStage{Seconds: 60},
				planv1.ArrivalStage{Seconds: 1, From: 1, To: 1}),
			[]time.Duration{0, 500 * ms, 61 * time.Second, 62 * time.Second},
		},
		"nothing comes after the rate went down to nothing": {
			constant(planv1.ArrivalStage{Seconds: 1, From: 2, To: 2}, planv1.ArrivalStage{}),
			[]time.Duration{0, 500 * ms, pacer.Never, pacer.Never},
		},
		"a trace is repeated": {
			planv1.Arrival{Process: benchv1alpha1.ArrivalTrace, GapsMicros: []int64{100_000, 0, 300_000}},
			[]time.Duration{0, 100 * ms, 100 * ms, 400 * ms, 500 * ms, 500 * ms, 800 * ms},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, dues(schedule(t, tc.arrival), len(tc.want))); diff != "" {
				t.Errorf("due times (-want +got):\n%s", diff)
			}
		})
	}
}

// integral is the number of operations that are due until an instant, worked out by small steps instead of a formula.
func integral(stages []planv1.ArrivalStage, until float64) float64 {
	const step = 1e-4
	var count float64
	for at := step / 2; at < until; at += step {
		count += step * rate(stages, at)
	}
	return count
}

func rate(stages []planv1.ArrivalStage, at float64) float64 {
	for _, stage := range stages {
		if length := float64(stage.Seconds); at < length {
			return float64(stage.From) + (float64(stage.To)-float64(stage.From))*at/length
		}
		at -= float64(stage.Seconds)
	}
	return float64(stages[len(stages)-1].To)
}

func TestCountUntilAnyInstantIsTheIntegralOfTheRate(t *testing.T) {
	all := dues(schedule(t, constant(upDownUp...)), 25_000)
	if !slices.IsSorted(all) {
		t.Fatal("due times go back")
	}
	for until := 0.5; until < 60; until += 0.5 {
		place, _ := slices.BinarySearch(all, time.Duration(until*float64(time.Second)))
		if want := integral(upDownUp, until); math.Abs(float64(place)-want) > 1.01 {
			t.Errorf("%d operations are due until %.1f s, want %.1f", place, until, want)
		}
	}
}

func TestPoissonGapsAreExponential(t *testing.T) {
	const (
		count   = 100_000
		perSec  = 1000.0
		perGap  = float64(time.Second) / perSec
		ksLimit = 1.95 // The Kolmogorov-Smirnov distance times the root of the count: 0.1% of true samples exceed it.
	)
	all := dues(schedule(t, poisson(planv1.ArrivalStage{Seconds: 1, From: perSec, To: perSec})), count)
	gaps := make([]float64, count)
	var before time.Duration
	var sum, squares float64
	for i, due := range all {
		gaps[i] = float64(due-before) / perGap
		before = due
		sum += gaps[i]
		squares += gaps[i] * gaps[i]
	}
	mean := sum / count
	// Mean and variance of an exponential distribution with mean 1 are 1, known here to 4 standard errors.
	if variance := squares/count - mean*mean; math.Abs(mean-1) > 4/math.Sqrt(count) ||
		math.Abs(variance-1) > 4*math.Sqrt(8.0/count) {
		t.Errorf("gaps have mean %.4f and variance %.4f, want 1 and 1", mean, variance)
	}
	slices.Sort(gaps)
	var distance float64
	for i, gap := range gaps {
		want := 1 - math.Exp(-gap)
		distance = max(distance, math.Abs(float64(i)/count-want), math.Abs(float64(i+1)/count-want))
	}
	if distance*math.Sqrt(count) > ksLimit {
		t.Errorf("the gaps are not exponential: distance %.5f", distance)
	}
}

func TestPoissonFollowsTheRate(t *testing.T) {
	all := dues(schedule(t, poisson(upDownUp...)), 25_000)
	if !slices.IsSorted(all) {
		t.Fatal("due times go back")
	}
	for until := 2.0; until < 60; until += 2 {
		place, _ := slices.BinarySearch(all, time.Duration(until*float64(time.Second)))
		// The count until an instant has the integral as its mean and its variance.
		if want := integral(upDownUp, until); math.Abs(float64(place)-want) > 4*math.Sqrt(want)+1 {
			t.Errorf("%d operations are due until %.1f s, want about %.1f", place, until, want)
		}
	}
}

func TestSchedulesDependOnSeedAndLabelOnly(t *testing.T) {
	arrival := poisson(planv1.ArrivalStage{Seconds: 1, From: 100, To: 100})
	of := func(seed int64, label string) []time.Duration {
		s, err := pacer.New(arrival, seed, label)
		if err != nil {
			t.Fatal(err)
		}
		return dues(s, 10)
	}
	if diff := cmp.Diff(of(1, "a"), of(1, "a")); diff != "" {
		t.Errorf("equal seeds and labels give different schedules:\n%s", diff)
	}
	if cmp.Equal(of(1, "a"), of(2, "a")) || cmp.Equal(of(1, "a"), of(1, "b")) {
		t.Error("different seeds or labels give the same schedule")
	}
}

func TestPodsTogetherHaveTheWholeSchedule(t *testing.T) {
	const count = 10_000
	for name, arrival := range map[string]planv1.Arrival{
		"constant": constant(upDownUp...),
		"poisson":  poisson(upDownUp...),
		"trace":    {Process: benchv1alpha1.ArrivalTrace, GapsMicros: []int64{7, 0, 1000, 3}},
		"formula":  {Process: benchv1alpha1.ArrivalPoisson, Formula: "500 + 400 * sin(t)"},
	} {
		t.Run(name, func(t *testing.T) {
			s := schedule(t, arrival)
			want := dues(s, count)
			for _, pods := range []int64{2, 3, 7} {
				if diff := cmp.Diff(want, shared(s, pods, count)); diff != "" {
					t.Errorf("%d pods together have another schedule:\n%s", pods, diff)
				}
			}
		})
	}
}

// shared are the first due times, as several pods have them together.
func shared(s *pacer.Schedule, pods, count int64) []time.Duration {
	all := make([]time.Duration, count)
	for pod := range pods {
		cursor := s.Cursor(pod, pods)
		for number, due := cursor.Next(); number < count; number, due = cursor.Next() {
			all[number] = due
		}
	}
	return all
}

func TestWarmupKeepsTheFirstRate(t *testing.T) {
	for name, tc := range map[string]struct {
		stages []planv1.ArrivalStage
		want   int64
	}{
		"of a level":                 {[]planv1.ArrivalStage{{Seconds: 5, From: 10, To: 10}, {Seconds: 5, To: 50}}, 10},
		"of a ramp":                  {[]planv1.ArrivalStage{{Seconds: 5, From: 10, To: 90}}, 10},
		"of a ramp from nothing":     {[]planv1.ArrivalStage{{Seconds: 5, From: 0, To: 90}}, 90},
		"of the first that is not 0": {[]planv1.ArrivalStage{{Seconds: 5}, {Seconds: 5, From: 20, To: 90}}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			want := []planv1.ArrivalStage{{Seconds: 1, From: tc.want, To: tc.want}}
			if diff := cmp.Diff(want, pacer.Warmup(constant(tc.stages...)).Stages); diff != "" {
				t.Errorf("warm-up (-want +got):\n%s", diff)
			}
		})
	}
}

func TestImpossibleArrivalsAreRefused(t *testing.T) {
	for name, arrival := range map[string]planv1.Arrival{
		"no stages":            constant(),
		"no rate at all":       constant(planv1.ArrivalStage{Seconds: 5}),
		"a negative rate":      poisson(planv1.ArrivalStage{Seconds: 5, From: -1, To: 1}),
		"an unknown process":   {Process: "Sometimes"},
		"a trace of nothing":   {Process: benchv1alpha1.ArrivalTrace},
		"a trace of no time":   {Process: benchv1alpha1.ArrivalTrace, GapsMicros: []int64{0, 0}},
		"a trace of eternity":  {Process: benchv1alpha1.ArrivalTrace, GapsMicros: []int64{math.MaxInt64}},
		"a trace backwards":    {Process: benchv1alpha1.ArrivalTrace, GapsMicros: []int64{5, -1}},
		"a formula of nothing": {Process: benchv1alpha1.ArrivalConstant, Formula: "five"},
		"a negative duration":  constant(planv1.ArrivalStage{Seconds: -5, From: 1, To: 1}),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := pacer.New(arrival, 1, "step"); err == nil {
				t.Error("no error")
			}
		})
	}
}

func BenchmarkNext(b *testing.B) {
	for name, arrival := range map[string]planv1.Arrival{
		"constant": constant(planv1.ArrivalStage{Seconds: 1, From: 10_000, To: 10_000}),
		"ramp":     constant(planv1.ArrivalStage{Seconds: 1 << 30, From: 10_000, To: 1_000_000}),
		"poisson":  poisson(planv1.ArrivalStage{Seconds: 1, From: 10_000, To: 10_000}),
	} {
		b.Run(name, func(b *testing.B) {
			cursor := schedule(b, arrival).Cursor(0, 1)
			b.ReportAllocs()
			for b.Loop() {
				cursor.Next()
			}
		})
	}
}
