package statistics

import (
	"errors"
	"fmt"
	"math"
)

// Answer is what a comparison that goes on until it knows has to say.
type Answer int

const (
	// Unsettled is not known yet: more values are needed.
	Unsettled Answer = iota
	// Unchanged is no change of the margin or more, which the interval rules out.
	Unchanged
	// Improved is a change for the better that matters.
	Improved
	// Regressed is a change for the worse that matters.
	Regressed
)

// Direction is that of a change for the better.
type Direction int

const (
	// HigherIsBetter is that of a throughput.
	HigherIsBetter Direction = iota + 1
	// LowerIsBetter is that of a latency.
	LowerIsBetter
)

const (
	// closing is how wide the interval is at most, in margins, when a change counts that is not estimated as large as the
	// margin. An interval of that width cannot hold both no change and the margin, so it has ruled one of them out.
	closing = 1.0
	// freshShare of the values after which a regression was first seen, and at least fewestFresh, must confirm it by
	// themselves: their mean is beyond freshMargins of the margin.
	freshShare, fewestFresh, freshMargins = 0.25, 8, 0.5
)

// Rule is when a comparison is settled.
type Rule struct {
	// Better is the direction of a change for the better.
	Better Direction
	// MinEffectPercent is the margin: the smallest relative change that matters, in percent, not negative. With 0 every
	// change matters and none is ever ruled out, so that a comparison of equal sides never ends by itself.
	MinEffectPercent float64
}

// check says what is no rule.
func (r Rule) check() error {
	if r.Better != HigherIsBetter && r.Better != LowerIsBetter {
		return errors.New("it is not said which direction is better")
	}
	if !(r.MinEffectPercent >= 0) || math.IsInf(r.MinEffectPercent, 1) {
		return fmt.Errorf("the margin is %g %% and must not be negative", r.MinEffectPercent)
	}
	return nil
}

// Answer is that of an estimate and its interval, both of the logarithm of candidate over baseline. As relative
// changes:
//
//	the interval lies inside the margins                                      Unchanged
//	it excludes no change, and the estimate is at least the margin            Improved, Regressed
//	it excludes no change but not the margin, and is no wider than the margin Improved, Regressed
//	otherwise                                                                 Unsettled
//
// If the interval is one of a Sequential, then over all looks together at most 1-confidence of lines that did not
// change for the worse are ever Regressed, and of lines that changed by the margin or more are ever Unchanged. What
// lies between may be either. Every comparison ends with a margin above 0: an interval as narrow as the margin is
// settled by the first or the third line. Without the third, a change of exactly the margin would wait for its estimate
// to come to lie on that side of it, and the mean of that time is infinite.
func (r Rule) Answer(estimate float64, interval Interval) Answer {
	low, high := 100*math.Expm1(interval.Low), 100*math.Expm1(interval.High)
	change := 100 * math.Expm1(estimate)
	switch {
	case low > -r.MinEffectPercent && high < r.MinEffectPercent:
		return Unchanged
	case low <= 0 && high >= 0:
		return Unsettled
	case math.Abs(change) < r.MinEffectPercent && high-low > closing*r.MinEffectPercent:
		return Unsettled
	case (low > 0) == (r.Better == HigherIsBetter):
		return Improved
	}
	return Regressed
}

// Comparison is one line of a sequential comparison, until it is settled. A regression is told only when values that
// came after it was first seen have confirmed it:
//
//	                   Regressed                     enough fresh values,
//	┌──────────┐ ───────────────────▶ ┌────────────┐ which agree           ┌───────────┐
//	│ watching │                      │ confirming │ ────────────────────▶ │ Regressed │
//	└──────────┘ ◀─────────────────── └────────────┘                       └───────────┘
//	     │          which do not             │ within the margins
//	     │                                   ▼
//	     └───────────────────────────▶ Unchanged, or Improved when nothing was being confirmed
//
// Enough are a quarter of the values so far, and eight at least. They agree when their mean alone is beyond half the
// margin, and the interval of all values still excludes no change. Each attempt takes at least a quarter more values
// than the one before, so that one of a real loss succeeds soon.
type Comparison struct {
	rule       Rule
	sequential *Sequential
	answer     Answer
	// seen is after how many values a regression was seen that is being confirmed; 0 for none.
	seen int
}

// NewComparison begins one: confidence and narrowest are those of NewSequential.
func NewComparison(rule Rule, confidence float64, narrowest int) (*Comparison, error) {
	if err := rule.check(); err != nil {
		return nil, err
	}
	sequential, err := NewSequential(confidence, narrowest)
	if err != nil {
		return nil, err
	}
	return &Comparison{rule: rule, sequential: sequential}, nil
}

// Add takes the logarithm of candidate over baseline of the next quad, which must be finite, and looks. A comparison
// that is settled stays as it is, with its interval: it takes no further values.
func (c *Comparison) Add(logRatio float64) (Answer, error) {
	if c.answer != Unsettled {
		return c.answer, nil
	}
	if err := c.sequential.Add(logRatio); err != nil {
		return Unsettled, err
	}
	c.answer = c.look()
	return c.answer, nil
}

// Answer is the last one that Add gave.
func (c *Comparison) Answer() Answer { return c.answer }

// Confirming says that a regression was seen and is being confirmed.
func (c *Comparison) Confirming() bool { return c.answer == Unsettled && c.seen > 0 }

// Effect is the change so far, in percent of the baseline, and its interval; false as of Sequential, and then the
// interval is empty and the estimate is NaN when there is no value.
func (c *Comparison) Effect() (Effect, bool) {
	interval, bounded := c.sequential.Interval()
	effect := Effect{Estimate: c.sequential.Estimate(), Interval: interval}
	return effect.each(func(logarithm float64) float64 { return 100 * math.Expm1(logarithm) }), bounded
}

// Count is how many values it took so far.
func (c *Comparison) Count() int { return c.sequential.Count() }

func (c *Comparison) look() Answer {
	interval, bounded := c.sequential.Interval()
	answer := Unsettled
	if bounded {
		answer = c.rule.Answer(c.sequential.Estimate(), interval)
	}
	if c.seen > 0 {
		return c.confirm(answer, interval, bounded)
	}
	if answer == Regressed {
		c.seen = c.Count()
		return Unsettled
	}
	return answer
}

// confirm is a look while a regression is being confirmed.
func (c *Comparison) confirm(answer Answer, interval Interval, bounded bool) Answer {
	if answer == Unchanged {
		return Unchanged
	}
	if float64(c.Count()-c.seen) < max(fewestFresh, freshShare*float64(c.seen)) {
		return Unsettled
	}
	fresh := 100 * math.Expm1(meanFrom(c.sequential.values, c.seen))
	c.seen = 0
	if bounded && c.rule.worse(interval) && c.rule.loss(fresh) > freshMargins*c.rule.MinEffectPercent {
		return Regressed
	}
	return Unsettled
}

// worse says that an interval excludes both no change and one for the better.
func (r Rule) worse(interval Interval) bool {
	return r.loss(interval.Low) > 0 && r.loss(interval.High) > 0
}

// loss is a change as one for the worse.
func (r Rule) loss(change float64) float64 {
	if r.Better == HigherIsBetter {
		return -change
	}
	return change
}
