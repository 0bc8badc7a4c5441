package engine

import (
	"math"
	"math/bits"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// longestPause is the most that a think time is drawn to: that which may be declared.
const longestPause = time.Hour

// pauses are the think times of the workers of a closed loop. How long the one after an operation is depends on the
// operation's number alone.
type pauses struct {
	stream stream.Stream
	// after holds the think time of each operation of the mix; nil: none.
	after []*planv1.ThinkTime
}

// newPauses are those of a part of a step; nil when its workers never pause.
func newPauses(part planv1.Step, seed int64) *pauses {
	p := &pauses{stream: stream.New(seed, "think\x00"+part.Name)}
	paused := false
	for _, operation := range part.Operations {
		own := operation.ThinkTime
		if own == nil {
			own = part.ThinkTime
		}
		p.after = append(p.after, own)
		paused = paused || own != nil
	}
	if !paused {
		return nil
	}
	return p
}

// next is when a worker may send again, after the operation with this number and this index in the mix.
func (p *pauses) next(number int64, operation int, sent, replied time.Time) time.Time {
	think := p.after[operation]
	if think == nil {
		return replied
	}
	pause := drawPause(think, p.stream.At(number))
	if !think.FromStart {
		return replied.Add(pause)
	}
	if next := sent.Add(pause); next.After(replied) {
		return next
	}
	return replied
}

// drawPause draws a think time.
func drawPause(think *planv1.ThinkTime, point stream.Point) time.Duration {
	micros := float64(think.Micros)
	switch think.Distribution {
	case benchv1alpha1.ThinkTimeUniform:
		share, _ := bits.Mul64(uint64(point), uint64(think.MaxMicros-think.Micros)+1)
		micros += float64(share)
	case benchv1alpha1.ThinkTimeExponential:
		micros *= -math.Log(fraction(point))
	case benchv1alpha1.ThinkTimeNormal:
		micros += float64(think.DeviationMicros) * math.Sqrt2 * math.Erfinv(2*fraction(point)-1)
	case benchv1alpha1.ThinkTimeConstant:
	}
	return min(max(time.Duration(micros*float64(time.Microsecond)), 0), longestPause)
}

// fraction is a number between 0 and 1, and neither of them.
func fraction(point stream.Point) float64 {
	const digits = 52
	return (float64(uint64(point)>>(64-digits)) + 0.5) / (1 << digits)
}
