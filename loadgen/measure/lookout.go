package measure

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime/metrics"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
)

const (
	// probes is how many times a window is looked at, so that ten of them are above its p99.9. A probe takes about as
	// much CPU time as a small read: 5 to 15 µs.
	probes = 10_000
	// The probes of a window come from a thousandth to a twentieth of a second from one another.
	nearestProbes, farthestProbes = time.Millisecond, 50 * time.Millisecond

	// shortestPart is how long the last part of a window must be to count as one of its seconds.
	shortestPart = 500 * time.Millisecond

	// goroutineWaits is Go's histogram of how long goroutines that could run waited, of which it counts one in eight.
	goroutineWaits = "/sched/latencies:seconds"
)

// Lookout watches the load generator itself while a window is measured: how late it notices what has come, how long its
// goroutines wait for one of its processors, and what it uses in the window's busiest second.
//
//	kernel: timer goes off ───────────── delay ─────────────> probe has the time
//	kernel: reply can be read ── the same, unseen elsewhere ──> worker has the time
//
// A probe waits for a timer of the kernel as a worker waits for its reply: in Go's poller, then in its queue. When the
// timer goes off is known exactly, so that what is late is the load generator, or what keeps it from running. The
// kernel itself notices the timer in an interrupt, however busy the machine is.
type Lookout struct {
	clock  alarm.Alarm
	gap    time.Duration
	before Usage
	waits  []uint64
	delay  Histogram
	// second is when the present second of the window began, and cpu the CPU time used until then.
	second  time.Time
	cpu     time.Duration
	busiest int
}

// NewLookout begins to watch a window of this length, 0 when a number of operations ends it. Without an alarm that is
// precise, which is nil, the delay is not looked for.
func NewLookout(clock alarm.Alarm, length time.Duration) *Lookout {
	l := &Lookout{clock: clock, gap: 5 * nearestProbes, second: time.Now(), cpu: cpuTime()}
	if length > 0 {
		l.gap = min(max(length/probes, nearestProbes), farthestProbes)
	}
	l.waits = readWaits().Counts
	l.before = ReadUsage()
	return l
}

// Watch probes until an instant, or until the context ends when that is zero or later. The waits between two probes
// vary, so that they fall together with nothing that is periodic.
func (l *Lookout) Watch(ctx context.Context, until time.Time) {
	if l.clock == nil {
		l.clock, l.gap = alarm.Timer{}, time.Second/2
		defer func() { l.delay = Histogram{} }()
	}
	for {
		now := time.Now()
		l.turn(now, time.Second)
		at := now.Add(l.gap/2 + rand.N(l.gap))
		if !until.IsZero() && at.After(until) {
			if l.clock.Until(ctx, until) == nil {
				l.turn(time.Now(), shortestPart)
			}
			return
		}
		if l.clock.Until(ctx, at) != nil {
			l.turn(time.Now(), shortestPart)
			return
		}
		l.delay.Record(micros(time.Since(at)))
	}
}

// turn begins another second once the present one has had its length.
func (l *Lookout) turn(now time.Time, length time.Duration) {
	elapsed := now.Sub(l.second)
	if elapsed < length {
		return
	}
	used := cpuTime()
	l.busiest = max(l.busiest, int(float64(used-l.cpu)*100/(float64(elapsed)*Cores())))
	l.second, l.cpu = now, used
}

// Close ends the window, and says what was seen in it.
func (l *Lookout) Close() (reportv1.Generator, error) {
	seen := ReadUsage().Since(l.before)
	seen.BusiestSecondPercent = l.busiest
	delay := reportv1.NewHistogram()
	l.delay.AddTo(delay)
	if delay.TotalCount() > 0 {
		seen.ProbeMicros = l.gap.Microseconds()
	}
	err := errors.Join(encodeSome(&seen.Delay, delay), encodeSome(&seen.GoroutineWait, waitedSince(readWaits(), l.waits)))
	return seen, err
}

// encodeSome writes a histogram as a report holds it, and an empty one as an empty text.
func encodeSome(into *string, histogram *hdrhistogram.Histogram) error {
	if histogram.TotalCount() == 0 {
		return nil
	}
	var err error
	*into, err = reportv1.EncodeHistogram(histogram)
	return err
}

// readWaits reads Go's histogram of waiting goroutines; an empty one from a Go that has none.
func readWaits() metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: goroutineWaits}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return metrics.Float64Histogram{}
	}
	return *sample[0].Value.Float64Histogram()
}

// waitedSince is what was added to Go's histogram after an earlier reading of its counts. A bucket is counted at its
// upper end, or at its lower one where that is all there is.
func waitedSince(now metrics.Float64Histogram, before []uint64) *hdrhistogram.Histogram {
	since := reportv1.NewHistogram()
	for i, count := range now.Counts {
		if i < len(before) {
			count -= before[i]
		}
		if count == 0 {
			continue
		}
		seconds := now.Buckets[i+1]
		if math.IsInf(seconds, 1) {
			seconds = now.Buckets[i]
		}
		waited := min(micros(time.Duration(seconds*float64(time.Second))), reportv1.HistogramHighestMicros)
		// It is within the range.
		_ = since.RecordValues(waited, int64(count))
	}
	return since
}
