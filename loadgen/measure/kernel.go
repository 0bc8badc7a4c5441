package measure

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

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
