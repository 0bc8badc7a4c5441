package pacer

import (
	"errors"
	"fmt"
	"math"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

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
	at := &r[stage]
	missing := n - at.before
	if missing <= 0 {
		return seconds(at.firstBegin()), stage
	}
	if at.from == at.to {
		return seconds(at.begin + missing/at.from), stage
	}
	// The count is from*t + slope*t*t with half the slope of the rate. This form of the solution loses no digits when the
	// slope is small, and needs no case for a ramp that begins at 0.
	slope := (at.to - at.from) / (2 * at.length)
	root := math.Sqrt(max(at.from*at.from+4*slope*missing, 0))
	return seconds(at.begin + min(2*missing/(at.from+root), at.length)), stage
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
