package engine

import (
	"math"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

// ramp says which workers of a closed loop work at which time: those whose rank, from 0, is below the number of threads
// then. It is nil where all of them work all the time.
type ramp []planv1.ThreadStage

// never is when a worker works that is not needed any more.
const never = time.Duration(math.MaxInt64)

// turn is when a worker may send that wants to after so long: at once, when the number of threads has risen above its
// rank, or never.
func (r ramp) turn(rank int64, after time.Duration) time.Duration {
	if r == nil {
		return after
	}
	begin := time.Duration(0)
	for _, stage := range r {
		end := begin + time.Duration(stage.Seconds)*time.Second
		if from, to := working(stage, rank, begin, end); from < to && after < to {
			return max(after, from)
		}
		begin = end
	}
	if rank < int64(r[len(r)-1].To) {
		return max(after, begin)
	}
	return never
}

// working is the time in a stage, from and before, in which the number of threads is above a rank.
func working(stage planv1.ThreadStage, rank int64, begin, end time.Duration) (from, to time.Duration) {
	above := func(threads int) bool { return rank < int64(threads) }
	switch {
	case above(stage.From) && above(stage.To):
		return begin, end
	case !above(stage.From) && !above(stage.To):
		return end, end
	}
	// At the middle between two numbers, so that on average there are as many as the line says.
	share := (float64(rank) + 0.5 - float64(stage.From)) / float64(stage.To-stage.From)
	crossing := begin + time.Duration(share*float64(end-begin))
	if above(stage.To) {
		return crossing, end
	}
	return begin, crossing
}

// rank of a worker: workers of the pods take turns, so that every pod has its part of a ramp.
func rank(index, pod, pods int) int64 { return int64(index*max(pods, 1) + pod) }
