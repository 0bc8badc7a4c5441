package result

import (
	"fmt"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

const (
	// fullMachine is from which share of the time on, in percent, all processors of a machine are taken to be busy: what
	// is left goes by while work moves from one to another. Then a server waits for them, whoever has them: mainUser is
	// how much of them it has to use to be what they are busy with, and partUser to have enough to do for that to matter.
	fullMachine = 90
	mainUser    = 50
	partUser    = 10

	// cutPercent of the scheduler's periods in which a limit stops a server is often: then every tenth operation that
	// takes less than a period waits.
	cutPercent = 10

	// stoppedPercent is how often a limit stops a server that is driven to it, and drivenPercent how much of it the server
	// uses then at least. On real servers (loadgen/limits) bursts were seen to stop one in 16 % of the periods, at 54 % of
	// its limit, and a limit that was too small, on a busy machine, in 80 %, at 72 %.
	stoppedPercent, drivenPercent = 50, 50
)

// cpuUse is how much of its CPU a server used.
type cpuUse struct {
	// percent of its limit, or of the cores of its machine; -1 when it is not known.
	percent int64
	// of says what that is, and host how busy its machine was, in percent; -1 when it is not known.
	of   string
	host int64
}

func (e evidence) cpuOf(member reportv1.Member) cpuUse {
	use := cpuUse{percent: unknown, host: unknown}
	used := usedMillis(member, e.Step)
	switch limit, cores := e.server.CPULimitMillicores, int64(e.server.CPUCores); {
	case used == unknown:
	case limit > 0:
		use.percent, use.of = used*hundred/limit, fmt.Sprintf("its CPU limit of %g cores", float64(limit)/1000)
	case cores > 0:
		use.percent, use.of = used*hundred/(1000*cores), "the "+present.Plural(cores, "core")+" of its machine"
	}
	busy, told := e.mean(member, reportv1.SeriesHostBusy)
	if idle, _ := e.mean(member, reportv1.SeriesHostIdle); told && busy+idle > 0 {
		use.host = int64(busy * hundred / (busy + idle))
	}
	return use
}

// cpuText tells of the server that used most of its CPU; empty when it is not known of any.
func (e evidence) cpuText() string {
	text, most := "", int64(unknown)
	for _, member := range e.servers {
		if use := e.cpuOf(member); use.percent > most {
			most, text = use.percent, fmt.Sprintf("; server %s used %d %% of %s", member.Name, use.percent, use.of)
		}
	}
	return text
}

// throttledBursts is that a CPU limit stopped a server which did not need all of it.
func throttledBursts(e evidence) sighting {
	return e.worstServer(func(member reportv1.Member) (float64, sighting) {
		limit, told := limitOf(e.server, member, e.Step)
		if !told || limit.Sampled || limit.Used >= busyPercent || driven(limit) {
			return 0, sighting{}
		}
		return float64(limit.Percent), sighting{
			graded(int64(limit.Percent), limitedPercent, cutPercent), stripStep(limit) + usedOf(limit, "although"),
		}
	})
}

// driven says that a server was stopped so often that it was driven to its limit, even if it used less of it: on a busy
// machine, or one whose hypervisor gives its processors to others, a part of the limit passes while a server waits to
// run.
func driven(limit CPULimit) bool {
	return limit.Percent >= stoppedPercent && (limit.Used == unknown || limit.Used >= drivenPercent)
}

// usedOf says how much of its limit a server used; nothing if that is not known.
func usedOf(limit CPULimit, which string) string {
	if limit.Used == unknown {
		return ""
	}
	return fmt.Sprintf(", %s it used %d %% of it on the whole", which, limit.Used)
}

// stripStep is what a CPULimit says without the name of its step.
func stripStep(limit CPULimit) string {
	return strings.TrimPrefix(limit.stopped(), fmt.Sprintf("step %q: ", limit.Step))
}

// usedCPU is that a server used its CPU limit, or the cores of its machine. Where others use these as well, such as a
// load generator beside it or a neighbour, all of them are busy without the server having most of them.
func usedCPU(e evidence) sighting {
	return e.worstServer(func(member reportv1.Member) (float64, sighting) {
		use := e.cpuOf(member)
		said := fmt.Sprintf("server %s used %d %% of %s", member.Name, use.percent, use.of)
		limit, told := limitOf(e.server, member, e.Step)
		switch {
		case use.percent >= busyPercent:
			return float64(use.percent), sighting{reportv1.CertaintyLikely, said}
		case told && !limit.Sampled && driven(limit):
			return hundred, sighting{reportv1.CertaintyLikely, stripStep(limit) + usedOf(limit, "and")}
		case e.server.CPULimitMillicores == 0 && use.host >= fullMachine:
			return float64(use.percent), sighting{
				graded(use.percent, partUser, mainUser),
				fmt.Sprintf("%s, whose processors were busy for %d %% of the time", said, use.host),
			}
		}
		return 0, sighting{}
	})
}

const (
	// A disk that is busy for so much of the time has a queue; by the simplest model, at 70 % one waits 2.3 times as long
	// as the disk works, and at 90 % nine times. A disk that takes several requests at once carries more even then.
	busyDiskPercent, fullDiskPercent = 70, 90
	// leastDiskUse, in bytes per second, is what a server has to read and write to be what a disk is busy with.
	leastDiskUse = 1 << 20
)

// busyDisk is that a disk of a server's machine was busy nearly all the time. Which of them has the data it does not
// tell.
func busyDisk(e evidence) sighting {
	return e.worstServer(func(member reportv1.Member) (float64, sighting) {
		var use float64
		for _, name := range []string{"disk.read", "disk.written", "journal.written"} {
			mean, _ := e.mean(member, name)
			use += mean
		}
		disk, percent := "", 0.0
		for _, series := range member.Series {
			name, is := strings.CutPrefix(series.Name, reportv1.SeriesHostDisk)
			if busy, told := e.mean(member, series.Name); is && told && busy/10 > percent {
				disk, percent = name, min(busy/10, hundred)
			}
		}
		if use < leastDiskUse {
			return 0, sighting{}
		}
		return percent, sighting{graded(percent, busyDiskPercent, fullDiskPercent), fmt.Sprintf("disk %s of server %s's "+
			"machine was busy for %.0f %% of the time, while the server read and wrote %s/s", disk, member.Name, percent,
			present.Bytes(int64(use)))}
	})
}

const (
	// WiredTiger has clients' own threads evict pages when the cache is fuller than 95 %, or more than 20 % of it is dirty
	// (eviction_trigger and eviction_dirty_trigger); from 80 % on it evicts at all (eviction_target).
	fullCache, dirtyCache, targetCache = 95, 20, 80
	// evictedPer is that one operation in so many has to evict a page before it goes on.
	evictedPer = 10
	// readPerOperation, in bytes, is a part of a page (32 KiB at most as it is on disk): with so much for each operation,
	// most of them have to wait for one.
	readPerOperation = 8 << 10
)

// pressedCache is that clients' threads had to make room in the cache, or to read what did not fit into it.
func pressedCache(e evidence) sighting {
	return e.worstServer(func(member reportv1.Member) (float64, sighting) {
		at := func(name string) float64 { mean, _ := e.mean(member, name); return mean }
		maximum, operations := max(at("cache.maximum"), 1), max(at(operationsAll), 1)
		wait := e.waited(at("cache.applicationWait"))
		evicted, read := at("cache.applicationEvictions"), at("cache.readInto")
		full, dirty := at("cache.used")*hundred/maximum, at("cache.dirty")*hundred/maximum
		certainty := graded(wait, possibleShare, likelyShare)
		switch {
		case certainty == reportv1.CertaintyLikely:
		case evicted*evictedPer >= operations && (full >= targetCache || dirty >= dirtyCache/2):
			certainty = reportv1.CertaintyPossible
			if e.engaged >= engagedPercent {
				certainty = reportv1.CertaintyLikely
			}
		case full >= targetCache && read >= readPerOperation*operations, at("cache.freeWaits") > 0 && full >= fullCache:
			certainty = reportv1.CertaintyPossible
		}
		return float64(wait), sighting{certainty, fmt.Sprintf("clients' threads of server %s waited for its cache of %s for "+
			"%d %% of the time of operations and evicted %s pages/s; it was %.0f %% full and %.0f %% dirty, and %s/s were "+
			"read into it", member.Name, present.Bytes(int64(maximum)), wait, present.Count(int64(evicted)), full, dirty,
			present.Bytes(int64(read)))}
	})
}

const operationsAll = "operations.all"

const (
	// leastCheckpointShare is for how much of the time, in percent, checkpoints have to run to be compared with the rest.
	leastCheckpointShare = 10
	// Operations during checkpoints, in percent of those outside: a third less, or more than runs differ by.
	slowedByCheckpoint, hinderedByCheckpoint = 67, 85
	// agedLog is the share of its redo log that InnoDB lets pages be behind before it flushes in haste.
	agedLog = 75
)

// slowCheckpoints compares the operations while a checkpoint ran with the others.
func slowCheckpoints(e evidence) sighting {
	return e.worstServer(func(member reportv1.Member) (float64, sighting) {
		if most, told := e.mean(member, "checkpoint.maximumAge"); told && most > 0 {
			age, _ := e.mean(member, "checkpoint.age")
			percent := age * hundred / most
			return percent, sighting{graded(percent, agedLog, fullMachine), fmt.Sprintf("server %s had not flushed pages for "+
				"%.0f %% of its redo log", member.Name, percent)}
		}
		running, rates := during(member, e.Step, "checkpoint.running"), during(member, e.Step, operationsAll)
		var inside, outside []int64
		for i := range min(len(running), len(rates)) {
			switch {
			case running[i] < 0 || rates[i] < 0:
			case running[i] > 0:
				inside = append(inside, rates[i])
			default:
				outside = append(outside, rates[i])
			}
		}
		all := len(inside) + len(outside)
		if len(inside) < 2 || len(outside) < 2 || len(inside)*hundred < leastCheckpointShare*all {
			return 0, sighting{}
		}
		left := MeanKnown(inside) * hundred / max(MeanKnown(outside), 1)
		slower := float64(hundred - left)
		return slower, sighting{
			graded(slower, hundred-hinderedByCheckpoint, hundred-slowedByCheckpoint),
			fmt.Sprintf("in the %d of %d samples in which a checkpoint of server %s ran it had %s operations/s, and in the "+
				"others %s", len(inside), all, member.Name, present.Count(MeanKnown(inside)),
				present.Count(MeanKnown(outside))),
		}
	})
}

// Shares, in percent, of samples in which operations queued for tickets: in most of them, or in a fifth.
const queuedOften, queuedAtTimes = 50, 20

// ticketKind are the series of one kind of tickets.
type ticketKind struct{ name, available, out, queue, time string }

var ticketKinds = []ticketKind{
	{"read", "tickets.readAvailable", "tickets.readOut", "queue.readers", "tickets.readQueueTime"},
	{"write", "tickets.writeAvailable", "tickets.writeOut", "queue.writers", "tickets.writeQueueTime"},
}

// queuedTickets is that no ticket was left, and operations queued.
func queuedTickets(e evidence) sighting {
	return e.worstServer(func(member reportv1.Member) (most float64, worst sighting) {
		for _, kind := range ticketKinds {
			if share, seen := e.ticketsOf(member, kind); seen.certainty != "" && share >= most {
				most, worst = share, seen
			}
		}
		return most, worst
	})
}

// ticketsOf looks at one kind of a server's tickets: the share is that of the samples without any left, in percent.
func (e evidence) ticketsOf(member reportv1.Member, kind ticketKind) (share float64, seen sighting) {
	available, queued := during(member, e.Step, kind.available), during(member, e.Step, kind.queue)
	taken, all := 0, min(len(available), len(queued))
	for i := range all {
		if available[i] == 0 && queued[i] > 0 {
			taken++
		}
	}
	share = float64(taken*hundred) / float64(max(all, 1))
	micros, _ := e.mean(member, kind.time)
	certainty := graded(share, queuedAtTimes, queuedOften)
	if certainty == "" {
		certainty = graded(e.waited(micros), possibleShare, likelyShare)
	}
	out, _ := e.mean(member, kind.out)
	return share, sighting{certainty, fmt.Sprintf("server %s had no %s ticket left in %.0f %% of the samples, with %.0f "+
		"out and %.0f operations in the queue", member.Name, kind.name, share, out, float64(MeanKnown(queued)))}
}
