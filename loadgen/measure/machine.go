package measure

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// NodeVariable is the environment variable with the name of the node that a load pod runs on.
const NodeVariable = "MONGOBENCH_NODE_NAME"

// Files of the kernel, below the root. A pod without any right may read all of them, and none is a setting of the pod's
// own: they are the same in every container of a machine.
const (
	// processorsFile has a paragraph for each processor, of lines with a name, a colon and a value.
	processorsFile = "proc/cpuinfo"
	// releaseFile has the release of the kernel.
	releaseFile = "proc/sys/kernel/osrelease"
	// swappinessFile has a number.
	swappinessFile = "proc/sys/vm/swappiness"
	// hugePagesFile has all choices, with the one in force in brackets.
	hugePagesFile = "sys/kernel/mm/transparent_hugepage/enabled"
	// clockFile has the name of the clock in force.
	clockFile = "sys/devices/system/clocksource/clocksource0/current_clocksource"
	// governorFiles have a word for each processor. Where the hypervisor has the clock there are none.
	governorFiles = "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor"
	// cgroupFolder is where cgroups are mounted, and unifiedFile is in it when they are of version 2.
	cgroupFolder = "sys/fs/cgroup"
	unifiedFile  = "sys/fs/cgroup/cgroup.controllers"
)

// Machines is the one that this process runs on; none where the kernel tells nothing of it.
func Machines() []reportv1.Machine {
	machine := machineOf(os.DirFS("/"))
	machine.Node = os.Getenv(NodeVariable)
	if machine == (reportv1.Machine{}) {
		return nil
	}
	return []reportv1.Machine{machine}
}

// machineOf is the machine whose files these are. Those that cannot be read say nothing.
func machineOf(root fs.FS) reportv1.Machine {
	read := func(name string) string {
		content, _ := fs.ReadFile(root, name)
		return strings.TrimSpace(string(content))
	}
	return reportv1.Machine{
		CPUModel: cpuModel(read(processorsFile)), Kernel: read(releaseFile),
		CPUGovernor: governors(root, read), TransparentHugePages: chosen(read(hugePagesFile)),
		Swappiness: read(swappinessFile), ClockSource: read(clockFile), CgroupVersion: cgroupVersion(root),
	}
}

// governors are those of all processors, each once.
func governors(root fs.FS, read func(string) string) string {
	// It fails for a pattern that is none, only.
	files, _ := fs.Glob(root, governorFiles)
	found := make([]string, 0, len(files))
	for _, file := range files {
		if governor := read(file); governor != "" {
			found = append(found, governor)
		}
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), ", ")
}

// chosen is the word in brackets.
func chosen(choices string) string {
	_, rest, _ := strings.Cut(choices, "[")
	word, _, closed := strings.Cut(rest, "]")
	if !closed {
		return ""
	}
	return word
}

func cgroupVersion(root fs.FS) int {
	if _, err := fs.Stat(root, unifiedFile); err == nil {
		return 2
	}
	// Version 1 has a folder for each controller.
	if _, err := fs.Stat(root, path.Join(cgroupFolder, "cpu")); err == nil {
		return 1
	}
	return 0
}

// cpuModel is the name of the first processor or, where it has none, as those of ARM, the numbers of who made it and
// of what it is.
func cpuModel(processors string) string {
	first := map[string]string{}
	for line := range strings.Lines(processors) {
		name, value, _ := strings.Cut(line, ":")
		name = strings.TrimSpace(name)
		if _, known := first[name]; !known {
			first[name] = strings.Join(strings.Fields(value), " ")
		}
	}
	if model := first["model name"]; model != "" {
		return model
	}
	if implementer, part := first["CPU implementer"], first["CPU part"]; implementer != "" && part != "" {
		return "implementer " + implementer + ", part " + part
	}
	return ""
}

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
	// steal and pressure are the machine's.
	steal, pressure time.Duration
}

// ReadUsage returns what the process used until now. It reads a file for each thread of the process, and takes less
// than a millisecond.
func ReadUsage() Usage {
	usage := Usage{
		at: time.Now(), throttled: throttledTime(cgroupFiles), waited: waitedTime(ownThreads), gcCPU: gcCPU(),
		cpu: cpuTime(), steal: stealTime(processorTimes), pressure: pressureTime(cpuPressure),
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
		StealMicros:     (u.steal - before.steal).Microseconds(),
		PressureMicros:  (u.pressure - before.pressure).Microseconds(),
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

const (
	// processorTimes begins with the times that all processors spent, since the machine started, in user mode, at a low
	// priority, in the kernel, idle, waiting for input, in interrupts, in soft ones, and kept from running by the
	// hypervisor (steal), in hundredths of a second (Linux, Documentation/filesystems/proc.rst).
	processorTimes = "/proc/stat"
	stealAt        = 8
	tick           = time.Second / 100
	// cpuPressure has, in its first line, how long some task of the machine waited for a processor since it started, in
	// microseconds, as total= (Linux, Documentation/accounting/psi.rst).
	cpuPressure = "/proc/pressure/cpu"
)

// stealTime is how long the processors were kept from running; 0 where the kernel does not tell.
func stealTime(file string) time.Duration {
	content, _ := os.ReadFile(file)
	first, _, _ := strings.Cut(string(content), "\n")
	numbers := strings.Fields(first)
	if len(numbers) <= stealAt || numbers[0] != "cpu" {
		return 0
	}
	ticks, _ := strconv.ParseInt(numbers[stealAt], 10, 64)
	return time.Duration(ticks) * tick
}

// pressureTime is how long some task waited; 0 where the kernel does not tell.
func pressureTime(file string) time.Duration {
	content, _ := os.ReadFile(file)
	first, _, _ := strings.Cut(string(content), "\n")
	_, total, found := strings.Cut(first, "total=")
	if !found || !strings.HasPrefix(first, "some") {
		return 0
	}
	waited, _ := strconv.ParseInt(total, 10, 64)
	return time.Duration(waited) * time.Microsecond
}

// cgroupFiles are where a container finds how long its own cgroup was throttled: version 2, in microseconds, then
// version 1, in nanoseconds.
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
		if micros, found := numberAfter("throttled_usec", content); found {
			return time.Duration(micros) * time.Microsecond
		}
		nanos, _ := numberAfter("throttled_time", content)
		return time.Duration(nanos)
	}
	return 0
}

// numberAfter is the number that follows a name with which a line begins.
func numberAfter(name string, content []byte) (int64, bool) {
	for line := range strings.Lines(string(content)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			number, err := strconv.ParseInt(words[1], 10, 64)
			return number, err == nil
		}
	}
	return 0, false
}

// waitedTime adds up how long threads waited for a processor; 0 where the kernel does not tell.
func waitedTime(pattern string) time.Duration {
	// It fails for a pattern that is none, only.
	threads, _ := filepath.Glob(pattern)
	var waited time.Duration
	for _, thread := range threads {
		// A thread may have ended meanwhile.
		content, _ := os.ReadFile(thread)
		if numbers := strings.Fields(string(content)); len(numbers) > 1 {
			nanos, _ := strconv.ParseInt(numbers[1], 10, 64)
			waited += time.Duration(nanos)
		}
	}
	return waited
}

// peakMemory is the largest resident size that the process has had, in bytes; 0 where the kernel does not tell.
func peakMemory(file string) int64 {
	content, _ := os.ReadFile(file)
	if kibibytes, found := numberAfter("VmHWM:", content); found {
		return kibibytes << 10
	}
	return 0
}
