package v1alpha1

// What limits a step, or a search: LimitedByGenerator and LimitedByThreads are words of both.
const (
	// LimitedBySchedule: the schedule of an open loop was kept, so that the throughput is what was asked for.
	LimitedBySchedule = "Schedule"
	// LimitedByGateway: the service between the load generator and the database was saturated.
	LimitedByGateway = "Gateway"
	// LimitedByConnections: operations waited for a connection of the client's pool, or the server has none left.
	LimitedByConnections = "Connections"
	// LimitedByHotShard: one shard had far more of the operations than the others.
	LimitedByHotShard = "HotShard"
	// LimitedByLocks: operations waited for locks, or writes of the same documents met.
	LimitedByLocks = "Locks"
	// LimitedByFlowControl: a primary held back writes until its secondaries had caught up.
	LimitedByFlowControl = "FlowControl"
	// LimitedByCache: clients' own threads had to evict pages, or pages had to be read for the operations.
	LimitedByCache = "Cache"
	// LimitedByJournal: writes waited until the journal was on the disk.
	LimitedByJournal = "Journal"
	// LimitedByMajority: writes waited for other members of their replica set.
	LimitedByMajority = "Majority"
	// LimitedByCheckpoints: operations were slower while a checkpoint was written.
	LimitedByCheckpoints = "Checkpoints"
	// LimitedByDisk: a disk of a server's machine was busy.
	LimitedByDisk = "Disk"
	// LimitedByThrottling: a CPU limit stopped a server although it did not need all of it.
	LimitedByThrottling = "CPUThrottling"
	// LimitedByCPU: a server used its CPU limit, or the cores of its machine.
	LimitedByCPU = "ServerCPU"
	// LimitedByTickets: operations queued for admission, while the server was not busy.
	LimitedByTickets = "Tickets"
	// LimitedByNetwork: most of the time of operations passed between the load generator and the server.
	LimitedByNetwork = "Network"
	// LimitedByNothingSeen: nothing that is observed was near a limit.
	LimitedByNothingSeen = "NothingSeen"
)

// How sure it is what limits a step.
const (
	// CertaintyLikely: removing it would have let operations be at least a third faster, or it was used up.
	CertaintyLikely = "Likely"
	// CertaintyPossible: it has a part in it.
	CertaintyPossible = "Possible"
)

// Limit is something that limits a step.
type Limit struct {
	// By is a constant LimitedBy.
	By string `json:"by"`
	// Certainty is CertaintyLikely or CertaintyPossible.
	Certainty string `json:"certainty"`
	// Because is a sentence with the figures that say so, and Try another with what to change.
	Because string `json:"because"`
	Try     string `json:"try"`
}
