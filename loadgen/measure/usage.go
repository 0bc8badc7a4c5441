package measure

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// CPULimitVariable is the environment variable that holds the CPU limit of a load pod, in thousandths of a core.
const CPULimitVariable = "MONGOBENCH_CPU_LIMIT_MILLIS"

// Usage is what the process used since it was started.
type Usage struct {
	at        time.Time
	cpu       time.Duration
	gcPause   time.Duration
	throttled time.Duration
}

// ReadUsage returns what the process used until now.
func ReadUsage() Usage {
	usage := Usage{at: time.Now(), throttled: throttledTime(cgroupFiles)}
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
	available := time.Duration(float64(u.at.Sub(before.at)) * cores())
	used := reportv1.Generator{
		CPUMicros:          (u.cpu - before.cpu).Microseconds(),
		AvailableCPUMicros: available.Microseconds(),
		ThrottledMicros:    (u.throttled - before.throttled).Microseconds(),
		GCPauseMicros:      (u.gcPause - before.gcPause).Microseconds(),
	}
	if used.AvailableCPUMicros > 0 {
		used.BusiestPodPercent = int(used.CPUMicros * 100 / used.AvailableCPUMicros)
	}
	return used
}

// cores is the number of cores that the process may use: the pod's limit, or else those that Go sees, which heeds the
// cgroup's quota too.
func cores() float64 {
	available := float64(runtime.GOMAXPROCS(0))
	if millis, err := strconv.Atoi(os.Getenv(CPULimitVariable)); err == nil && millis > 0 {
		return min(float64(millis)/1000, float64(runtime.NumCPU()))
	}
	return available
}

// cgroupFiles are where a container finds how long its own cgroup was throttled: version 2, then version 1.
var cgroupFiles = []string{
	"/sys/fs/cgroup/cpu.stat",
	"/sys/fs/cgroup/cpu/cpu.stat",
	"/sys/fs/cgroup/cpu,cpuacct/cpu.stat",
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
