package measure

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
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

const (
	// ownThreads match a file for each thread of this process, with three numbers: the time that the thread ran, and that
	// it could run and waited for a processor, both in nanoseconds, and how often (Linux, Documentation/scheduler/
	// sched-stats.rst).
	ownThreads = "/proc/self/task/*/schedstat"
	// ownStatus has the largest resident size of this process, as VmHWM, in KiB.
	ownStatus = "/proc/self/status"
)

// cgroupFiles are where a container finds how long its own cgroup was throttled: version 2, then version 1.
var cgroupFiles = []string{
	"/sys/fs/cgroup/cpu.stat",
	"/sys/fs/cgroup/cpu/cpu.stat",
	"/sys/fs/cgroup/cpu,cpuacct/cpu.stat",
}

// Cores is the number of cores that the process may use: those that Go uses, which heeds the cgroup's quota, or the
// pod's limit where that is less.
func Cores() float64 {
	available := float64(runtime.GOMAXPROCS(0))
	if millis, err := strconv.Atoi(os.Getenv(CPULimitVariable)); err == nil && millis > 0 {
		return min(float64(millis)/1000, available)
	}
	return available
}

// throttledTime reads the first of the files that can be read; 0 if none can.
func throttledTime(files []string) time.Duration {
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		return parseThrottled(string(content))
	}
	return 0
}

// parseThrottled finds the throttled time in a cpu.stat: microseconds in version 2, nanoseconds in version 1.
func parseThrottled(stat string) time.Duration {
	units := map[string]time.Duration{"throttled_usec": time.Microsecond, "throttled_time": time.Nanosecond}
	for line := range strings.Lines(stat) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		unit, known := units[name]
		if !known {
			continue
		}
		if number, err := strconv.ParseInt(value, 10, 64); err == nil {
			return time.Duration(number) * unit
		}
	}
	return 0
}

// waitedTime adds up how long threads waited for a processor; 0 where the kernel does not tell.
func waitedTime(pattern string) time.Duration {
	threads, err := filepath.Glob(pattern)
	if err != nil {
		return 0
	}
	var waited time.Duration
	for _, thread := range threads {
		content, err := os.ReadFile(thread)
		if err != nil {
			// The thread has ended meanwhile.
			continue
		}
		numbers := strings.Fields(string(content))
		if len(numbers) < 2 {
			continue
		}
		if nanos, err := strconv.ParseInt(numbers[1], 10, 64); err == nil {
			waited += time.Duration(nanos)
		}
	}
	return waited
}

// peakMemory is the largest resident size that the process has had, in bytes; 0 where the kernel does not tell.
func peakMemory(file string) int64 {
	content, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(content)) {
		value, found := strings.CutPrefix(line, "VmHWM:")
		if !found {
			continue
		}
		kibibytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
		if err == nil {
			return kibibytes << 10
		}
	}
	return 0
}
