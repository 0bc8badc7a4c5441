package page

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// serverFigure is one that is observed of servers, as the page shows it.
type serverFigure struct {
	name, group, title, unit string
	// scale is what values are multiplied by.
	scale float64
}

// cpu is the name of a figure that no report has: user and system together.
const cpu = "cpu"

// known figures, in the order of the page. The unit is that of the report unless another stands here.
var figures = []serverFigure{
	{name: cpu, group: "CPU and memory", title: "CPU, in cores", unit: "cores", scale: 0.001},
	{name: "memory.resident", group: "CPU and memory", title: "Resident memory"},
	{name: "pageFaults", group: "CPU and memory", title: "Page faults"},

	{name: "operations.all", group: "Operations", title: "Operations"},
	{name: "serverTime.reads", group: "Operations", title: "Time of a read within the server"},
	{name: "serverTime.writes", group: "Operations", title: "Time of a write within the server"},
	{name: "operations.query", group: "Operations", title: "Queries"},
	{name: "operations.insert", group: "Operations", title: "Inserts"},
	{name: "operations.update", group: "Operations", title: "Updates"},
	{name: "operations.delete", group: "Operations", title: "Deletes"},
	{name: "operations.getmore", group: "Operations", title: "Batches of cursors (getMore)"},
	{name: "operations.command", group: "Operations", title: "Commands"},
	{name: "operations.replicated", group: "Operations", title: "Replicated operations"},
	{name: "documents.scanned", group: "Operations", title: "Documents examined"},
	{name: "documents.returned", group: "Operations", title: "Documents returned"},
	{name: "documents.inserted", group: "Operations", title: "Documents inserted"},
	{name: "documents.updated", group: "Operations", title: "Documents updated"},
	{name: "documents.deleted", group: "Operations", title: "Documents deleted"},
	{name: "writeConflicts", group: "Operations", title: "Write conflicts"},
	{name: "sorts", group: "Operations", title: "Sorts in memory"},

	{name: "cache.used", group: "Cache", title: "Cache in use"},
	{name: "cache.dirty", group: "Cache", title: "Dirty bytes in the cache"},
	{name: "cache.readInto", group: "Cache", title: "Read into the cache"},
	{name: "cache.writtenFrom", group: "Cache", title: "Written from the cache"},
	{name: "cache.applicationEvictions", group: "Cache", title: "Evictions by application threads"},
	{name: "cache.applicationWait", group: "Cache", title: "Application threads waiting for the cache"},
	{name: "cache.requests", group: "Cache", title: "Pages asked of the cache"},
	{name: "cache.misses", group: "Cache", title: "Pages that were not in the cache"},
	{name: "cache.freeWaits", group: "Cache", title: "Waits for a free page"},
	{name: "cache.flushed", group: "Cache", title: "Dirty pages written"},
	{name: "cache.maximum", group: "Cache", title: "Cache size"},

	{name: "disk.read", group: "Disk and flushes", title: "Disk reads"},
	{name: "disk.written", group: "Disk and flushes", title: "Disk writes, without the journal"},
	{name: "journal.written", group: "Disk and flushes", title: "Journal writes"},
	{name: "journal.syncs", group: "Disk and flushes", title: "Journal flushes"},
	{name: "journal.syncTime", group: "Disk and flushes", title: "Time of journal flushes"},
	{name: "disk.syncs", group: "Disk and flushes", title: "Synchronisations of the data files"},
	{name: "checkpoint.age", group: "Disk and flushes", title: "Log since the last checkpoint"},
	{name: "checkpoint.maximumAge", group: "Disk and flushes", title: "Log at which writers wait for a checkpoint"},
	{name: "checkpoint.running", group: "Disk and flushes", title: "Checkpoint running"},
	{name: "checkpoint.duration", group: "Disk and flushes", title: "Duration of the last checkpoint"},
	{name: "checkpoint.count", group: "Disk and flushes", title: "Checkpoints since the start"},

	{name: "queue.readers", group: "Queues and connections", title: "Queued readers"},
	{name: "queue.writers", group: "Queues and connections", title: "Queued writers"},
	{name: "activeClients.readers", group: "Queues and connections", title: "Active readers"},
	{name: "activeClients.writers", group: "Queues and connections", title: "Active writers"},
	{name: "activeClients.all", group: "Queues and connections", title: "Active clients"},
	{name: "locks.waits", group: "Queues and connections", title: "Waits for row locks"},
	{name: "locks.waitTime", group: "Queues and connections", title: "Time of waits for row locks"},
	{name: "handlerSocket.rounds", group: "Queues and connections", title: "Rounds of HandlerSocket"},
	{name: "tickets.readOut", group: "Queues and connections", title: "Read tickets in use"},
	{name: "tickets.writeOut", group: "Queues and connections", title: "Write tickets in use"},
	{name: "tickets.readAvailable", group: "Queues and connections", title: "Read tickets left"},
	{name: "tickets.writeAvailable", group: "Queues and connections", title: "Write tickets left"},
	{name: "admission.queue", group: "Queues and connections", title: "Requests that wait to be taken in"},
	{name: "admission.requestsRejected", group: "Queues and connections", title: "Requests rejected by a limit"},
	{name: "admission.connectionsRejected", group: "Queues and connections", title: "Connections rejected by a limit"},
	{name: "connections.current", group: "Queues and connections", title: "Connections"},
	{name: "connections.created", group: "Queues and connections", title: "New connections"},

	{name: "network.in", group: "Network", title: "Network in"},
	{name: "network.out", group: "Network", title: "Network out"},
	{name: "network.requests", group: "Network", title: "Requests"},

	{name: "replication.lag", group: "Replication", title: "Replication lag"},
	{name: "replication.largestLag", group: "Replication", title: "Largest lag, as the primary sees it"},
	{name: "replication.state", group: "Replication", title: "State: 1 primary, 2 secondary"},
	{name: "replication.term", group: "Replication", title: "Term: rises with each election"},
	{name: "replication.unreachable", group: "Replication", title: "Members that are not reached"},
	{name: "flowControl.lagged", group: "Replication", title: "Flow control: lagged"},
	{name: "flowControl.wait", group: "Replication", title: "Waiting for flow control"},

	{name: "size.data", group: "Storage", title: "Data"},
	{name: "size.storage", group: "Storage", title: "Storage of the data"},
	{name: "size.indexes", group: "Storage", title: "Storage of the indexes"},
	{name: "size.documents", group: "Storage", title: "Documents"},
	{name: "size.filesystemUsed", group: "Storage", title: "File system in use"},
	{name: "indexBuilds.asked", group: "Storage", title: "Index builds asked for since the start"},

	{name: chunks, group: "Shards", title: "Chunks of each shard", unit: "count"},
	{name: "migrations.started", group: "Shards", title: "Migrations started"},
	{name: "migrations.documents", group: "Shards", title: "Documents of migrations"},
	{name: "moves.done", group: "Shards", title: "Chunks moved"},
	{name: "moves.failed", group: "Shards", title: "Moves that failed"},
	{name: "moves.step1", group: "Shards", title: "Moves: reading the request"},
	{name: "moves.step2", group: "Shards", title: "Moves: checking it"},
	{name: "moves.step3", group: "Shards", title: "Moves: telling the recipient"},
	{name: "moves.step4", group: "Shards", title: "Moves: copying"},
	{name: "moves.step5", group: "Shards", title: "Moves: critical section"},
	{name: "moves.step6", group: "Shards", title: "Moves: cleaning up"},
	{name: "balancer.enabled", group: "Shards", title: "Balancer: enabled"},
	{name: "balancer.rounds", group: "Shards", title: "Balancer: rounds"},
}

// parts of CPU time, which are shown as one figure, and those that say the same as others.
var (
	cpuParts  = []string{"cpu.user", "cpu.system"}
	leftOut   = []string{"timed.reads", "timed.writes"}
	otherName = "Other"
)

// shownFigures are those that any server has: known ones in their order, then the others by name.
func shownFigures(members []observed) []serverFigure {
	units := map[string]string{}
	for _, member := range members {
		for _, series := range member.Series {
			units[shownAs(series.Name)] = series.Unit
		}
	}
	var shown []serverFigure
	for _, f := range figures {
		if unit, ok := units[f.name]; ok {
			shown = append(shown, f.with(unit))
			delete(units, f.name)
		}
	}
	delete(units, "")
	for _, name := range slices.Sorted(maps.Keys(units)) {
		shown = append(shown, serverFigure{name: name, group: otherName, title: name}.with(units[name]))
	}
	return shown
}

// shownAs is the figure that a series is a part of; empty for one that is not shown.
func shownAs(name string) string {
	switch {
	case slices.Contains(leftOut, name):
		return ""
	case slices.Contains(cpuParts, name):
		return cpu
	case strings.HasPrefix(name, chunks):
		return chunks
	default:
		return name
	}
}

func (f serverFigure) with(unit string) serverFigure {
	f.unit, f.scale = cmp.Or(f.unit, unit), cmp.Or(f.scale, 1)
	return f
}

// of are the series of a member that the figure is drawn from.
func (f serverFigure) of(member reportv1.Member) []reportv1.Series {
	var found []reportv1.Series
	for _, series := range member.Series {
		if shownAs(series.Name) == f.name {
			found = append(found, series)
		}
	}
	if f.name != cpu || len(found) < len(cpuParts) {
		return found
	}
	both := reportv1.Series{Name: cpu, Unit: found[0].Unit}
	for i := range min(len(found[0].Values), len(found[1].Values)) {
		value := int64(unknown)
		if user, system := found[0].Values[i], found[1].Values[i]; user != unknown && system != unknown {
			value = user + system
		}
		both.Values = append(both.Values, value)
	}
	return []reportv1.Series{both}
}
