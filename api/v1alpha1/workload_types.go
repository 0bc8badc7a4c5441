package v1alpha1

// Workload declares what is asked of the target after loading.
type Workload struct {
	// steps run one after the other; each is measured separately. There are at most 32, counting each number of threads of
	// a threadSweep.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Steps []Step `json:"steps,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// growth repeats the steps while a collection of the dataset grows. Unset: they are measured once.
	// +optional
	Growth *Growth `json:"growth,omitempty"`
}

// RetryPolicy says what happens to an operation after a network error or a change of primary.
// +kubebuilder:validation:Enum=ConnectionString;Never;Once
type RetryPolicy string

const (
	// RetryConnectionString does what the connection string says with retryWrites and retryReads, and else what MongoDB's
	// drivers do by themselves: they resend once. It is of the Application client.
	RetryConnectionString RetryPolicy = "ConnectionString"
	// RetryNever counts the operation as failed.
	RetryNever RetryPolicy = "Never"
	// RetryOnce resends it once, as retryable reads and writes do; the result counts the retries.
	RetryOnce RetryPolicy = "Once"
)

// SessionMode says what the operations of a thread have in common at the servers.
// +kubebuilder:validation:Enum=None;Causal;Snapshot
type SessionMode string

const (
	// SessionNone is a session of its own for each operation, as the driver has them by itself.
	SessionNone SessionMode = "None"
	// SessionCausal is one causally consistent session for all operations of a thread: each sees what those before it
	// read and wrote, whichever member it goes to.
	SessionCausal SessionMode = "Causal"
	// SessionSnapshot reads from snapshots: all that a flow reads is of one instant, and so is all that any other
	// operation reads. The instant is a new one for each.
	SessionSnapshot SessionMode = "Snapshot"
)

// Step declares one measurement: a mix of operations, for a time or a number of operations.
//
// Without an arrival or a search it is a closed loop: each thread sends its next operation after the reply to the last
// one, so a target that slows down is asked less. With an arrival it is an open loop: operations are due by a schedule,
// whatever happened to earlier ones, and latency counts from when an operation was due.
// With a replay it sends the operations of a recording in place of a mix.
//
// +kubebuilder:validation:XValidation:rule="has(self.operations) != has(self.replay)",message="exactly one of operations and replay must be set",fieldPath=".operations"
// +kubebuilder:validation:XValidation:rule="!has(self.replay) || !(has(self.operationCount) || has(self.warmupSeconds) || has(self.threadSweep) || has(self.thinkTimeMicros) || has(self.thinkTime) || has(self.arrival) || has(self.search) || has(self.groups) || has(self.session) || has(self.retry) || has(self.connections))",message="a replay sends what was recorded as it was: operationCount, warmupSeconds, threadSweep, think time, arrival, search, groups, session, retry and connections cannot be set together with it",fieldPath=".replay"
// +kubebuilder:validation:XValidation:rule="has(self.replay) || has(self.durationSeconds) != has(self.operationCount)",message="exactly one of durationSeconds and operationCount must be set",fieldPath=".durationSeconds"
// +kubebuilder:validation:XValidation:rule="!has(self.threads) || !has(self.threadSweep)",message="only one of threads and threadSweep may be set",fieldPath=".threadSweep"
// +kubebuilder:validation:XValidation:rule="!has(self.threadSweep) || !has(self.connections) || !has(self.connections.idleSweep)",message="only one of threadSweep and connections.idleSweep may be set",fieldPath=".threadSweep"
// +kubebuilder:validation:XValidation:rule="!has(self.thinkTimeMicros) || !has(self.arrival)",message="thinkTimeMicros is for a closed loop: it cannot be set together with arrival",fieldPath=".thinkTimeMicros"
// +kubebuilder:validation:XValidation:rule="!has(self.thinkTime) || !(has(self.arrival) || has(self.search) || has(self.thinkTimeMicros))",message="thinkTime is for a closed loop: it cannot be set together with arrival, search or thinkTimeMicros",fieldPath=".thinkTime"
// +kubebuilder:validation:XValidation:rule="!has(self.groups) || !(has(self.threads) || has(self.threadSweep) || has(self.thinkTimeMicros) || has(self.thinkTime) || has(self.arrival) || has(self.search))",message="threads, threadSweep, think time, arrival and search cannot be set together with groups, which have their own",fieldPath=".groups"
// +kubebuilder:validation:XValidation:rule="!has(self.groups) || has(self.durationSeconds)",message="groups need durationSeconds, which is how long they may work at most",fieldPath=".durationSeconds"
// +kubebuilder:validation:XValidation:rule="!has(self.search) || !(has(self.arrival) || has(self.threadSweep) || has(self.thinkTimeMicros))",message="a search sets the rates by itself: arrival, threadSweep and thinkTimeMicros cannot be set together with it",fieldPath=".search"
// +kubebuilder:validation:XValidation:rule="!has(self.search) || has(self.durationSeconds)",message="search needs durationSeconds, which is how long what was found is confirmed",fieldPath=".durationSeconds"
// +kubebuilder:validation:XValidation:rule="!has(self.expectedIntervalMicros) || !(has(self.arrival) || has(self.search) || has(self.groups))",message="expectedIntervalMicros is for a closed loop of one mix: it cannot be set together with arrival, search or groups",fieldPath=".expectedIntervalMicros"
// +kubebuilder:validation:XValidation:rule="!has(self.search) || !has(self.abortOn)",message="a search tries rates that miss thresholds: abortOn cannot be set together with it",fieldPath=".abortOn"
type Step struct {
	// name of the step, unique in the workload.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name,omitempty"`

	// durationSeconds is how long the step is measured, after its warm-up. Limits 1 to 604800. Exactly one of
	// durationSeconds and operationCount must be set; with a replay it may be left out, which then goes on until the end
	// of the recording.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=604800
	DurationSeconds *int32 `json:"durationSeconds,omitempty"`

	// operationCount is the number of operations to measure, over all load pods, after the warm-up.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000000
	OperationCount *int64 `json:"operationCount,omitempty"`

	// warmupSeconds is how long the same operations run before they are counted. Default 0, limit 86400.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	WarmupSeconds *int32 `json:"warmupSeconds,omitempty"`

	// threads is the number of threads over all load pods, at least one per pod. In an open loop it is the maximum number
	// of operations in flight. Default 1, and in an open loop 2 for every 100 operations per second of the highest rate,
	// 16 to 128, which is twice what operations of 10 ms need. Default of a replay 16. Limits 1 to 4096.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4096
	Threads *int32 `json:"threads,omitempty"`

	// threadSweep measures the step once for each of these numbers of threads, as separate steps named after it and the
	// number: read-1, read-2. The result names the knee, beyond which more threads gain little. Unset: threads.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=4096
	ThreadSweep []int32 `json:"threadSweep,omitempty"`

	// thinkTimeMicros is how long a thread of a closed loop pauses after each reply. Default 0, limit 3600000000.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600000000
	ThinkTimeMicros *int64 `json:"thinkTimeMicros,omitempty"`

	// thinkTime is how long a thread of a closed loop pauses between operations, drawn from a distribution, or a pace that
	// it keeps. Unset: thinkTimeMicros.
	// +optional
	ThinkTime *ThinkTime `json:"thinkTime,omitempty"`

	// arrival makes the step an open loop. Unset: a closed one.
	// +optional
	Arrival *Arrival `json:"arrival,omitempty"`

	// search looks for the highest rate at which the step keeps an objective. Several load pods make its trials together:
	// its rates are of all of them.
	// +optional
	Search *Search `json:"search,omitempty"`

	// abortOn ends the run as soon as one of these thresholds is missed. What was measured until then is kept, and marked
	// partial. Unset: only a minute of nothing but failures ends it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	AbortOn []AbortThreshold `json:"abortOn,omitempty"`

	// objectives are shares of the operations that have to be done within a limit. Each is counted exactly, and the result
	// says which were kept; the run goes on if one is missed. Unset: none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Objectives []Objective `json:"objectives,omitempty"`

	// percentiles of the latency that the result has beside p50, p95, p99, p99.9 and p99.99, such as "90" or "99.999". At
	// most 8, each from 1 to 99.999 with up to three decimals. Unset: none.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=6
	// +kubebuilder:validation:items:Pattern=`^[1-9][0-9]?(\.[0-9]{1,3})?$`
	Percentiles []string `json:"percentiles,omitempty"`

	// expectedIntervalMicros has the result show, beside the latency of a closed loop, the one that operations would have
	// had if each thread had sent one in every so many microseconds and had not waited for a slow one before it: for each
	// that took longer, those are added that it held up. An estimate, and of one mix only. Limits 1 to 3600000000. Unset:
	// none is shown.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600000000
	ExpectedIntervalMicros *int64 `json:"expectedIntervalMicros,omitempty"`

	// retry says what happens to an operation after a network error or a change of primary: ConnectionString, Never or
	// Once. It also decides whether writes carry the number that retryable writes need, which costs the server. Default
	// ConnectionString with client Application, and Never with any other.
	// +optional
	Retry *RetryPolicy `json:"retry,omitempty"`

	// connections says which connections the step has beside, or in place of, those that its client opens by itself.
	// Unset: none.
	// +optional
	Connections *Connections `json:"connections,omitempty"`

	// session says what the operations of a thread have in common: None, or Causal for a causally consistent session, in
	// which each operation sees what those of the thread before it read and wrote, also at a secondary, or Snapshot for
	// snapshots, of which each flow, and each other operation, reads from one. Both are for a replica set or sharded
	// cluster. Causal is for the Application client, and Snapshot for Application and Wire, and MongoDB 5.0 or later.
	// Transactions keep sessions of their own, and in a snapshot only FindOne, Find, Aggregate, CountDocuments and
	// Distinct read. Default None.
	// +optional
	Session SessionMode `json:"session,omitempty"`

	// actions to carry out on the target during the measurement: faults, and changes of its sharding. Unset: none.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Actions []Action `json:"actions,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// groups of threads that work at the same time, each with the operations that name it. Unset: one mix of all
	// operations.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Groups []Group `json:"groups,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// replay sends the operations of a recording in place of a mix. Exactly one of operations and replay must be set.
	// +optional
	Replay *Replay `json:"replay,omitempty"`

	// operations of the mix, or of the groups, at least one. Exactly one of operations and replay must be set.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Operations []Operation `json:"operations,omitempty" patchMergeKey:"name" patchStrategy:"merge"`
}
