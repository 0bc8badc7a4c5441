package search_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/search"
)

var objective = planv1.Search{
	PercentileMillis: 99_000, LimitMicros: 10_000, Lowest: 100, Highest: 100_000, TrialSeconds: 5, TolerancePercent: 5,
}

// run searches a database that keeps the objective as the function says.
func run(t *testing.T, planned planv1.Search, keeps func(rate int64, confirmation bool) bool) reportv1.Search {
	t.Helper()
	s, err := search.New(planned)
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	for range 1000 {
		rate, confirmation, more := s.Next()
		if !more {
			if s.Done() != 100 {
				t.Errorf("an ended search is done to %d %%", s.Done())
			}
			return s.Result()
		}
		if rate < planned.Lowest || rate > planned.Highest {
			t.Fatalf("rate %d is outside of %d to %d", rate, planned.Lowest, planned.Highest)
		}
		s.Add(reportv1.Trial{Rate: rate, Confirmation: confirmation, Kept: keeps(rate, confirmation)})
		if now := s.Done(); now < 0 || now > 100 {
			t.Fatalf("done to %d %% after %d %%", now, done)
		}
	}
	t.Fatal("the search does not end")
	return reportv1.Search{}
}

func TestSearchFindsTheLimitWithinTheTolerance(t *testing.T) {
	for _, limit := range []int64{100, 101, 105, 777, 12_345, 99_999} {
		found := run(t, objective, func(rate int64, _ bool) bool { return rate <= limit }).Found
		if found > limit || float64(found)*1.05 < float64(limit) {
			t.Errorf("found %d, want at most 5 %% below %d", found, limit)
		}
	}
}

func TestSearch(t *testing.T) {
	for name, tc := range map[string]struct {
		planned    planv1.Search
		keeps      func(rate int64, confirmation bool) bool
		wantFound  int64
		wantTrials []int64
	}{
		"the lowest rate fails": {
			objective, func(int64, bool) bool { return false }, 0, []int64{100},
		},
		"the highest rate is kept and confirmed": {
			objective, func(int64, bool) bool { return true }, 100_000, []int64{100, 100_000, 100_000},
		},
		"one rate only": {
			planv1.Search{
				PercentileMillis: 50_000, LimitMicros: 1, Lowest: 7, Highest: 7, TrialSeconds: 1, TolerancePercent: 1,
			},
			func(int64, bool) bool { return true }, 7,
			[]int64{7, 7},
		},
		"rates without anything between them": {
			planv1.Search{
				PercentileMillis: 50_000, LimitMicros: 1, Lowest: 1, Highest: 4, TrialSeconds: 1, TolerancePercent: 1,
			},
			func(rate int64, _ bool) bool { return rate < 3 }, 2,
			[]int64{1, 4, 2, 3, 2},
		},
		"the middle is geometric": {
			planv1.Search{
				PercentileMillis: 50_000, LimitMicros: 1, Lowest: 100, Highest: 10_000, TrialSeconds: 1, TolerancePercent: 100,
			},
			func(rate int64, _ bool) bool { return rate <= 3000 }, 1778,
			[]int64{100, 10_000, 1000, 3162, 1778, 1778},
		},
		"a confirmation that fails goes on below": {
			planv1.Search{
				PercentileMillis: 50_000, LimitMicros: 1, Lowest: 100, Highest: 10_000, TrialSeconds: 1, TolerancePercent: 50,
			},
			func(rate int64, confirmation bool) bool { return rate <= 3000 && (!confirmation || rate <= 1500) },
			1382,
			[]int64{100, 10_000, 1000, 3162, 1778, 2371, 2371, 1540, 1911, 1911, 1382, 1382},
		},
		"no confirmation is ever kept": {
			objective, func(_ int64, confirmation bool) bool { return !confirmation }, 0, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := run(t, tc.planned, tc.keeps)
			trials := make([]int64, 0, len(result.Trials))
			for _, trial := range result.Trials {
				trials = append(trials, trial.Rate)
			}
			if result.Found != tc.wantFound {
				t.Errorf("found %d, want %d; tried %v", result.Found, tc.wantFound, trials)
			}
			if diff := cmp.Diff(tc.wantTrials, trials); tc.wantTrials != nil && diff != "" {
				t.Errorf("trials (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTrialsAreJudged(t *testing.T) {
	good := reportv1.Trial{Rate: 1000, Achieved: 990, Micros: 10_000, Errors: 10}
	for name, tc := range map[string]struct {
		change func(*reportv1.Trial)
		want   bool
	}{
		"kept":                       {func(*reportv1.Trial) {}, true},
		"too slow":                   {func(trial *reportv1.Trial) { trial.Micros = 10_001 }, false},
		"something dropped":          {func(trial *reportv1.Trial) { trial.Dropped = 1 }, false},
		"less achieved than asked":   {func(trial *reportv1.Trial) { trial.Achieved = 979 }, false},
		"more than one percent fail": {func(trial *reportv1.Trial) { trial.Errors = 11 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := search.New(objective)
			if err != nil {
				t.Fatal(err)
			}
			trial := good
			tc.change(&trial)
			if s.Judge(&trial, 990); trial.Kept != tc.want {
				t.Errorf("kept: %t, want %t", trial.Kept, tc.want)
			}
		})
	}
}

func TestImpossibleSearchesAreRefused(t *testing.T) {
	for name, change := range map[string]func(*planv1.Search){
		"no lowest rate":          func(s *planv1.Search) { s.Lowest = 0 },
		"highest below lowest":    func(s *planv1.Search) { s.Highest = 99 },
		"no percentile":           func(s *planv1.Search) { s.PercentileMillis = 0 },
		"more than everything":    func(s *planv1.Search) { s.PercentileMillis = 100_001 },
		"no limit":                func(s *planv1.Search) { s.LimitMicros = 0 },
		"trials without a length": func(s *planv1.Search) { s.TrialSeconds = 0 },
		"no tolerance":            func(s *planv1.Search) { s.TolerancePercent = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			planned := objective
			change(&planned)
			if _, err := search.New(planned); err == nil {
				t.Error("no error")
			}
		})
	}
}
