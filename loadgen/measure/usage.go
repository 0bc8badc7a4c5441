package measure

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"syscall"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// CPULimitVariable is the environment variable that holds the CPU limit of a load pod, in thousandths of a core.
const CPULimitVariable = "MONGOBENCH_CPU_LIMIT_MILLIS"

// gcCPUMetric is the CPU time of Go's collector. Go brings it up to date at the end of each collection.
const gcCPUMetric = "/cpu/classes/gc/total:cpu-seconds"

// Usage is what the process used since it was started.
type Usage struct {
	at        time.Time
	cpu       time.Duration
	gcPause   time.Duration
	gcCPU     time.Duration
	throttled time.Duration
	waited    time.Duration
}

// ReadUsage returns what the process used until now. It reads a file for each thread of the process, and takes less
// than a millisecond.
func ReadUsage() Usage {
	usage := Usage{at: time.Now(), throttled: throttledTime(cgroupFiles), waited: waitedTime(ownThreads), gcCPU: gcCPU()}
	var self syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &self); err == nil {
		usage.cpu = time.Duration(self.Utime.Nano() + self.Stime.Nano())
	}
	var collector debug.GCStats
	debug.ReadGCStats(&collector)
	usage.gcPause = collector.PauseTotal
	return usage
}

// Since returns what was used since an earlier reading.
func (u Usage) Since(before Usage) reportv1.Generator {
	available := time.Duration(float64(u.at.Sub(before.at)) * Cores())
	used := reportv1.Generator{
		CPUMicros:          (u.cpu - before.cpu).Microseconds(),
		AvailableCPUMicros: available.Microseconds(),
		ThrottledMicros:    (u.throttled - before.throttled).Microseconds(),
		GCPauseMicros:      (u.gcPause - before.gcPause).Microseconds(),
		GCCPUMicros:        (u.gcCPU - before.gcCPU).Microseconds(),
		// A thread that has ended takes its time with it.
		WaitMicros:      max(0, u.waited-before.waited).Microseconds(),
		Processors:      runtime.GOMAXPROCS(0),
		PeakMemoryBytes: peakMemory(ownStatus),
	}
	if used.AvailableCPUMicros > 0 {
		used.BusiestPodPercent = int(used.CPUMicros * 100 / used.AvailableCPUMicros)
	}
	return used
}

func gcCPU() time.Duration {
	sample := []metrics.Sample{{Name: gcCPUMetric}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64 {
		return 0
	}
	return time.Duration(sample[0].Value.Float64() * float64(time.Second))
}

// TrafficSince is what went over the connections after an earlier reading. The longest checkout is of all time: it says
// nothing when there was none since.
func TrafficSince(now, before reportv1.Traffic) reportv1.Traffic {
	since := reportv1.Traffic{
		BytesIn: now.BytesIn - before.BytesIn, BytesOut: now.BytesOut - before.BytesOut,
		Checkouts: now.Checkouts - before.Checkouts, CheckoutMicros: now.CheckoutMicros - before.CheckoutMicros,
	}
	if since.Checkouts > 0 {
		since.MaxCheckoutMicros = now.MaxCheckoutMicros
	}
	return since
}
