package search

import (
	"math"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

const (
	// margin separates what a trial tells apart: a share of slow operations whose odds are this many times those of the
	// allowed one, and one whose odds are as many times smaller. For what lies between, either answer is right.
	margin = 1.25
	// Decided is the logarithm of nine: nine to one, for either answer, end a trial, and are the most that one trial
	// counts for. Whatever it saw itself, a neighbour's noise may have been with it from its begin to its end.
	Decided = 2.1972245773362196
	// leastPeriods are needed to see how unequal they are, and leastBlocks of longer ones.
	leastPeriods = 5
	leastBlocks  = 8
)

// Evidence is what a trial has shown so far of whether its rate keeps the objective. A trial is a series of periods, in
// each of which some operations were due and some of these slow: answered after the limit, or not at all.
//
// It is Wald's sequential test (1945) of the share of slow operations, with two alternatives on both sides of the share
// that is allowed. Slow operations come in bursts, since what holds one up holds up those behind it; each of them tells
// less than one that comes alone. How much less is the ratio of the variance between the periods to that of a binomial
// distribution, by which the log-likelihood is divided (McCullagh and Nelder 1989).
type Evidence struct {
	// allowed is the share of operations that may be slow.
	allowed float64
	periods []period
}

type period struct {
	due, slow float64
}

// NewEvidence begins a trial for an objective.
func NewEvidence(planned planv1.Search) *Evidence {
	return &Evidence{allowed: allowed(planned)}
}

// allowed is the share of operations that an objective lets be slow.
func allowed(planned planv1.Search) float64 {
	return 1 - float64(planned.PercentileMillis)/100_000
}

// Add takes another period.
func (e *Evidence) Add(due, slow int64) {
	e.periods = append(e.periods, period{float64(due), float64(slow)})
}

// Sum is that of all periods.
func (e *Evidence) Sum() (due, slow int64) {
	all := e.sum()
	return int64(all.due), int64(all.slow)
}

func (e *Evidence) sum() (all period) {
	for _, p := range e.periods {
		all.due += p.due
		all.slow += p.slow
	}
	return all
}

// Log is the logarithm of the odds that the objective is kept: above 0 it rather is, below 0 it rather is not. It is
// never beyond what one trial may count for.
func (e *Evidence) Log() float64 {
	all := e.sum()
	if all.due == 0 {
		return 0
	}
	most, least := shareOf(e.allowed, margin), shareOf(e.allowed, 1/margin)
	kept := all.slow*math.Log(least/most) + (all.due-all.slow)*math.Log((1-least)/(1-most))
	return max(-Decided, min(Decided, kept/e.dispersion(all)))
}

// shareOf is a share whose odds are so many times those of another.
func shareOf(share, times float64) float64 {
	odds := share / (1 - share) * times
	return odds / (1 + odds)
}

// dispersion is how many slow operations say as much as one that comes alone. It is never below 1.
func (e *Evidence) dispersion(all period) float64 {
	share := all.slow / all.due
	if share == 0 || share == 1 {
		return 1
	}
	largest := 1.0
	for size := 1; size == 1 || len(e.periods)/size >= leastBlocks; size *= 2 {
		largest = max(largest, e.dispersionOf(size, share))
	}
	return largest
}

// dispersionOf is that of blocks of so many periods. What holds operations up may last for longer than one.
func (e *Evidence) dispersionOf(size int, share float64) float64 {
	var squares, blocks float64
	for i := 0; i+size <= len(e.periods); i += size {
		var block period
		for _, p := range e.periods[i : i+size] {
			block.due += p.due
			block.slow += p.slow
		}
		if block.due == 0 {
			continue
		}
		excess := block.slow - block.due*share
		squares += excess * excess / (block.due * share * (1 - share))
		blocks++
	}
	if blocks < 2 {
		return 1
	}
	return squares / (blocks - 1)
}

// OddsToOne are those of an answer whose logarithm this is, to a tenth.
func OddsToOne(log float64) float64 {
	return math.Round(10*math.Exp(math.Abs(log))) / 10
}

// Failed says that the rate does not keep the objective, without doubt.
func (e *Evidence) Failed() bool {
	return len(e.periods) >= leastPeriods && e.Log() <= -Decided
}

// Kept says that it does.
func (e *Evidence) Kept() bool {
	return len(e.periods) >= leastPeriods && e.Log() >= Decided
}
