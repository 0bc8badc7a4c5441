package observe

import (
	"slices"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Summary is what a member did in a window of time, such as the one that a step counted.
type Summary struct {
	// Name and Role are the member's.
	Name, Role string
	// Samples in the window.
	Samples int
	// CPUMillis of the server, per second: 1000 is one core.
	CPUMillis int64
	// ReadBytes and WrittenBytes of the disk per second, the journal's included.
	ReadBytes, WrittenBytes int64
	// ResidentBytes of the server and Connections that it had open are the most of each.
	ResidentBytes, Connections int64
	// CacheBytes and DirtyBytes are the largest amounts in the cache.
	CacheBytes, DirtyBytes int64
	// Evictions are the pages that threads with a client's work had to evict: the cache's own threads did not keep up.
	Evictions int64
	// LargestLag of a healthy member in milliseconds, as this one saw it while it was primary; -1 of any other.
	LargestLag int64
	// Operations is how evenly the server's operations went on, all kinds but commands.
	Operations result.Variation
	// Checkpoints that ended, and the longest of them in milliseconds.
	Checkpoints, LongestCheckpointMillis int64
	// DuringCheckpoints and Outside are the operations per second of the samples at which a checkpoint ran, and of the
	// others; -1 without such samples.
	DuringCheckpoints, Outside int64
}

// Summarise looks at a member from one instant to another.
func Summarise(member reportv1.Member, from, to time.Time) Summary {
	w := window{member: member}
	w.first, w.last = result.Slots(member, from, to)
	operations, running := w.values(operationsAll), w.values(checkpointRunning)
	return Summary{
		Name: member.Name, Role: member.Role, Samples: max(0, w.last-w.first),
		CPUMillis:     sum(w.mean("cpu.user"), w.mean("cpu.system")),
		ReadBytes:     w.mean("disk.read"),
		WrittenBytes:  sum(w.mean("disk.written"), w.mean("journal.written")),
		ResidentBytes: largest(w.values("memory.resident")), Connections: largest(w.values("connections.current")),
		CacheBytes:  largest(w.values("cache.used")),
		DirtyBytes:  largest(w.values("cache.dirty")),
		Evictions:   w.total(applicationEvicted),
		LargestLag:  largest(w.values(largestLag)),
		Operations:  result.Vary(operations),
		Checkpoints: grownBy(w.counts(checkpointCount)), LongestCheckpointMillis: w.longestCheckpoint(),
		DuringCheckpoints: result.MeanKnown(choose(operations, running, true)),
		Outside:           result.MeanKnown(choose(operations, running, false)),
	}
}

// window is a member's samples within the slots from first to before last.
type window struct {
	member      reportv1.Member
	first, last int
}

// values of a figure in the window; nil when the server does not tell it.
func (w window) values(name string) []int64 {
	for _, series := range w.member.Series {
		if series.Name == name {
			last := min(w.last, len(series.Values))
			return series.Values[min(w.first, last):last]
		}
	}
	return nil
}

// counts are the values of a level with the one before them, from which on they are counted.
func (w window) counts(name string) []int64 {
	w.first = max(0, w.first-1)
	return w.values(name)
}

func (w window) mean(name string) int64 {
	return result.MeanKnown(w.values(name))
}

// total of a rate is what it adds up to.
func (w window) total(name string) int64 {
	average := w.mean(name)
	if average == unknown {
		return unknown
	}
	return average * int64(len(w.values(name))) * int64(w.member.IntervalMillis) / millisPerSecond
}

// longestCheckpoint is the longest of those that ended in the window: the server tells only of the most recent one, so
// what stands there before the first has ended is not of the window.
func (w window) longestCheckpoint() int64 {
	counts, durations := w.counts(checkpointCount), w.counts(checkpointDuration)
	longest := int64(unknown)
	for i := 1; i < min(len(counts), len(durations)); i++ {
		if counts[i-1] != unknown && counts[i] > counts[i-1] {
			longest = max(longest, durations[i])
		}
	}
	return longest
}

// grownBy is by how much a count grew from its first known value to its last; unknown when it fell, which is what a new
// start of the server looks like.
func grownBy(values []int64) int64 {
	known := slices.DeleteFunc(slices.Clone(values), func(value int64) bool { return value == unknown })
	if len(known) == 0 || !slices.IsSorted(known) {
		return unknown
	}
	return known[len(known)-1] - known[0]
}

// choose leaves the values at which a checkpoint ran, or at which none did.
func choose(values, running []int64, during bool) []int64 {
	var chosen []int64
	for i := range min(len(values), len(running)) {
		if running[i] != unknown && (running[i] > 0) == during {
			chosen = append(chosen, values[i])
		}
	}
	return chosen
}

func largest(values []int64) int64 {
	most := int64(unknown)
	for _, value := range values {
		most = max(most, value)
	}
	return most
}

// sum of two numbers, as far as they are known.
func sum(a, b int64) int64 {
	if a == unknown || b == unknown {
		return max(a, b)
	}
	return a + b
}
