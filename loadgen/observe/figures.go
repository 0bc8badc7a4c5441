package observe

import (
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// rateSuffix ends the unit of every figure that is a rate; all others are levels.
const rateSuffix = "/s"

// The replies that figures lie in.
type reply int

const (
	serverStatus reply = iota
	dbStats
	// metadata of a sharded cluster, which several replies tell of.
	metadata
	// diagnostic is the data that a server keeps for its makers, of which that of its machine is read.
	diagnostic
	// kernel is not the server's reply: what Linux tells of a server's process, where that can be read.
	kernel
	// derived figures are worked out from replies that need more than looking up.
	derived
	// listed figures are told by MariaDB and MySQL only.
	listed
)

// figure is one number that is observed.
type figure struct {
	name string
	// unit that ends in /s: the increase per second of a counter. Any other: the value as it was.
	unit string
	from reply
	// paths where the number may lie, with / between names: the first that is there counts. Servers of different versions
	// have the same figure in different places.
	paths []string
	// sum adds up all paths instead.
	sum bool
	// per names the figure whose increase divides this one's.
	per string
	// multiply and divide bring the server's unit into ours; 0 leaves it.
	multiply, divide int64
}

// slow figures are asked for less often. In between they are what they were.
func (f figure) slow() bool {
	return f.from == dbStats || f.from == metadata
}

func (f figure) rate() bool {
	return strings.HasSuffix(f.unit, rateSuffix)
}

// counter says whether the figure comes of what the server only ever adds to.
func (f figure) counter() bool {
	return f.rate() || f.per != ""
}

// Parents of many figures.
const (
	wiredTiger       = "wiredTiger/"
	cache            = wiredTiger + "cache/"
	blockManager     = wiredTiger + "block-manager/"
	journal          = wiredTiger + "log/"
	transactions     = wiredTiger + "transaction/transaction "
	checkpoints      = wiredTiger + "checkpoint/" // From 8.0 on.
	concurrent       = wiredTiger + "concurrentTransactions/"
	executionQueues  = "queues/execution/" // From 8.0 on.
	ingressQueue     = "queues/ingress/"   // From 8.1 on, where the server limits what it takes in.
	newConnections   = "queues/ingressSessionEstablishment/"
	newRequests      = "network/ingressRequestRateLimiter/"
	shardingStatus   = "shardingStatistics/"
	normalPriority   = "normalPriority/"
	majorityWaits    = "metrics/getLastError/wtime/"
	queuedMicros     = "totalTimeQueuedMicros"
	hostCPU          = "systemMetrics/cpu/"
	microsecondShare = "µs" + rateSuffix
)

const (
	bytesPerMebibyte = 1 << 20
	microsPerMilli   = 1000
)

// Names of figures that are worked out, or that this package itself looks at.
const (
	operationsAll      = "operations.all"
	checkpointRunning  = "checkpoint.running"
	checkpointDuration = "checkpoint.duration"
	checkpointCount    = "checkpoint.count"
	applicationEvicted = "cache.applicationEvictions"
	replicationState   = reportv1.SeriesReplicationState
	replicationLag     = "replication.lag"
	largestLag         = reportv1.SeriesLargestLag
	locksWaits         = "locks.waits"
	locksWaitTime      = reportv1.SeriesLockWait
	diskPrefix         = reportv1.SeriesHostDisk
	balancerEnabled    = "balancer.enabled"
	balancerRounds     = "balancer.rounds"
	movesDone          = "moves.done"
	movesFailed        = "moves.failed"
	moveStep           = "moves.step"
	chunksPrefix       = "chunks."
)

// figures is everything that is observed; docs/reference/server-figures.md has the same rows.
var figures = []figure{
	{name: operationsAll, unit: "operations/s", sum: true, paths: []string{
		"opcounters/insert", "opcounters/query", "opcounters/update", "opcounters/delete", "opcounters/getmore",
	}},
	{name: "operations.insert", unit: "operations/s", paths: []string{"opcounters/insert"}},
	{name: "operations.query", unit: "operations/s", paths: []string{"opcounters/query"}},
	{name: "operations.update", unit: "operations/s", paths: []string{"opcounters/update"}},
	{name: "operations.delete", unit: "operations/s", paths: []string{"opcounters/delete"}},
	{name: "operations.getmore", unit: "operations/s", paths: []string{"opcounters/getmore"}},
	{name: "operations.command", unit: "operations/s", paths: []string{"opcounters/command"}},
	{name: "operations.replicated", unit: "operations/s", sum: true, paths: []string{
		"opcountersRepl/insert", "opcountersRepl/update", "opcountersRepl/delete",
	}},
	{name: "timed.reads", unit: "operations/s", paths: []string{"opLatencies/reads/ops"}},
	{name: "timed.writes", unit: "operations/s", paths: []string{"opLatencies/writes/ops"}},
	{name: "serverTime.reads", unit: "µs", paths: []string{"opLatencies/reads/latency"}, per: "timed.reads"},
	{name: "serverTime.writes", unit: "µs", paths: []string{"opLatencies/writes/latency"}, per: "timed.writes"},

	{name: "documents.returned", unit: "documents/s", paths: []string{"metrics/document/returned"}},
	{name: "documents.inserted", unit: "documents/s", paths: []string{"metrics/document/inserted"}},
	{name: "documents.updated", unit: "documents/s", paths: []string{"metrics/document/updated"}},
	{name: "documents.deleted", unit: "documents/s", paths: []string{"metrics/document/deleted"}},
	{name: "documents.scanned", unit: "documents/s", paths: []string{"metrics/queryExecutor/scannedObjects"}},
	{name: "writeConflicts", unit: "conflicts/s", paths: []string{"metrics/operation/writeConflicts"}},
	{name: "sorts", unit: "sorts/s", paths: []string{"metrics/operation/scanAndOrder"}},

	{name: reportv1.SeriesCPUUser, unit: "ms/s", paths: []string{"extra_info/user_time_us"}, divide: microsPerMilli},
	{name: reportv1.SeriesCPUSystem, unit: "ms/s", paths: []string{"extra_info/system_time_us"}, divide: microsPerMilli},
	{name: reportv1.SeriesPeriods, unit: "periods/s", from: kernel},
	{name: reportv1.SeriesThrottledPeriods, unit: "periods/s", from: kernel},
	{name: reportv1.SeriesHostBusy, unit: "ms/s", from: diagnostic, sum: true, paths: []string{
		hostCPU + "user_ms", hostCPU + "nice_ms", hostCPU + "system_ms", hostCPU + "irq_ms", hostCPU + "softirq_ms",
		hostCPU + "steal_ms",
	}},
	{name: reportv1.SeriesHostIdle, unit: "ms/s", from: diagnostic, sum: true, paths: []string{
		hostCPU + "idle_ms", hostCPU + "iowait_ms",
	}},
	{name: "host.cpuIOWait", unit: "ms/s", from: diagnostic, paths: []string{hostCPU + "iowait_ms"}},
	{name: "memory.resident", unit: "bytes", paths: []string{"mem/resident"}, multiply: bytesPerMebibyte},
	{name: "pageFaults", unit: "faults/s", paths: []string{"extra_info/page_faults"}},

	{name: "cache.used", unit: "bytes", paths: []string{cache + "bytes currently in the cache"}},
	{name: "cache.dirty", unit: "bytes", paths: []string{cache + "tracked dirty bytes in the cache"}},
	{name: "cache.maximum", unit: "bytes", paths: []string{cache + "maximum bytes configured"}},
	{name: "cache.readInto", unit: "bytes/s", paths: []string{cache + "bytes read into cache"}},
	{name: "cache.writtenFrom", unit: "bytes/s", paths: []string{cache + "bytes written from cache"}},
	{name: applicationEvicted, unit: "pages/s", paths: []string{cache + "pages evicted by application threads"}},
	{
		name: "cache.applicationWait", unit: microsecondShare,
		paths: []string{wiredTiger + "thread-yield/application thread time waiting for cache (usecs)"},
	},
	{name: "cache.requests", unit: "requests/s", from: listed},
	{name: "cache.misses", unit: "reads/s", from: listed},
	{name: "cache.freeWaits", unit: "waits/s", from: listed},
	{name: "cache.flushed", unit: "pages/s", from: listed},

	{name: "disk.read", unit: "bytes/s", paths: []string{blockManager + "bytes read"}},
	{name: "disk.written", unit: "bytes/s", paths: []string{blockManager + "bytes written"}},
	{name: "disk.syncs", unit: "syncs/s", from: listed},
	{name: "journal.written", unit: "bytes/s", paths: []string{journal + "log bytes written"}},
	{name: "journal.syncs", unit: "syncs/s", paths: []string{journal + "log sync operations"}},
	{name: "journal.syncTime", unit: microsecondShare, paths: []string{journal + "log sync time duration (usecs)"}},

	{name: checkpointRunning, unit: "count", paths: []string{
		transactions + "checkpoint currently running", checkpoints + "progress state",
	}},
	{name: checkpointDuration, unit: "ms", paths: []string{
		transactions + "checkpoint most recent time (msecs)", checkpoints + "most recent time (msecs)",
	}},
	{name: checkpointCount, unit: "count", paths: []string{
		transactions + "checkpoints", checkpoints + "total succeed number of checkpoints",
	}},
	{name: "checkpoint.age", unit: "bytes", from: listed},
	{name: "checkpoint.maximumAge", unit: "bytes", from: listed},

	{name: "tickets.readOut", unit: "count", paths: []string{concurrent + "read/out", executionQueues + "read/out"}},
	{name: "tickets.writeOut", unit: "count", paths: []string{concurrent + "write/out", executionQueues + "write/out"}},
	{name: "tickets.readAvailable", unit: "count", paths: []string{
		concurrent + "read/available", executionQueues + "read/available",
	}},
	{name: "tickets.writeAvailable", unit: "count", paths: []string{
		concurrent + "write/available", executionQueues + "write/available",
	}},
	{name: "tickets.readQueueTime", unit: microsecondShare, paths: []string{
		concurrent + "read/" + normalPriority + queuedMicros, executionQueues + "read/" + normalPriority + queuedMicros,
	}},
	{name: "tickets.writeQueueTime", unit: microsecondShare, paths: []string{
		concurrent + "write/" + normalPriority + queuedMicros, executionQueues + "write/" + normalPriority + queuedMicros,
	}},
	{name: "admission.queue", unit: "count", paths: []string{ingressQueue + normalPriority + "queueLength"}},
	{name: "admission.queueTime", unit: microsecondShare, paths: []string{ingressQueue + normalPriority + queuedMicros}},
	{name: "admission.requestsRejected", unit: "requests/s", paths: []string{newRequests + "rejectedAdmissions"}},
	{name: "admission.connectionsQueued", unit: "count", paths: []string{"connections/queuedForEstablishment"}},
	{
		name: "admission.connectionsRejected", unit: "connections/s", paths: []string{newConnections + "rejectedAdmissions"},
	},
	{name: "queue.readers", unit: "count", paths: []string{"globalLock/currentQueue/readers"}},
	{name: "queue.writers", unit: "count", paths: []string{"globalLock/currentQueue/writers"}},
	{name: "activeClients.readers", unit: "count", paths: []string{"globalLock/activeClients/readers"}},
	{name: "activeClients.writers", unit: "count", paths: []string{"globalLock/activeClients/writers"}},
	{name: "activeClients.all", unit: "count", from: listed},
	{name: locksWaits, unit: "waits/s", from: derived},
	{name: locksWaitTime, unit: "ms/s", from: derived},
	{name: "handlerSocket.rounds", unit: "rounds/s", from: listed},

	{name: "connections.current", unit: "count", paths: []string{"connections/current"}},
	{name: "connections.available", unit: "count", paths: []string{"connections/available"}},
	{name: "connections.created", unit: "connections/s", paths: []string{"connections/totalCreated"}},
	{name: "network.in", unit: "bytes/s", paths: []string{"network/bytesIn"}},
	{name: "network.out", unit: "bytes/s", paths: []string{"network/bytesOut"}},
	{name: "network.requests", unit: "requests/s", paths: []string{"network/numRequests"}},

	{name: "flowControl.lagged", unit: "count", paths: []string{"flowControl/isLagged"}},
	{name: "flowControl.wait", unit: microsecondShare, paths: []string{"flowControl/timeAcquiringMicros"}},
	{name: "replication.majorityWaits", unit: "waits/s", paths: []string{majorityWaits + "num"}},
	{name: "replication.majorityWait", unit: "ms/s", paths: []string{majorityWaits + "totalMillis"}},
	{name: replicationState, unit: "count", from: derived},
	{name: reportv1.SeriesReplicationTerm, unit: "count", from: derived},
	{name: reportv1.SeriesUnreachable, unit: "count", from: derived},
	{name: replicationLag, unit: "ms", from: derived},
	{name: largestLag, unit: "ms", from: derived},

	{name: "indexBuilds.asked", unit: "count", paths: []string{"metrics/commands/createIndexes/total"}},

	{name: "size.documents", unit: "count", from: dbStats, paths: []string{"objects"}},
	{name: "size.data", unit: "bytes", from: dbStats, paths: []string{"dataSize"}},
	{name: "size.storage", unit: "bytes", from: dbStats, paths: []string{"storageSize"}},
	{name: "size.indexes", unit: "bytes", from: dbStats, paths: []string{"indexSize"}},
	{name: "size.filesystemUsed", unit: "bytes", from: dbStats, paths: []string{"fsUsedSize"}},

	{name: "migrations.started", unit: "count", paths: []string{shardingStatus + "countDonorMoveChunkStarted"}},
	{name: "migrations.documents", unit: "documents/s", paths: []string{shardingStatus + "countDocsClonedOnDonor"}},
	{name: balancerEnabled, unit: "count", from: metadata},
	{name: balancerRounds, unit: "count", from: metadata},
	{name: movesDone, unit: "count", from: metadata},
	{name: movesFailed, unit: "count", from: metadata},
	{name: moveStep + "1", unit: "ms", from: metadata},
	{name: moveStep + "2", unit: "ms", from: metadata},
	{name: moveStep + "3", unit: "ms", from: metadata},
	{name: moveStep + "4", unit: "ms", from: metadata},
	{name: moveStep + "5", unit: "ms", from: metadata},
	{name: moveStep + "6", unit: "ms", from: metadata},
}

// places is where a figure of this name lies in a sample.
var places = func() map[string]int {
	byName := make(map[string]int, len(figures))
	for i, f := range figures {
		byName[f.name] = i
	}
	return byName
}()
