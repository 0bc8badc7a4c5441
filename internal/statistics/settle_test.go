package statistics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// percent is a relative change as a logarithm.
func percent(change float64) float64 { return math.Log1p(change / 100) }

func TestRuleAnswers(t *testing.T) {
	higher, lower := Rule{HigherIsBetter, 5}, Rule{LowerIsBetter, 5}
	for name, tc := range map[string]struct {
		rule                Rule
		low, estimate, high float64
		want                Answer
	}{
		"within the margins":                      {higher, -4, 0, 4, Unchanged},
		"a certain change within the margins":     {higher, 1, 2, 4, Unchanged},
		"as wide as both margins":                 {higher, -5, 0, 4, Unsettled},
		"less throughput":                         {higher, -9, -6, -1, Regressed},
		"less throughput, not certainly":          {higher, -12, -6, 1, Unsettled},
		"more throughput":                         {higher, 1, 6, 12, Improved},
		"more latency":                            {lower, 1, 6, 12, Regressed},
		"less latency":                            {lower, -9, -6, -1, Improved},
		"a certain change of less than it takes":  {higher, -8, -4, -0.5, Unsettled},
		"the same, and as narrow as the margin":   {higher, -5.3, -3, -0.5, Regressed},
		"exactly the margin":                      {higher, -9, -5, -0.1, Regressed},
		"every change matters":                    {Rule{HigherIsBetter, 0}, -1, -0.5, -0.1, Regressed},
		"no change is ruled out without a margin": {Rule{HigherIsBetter, 0}, -0.001, 0, 0.001, Unsettled},
		"a margin of more than all":               {Rule{HigherIsBetter, 150}, -99, -50, 20, Unchanged},
	} {
		t.Run(name, func(t *testing.T) {
			got := tc.rule.Answer(percent(tc.estimate), Interval{Low: percent(tc.low), High: percent(tc.high)})
			if got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func comparisonOf(t *testing.T, rule Rule) *Comparison {
	t.Helper()
	comparison, err := NewComparison(rule, 0.95, 100)
	if err != nil {
		t.Fatal(err)
	}
	return comparison
}

// quiet are log ratios around a change in percent that vary by a hundredth.
func quiet(random *rand.Rand, change float64) float64 {
	return percent(change) + 0.01*random.NormFloat64()
}

// until adds values of a change until the comparison says what is waited for, or there are too many.
func until(t *testing.T, c *Comparison, change float64, reached func() bool) {
	t.Helper()
	random := rand.New(rand.NewPCG(6, uint64(c.Count())))
	for range 1000 {
		if _, err := c.Add(quiet(random, change)); err != nil {
			t.Fatal(err)
		}
		if reached() {
			return
		}
	}
	t.Fatalf("it is not reached after %d values: %v", c.Count(), c.Answer())
}

func TestRegressionsAreConfirmed(t *testing.T) {
	c := comparisonOf(t, Rule{HigherIsBetter, 5})
	until(t, c, -10, c.Confirming)
	seen := c.Count()
	if c.Answer() != Unsettled {
		t.Errorf("it says %v before it is confirmed", c.Answer())
	}
	until(t, c, -10, func() bool { return c.Answer() != Unsettled })
	if want := seen + max(fewestFresh, (seen+3)/4); c.Answer() != Regressed || c.Confirming() || c.Count() != want {
		t.Errorf("%v after %d values, of which the first %d had shown it; want Regressed after %d", c.Answer(), c.Count(),
			seen, want)
	}
	effect, bounded := c.Effect()
	if !bounded || !(effect.Low < -9 && effect.High < -5 && math.Abs(effect.Estimate+10) < 1) {
		t.Errorf("the effect is %+v", effect)
	}
}

func TestRegressionsThatPassAreNone(t *testing.T) {
	c := comparisonOf(t, Rule{LowerIsBetter, 5})
	until(t, c, 10, c.Confirming)
	until(t, c, 0, func() bool { return !c.Confirming() })
	if c.Answer() != Unsettled {
		t.Fatalf("%v, want that it goes on", c.Answer())
	}
	until(t, c, 0, func() bool { return c.Answer() != Unsettled })
	if c.Answer() != Unchanged {
		t.Errorf("%v, want Unchanged", c.Answer())
	}
}

func TestImprovementsAreToldAtOnce(t *testing.T) {
	c := comparisonOf(t, Rule{LowerIsBetter, 5})
	until(t, c, -10, func() bool { return c.Answer() != Unsettled || c.Confirming() })
	if c.Answer() != Improved {
		t.Errorf("%v, want Improved", c.Answer())
	}
}

func TestSettledComparisonsTakeNoMore(t *testing.T) {
	c := comparisonOf(t, Rule{HigherIsBetter, 5})
	until(t, c, 0, func() bool { return c.Answer() == Unchanged })
	before, _ := c.Effect()
	for range 100 {
		if answer, err := c.Add(percent(-50)); err != nil || answer != Unchanged {
			t.Fatalf("%v, %v", answer, err)
		}
	}
	after, _ := c.Effect()
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
	if _, err := comparisonOf(t, Rule{HigherIsBetter, 5}).Add(nan); err == nil {
		t.Error("NaN is taken")
	}
}

// TestEveryChangeIsSettled has changes on both sides of the margin and on it, each settled in bounded time, and those
// of which only one answer is right get it.
func TestEveryChangeIsSettled(t *testing.T) {
	const trials, most = 40, 400
	for _, change := range []float64{0, -2.5, -3.75, -4.9, -5, -5.1, -7.5, -10, 5} {
		answers := map[Answer]int{}
		for trial := range trials {
			random, c := rand.New(rand.NewPCG(9, uint64(trial))), comparisonOf(t, Rule{HigherIsBetter, 5})
			for c.Answer() == Unsettled && c.Count() < most {
				if _, err := c.Add(percent(change) + 0.08*random.NormFloat64()); err != nil {
					t.Fatal(err)
				}
			}
			answers[c.Answer()]++
		}
		wrong := answers[Unsettled]
		switch {
		case change <= -5:
			wrong += answers[Unchanged] + answers[Improved]
		case change >= 5:
			wrong += answers[Unchanged] + answers[Regressed]
		case change == 0:
			wrong += answers[Improved] + answers[Regressed]
		}
		if wrong > atMost(trials, 0.05) {
			t.Errorf("a change of %v %% got the answers %v", change, answers)
		}
	}
}
