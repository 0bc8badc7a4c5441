package result

import (
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

const (
	// A wait that is a share s of the threads' time can, if it is removed, make them faster by a factor of 1/(1-s) at
	// most (Amdahl 1967). From a tenth on, which is 1.11 times, it is told; from a quarter on, which is 1.33 times and
	// more than runs differ by, it is likely to be the limit.
	possibleShare = 10
	likelyShare   = 25

	// mostAlsoSeen is how many causes are told besides the first.
	mostAlsoSeen = 3
)

// cause is something that can limit a step.
type cause struct {
	by string
	// find is what the cause is seen by; empty when it is not.
	find func(evidence) sighting
	// try is what to change.
	try string
	// scanned says that operations which read a whole collection would explain it.
	scanned bool
}

// sighting is how sure a cause is, and the sentence with the figures that say so.
type sighting struct{ certainty, because string }

// causes in the order in which they explain one another: a load generator that is late makes servers look idle, threads
// that evict pages make a disk and processors look busy, and a queue for tickets is that of whatever the operations
// that hold them wait for. Of those that are equally certain the first is the answer.
var causes = []cause{
	{
		by: reportv1.LimitedBySchedule, find: keptSchedule,
		try: "ask for a higher rate, or search for the highest one that keeps an objective",
	},
	{by: reportv1.LimitedByGenerator, find: busyGenerator, try: "give spec.loadGenerator more cpu or more pods"},
	{
		by: reportv1.LimitedByGateway, find: busyGateway,
		try: "give the gateway more cpu, a larger pool, or more processes",
	},
	{
		by: reportv1.LimitedByConnections, find: scarceConnections,
		try: "raise maxPoolSize in the connection string, or use fewer threads; on the server, net.maxIncomingConnections",
	},
	{
		by: reportv1.LimitedByHotShard, find: hotShard,
		try: "choose a shard key, split points or a key distribution that spread the operations over all shards",
	},
	{
		by: reportv1.LimitedByLocks, find: contendedLocks,
		try: "spread writes over more documents, and keep index builds, schema changes and long transactions out of the step",
	},
	{
		by: reportv1.LimitedByFlowControl, find: flowControl,
		try: "see why secondaries do not keep up: their CPU, their disks, reads that are sent to them; or write less",
	},
	{
		by: reportv1.LimitedByCache, find: pressedCache, scanned: true,
		try: "give the server more cache (memory), read and write fewer documents, or a disk that takes dirty pages faster",
	},
	{
		by: reportv1.LimitedByJournal, find: slowJournal,
		try: "use a disk with faster syncs, or more threads, whose writes share a sync; or write concern j: false where " +
			"that may be lost",
	},
	{
		by: reportv1.LimitedByMajority, find: awaitedMajority,
		try: "see what slows the secondaries and the network between members, or use more threads, whose writes wait " +
			"together",
	},
	{
		by: reportv1.LimitedByCheckpoints, find: slowCheckpoints,
		try: "use a disk with more throughput, a smaller cache, or a lower eviction_dirty_target, so that less is left to " +
			"a checkpoint",
	},
	{
		by: reportv1.LimitedByDisk, find: busyDisk, scanned: true,
		try: "use a faster disk, or more cache, so that less is read and written",
	},
	{
		by: reportv1.LimitedByThrottling, find: throttledBursts, scanned: true,
		try: "raise the CPU limit of the target, so that it holds what several threads use at once",
	},
	{
		by: reportv1.LimitedByCPU, find: usedCPU, scanned: true,
		try: "give the servers more CPU, look in the plans of the operations for scans and sorts that an index would save, " +
			"or add shards",
	},
	{
		by: reportv1.LimitedByTickets, find: queuedTickets, scanned: true,
		try: "see in the plans why operations hold tickets for long; raise the number of them only if the server is idle",
	},
	{
		by: reportv1.LimitedByNetwork, find: longWay,
		try: "bring the load pods closer to the servers, use more bandwidth or compressors, or ask for less of each document",
	},
	{by: reportv1.LimitedByThreads, find: scarceThreads, try: "give the step more threads"},
}

// limitedBy is what limited a step: the first one is the answer.
func limitedBy(report reportv1.Report, step reportv1.Step, summary reportv1.StepSummary) ([]reportv1.Limit, error) {
	looked, err := lookInto(step, summary)
	if err != nil {
		return nil, err
	}
	looked.server, looked.members = report.Server, report.Members
	if looked.parts, err = judgeParts(step); err != nil {
		return nil, err
	}
	seen := gather(looked)
	var found []reportv1.Limit
	for _, c := range causes {
		if s := c.find(seen); s.certainty != "" {
			if c.scanned {
				s.because += scansText(step.Explained)
			}
			found = append(found, reportv1.Limit{By: c.by, Certainty: s.certainty, Because: s.because, Try: c.try})
		}
	}
	if len(found) == 0 {
		return []reportv1.Limit{nothingSeen(seen)}, nil
	}
	slices.SortStableFunc(found, func(a, b reportv1.Limit) int {
		// Likely comes before Possible in the alphabet, too.
		return strings.Compare(a.Certainty, b.Certainty)
	})
	return found[:min(len(found), 1+mostAlsoSeen)], nil
}

// graded is how sure something is whose figure is this much of what it takes.
func graded[N int64 | float64](figure, possible, likely N) string {
	switch {
	case figure >= likely:
		return reportv1.CertaintyLikely
	case figure >= possible:
		return reportv1.CertaintyPossible
	default:
		return ""
	}
}

// evidence is what a step and the servers in its window tell.
type evidence struct {
	judged
	// servers are those that hold data.
	servers []reportv1.Member
	// busy are the microseconds that threads were with operations, of all threads, in a second of the window, and engaged
	// is how much of their time that is, in percent. What a wait is a share of is all of the threads' time, time being
	// what a closed loop thinks in too; and in an open loop, whose threads wait for their next operation, the busy part.
	busy, time float64
	engaged    int64
}

func gather(step judged) evidence {
	found := evidence{judged: step}
	for _, member := range step.members {
		if slices.Contains(limited, member.Role) {
			found.servers = append(found.servers, member)
		}
	}
	all := float64(step.Threads) * microsPerSecond
	if seconds := step.Window().Seconds(); seconds > 0 {
		found.busy = float64(step.summary.Overall.BusyMicros) / seconds
	}
	if found.busy == 0 {
		// A load generator of an older release does not tell.
		found.busy = all
	}
	opened := func(g reportv1.Group) bool { return g.Arrivals != nil }
	if found.time = all; step.Arrivals != nil || slices.ContainsFunc(step.Groups, opened) {
		found.time = found.busy
	}
	found.engaged = int64(min(hundred, found.busy*hundred/max(all, 1)))
	return found
}

const microsPerSecond = 1_000_000

// mean of a series in the window; false when it is not known. A rate is that of a server at work, and of its machine,
// which does not rest with it, as it was.
func (e evidence) mean(member reportv1.Member, name string) (float64, bool) {
	known := known(during(member, e.Step, name))
	if len(known) == 0 {
		return 0, false
	}
	mean := float64(sum(known)) / float64(len(known))
	if !strings.HasPrefix(name, hostPrefix) && isRate(member, name) {
		mean *= float64(rested(e.Step))
	}
	return mean, true
}

// hostPrefix begins the names of what the machine of a server did.
const hostPrefix = "host."

func isRate(member reportv1.Member, name string) bool {
	return slices.ContainsFunc(member.Series, func(series reportv1.Series) bool {
		return series.Name == name && strings.HasSuffix(series.Unit, "/s")
	})
}

// total is the sum, over the servers that hold data, of the mean of a series; 0 when no one tells.
func (e evidence) total(name string) (total float64) {
	for _, member := range e.servers {
		mean, _ := e.mean(member, name)
		total += mean
	}
	return total
}

// waited is how much of the threads' time passed in a wait that takes this long in a second, in percent.
func (e evidence) waited(microsPerSecond float64) int64 {
	return int64(min(hundred, microsPerSecond*hundred/max(e.time, 1)))
}

// share is how much of the threads' time passed in what takes this share of an operation, in percent.
func (e evidence) share(ofOperation float64) float64 {
	return min(1, ofOperation) * min(1, e.busy/max(e.time, 1)) * hundred
}

// primaries are the servers that took the step's writes, as far as it is known.
func (e evidence) primaries() []reportv1.Member {
	return slices.DeleteFunc(slices.Clone(e.servers), func(m reportv1.Member) bool { return m.Role == "secondary" })
}

// worstServer is what is seen of the server of which it is most.
func (e evidence) worstServer(look func(reportv1.Member) (figure float64, seen sighting)) sighting {
	var worst sighting
	most := 0.0
	for _, member := range e.servers {
		if figure, seen := look(member); seen.certainty != "" && (worst.certainty == "" || figure > most) {
			most, worst = figure, seen
		}
	}
	return worst
}
