package search

import (
	"fmt"
	"math"
	"slices"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

const (
	// ConfidencePercent with which the limit is not below what a search found, and with which it is below the other end of
	// the range.
	ConfidencePercent = 95
	doubt             = 1 - ConfidencePercent/100.0
	// growth is how far above the highest rate that was kept the next one may be: a target is never asked for many times
	// what it has shown.
	growth = 2
	// tail is the probability of the limit being beyond the next rate to try, on one side or the other. At the limit
	// itself a trial would take long and show nothing.
	tail = 1.0 / 3
	// ratesPerTolerance is how many rates may be tried within the tolerance.
	ratesPerTolerance = 4
	// beyondWeight is that of the limit being below the lowest rate, or above the highest, beside 1 for all in between.
	beyondWeight = 0.25
	// voidShare: one in this much of the time of a search may go into trials that are made again because the load
	// generator was in the way. What is in the way for longer is no bad luck, and bounds what the search can find.
	voidShare = 4
	// lastConfirmations is how many there is time for at the end.
	lastConfirmations = 2
)

// Attempt is the next trial.
type Attempt struct {
	Rate int64
	// Confirmation takes as long as the step says, even when it is clear before that the objective is kept.
	Confirmation bool
}

// Search is one search at work.
type Search struct {
	planned planv1.Search
	// confirmation is how long one takes.
	confirmation time.Duration
	// rates that may be tried, rising from the lowest to the highest.
	rates []int64
	// weights are logarithms of the probabilities, but for a factor: the first that the limit is below the first rate, the
	// next that it is between that and the next rate, and so on; the last that it is the highest rate, or above.
	weights []float64
	// ofTarget are the same without the trials that failed because of the load generator or its threads. Those say where
	// this search can get, and nothing of where the target's limit is.
	ofTarget []float64
	// voided is the time that went into trials in which the load generator was in the way, and which are made again.
	voided time.Duration
	// scores are the sums of what was shown of each rate, above 0 for one that is rather kept than not.
	scores []float64
	trials []reportv1.Trial
	// refuted counts the confirmations that failed.
	refuted int
	spent   time.Duration
	found   int64
	ended   bool
}

// New begins a search whose confirmations take this long.
func New(planned planv1.Search, confirmation time.Duration) (*Search, error) {
	if planned.Lowest < 1 || planned.Highest < planned.Lowest {
		return nil, fmt.Errorf("a search between %d and %d operations/s: the lowest rate must be at least 1, and the "+
			"highest not below it", planned.Lowest, planned.Highest)
	}
	if planned.PercentileMillis < 1 || planned.PercentileMillis >= 100_000 || planned.LimitMicros < 1 ||
		planned.TrialSeconds < 1 || planned.TolerancePercent < 1 || planned.MaxSeconds < 1 {
		return nil, fmt.Errorf("a search for percentile %d/1000 below %d µs, by trials of %d s, to %d %%, in %d s: the "+
			"percentile is from 1 to 99999, the rest at least 1", planned.PercentileMillis, planned.LimitMicros,
			planned.TrialSeconds, planned.TolerancePercent, planned.MaxSeconds)
	}
	s := &Search{planned: planned, confirmation: confirmation}
	s.rates = ladder(planned.Lowest, planned.Highest, math.Pow(s.tolerance(), 1.0/ratesPerTolerance))
	s.scores = make([]float64, len(s.rates))
	s.weights = make([]float64, len(s.rates)+1)
	whole := math.Log(float64(planned.Highest) / float64(planned.Lowest))
	for i := range s.weights {
		weight := beyondWeight
		if i > 0 && i < len(s.rates) {
			weight = math.Log(float64(s.rates[i])/float64(s.rates[i-1])) / whole
		}
		s.weights[i] = math.Log(weight)
	}
	s.ofTarget = slices.Clone(s.weights)
	return s, nil
}

// ladder is the whole rates from the lowest to the highest, each as many times the one before.
func ladder(lowest, highest int64, step float64) []int64 {
	rates := []int64{lowest}
	for rate := float64(lowest); ; rate *= step {
		whole := int64(math.Round(rate))
		if whole >= highest {
			break
		}
		if whole > rates[len(rates)-1] {
			rates = append(rates, whole)
		}
	}
	if highest > lowest {
		rates = append(rates, highest)
	}
	return rates
}

// tolerance is by how many times the ends of the range that a search ends with may differ.
func (s *Search) tolerance() float64 {
	return 1 + float64(s.planned.TolerancePercent)/100
}

// Next says what to try next. The search has ended when there is nothing.
func (s *Search) Next() (Attempt, bool) {
	if s.ended {
		return Attempt{}, false
	}
	below := probabilities(s.weights)
	low, high := bounds(below)
	if s.narrow(low, high) || s.late() {
		// One that has failed goes on a bit lower: at the very end of the range it fails too often.
		return Attempt{Rate: s.rates[max(0, low-s.refuted)], Confirmation: true}, true
	}
	return Attempt{Rate: s.rates[s.choose(below)]}, true
}

// probabilities of the limit being below each rate, by weights.
func probabilities(weights []float64) []float64 {
	largest := slices.Max(weights)
	sums := make([]float64, len(weights)-1)
	var sum float64
	for i, weight := range weights {
		sum += math.Exp(weight - largest)
		if i < len(sums) {
			sums[i] = sum
		}
	}
	for i := range sums {
		sums[i] /= sum
	}
	return sums
}

// bounds are the places of the highest rate that the limit is not below, and of the lowest that it is below, with the
// confidence of a search: -1 and the number of rates when there is none.
func bounds(below []float64) (low, high int) {
	low, high = -1, len(below)
	for i, probability := range below {
		if probability <= doubt {
			low = i
		}
		if probability >= 1-doubt {
			high = min(high, i)
		}
	}
	return low, high
}

// narrow says whether the range is as narrow as was asked for, or the highest rate is kept.
func (s *Search) narrow(low, high int) bool {
	if low < 0 || high == len(s.rates) {
		return low == len(s.rates)-1
	}
	const rounding = 1e-9
	return high == low+1 || float64(s.rates[high]) <= float64(s.rates[low])*s.tolerance()*(1+rounding)
}

// late says that there is time for confirmations only.
func (s *Search) late() bool {
	return s.spent+lastConfirmations*s.confirmation >= s.time()
}

func (s *Search) time() time.Duration {
	return time.Duration(s.planned.MaxSeconds) * time.Second
}

// choose is the place of the rate that says most: a bit below the likely limit or a bit above it, on that side on which
// less is known.
func (s *Search) choose(below []float64) int {
	last := len(s.rates) - 1
	under, _ := slices.BinarySearch(below, tail)
	under = max(under-1, 0)
	over, _ := slices.BinarySearch(below, 1-tail)
	over = min(over, last)
	chosen := over
	switch {
	case below[under] <= doubt && below[over] >= 1-doubt:
		// Both are known: between them there may be rates that are not.
		chosen = (under + over) / 2
	case below[under] > 1-below[over]:
		chosen = under
	}
	reach := s.planned.Lowest
	if kept := s.HighestKept(); kept > 0 {
		reach = growth * kept
	}
	for chosen > 0 && s.rates[chosen] > reach {
		chosen--
	}
	return chosen
}

// HighestKept is the highest of the rates that were rather kept than not; 0 when there is none.
func (s *Search) HighestKept() int64 {
	for i, score := range slices.Backward(s.scores) {
		if score > 0 {
			return s.rates[i]
		}
	}
	return 0
}

// LastKept says whether the last trial was kept.
func (s *Search) LastKept() bool {
	return len(s.trials) > 0 && s.trials[len(s.trials)-1].Kept
}

// Add takes what became of the attempt that Next said: what the trial has shown, which is Evidence.Log, and how long it
// took with all that belongs to it.
func (s *Search) Add(trial reportv1.Trial, shown float64, took time.Duration) {
	s.trials = append(s.trials, trial)
	s.spent += took
	at, _ := slices.BinarySearch(s.rates, trial.Rate)
	switch {
	case trial.LimitedBy == reportv1.LimitedByGenerator && s.voided+took <= s.time()/voidShare:
		s.voided += took
		shown = 0
	case trial.Confirmation && !trial.Kept:
		s.refuted++
	}
	s.scores[at] += shown
	vote(s.weights, at, shown)
	if trial.Kept || trial.LimitedBy == reportv1.LimitedByTarget {
		vote(s.ofTarget, at, shown)
	}
	below := probabilities(s.weights)
	low, _ := bounds(below)
	switch {
	case trial.Kept && trial.Confirmation:
		s.found, s.ended = trial.Rate, true
	case below[0] >= 1-doubt:
		s.ended = true
	case s.spent >= s.time():
		s.ended = true
		if low >= 0 {
			s.found = s.rates[low]
		}
	}
}

// vote counts what a trial of the rate at a place has shown: the limit is not below it, or is.
func vote(weights []float64, at int, shown float64) {
	for i := at + 1; i < len(weights); i++ {
		weights[i] += shown
	}
}

// Result is what was found until now; of a search that has not ended, the highest rate that the limit is not below.
func (s *Search) Result() reportv1.Search {
	found := s.found
	if low, _ := bounds(probabilities(s.weights)); !s.ended && low >= 0 {
		found = s.rates[low]
	}
	result := reportv1.Search{
		PercentileMillis: s.planned.PercentileMillis, LimitMicros: s.planned.LimitMicros,
		Process: string(s.planned.Process), ConfidencePercent: ConfidencePercent,
		Found: found, LimitedBy: s.limitedBy(), Trials: s.trials,
	}
	_, high := bounds(probabilities(s.ofTarget))
	known := result.LimitedBy == reportv1.LimitedByTarget || result.LimitedBy == reportv1.LimitedByTime
	if known && high < len(s.rates) {
		result.Below = max(s.rates[high], found+1)
	}
	return result
}

// limitedBy is what the search ended at: the target's limit when the target's own trials show it. Otherwise those
// trials that failed not far above what was found decide, the ones with the most to say.
func (s *Search) limitedBy() string {
	if s.found == s.planned.Highest {
		return reportv1.LimitedByMaximum
	}
	low, high := bounds(probabilities(s.weights))
	_, ofTarget := bounds(probabilities(s.ofTarget))
	shown := s.shownAbove()
	by := reportv1.LimitedByThreads
	if shown[reportv1.LimitedByGenerator] >= shown[reportv1.LimitedByThreads] {
		by = reportv1.LimitedByGenerator
	}
	switch {
	case !s.ended:
		return reportv1.LimitedByTime
	case low < 0 && ofTarget == 0, s.narrow(low, ofTarget):
		return reportv1.LimitedByTarget
	case low < 0 && high == 0, s.narrow(low, high), shown[by] > shown[reportv1.LimitedByTarget]:
		return by
	default:
		return reportv1.LimitedByTime
	}
}

// shownAbove is how much the trials that failed not far above what was found have to say, by what limited them.
func (s *Search) shownAbove() map[string]float64 {
	shown := map[string]float64{}
	for _, trial := range s.trials {
		if !trial.Kept && trial.Rate > s.found && (s.found == 0 || trial.Rate <= growth*s.found) {
			shown[trial.LimitedBy] += math.Log(max(trial.OddsToOne, 1))
		}
	}
	return shown
}

// Done is about how much of the search has been done, in percent: of its time, or of the way from the whole range to
// one that is narrow, whichever is more.
func (s *Search) Done() int {
	if s.ended {
		return 100
	}
	low, high := bounds(probabilities(s.weights))
	narrow := math.Log(s.tolerance())
	whole := math.Log(float64(s.planned.Highest)/float64(s.planned.Lowest)) + narrow
	left := math.Log(float64(s.rates[min(high, len(s.rates)-1)]) / float64(s.rates[max(low, 0)]))
	way := 1 - max(0, left-narrow)/whole
	const unconfirmed = 95
	return int(unconfirmed * min(1, max(0, way, float64(s.spent)/float64(s.time()))))
}
