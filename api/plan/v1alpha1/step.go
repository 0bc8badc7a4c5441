package v1alpha1

import (
	"math"
)

// Alone says whether the step is the work of pod 0 alone.
func (k StepKind) Alone() bool {
	return k == StepPrepare || k == StepIndex || k == StepVerify
}

const (
	// drainSeconds is how long the queue of an open loop may be worked off after its window.
	drainSeconds = 30
	// trialOverhead is what a trial takes besides its window: it settles before and drains after.
	trialOverhead = 3
	// confirmations that a search is given: one that fails sends it back to lower rates.
	confirmations = 4
)

// MostSeconds is how long a Measure that does not end with a number of operations may take when the target answers.
func (s Step) MostSeconds() int64 {
	seconds := int64(s.WarmupSeconds)
	switch {
	case s.Search != nil:
		return seconds + int64(s.Search.trials())*int64(s.Search.TrialSeconds+trialOverhead) +
			confirmations*int64(s.DurationSeconds+trialOverhead)
	case s.Arrival != nil:
		seconds += drainSeconds
	}
	return seconds + int64(s.DurationSeconds)
}

// trials is how many a search needs at most: the two ends, then half of what is left each time, on the scale on which a
// tolerance is a distance; and as many again after confirmations that failed.
func (s Search) trials() int {
	if s.Lowest < 1 || s.Highest <= s.Lowest || s.TolerancePercent < 1 {
		return 2
	}
	distance := math.Log(float64(s.Highest)/float64(s.Lowest)) / math.Log1p(float64(s.TolerancePercent)/100)
	return 2 + 2*int(math.Ceil(math.Log2(max(distance, 1))))
}
