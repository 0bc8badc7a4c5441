package clock_test

import (
	"testing"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/clock"
	"github.com/mongobench/mongobench-operator/loadgen/testing/clocktest"
)

func TestAClockThatIsSetIsTold(t *testing.T) {
	for name, tc := range map[string]struct {
		steps []time.Duration
		want  time.Duration
	}{
		"never":                       {nil, 0},
		"forward":                     {[]time.Duration{3 * time.Second}, 3 * time.Second},
		"back":                        {[]time.Duration{-time.Hour}, -time.Hour},
		"by too little to tell":       {[]time.Duration{2 * time.Millisecond}, 0},
		"the larger of two, and back": {[]time.Duration{-2 * time.Second, time.Second}, -2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			var machine clocktest.Machine
			read := clock.Clock(machine.Now)
			began := read.Now()
			var most time.Duration
			for _, by := range tc.steps {
				largest := read.Watch(t.Context(), read.Now())
				machine.Set(by)
				if found := largest(); found.Abs() > most.Abs() {
					most = found
				}
			}
			if !near(most, tc.want) {
				t.Errorf("the largest step was %s, want %s", most, tc.want)
			}
			var sum time.Duration
			for _, by := range tc.steps {
				sum += by
			}
			if sum.Abs() < time.Second {
				sum = 0
			}
			if found := clock.Set(began, read.Now()); !near(found, sum) {
				t.Errorf("in all it was set by %s, want %s", found, sum)
			}
		})
	}
}

// near says whether two steps are alike: readings are some time apart, which a wait between their two clocks may
// lengthen.
func near(got, want time.Duration) bool {
	return want == 0 && got == 0 || want != 0 && (got-want).Abs() < want.Abs()/10
}

func TestAnchoredInstantsAreAsFarApartAsTheyWere(t *testing.T) {
	var machine clocktest.Machine
	start := machine.Now()
	if off := time.Since(start.Round(0)); off.Abs() > time.Hour {
		t.Fatalf("a machine whose clock was not set is off by %s", off)
	}
	machine.Set(-time.Hour)
	end := machine.Now()
	if !end.Round(0).Before(start.Round(0)) {
		t.Fatalf("the wall clock went from %s to %s", start, end)
	}
	anchored := clock.Anchor(end, start)
	if got, want := anchored.Round(0).Sub(start.Round(0)), end.Sub(start); got != want || want < 0 {
		t.Errorf("they are %s apart, want %s", got, want)
	}
}

func TestTheMachinesOwnClockIsNotSet(t *testing.T) {
	var own clock.Clock
	largest := own.Watch(t.Context(), own.Now())
	if found := largest(); found != 0 || largest() != 0 {
		t.Errorf("the wall clock was set by %s", found)
	}
}
