package statistics

import (
	"errors"
	"fmt"
	"math"
)

const (
	// fewestSequential is how many values there are before they have an interval: the correlation of fewer says nothing.
	fewestSequential = 8
	// supposedValues, which correlate by supposedCorrelation, are added to those that were seen when it is asked how these
	// correlate: a few tell too little of it, and an interval that believed them would appear and vanish from one value
	// to the next. The supposed correlation is a little larger than any that the interval is to bear.
	supposedValues, supposedCorrelation = 8, 0.65
	// correlationErrors is by how many of its standard errors the correlation of neighbours is taken to be larger still.
	correlationErrors = 0.2
	// sureErrors is how many standard errors the sum of two farther correlations must exceed to be counted.
	sureErrors = 0.5
	// mostCorrelated is the largest correlation of neighbours that is believed.
	mostCorrelated = 0.9
)

// Sequential is the mean of values that come one after the other, with an interval that may be looked at after each: it
// is a confidence sequence. Over all looks together, for ever, the mean is outside the interval at any of them with a
// probability of at most 1-confidence, so one may stop when the interval pleases.
//
// For independent normal values it is exact: the t-test of a mixture of effects, turned round (Lai 1976, "On confidence
// sequences"; Wang and Ramdas 2025, "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown
// variance"). Of effects that are normal with a variance of g, in units of that of a value, the ratio of the likelihood
// of t to that without an effect, after n values with nu = n-1 degrees of freedom,
//
//	(1+n*g)^(-1/2) * ((1 + t*t/nu) / (1 + t*t/(nu*(1+n*g))))^((nu+1)/2)
//
// is a martingale with a mean of 1. So is a weighted sum of such ratios, which by Ville's inequality ever reaches
// 1/alpha with a probability of alpha at most. Solved for t where it is 1/alpha, that is the radius. Of other values it
// holds in the limit, as the central limit theorem does. The asymptotic confidence sequence of Waudby-Smith and others
// (2024) is the same in the limit. It treats the variance as known, so it is a sixth narrower after 20 values, and in
// the simulation it misses twice as often.
//
// Two ratios are summed: one with the g that is the best after as many values as one expects to need, and one with a
// large g. With the first alone t could be as large as it likes, a few values would never be evidence enough.
//
// Values may depend on their neighbours. The variance is then multiplied by what their correlations add to that of a
// mean, and the degrees of freedom divided by it; see inflation. Means of batches whose size doubles until they do not
// correlate were no better: they miss twice as often, and leave so few values that of a correlation of 0.6 the interval
// is half as wide again after 66.
//
// No value is cut (winsorised): a stall that only one of two sides has is what a comparison is to find, and cutting it
// would hide it. Heavy tails make the interval wider, not wrong. What nothing can help is a rare event that has not
// been seen yet: if one value in ten is far off, the first twenty may hold none.
//
// The interval may widen when values come that vary more. It is not cut with earlier ones: that would be valid if the
// variance were known, and otherwise keep for ever what a few values that happened to be alike said, up to an interval
// that is empty.
type Sequential struct {
	alpha  float64
	mixed  mixture
	values []float64
}

// NewSequential prepares for a confidence, 0 to 1 and both excluded; of m sequences that are looked at together each
// gets 1-(1-confidence)/m. The interval is valid after any number of values, and about as narrow as it can be after so
// many as narrowest says, at least 2.
func NewSequential(confidence float64, narrowest int) (*Sequential, error) {
	if err := checkConfidence(confidence); err != nil {
		return nil, err
	}
	if narrowest < 2 {
		return nil, fmt.Errorf("the interval is to be narrowest after %d values and must have 2 at least", narrowest)
	}
	return &Sequential{alpha: 1 - confidence, mixed: mixtureFor(float64(narrowest), 1-confidence)}, nil
}

var errNoValue = errors.New("the value is not a finite number")

// Add takes the next value, which must be finite.
func (s *Sequential) Add(value float64) error {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return errNoValue
	}
	s.values = append(s.values, value)
	return nil
}

// Count is how many values there are.
func (s *Sequential) Count() int { return len(s.values) }

// Estimate is the mean of the values; NaN when there are none.
func (s *Sequential) Estimate() float64 { return meanFrom(s.values, 0) }

// meanFrom is the mean of the values from an index on.
func meanFrom(values []float64, start int) float64 {
	total := 0.0
	for _, value := range values[start:] {
		total += value / float64(len(values)-start)
	}
	if start == len(values) {
		return math.NaN()
	}
	return total
}

// Interval is where the mean lies by the values so far, in their unit. It is false when nothing can be said: there are
// fewer than eight values, or too few for the confidence and for how they correlate, or all are equal.
func (s *Sequential) Interval() (Interval, bool) {
	if len(s.values) < fewestSequential {
		return Interval{}, false
	}
	n, mean := float64(len(s.values)), s.Estimate()
	deviations := around(s.values, mean)
	squares := products(deviations, 0)
	if squares == 0 {
		return Interval{}, false
	}
	inflated := inflation(deviations)
	width := s.mixed.radius(n, n/inflated-1, s.alpha) * math.Sqrt(inflated*squares/(n-1)/n)
	if math.IsInf(width, 0) || math.IsNaN(width) {
		return Interval{}, false
	}
	return Interval{Low: mean - width, High: mean + width, Confidence: 1 - s.alpha}, true
}

// inflation is by how much the variance of a mean of correlated values exceeds that of independent ones, at least 1:
// the ratio of the long-run variance to that of a value. It is the larger of two estimates.
//
// The first supposes that correlations fall geometrically from that of neighbours, phi, so that it is
// (1+phi)/(1-phi). It takes phi corrected for its bias (Kendall 1954), together with values that are supposed, and
// somewhat larger still, since a variance that is estimated too small is what lets the interval miss.
//
// The second is for what falls more slowly, such as the work of a server in the background: the sum of correlations,
// two by two, as long as these are surely positive, and none larger than the one before (the initial monotone sequence
// of Geyer 1992, "Practical Markov chain Monte Carlo").
func inflation(deviations []float64) float64 {
	n, squares := float64(len(deviations)), products(deviations, 0)
	// A correlation that is measured around the mean of the same values is too small by 1/n.
	correlation := func(lag int) float64 { return products(deviations, lag)/squares + 1/n }
	seen := correlation(1)
	phi := seen + 3*(seen-1/n)/n
	phi = (n*phi + supposedValues*supposedCorrelation) / (n + supposedValues)
	phi += correlationErrors * math.Sqrt(max(0, 1-phi*phi)/n)
	phi = min(max(phi, 0), mostCorrelated)
	total, last := 1+2*seen, 1+seen
	for lag := 2; lag < len(deviations)/4-1; lag += 2 {
		last = min(last, correlation(lag)+correlation(lag+1))
		if last <= sureErrors*math.Sqrt(2/n) {
			break
		}
		total += 2 * last
	}
	most := (1 + mostCorrelated) / (1 - mostCorrelated)
	return max((1+phi)/(1-phi), min(total, most))
}

// around are the differences of values from a centre.
func around(values []float64, centre float64) []float64 {
	deviations := make([]float64, len(values))
	for i, value := range values {
		deviations[i] = value - centre
	}
	return deviations
}

// products is the sum of the products of values with those a lag later.
func products(values []float64, lag int) float64 {
	total := 0.0
	for i, value := range values[:len(values)-lag] {
		total += value * values[i+lag]
	}
	return total
}
