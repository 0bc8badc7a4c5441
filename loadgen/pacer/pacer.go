package pacer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/formula"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// Never is the due time of an operation that does not come, because the rate has gone down to 0 for good.
const Never = time.Duration(math.MaxInt64)

// longestGap of a trace.
const longestGap = time.Hour

// Schedule is an arrival process. It is read-only and serves any number of cursors.
type Schedule struct {
	process benchv1alpha1.ArrivalProcess
	ramps   ramps
	// formula of the rate, in place of ramps; nil: there is none.
	formula *formula.Formula
	// gaps of a Trace: starts are the sums of the gaps before each, and round is the sum of all.
	gaps, starts []time.Duration
	round        time.Duration
	// random gives the gaps of a Poisson process.
	random stream.Stream
}

// New makes the schedule of a step. Only a Poisson process uses the seed and the label: equal ones give equal
// schedules.
func New(arrival planv1.Arrival, seed int64, label string) (*Schedule, error) {
	s := &Schedule{process: arrival.Process, random: stream.New(seed, "arrivals\x00"+label)}
	switch arrival.Process {
	case benchv1alpha1.ArrivalConstant, benchv1alpha1.ArrivalPoisson:
		var err error
		if arrival.Formula != "" {
			s.formula, err = formula.Parse(arrival.Formula)
			return s, err
		}
		s.ramps, err = newRamps(arrival.Stages)
		return s, err
	case benchv1alpha1.ArrivalTrace:
		return s, s.repeat(arrival.GapsMicros)
	default:
		return nil, fmt.Errorf("arrival process %q is not known: it is %s, %s or %s", arrival.Process,
			benchv1alpha1.ArrivalConstant, benchv1alpha1.ArrivalPoisson, benchv1alpha1.ArrivalTrace)
	}
}

// repeat sets the gaps of a trace.
func (s *Schedule) repeat(gapsMicros []int64) error {
	for i, micros := range gapsMicros {
		if micros < 0 || micros > longestGap.Microseconds() || s.round > Never-longestGap {
			return fmt.Errorf("gap %d of the arrivals is %d µs after %s; none may be negative or longer than an hour, and all "+
				"together no longer than centuries", i, micros, s.round)
		}
		gap := time.Duration(micros) * time.Microsecond
		s.gaps = append(s.gaps, gap)
		s.starts = append(s.starts, s.round)
		s.round += gap
	}
	if s.round == 0 {
		return errors.New("the gaps of the arrivals add up to 0 µs: everything would be due at once")
	}
	return nil
}

// Warmup is the process for the time before the measure window: it goes on at the rate that the window begins with, or
// the first one above 0; a trace is its own.
func Warmup(arrival planv1.Arrival) planv1.Arrival {
	if rate := firstRate(arrival.Formula); rate > 0 {
		arrival.Formula, arrival.Stages = "", []planv1.ArrivalStage{{Seconds: 1, From: rate, To: rate}}
		return arrival
	}
	for _, stage := range arrival.Stages {
		if rate := cmp.Or(stage.From, stage.To); rate > 0 {
			arrival.Stages = []planv1.ArrivalStage{{Seconds: 1, From: rate, To: rate}}
			break
		}
	}
	return arrival
}

// firstRate is the first rate of a formula that is at least 1, of those at whole seconds; 0 when there is none.
func firstRate(text string) int64 {
	if text == "" {
		return 0
	}
	rate, err := formula.Parse(text)
	if err != nil {
		return 0
	}
	curve := newCurve(rate)
	for second := range int64(time.Hour / time.Second) {
		if at := curve.at(float64(second)); at >= 1 {
			return int64(at)
		}
	}
	return 0
}

// Cursor goes through the numbers first, first+stride, first+2*stride and so on.
type Cursor struct {
	schedule *Schedule
	number   int64
	stride   int64
	// stage is where the last due time was found: times only grow.
	stage int
	// drawn is how many gaps of a Poisson process were drawn, and sum what they add up to, in operations at rate 1.
	drawn int64
	sum   float64
	// curve is the cursor's own of a formula; nil: there are ramps.
	curve *curve
}

// Cursor begins with a number.
func (s *Schedule) Cursor(first, stride int64) *Cursor {
	c := &Cursor{schedule: s, number: first, stride: stride}
	if s.formula != nil {
		c.curve = newCurve(s.formula)
	}
	return c
}

// Next returns the next of the cursor's operations, counted from 0, and when it is due after the start of the window.
// It allocates nothing. Due times never go back.
func (c *Cursor) Next() (number int64, due time.Duration) {
	number = c.number
	c.number += c.stride
	s := c.schedule
	switch s.process {
	case benchv1alpha1.ArrivalTrace:
		gaps := int64(len(s.gaps))
		return number, time.Duration(number/gaps)*s.round + s.starts[number%gaps]
	case benchv1alpha1.ArrivalPoisson:
		// A Poisson process of any rate is one of rate 1 on a clock that runs with the integral of that rate. Its gaps are
		// added one by one, whoever they belong to, so that every pod finds the same times.
		for c.drawn <= number {
			c.sum += gap(s.random.At(c.drawn))
			c.drawn++
		}
		return number, c.due(c.sum)
	default:
		return number, c.due(float64(number))
	}
}

// due is when the count that is due reaches n.
func (c *Cursor) due(n float64) (due time.Duration) {
	if c.curve != nil {
		return c.curve.due(n)
	}
	due, c.stage = c.schedule.ramps.due(n, c.stage)
	return due
}

// gap is exponentially distributed with mean 1. The uniform share, of 53 bits, is never 0.
func gap(point stream.Point) float64 {
	const bits = 53
	return -math.Log((float64(uint64(point)>>(64-bits)) + 0.5) / (1 << bits))
}

// ramps is a rate that goes evenly from one value to another in each of several stages, and stays at the last one's
// final value.
type ramps []ramp

// ramp is one stage, in seconds and operations per second.
type ramp struct {
	// begin is when it begins, and before the count that is due until then.
	begin, before float64
	// length is infinite for the last.
	length, from, to float64
	// after is the count that is due until the ramp's end.
	after float64
}

func newRamps(stages []planv1.ArrivalStage) (ramps, error) {
	if len(stages) == 0 {
		return nil, errors.New("an arrival process needs at least one stage")
	}
	var all ramps
	var begin, count float64
	for i, stage := range stages {
		if stage.Seconds < 0 || stage.From < 0 || stage.To < 0 {
			return nil, fmt.Errorf("stage %d of the arrivals: %d seconds from %d to %d operations/s; none of these may be "+
				"negative", i, stage.Seconds, stage.From, stage.To)
		}
		r := ramp{begin: begin, before: count, length: float64(stage.Seconds)}
		r.from, r.to = float64(stage.From), float64(stage.To)
		r.after = count + r.length*(r.from+r.to)/2
		begin, count = begin+r.length, r.after
		all = append(all, r)
	}
	final := all[len(all)-1].to
	all = append(all, ramp{begin: begin, before: count, length: math.Inf(1), from: final, to: final, after: math.Inf(1)})
	if count == 0 && final == 0 {
		return nil, errors.New("an arrival process with no rate above 0 never sends anything")
	}
	return all, nil
}

// due is when the count that is due reaches n, with the stage that this happens in, at or after the given one. A count
// that is never reached is due never. Where the rate is 0 for a while the operation is due at the end of that: it is
// the first of what comes then.
func (r ramps) due(n float64, stage int) (time.Duration, int) {
	for n >= r[stage].after {
		stage++
	}
	return r[stage].due(n), stage
}

// due is when, in a stage, the count that is due reaches n.
func (r *ramp) due(n float64) time.Duration {
	missing := n - r.before
	if missing <= 0 {
		return seconds(r.firstBegin())
	}
	if r.from == r.to {
		return seconds(r.begin + missing/r.from)
	}
	// The count is from*t + slope*t*t with half the slope of the rate. This form of the solution loses no digits when the
	// slope is small, and needs no case for a ramp that begins at 0.
	slope := (r.to - r.from) / (2 * r.length)
	root := math.Sqrt(max(r.from*r.from+4*slope*missing, 0))
	return seconds(r.begin + min(2*missing/(r.from+root), r.length))
}

// firstBegin is when the stage begins, or never when nothing is ever due in it.
func (r *ramp) firstBegin() float64 {
	if r.from == 0 && r.to == 0 {
		return math.Inf(1)
	}
	return r.begin
}

// seconds is a time, or Never when it lies further away than a time.Duration can say.
func seconds(s float64) time.Duration {
	if !(s < float64(Never)/float64(time.Second)) {
		return Never
	}
	return time.Duration(math.Round(s * float64(time.Second)))
}
