package search

import (
	"fmt"
	"math"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// What a trial needs beside the objective. A rate that was not really sent, or that mostly failed, was not kept.
const (
	// AchievedPercent of the rate must succeed.
	AchievedPercent = 98
	// ErrorPercent of all operations may fail.
	ErrorPercent = 1
)

// Search is one search at work.
type Search struct {
	planned planv1.Search
	trials  []reportv1.Trial
	// kept are the rates that kept the objective and were not refuted by a confirmation, rising. failed is the lowest rate
	// that did not; 0 while there is none.
	kept   []int64
	failed int64
	found  int64
	ended  bool
}

// New begins a search.
func New(planned planv1.Search) (*Search, error) {
	if planned.Lowest < 1 || planned.Highest < planned.Lowest {
		return nil, fmt.Errorf("a search between %d and %d operations/s: the lowest rate must be at least 1, and the "+
			"highest not below it", planned.Lowest, planned.Highest)
	}
	if planned.PercentileMillis < 1 || planned.PercentileMillis > 100_000 || planned.LimitMicros < 1 ||
		planned.TrialSeconds < 1 || planned.TolerancePercent < 1 {
		return nil, fmt.Errorf("a search for percentile %d/1000 below %d µs, by trials of %d s, to %d %%: the percentile is "+
			"from 1 to 100000, the rest at least 1", planned.PercentileMillis, planned.LimitMicros, planned.TrialSeconds,
			planned.TolerancePercent)
	}
	return &Search{planned: planned}, nil
}

// Next says which rate to try next, and whether that is a confirmation, which takes as long as the step says instead
// of a trial's time. The search has ended when there is none.
func (s *Search) Next() (rate int64, confirmation, more bool) {
	switch {
	case s.ended:
		return 0, false, false
	case len(s.kept) == 0:
		return s.planned.Lowest, false, true
	case s.failed == 0 && s.highestKept() < s.planned.Highest:
		return s.planned.Highest, false, true
	}
	low := s.highestKept()
	middle := int64(math.Round(math.Sqrt(float64(low) * float64(s.failed))))
	if s.failed == 0 || s.close(low, s.failed) || middle <= low || middle >= s.failed {
		return low, true, true
	}
	return middle, false, true
}

func (s *Search) highestKept() int64 {
	return s.kept[len(s.kept)-1]
}

// close says whether two rates are as near to each other as the tolerance.
func (s *Search) close(low, high int64) bool {
	return float64(high) <= float64(low)*(1+float64(s.planned.TolerancePercent)/100)
}

// Judge sets whether a trial was kept.
func (s *Search) Judge(trial *reportv1.Trial, succeeded int64) {
	trial.Kept = succeeded > 0 && trial.Dropped == 0 && trial.Micros <= s.planned.LimitMicros &&
		trial.Achieved*100 >= trial.Rate*AchievedPercent && trial.Errors*100 <= (succeeded+trial.Errors)*ErrorPercent
}

// Add takes what became of the trial that Next said.
func (s *Search) Add(trial reportv1.Trial) {
	s.trials = append(s.trials, trial)
	switch {
	case trial.Kept && trial.Confirmation:
		s.found, s.ended = trial.Rate, true
	case trial.Kept:
		s.kept = append(s.kept, trial.Rate)
		slices.Sort(s.kept)
	default:
		s.fail(trial.Rate)
	}
}

// fail goes on below a rate. What lies as near to it as the tolerance is no better, but for the lowest rate, which is
// the last resort.
func (s *Search) fail(rate int64) {
	s.failed = rate
	if rate <= s.planned.Lowest {
		s.kept, s.ended = nil, true
		return
	}
	s.kept = slices.DeleteFunc(s.kept, func(kept int64) bool {
		return kept >= rate || kept > s.planned.Lowest && s.refuted(rate) && s.close(kept, rate)
	})
}

// refuted says whether a rate had kept the objective before.
func (s *Search) refuted(rate int64) bool {
	return slices.ContainsFunc(s.trials, func(trial reportv1.Trial) bool { return trial.Rate == rate && trial.Kept })
}

// Result is what was found until now.
func (s *Search) Result() reportv1.Search {
	return reportv1.Search{
		PercentileMillis: s.planned.PercentileMillis, LimitMicros: s.planned.LimitMicros, Found: s.found, Trials: s.trials,
	}
}

// Done is how much of the search has been done, in percent of the trials that it takes when everything keeps as before.
func (s *Search) Done() int {
	if s.ended {
		return 100
	}
	low, high := float64(s.planned.Lowest), float64(s.planned.Highest)
	if len(s.kept) > 0 {
		low = float64(s.highestKept())
	}
	if s.failed > 0 {
		high = float64(s.failed)
	}
	left := 1.0 // The confirmation.
	if ratio := math.Log(high/low) / math.Log1p(float64(s.planned.TolerancePercent)/100); ratio > 1 {
		left += math.Ceil(math.Log2(ratio))
	}
	tried := float64(len(s.trials))
	return int(100 * tried / (tried + left))
}
