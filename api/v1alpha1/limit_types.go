package v1alpha1

// LimitCause is what limited a step. Words that SearchLimit has too mean the same there.
// It is no enum, so that a definition of an older version stores what a later operator writes.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=64
type LimitCause string

const (
	// LimitSchedule means that the schedule of an open loop was kept, so that the throughput is what was asked for, or
	// that a search met its maximum.
	LimitSchedule LimitCause = "Schedule"
	// LimitGenerator means that the load generator was saturated, or late itself.
	LimitGenerator LimitCause = "Generator"
	// LimitGateway means that the gateway between the load generator and the target was saturated.
	LimitGateway LimitCause = "Gateway"
	// LimitConnections means that operations waited for a connection of the client's pool, or a server had none left.
	LimitConnections LimitCause = "Connections"
	// LimitHotShard means that one shard had far more of the operations than the others.
	LimitHotShard LimitCause = "HotShard"
	// LimitLocks means that operations waited for locks, or writes of the same documents met.
	LimitLocks LimitCause = "Locks"
	// LimitFlowControl means that a primary held back writes until its secondaries had caught up.
	LimitFlowControl LimitCause = "FlowControl"
	// LimitCache means that clients' threads had to evict pages, or to read what did not fit into the cache.
	LimitCache LimitCause = "Cache"
	// LimitJournal means that writes waited until the journal was on the disk.
	LimitJournal LimitCause = "Journal"
	// LimitMajority means that writes waited for other members of their replica set.
	LimitMajority LimitCause = "Majority"
	// LimitCheckpoints means that operations were slower while a checkpoint was written.
	LimitCheckpoints LimitCause = "Checkpoints"
	// LimitDisk means that a disk of a server's machine was busy nearly all the time.
	LimitDisk LimitCause = "Disk"
	// LimitCPUThrottling means that a CPU limit stopped a server that did not need all of it.
	LimitCPUThrottling LimitCause = "CPUThrottling"
	// LimitServerCPU means that a server used its CPU limit or the cores of its machine, or its machine had no processor
	// to spare.
	LimitServerCPU LimitCause = "ServerCPU"
	// LimitTickets means that operations queued for admission.
	LimitTickets LimitCause = "Tickets"
	// LimitNetwork means that most of the time of operations passed between the load generator and the server.
	LimitNetwork LimitCause = "Network"
	// LimitThreads means that operations of an open loop waited for a free thread, while the server was not the limit.
	LimitThreads LimitCause = "Threads"
	// LimitNothingSeen means that nothing that is observed was near a limit, or that nothing was observed.
	LimitNothingSeen LimitCause = "NothingSeen"
)

// LimitCertainty is how sure it is what limited a step.
// It is no enum, so that a definition of an older version stores what a later operator writes.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=64
type LimitCertainty string

const (
	// LimitLikely means that it was used up, or that operations would have been a third faster without it.
	LimitLikely LimitCertainty = "Likely"
	// LimitPossible means that it has a part in it.
	LimitPossible LimitCertainty = "Possible"
)

// StepLimit is what limited a step, by what was observed in its measure window.
type StepLimit struct {
	// cause is the first of the causes that were seen: what is likely comes before what is possible, and what explains
	// others before these. NothingSeen: none was.
	// +required
	Cause LimitCause `json:"cause,omitempty"`

	// certainty of the cause: Likely or Possible. Of NothingSeen: Likely, or Possible if no server was observed.
	// +required
	Certainty LimitCertainty `json:"certainty,omitempty"`

	// because has the figures that say so. Unset: left out for lack of room; the report has them.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=384
	Because string `json:"because,omitempty"`

	// try is what to change to find out, or to get more. Unset: left out for lack of room; the report has it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Try string `json:"try,omitempty"`

	// alsoSeen are other causes that were seen, in the same order. Unset: none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=3
	AlsoSeen []LimitCause `json:"alsoSeen,omitempty"`
}
