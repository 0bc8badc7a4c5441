package result

import (
	"fmt"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

const (
	// pacedShare is the part of the threads' time, one in so many, from which on the operations that take it pace the
	// others: without them, the same threads would have had time for at least twice as many of these.
	pacedShare = 2

	// pacedDoubt and pacedRemark are how rare such operations must be, one in so many of all, to be doubted and to be
	// remarked upon. An operation that takes half of the time and is one in a hundred takes 99 times as long as the
	// others, one in ten 9 times as long.
	pacedDoubt  = 100
	pacedRemark = 10
)

// pace is what paces a closed loop: the slowest operations of its mix, as many as together take half of the threads'
// time. Every thread sends the operations in their order, so that the others come as fast as these let them.
type pace struct {
	slow  []string
	count int64
	// all operations, and the times in microseconds.
	all           int64
	busy, allBusy int64
	// percent of the time, and how many of the others succeeded a second.
	percent         int64
	othersPerSecond float64
}

// paceOf is nil for an open loop, which keeps its own pace, for a step whose actions are to keep its threads waiting,
// and where no operation is rare and slow enough.
func paceOf(step reportv1.Step) *pace {
	if step.Kind != reportv1.KindMeasure || step.Arrivals != nil || step.Search != nil || len(step.Actions) > 0 {
		return nil
	}
	found := &pace{}
	for operation := range step.Mix() {
		found.all += ended(operation)
		found.allBusy += operation.BusyMicros
	}
	slowest := slices.Collect(step.Mix())
	slices.SortStableFunc(slowest, func(a, b reportv1.Operation) int {
		return compareMeans(b, a)
	})
	for i, operation := range slowest {
		if found.busy*pacedShare >= found.allBusy {
			for _, other := range slowest[i:] {
				found.othersPerSecond += throughput(step, other)
			}
			break
		}
		found.slow = append(found.slow, operation.Name)
		found.count += ended(operation)
		found.busy += operation.BusyMicros
	}
	if found.allBusy == 0 || found.count*pacedRemark > found.all {
		return nil
	}
	found.percent = found.busy * hundred / found.allBusy
	return found
}

// ended are the operations that the threads have ended within the window or after it.
func ended(operation reportv1.Operation) int64 {
	return operation.Count + operation.Errors + operation.CarriedOver
}

// compareMeans compares the mean times of two operations. One that has taken time and never ended is the slowest.
func compareMeans(a, b reportv1.Operation) int {
	left, right := float64(a.BusyMicros)*float64(ended(b)), float64(b.BusyMicros)*float64(ended(a))
	switch {
	case left < right:
		return -1
	case left > right:
		return 1
	}
	return 0
}

// doubted says whether it is so rare that the figures of the others say nothing of the target.
func (p *pace) doubted() bool { return p.count*pacedDoubt <= p.all }

func (p *pace) message(step reportv1.Step) string {
	takes, it := "takes", "it"
	if len(p.slow) > 1 {
		takes, it = "take", "them"
	}
	return fmt.Sprintf("step %q: %s %s %d %% of the threads' time with %.2g %% of the operations, so that the others, "+
		"%s/s, are paced by %s; give %s a group or a step apart, or the step an arrival rate, or more threads",
		step.Name, strings.Join(present.First(p.slow, mostPacing, "%d more"), ", "), takes, p.percent,
		float64(p.count)*hundred/float64(p.all), present.Count(int64(p.othersPerSecond+0.5)), it, it)
}

// mostPacing is how many operations a message names.
const mostPacing = 3

// pacedMix doubts a closed loop whose rate is set by operations that are rare.
func pacedMix(step judged) doubtful {
	found := paceOf(step.Step)
	if found == nil || !found.doubted() {
		return doubtful{}
	}
	return doubtful{found.percent, found.message(step.Step)}
}

// Pace says of a step in a closed loop which operations pace the others; empty when none do so by much.
func Pace(step reportv1.Step) string {
	for _, part := range step.Parts() {
		if found := paceOf(part); found != nil {
			return strings.TrimPrefix(found.message(part), fmt.Sprintf("step %q: ", part.Name))
		}
	}
	return ""
}

// pacedMixes are those that are no doubt: of them the step in which it is most.
func pacedMixes(report reportv1.Report) []string {
	var worst int64
	var message string
	for _, step := range report.Steps {
		for _, part := range step.Parts() {
			if found := paceOf(part); found != nil && !found.doubted() && found.percent > worst {
				worst, message = found.percent, found.message(part)
			}
		}
	}
	if message == "" {
		return nil
	}
	return []string{message}
}
