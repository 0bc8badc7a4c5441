package search_test

import (
	"math"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/search"
)

var objective = planv1.Search{
	PercentileMillis: 99_000, LimitMicros: 10_000, Lowest: 100, Highest: 100_000, TrialSeconds: 5, TolerancePercent: 5,
	MaxSeconds: 3600,
}

// run searches a database that says of every rate how sure it is that it is kept, as a logarithm.
func run(t *testing.T, planned planv1.Search, shows func(trial int, attempt search.Attempt) float64) reportv1.Search {
	t.Helper()
	s, err := search.New(planned, 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	attempt, more := s.Next()
	for trial := 0; more; trial++ {
		if trial == 1000 {
			t.Fatal("the search does not end")
		}
		kept := max(s.HighestKept(), planned.Lowest/2)
		if attempt.Rate < planned.Lowest || attempt.Rate > planned.Highest || attempt.Rate > max(2*kept, planned.Lowest) {
			t.Fatalf("rate %d is outside of %d to %d, or more than twice %d",
				attempt.Rate, planned.Lowest, planned.Highest, kept)
		}
		shown := shows(trial, attempt)
		tried := reportv1.Trial{
			Rate: attempt.Rate, Confirmation: attempt.Confirmation, Kept: shown > 0, OddsToOne: search.OddsToOne(shown),
		}
		if !tried.Kept {
			tried.LimitedBy = reportv1.LimitedByTarget
		}
		s.Add(tried, shown, 10*time.Second)
		if s.LastKept() != tried.Kept {
			t.Errorf("the last trial was kept: %t", s.LastKept())
		}
		attempt, more = s.Next()
		if done := s.Done(); done < 0 || done > 100 || more == (done == 100) {
			t.Fatalf("done to %d %%, and there is more to do: %t", done, more)
		}
	}
	return s.Result()
}

// upTo is a database that keeps the objective up to a rate, beyond doubt.
func upTo(limit int64) func(int, search.Attempt) float64 {
	return func(_ int, attempt search.Attempt) float64 {
		if attempt.Rate <= limit {
			return search.Decided
		}
		return -search.Decided
	}
}

func TestSearchFindsTheLimitWithinTheTolerance(t *testing.T) {
	for _, limit := range []int64{105, 777, 12_345, 99_900} {
		found := run(t, objective, upTo(limit))
		if found.Found > limit || float64(found.Found)*1.05 < float64(limit) {
			t.Errorf("found %d, want at most 5 %% below %d", found.Found, limit)
		}
		if found.Below <= limit || float64(found.Below) > float64(found.Found)*1.051 ||
			found.LimitedBy != reportv1.LimitedByTarget {
			t.Errorf("found %d below %d by %s, want %d between", found.Found, found.Below, found.LimitedBy, limit)
		}
	}
}

// A trial may be as wrong as it says: whatever one of them says that is not so, others find out.
func TestNoSingleTrialDecides(t *testing.T) {
	for wrong := range 30 {
		found := run(t, objective, func(trial int, attempt search.Attempt) float64 {
			shown := upTo(5000)(trial, attempt)
			if trial == wrong && !(attempt.Confirmation && shown < 0) {
				return -shown
			}
			return shown
		})
		if found.Found > 5000 || found.Found < 4700 {
			t.Errorf("with trial %d wrong %d was found, want 5000", wrong, found.Found)
		}
	}
}

func TestSearchAtItsEnds(t *testing.T) {
	single := planv1.Search{
		PercentileMillis: 50_000, LimitMicros: 1, Lowest: 7, Highest: 7, TrialSeconds: 1, TolerancePercent: 1,
		MaxSeconds: 900,
	}
	dense := single
	dense.Lowest, dense.Highest = 1, 4
	for name, tc := range map[string]struct {
		planned      planv1.Search
		limit, found int64
		by           string
	}{
		"the lowest rate fails":             {objective, 99, 0, reportv1.LimitedByTarget},
		"the highest rate is kept":          {objective, 100_000, 100_000, reportv1.LimitedByMaximum},
		"the only rate is kept":             {single, 7, 7, reportv1.LimitedByMaximum},
		"the only rate fails":               {single, 6, 0, reportv1.LimitedByTarget},
		"rates without anything in between": {dense, 2, 2, reportv1.LimitedByTarget},
	} {
		t.Run(name, func(t *testing.T) {
			found := run(t, tc.planned, upTo(tc.limit))
			if found.Found != tc.found || found.LimitedBy != tc.by {
				t.Errorf("found %d by %s, want %d by %s", found.Found, found.LimitedBy, tc.found, tc.by)
			}
			if len(found.Trials) < 2 {
				t.Errorf("%d trials decided", len(found.Trials))
			}
		})
	}
}

func TestConfirmationsThatFailGoOnBelow(t *testing.T) {
	var confirmed []int64
	found := run(t, objective, func(trial int, attempt search.Attempt) float64 {
		if attempt.Confirmation {
			if confirmed = append(confirmed, attempt.Rate); len(confirmed) < 3 {
				return -0.5
			}
		}
		return upTo(5000)(trial, attempt)
	})
	if len(confirmed) != 3 || confirmed[1] >= confirmed[0] || confirmed[2] >= confirmed[1] || found.Found != confirmed[2] {
		t.Errorf("confirmed %d, found %d", confirmed, found.Found)
	}
}

func TestUnclearSearchEndsWithItsTime(t *testing.T) {
	planned := objective
	planned.MaxSeconds = 300
	found := run(t, planned, func(trial int, attempt search.Attempt) float64 {
		if attempt.Rate < 2000 || attempt.Rate > 8000 {
			return upTo(5000)(trial, attempt)
		}
		return 0.01
	})
	if found.LimitedBy != reportv1.LimitedByTime || found.Found < 1000 || found.Found > 8000 {
		t.Errorf("found %d by %s, want what is sure when the time is over", found.Found, found.LimitedBy)
	}
	refused := run(t, planned, func(_ int, attempt search.Attempt) float64 {
		if attempt.Confirmation {
			return -0.1
		}
		return 0.01
	})
	if refused.LimitedBy != reportv1.LimitedByTime {
		t.Errorf("limited by %s", refused.LimitedBy)
	}
}

// What was not the target's limit is said, and no end of the range is.
func TestLimitOfTheGeneratorIsNotTheTargets(t *testing.T) {
	for _, by := range []string{reportv1.LimitedByGenerator, reportv1.LimitedByThreads} {
		s, err := search.New(objective, 20*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for attempt, more := s.Next(); more; attempt, more = s.Next() {
			shown := upTo(3000)(0, attempt)
			trial := reportv1.Trial{Rate: attempt.Rate, Confirmation: attempt.Confirmation, Kept: shown > 0, OddsToOne: 9}
			if !trial.Kept {
				trial.LimitedBy = by
			}
			s.Add(trial, shown, time.Second)
		}
		if found := s.Result(); found.LimitedBy != by || found.Below != 0 || found.Found > 3000 || found.Found < 2800 {
			t.Errorf("found %d by %s below %d, want 3000 by %s", found.Found, found.LimitedBy, found.Below, by)
		}
	}
}

func TestCircumstances(t *testing.T) {
	waiting := search.Circumstances{
		Threads: 8, LimitMicros: 10_000, ResponseMicros: 20_000, QueuedMicros: 18_000, ServiceMicros: 2000,
		MedianMicros: 1000, UsualMicros: 800,
	}
	for name, tc := range map[string]struct {
		change func(*search.Circumstances)
		want   string
	}{
		"no thread was free, and the target not busy": {func(*search.Circumstances) {}, reportv1.LimitedByThreads},
		"the generator had no processor": {
			func(c *search.Circumstances) { c.Generator = "it waited" }, reportv1.LimitedByGenerator,
		},
		"threads were free":   {func(c *search.Circumstances) { c.QueuedMicros = 2000 }, reportv1.LimitedByTarget},
		"the target was busy": {func(c *search.Circumstances) { c.MedianMicros = 1600 }, reportv1.LimitedByTarget},
		"the target alone was too slow": {
			func(c *search.Circumstances) { c.ServiceMicros = 10_001 }, reportv1.LimitedByTarget,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := waiting
			tc.change(&c)
			got, because := c.LimitedBy()
			if got != tc.want || (because == "") != (got == reportv1.LimitedByTarget) {
				t.Errorf("limited by %s because %q, want %s", got, because, tc.want)
			}
		})
	}
}

func TestEvidence(t *testing.T) {
	for name, tc := range map[string]struct {
		percentile int
		periods    [][2]int64
		// least and most are the bounds of the odds, with the sign of the answer.
		least, most  float64
		kept, failed bool
	}{
		"nothing":                               {99_000, nil, 0, 0, false, false},
		"few operations say little":             {99_000, repeated(5, 20, 0), 1, 2, false, false},
		"a thousand in time are enough for p99": {99_000, repeated(10, 100, 0), 9, 9, true, false},
		"a thousand are not for p99.9":          {99_900, repeated(10, 100, 0), 1, 3, false, false},
		"three of 300 may be chance": {
			99_000, append(repeated(4, 60, 0), [2]int64{60, 3}), 0.9, 1.5, false, false,
		},
		"all slow":                      {99_000, repeated(5, 60, 60), -9, -9, false, true},
		"two in a hundred are too many": {99_000, repeated(40, 100, 2), -9, -9, false, true},
		"one burst of them may be chance": {
			99_000, append(repeated(39, 100, 0), [2]int64{100, 80}), -2, -1, false, false,
		},
		"half are slow, and half may be":          {50_000, repeated(50, 100, 50), -2, 2, false, false},
		"six in ten are slow, and half may be":    {50_000, repeated(50, 100, 60), -9, -9, false, true},
		"what is clear after two periods is not":  {99_000, repeated(2, 10_000, 0), 9, 9, false, false},
		"an empty period does not spoil the rest": {99_000, append(repeated(10, 100, 0), [2]int64{0, 0}), 9, 9, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			evidence := search.NewEvidence(planv1.Search{PercentileMillis: tc.percentile})
			for _, period := range tc.periods {
				evidence.Add(period[0], period[1])
			}
			odds := math.Copysign(search.OddsToOne(evidence.Log()), evidence.Log())
			if len(tc.periods) == 0 {
				odds = evidence.Log()
			}
			if odds < tc.least || odds > tc.most {
				t.Errorf("%g to one, want %g to %g", odds, tc.least, tc.most)
			}
			if evidence.Kept() != tc.kept || evidence.Failed() != tc.failed {
				t.Errorf("kept %t, failed %t", evidence.Kept(), evidence.Failed())
			}
		})
	}
}

func repeated(count int, due, slow int64) [][2]int64 {
	periods := make([][2]int64, count)
	for i := range periods {
		periods[i] = [2]int64{due, slow}
	}
	return periods
}

func TestImpossibleSearchesAreRefused(t *testing.T) {
	for name, change := range map[string]func(*planv1.Search){
		"no lowest rate":          func(s *planv1.Search) { s.Lowest = 0 },
		"highest below lowest":    func(s *planv1.Search) { s.Highest = 99 },
		"no percentile":           func(s *planv1.Search) { s.PercentileMillis = 0 },
		"everything":              func(s *planv1.Search) { s.PercentileMillis = 100_000 },
		"no limit":                func(s *planv1.Search) { s.LimitMicros = 0 },
		"trials without a length": func(s *planv1.Search) { s.TrialSeconds = 0 },
		"no tolerance":            func(s *planv1.Search) { s.TolerancePercent = 0 },
		"no time":                 func(s *planv1.Search) { s.MaxSeconds = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			planned := objective
			change(&planned)
			if _, err := search.New(planned, time.Second); err == nil {
				t.Error("no error")
			}
		})
	}
}
