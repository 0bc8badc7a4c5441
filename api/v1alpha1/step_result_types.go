package v1alpha1

// StepResult is the result of one step.
type StepResult struct {
	// name of the step.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`

	// durationMillis of the measure window, without the warm-up: the planned length or, where a number of operations ends
	// the step, the time until the last reply. All operationsPerSecond are over it.
	// +required
	// +kubebuilder:validation:Minimum=0
	DurationMillis *int64 `json:"durationMillis,omitempty"`

	// overrunMillis is how long after the planned end of the measure window the last reply came. Unset: less than a
	// millisecond, or a number of operations ended the step.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OverrunMillis *int64 `json:"overrunMillis,omitempty"`

	// operationsPerSecond is the rate of successful operations of the whole mix.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OperationsPerSecond *int64 `json:"operationsPerSecond,omitempty"`

	// p99Micros is the 99th percentile of the latency over all operations of the mix together. For a search, that of the
	// confirmation. Unset: fewer than 1,000 operations were timed, which is too few for it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	P99Micros *int64 `json:"p99Micros,omitempty"`

	// costPerMillionOperationsMicros is what a million operations of the step cost that succeed, in millionths of the
	// currency that result.cost names. Unset: no cost is known.
	// +optional
	// +kubebuilder:validation:Minimum=0
	CostPerMillionOperationsMicros *int64 `json:"costPerMillionOperationsMicros,omitempty"`

	// costPerMonthAtRateMicros is what a month of 730 hours at the step's operationsPerSecond costs, in millionths of the
	// same currency. Unset: no cost is known.
	// +optional
	// +kubebuilder:validation:Minimum=0
	CostPerMonthAtRateMicros *int64 `json:"costPerMonthAtRateMicros,omitempty"`

	// client that sent the operations: "wire", or the driver with its version.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Client string `json:"client,omitempty"`

	// sent is what went to the server with each operation because of the client and the connection string: whether writes
	// and reads can be retried, with which numbers, sessions, decoding, the size of the pool, compressors, read
	// preference. Unset: the client does not tell.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Sent string `json:"sent,omitempty"`

	// threads used, over all load pods.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Threads *int32 `json:"threads,omitempty"`

	// requestedOperationsPerSecond is the rate at which operations were due. Unset in a closed loop.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RequestedOperationsPerSecond *int64 `json:"requestedOperationsPerSecond,omitempty"`

	// achievedOperationsPerSecond is the rate at which operations were sent within the measure window. Unset in a closed
	// loop.
	// +optional
	// +kubebuilder:validation:Minimum=0
	AchievedOperationsPerSecond *int64 `json:"achievedOperationsPerSecond,omitempty"`

	// droppedOperations is the number of operations that were due but never sent, because too many were queued. Unset in a
	// closed loop.
	// +optional
	// +kubebuilder:validation:Minimum=0
	DroppedOperations *int64 `json:"droppedOperations,omitempty"`

	// skippedOperations is the number of operations that were never sent because they were due for longer than
	// skipAfterMicros. Unset: none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	SkippedOperations *int64 `json:"skippedOperations,omitempty"`

	// scheduleLagP99Micros is the 99th percentile of the time from when an operation was due until it was sent. Unset in a
	// closed loop.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ScheduleLagP99Micros *int64 `json:"scheduleLagP99Micros,omitempty"`

	// roundTripMicros is the time from a question that needs no work, sent just before the step by a load pod with nothing
	// else to do, until the answer of a server that requests go to: the median, of the load pod and the server for which
	// it is longest. Unset: no server answered.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RoundTripMicros *int64 `json:"roundTripMicros,omitempty"`

	// replicationLagMillis is by how much the healthy secondary that was behind most was behind its primary, of all
	// samples of the measure window. Unset: no primary of a replica set was observed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ReplicationLagMillis *int64 `json:"replicationLagMillis,omitempty"`

	// search is the result of a search. Unset: the step was not a search.
	// +optional
	Search *SearchResult `json:"search,omitempty"`

	// drainMillis is how long after the measure window the servers still processed the step's unacknowledged writes. Their
	// operationsPerSecond cover the window and this time. Unset: the step has none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	DrainMillis *int64 `json:"drainMillis,omitempty"`

	// sentDocuments is the number of documents sent by unacknowledged inserts in the measure window. Unset, like
	// arrivedDocuments, if they could not be counted: there were none, or several load pods or other operations changed
	// the number of documents.
	// +optional
	// +kubebuilder:validation:Minimum=0
	SentDocuments *int64 `json:"sentDocuments,omitempty"`

	// arrivedDocuments is the number of documents by which the collections grew meanwhile. Below 0: another client deleted
	// some.
	// +optional
	ArrivedDocuments *int64 `json:"arrivedDocuments,omitempty"`

	// steadiness says whether the throughput became steady: Reached or Never; or NotChecked.
	// +optional
	Steadiness *Steadiness `json:"steadiness,omitempty"`

	// steadyAfterMillis is when the throughput became steady, counted from the start of the measure window. Unset unless
	// steadiness is Reached.
	// +optional
	// +kubebuilder:validation:Minimum=0
	SteadyAfterMillis *int64 `json:"steadyAfterMillis,omitempty"`

	// limitedBy is what limited the step. Unset in the results of older releases.
	// +optional
	LimitedBy *StepLimit `json:"limitedBy,omitempty"`

	// objectives of the step, in order. Unset: it has none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Objectives []ObjectiveResult `json:"objectives,omitempty"`

	// documents in the growing collection at the checkpoint of the step. Unset: there was no growth.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Documents *int64 `json:"documents,omitempty"`

	// actions carried out on the target, in order.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Actions []ActionResult `json:"actions,omitempty"`

	// groups of threads that worked at the same time, in order. Unset: the step has no groups.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Groups []GroupResult `json:"groups,omitempty"`

	// operations of the mix, or of the groups, in order. The operationsPerSecond of those of a group are over its own
	// window.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Operations []OperationResult `json:"operations,omitempty"`
}

// Steadiness says whether the throughput of a step became steady.
// It is no enum, so that a definition of an older version stores what a later operator writes.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=64
type Steadiness string

const (
	// SteadinessReached means that the throughput became steady.
	SteadinessReached Steadiness = "Reached"
	// SteadinessNever means that the throughput varied or drifted until the end.
	SteadinessNever Steadiness = "Never"
	// SteadinessNotChecked means that the step was too short to tell, with less than half a minute or than one operation
	// in five seconds, or that its load was not the same all the time.
	SteadinessNotChecked Steadiness = "NotChecked"
)

// SearchLimit is what a search ended at.
// It is no enum, so that a definition of an older version stores what a later operator writes.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=64
type SearchLimit string

const (
	// SearchLimitTarget means that the target missed the objective at higher rates.
	SearchLimitTarget SearchLimit = "Target"
	// SearchLimitGenerator means that the load generator was late at higher rates: the limit of the target is not known.
	SearchLimitGenerator SearchLimit = "Generator"
	// SearchLimitThreads means that no thread was free at higher rates, while the target was not busy: its limit is not
	// known.
	SearchLimitThreads SearchLimit = "Threads"
	// SearchLimitMaximum means that maxOperationsPerSecond met the objective.
	SearchLimitMaximum SearchLimit = "Maximum"
	// SearchLimitTime means that maxSeconds were over before the range was narrow.
	SearchLimitTime SearchLimit = "Time"
)

// SearchResult is the result of a search for the highest rate.
type SearchResult struct {
	// foundOperationsPerSecond is the highest rate that met the objective, with a confidence of 95 %, and was confirmed; 0
	// if not even the lowest did. Unless limitedBy is Target, the target may carry more.
	// +required
	// +kubebuilder:validation:Minimum=0
	FoundOperationsPerSecond *int64 `json:"foundOperationsPerSecond,omitempty"`

	// belowOperationsPerSecond is the lowest rate that did not meet the objective, with a confidence of 95 %. Unset: not
	// known, because the target was not the limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	BelowOperationsPerSecond *int64 `json:"belowOperationsPerSecond,omitempty"`

	// limitedBy is what the search ended at: Target, Generator, Threads, Maximum or Time.
	// +optional
	LimitedBy *SearchLimit `json:"limitedBy,omitempty"`

	// trials made, including confirmations. The report has each.
	// +required
	// +kubebuilder:validation:Minimum=0
	Trials *int32 `json:"trials,omitempty"`
}

// SweepResult is the result of a sweep over numbers of threads.
type SweepResult struct {
	// name of the declared step.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`

	// kneeThreads is the number of threads beyond which more threads add more latency than throughput. Unset if it cannot
	// be determined.
	// +optional
	// +kubebuilder:validation:Minimum=0
	KneeThreads *int32 `json:"kneeThreads,omitempty"`

	// saturationThreads is the smallest number of threads whose throughput is within 5 % of the highest.
	// +optional
	// +kubebuilder:validation:Minimum=0
	SaturationThreads *int32 `json:"saturationThreads,omitempty"`
}
