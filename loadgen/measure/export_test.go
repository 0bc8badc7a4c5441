package measure

import (
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/censored"
)

// These read other files than those of this machine.
var (
	ThrottledTime = throttledTime
	WaitedTime    = waitedTime
	PeakMemory    = peakMemory
	MachineOf     = machineOf
	StealTime     = stealTime
	PressureTime  = pressureTime
)

// Percentile is the latency, in microseconds, of all operations together: the response time in an open loop and
// otherwise the service time, of failures as the package censored counts them. The percentile is in thousandths, 99,900
// for p99.9. It is 0 when there was no operation.
func (r *Recording) Percentile(percentileMillis int) int64 {
	sum := reportv1.NewHistogram()
	for i := range r.mix {
		answered := r.added(func(from *tally) *Histogram { return from.operations[i].latency(r.open) })
		failures := r.added(func(from *tally) *Histogram {
			if failed := from.operations[i].failed; failed != nil {
				return failed.latency(r.open)
			}
			return nil
		})
		switch {
		case answered != nil && failures != nil:
			sum.Merge(censored.Latency(answered, failures))
		case answered != nil:
			sum.Merge(answered)
		case failures != nil:
			sum.Merge(failures)
		}
	}
	return sum.ValueAtQuantile(float64(percentileMillis) / 1000)
}
