package result

import (
	"errors"
	"math"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Windows makes one step of windows that follow one another on the same pod, with something else between them. What is
// recorded of the operations is added up elsewhere: here is all that is around it.
type Windows struct {
	whole reportv1.Step
	count int64
	// delays and waits are the encoded histograms of the windows.
	delays, waits []string
}

// Count is how many windows there are.
func (w *Windows) Count() int { return int(w.count) }

// Add adds the window that follows.
func (w *Windows) Add(part reportv1.Step) {
	whole := &w.whole
	if w.count == 0 {
		*whole = part
		whole.WindowMillis, whole.Operations, whole.Arrivals, whole.Steady = 0, nil, nil, nil
		whole.Generator = reportv1.Generator{}
		whole.Traffic = reportv1.Traffic{}
	}
	w.count++
	whole.End = part.End
	whole.SpanMillis = part.WindowEnd().Sub(whole.MeasureStart).Milliseconds()
	whole.WindowMillis += part.WindowMillis
	whole.OverrunMicros = max(whole.OverrunMicros, part.OverrunMicros)
	whole.Traffic = mergeTraffic(whole.Traffic, part.Traffic)
	w.addGenerator(part.Generator)
	w.addDrain(part.Drain)
	w.addArrivals(part.Arrivals)
}

func (w *Windows) addGenerator(part reportv1.Generator) {
	all := mergeGenerators(w.whole.Generator, part)
	// In the same pod, one after the other, the times add up.
	all.ThrottledMicros = w.whole.Generator.ThrottledMicros + part.ThrottledMicros
	all.StealMicros = w.whole.Generator.StealMicros + part.StealMicros
	all.PressureMicros = w.whole.Generator.PressureMicros + part.PressureMicros
	if all.AvailableCPUMicros > 0 {
		all.BusiestPodPercent = int(math.Round(100 * float64(all.CPUMicros) / float64(all.AvailableCPUMicros)))
	}
	w.whole.Generator = all
	w.delays, w.waits = append(w.delays, part.Delay), append(w.waits, part.GoroutineWait)
}

// addDrain keeps the longest drain, and what went wrong first.
func (w *Windows) addDrain(part *reportv1.Drain) {
	switch drain := w.whole.Drain; {
	case part == nil:
	case drain == nil:
		w.whole.Drain = part
	default:
		longest := *drain
		longest.Micros = max(drain.Micros, part.Micros)
		if longest.Failed == "" {
			longest.Failed = part.Failed
		}
		w.whole.Drain = &longest
	}
}

func (w *Windows) addArrivals(part *reportv1.Arrivals) {
	if part == nil {
		return
	}
	if w.whole.Arrivals == nil {
		w.whole.Arrivals = &reportv1.Arrivals{Process: part.Process}
	}
	all := w.whole.Arrivals
	all.Due += part.Due
	all.Dropped += part.Dropped
	all.Skipped += part.Skipped
	all.Late += part.Late
	all.WindowMillis += part.WindowMillis
	all.LargestQueue = max(all.LargestQueue, part.LargestQueue)
}

// Step is all windows together. What was recorded in them is given: the operations with their intervals, and of an open
// loop how late operations were sent; nil otherwise.
func (w *Windows) Step(operations []reportv1.Operation, millis int, sent *reportv1.Arrivals) (reportv1.Step, error) {
	whole := w.whole
	whole.Operations, whole.IntervalMillis = operations, millis
	if whole.Arrivals != nil && sent != nil {
		arrivals := *whole.Arrivals
		arrivals.Lag, arrivals.WakeUp = sent.Lag, sent.WakeUp
		whole.Arrivals = &arrivals
	}
	whole.Steady = FindSteady(whole)
	return whole, errors.Join(
		mergeEncoded(&whole.Generator.Delay, "the load generator's delay", w.delays),
		mergeEncoded(&whole.Generator.GoroutineWait, "waiting goroutines", w.waits))
}
