package v1alpha1

import "time"

// The kinds of steps that readers of a report ask for, as the plan names them.
const (
	KindLoad    = "Load"
	KindMeasure = "Measure"
	KindSize    = "Size"
	KindBalance = "Balance"
)

// Step is what was measured in one step of the plan.
type Step struct {
	Name string `json:"name"`
	// Kind is the plan's.
	Kind string `json:"kind"`
	// IntendedStart is the instant that the gate published; Start is when the first worker began. One pod alone has no
	// gate, and the two are equal.
	IntendedStart time.Time `json:"intendedStart"`
	Start         time.Time `json:"start"`
	// MeasureStart and End bound what was counted: after the warm-up, until the last counted reply.
	MeasureStart time.Time `json:"measureStart"`
	End          time.Time `json:"end"`
	// StartSkewMicros is by how much Start missed IntendedStart; of several pods the largest.
	StartSkewMicros int64 `json:"startSkewMicros"`
	// Threads that worked, and Client is what they sent by: "wire" or the driver with its version. Of several the first.
	Threads int    `json:"threads"`
	Client  string `json:"client,omitempty"`
	// Documents that were written by a Load, or counted by a Verify.
	Documents int64 `json:"documents,omitempty"`
	// Operations of a Measure, in the order of the mix; of a Load one operation called "load".
	Operations []Operation `json:"operations,omitempty"`
	// IntervalMillis is the length of each interval; 1000 unless the report would have been too large.
	IntervalMillis int `json:"intervalMillis,omitempty"`
	// Generator is what the load generator itself used while counting.
	Generator Generator `json:"generator"`
	// Arrivals is how an arrival schedule was kept; nil in a closed loop.
	Arrivals *Arrivals `json:"arrivals,omitempty"`
	// Search is what a search found; the operations are those of its confirmation.
	Search *Search `json:"search,omitempty"`
	// SweepOf is the plan's.
	SweepOf string `json:"sweepOf,omitempty"`
	// Steady says when the throughput became steady; nil when the window is too short to tell.
	Steady *Steady `json:"steady,omitempty"`
	// Traffic is what went over the connections while counting.
	Traffic Traffic `json:"traffic,omitzero"`
	// Drain is how the step's unacknowledged writes ended; nil when it has none.
	Drain *Drain `json:"drain,omitempty"`
	// Skipped says why the step did nothing, such as a Load whose dataset was there already; empty when it did.
	Skipped string `json:"skipped,omitempty"`
	// GrowthOf and GrowthDocuments are the plan's GrowthOf and Documents. The Documents of a Size are those that were
	// counted in the collection that grows.
	GrowthOf        string `json:"growthOf,omitempty"`
	GrowthDocuments int64  `json:"growthDocuments,omitempty"`
	// Sizes are what a Size found, and what a Balance found last.
	Sizes []CollectionSize `json:"sizes,omitempty"`
	// ImbalancePercent is by how much the fullest shard was above the mean at the end of a Balance, and
	// MaxImbalancePercent what the plan allows.
	ImbalancePercent    int `json:"imbalancePercent,omitempty"`
	MaxImbalancePercent int `json:"maxImbalancePercent,omitempty"`
	// Actions that were done to the target, in their order.
	Actions []Action `json:"actions,omitempty"`
}

// Duration of the measure window.
func (s Step) Duration() time.Duration {
	return s.End.Sub(s.MeasureStart)
}

// Operation is what was measured of one operation of a mix.
type Operation struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Count of operations that succeeded, and Errors of those that failed.
	Count  int64 `json:"count"`
	Errors int64 `json:"errors"`
	// Documents that were returned or written.
	Documents int64 `json:"documents"`
	// ErrorClasses say what went wrong, most frequent first.
	ErrorClasses []ErrorClass `json:"errorClasses,omitempty"`
	// Retries is how often an operation was sent once more, and Unacknowledged the operations without a time: no reply was
	// asked for, or a change stream or tailing cursor had no news. They are in Count and in no histogram.
	Retries        int64 `json:"retries,omitempty"`
	Unacknowledged int64 `json:"unacknowledged,omitempty"`
	// ServiceTime is the histogram of the times from send to reply, in microseconds: HdrHistogram's V2 encoding,
	// compressed, in base64. Three significant digits unless the report would have been too large.
	ServiceTime string `json:"serviceTime"`
	// ResponseTime is the same from when the operation was due until the reply. Empty in a closed loop, where the two are
	// one.
	ResponseTime string `json:"responseTime,omitempty"`
	// FirstDocument is the same from send to the first document; empty for kinds that read no cursor.
	FirstDocument string `json:"firstDocument,omitempty"`
	// Intervals are counts of successes in consecutive intervals from MeasureStart on, and IntervalErrors of failures.
	Intervals      []int64 `json:"intervals,omitempty"`
	IntervalErrors []int64 `json:"intervalErrors,omitempty"`
	// IntervalTimes are the response times of each interval, two buckets an octave: see IntervalBucket.
	IntervalTimes [][]int64 `json:"intervalTimes,omitempty"`
}

// ErrorClass is a kind of failure.
type ErrorClass struct {
	// Class is timeout, network, write conflict, duplicate key, not primary, authentication, transaction, or server.
	Class string `json:"class"`
	Count int64  `json:"count"`
	// FirstMessage is the text of the first of them, without secrets.
	FirstMessage string `json:"firstMessage"`
}

// Generator is what the load generator itself used while a step was counted.
type Generator struct {
	// CPUMicros is the CPU time of the process, user and system.
	CPUMicros int64 `json:"cpuMicros"`
	// AvailableCPUMicros is the CPU time that it could have used: the window times its CPU limit or the cores.
	AvailableCPUMicros int64 `json:"availableCPUMicros"`
	// BusiestPodPercent is the largest share of its CPU that any pod used.
	BusiestPodPercent int `json:"busiestPodPercent"`
	// ThrottledMicros is how long the cgroup was kept from running, where it can be read; of several pods the largest.
	ThrottledMicros int64 `json:"throttledMicros"`
	// GCPauseMicros is the sum of the stop-the-world pauses of Go's collector, and GCCPUMicros the CPU time it took.
	GCPauseMicros int64 `json:"gcPauseMicros"`
	GCCPUMicros   int64 `json:"gcCPUMicros,omitempty"`
	// WaitMicros is how long threads that could run waited for a processor, where the kernel tells.
	WaitMicros int64 `json:"waitMicros,omitempty"`
	// Processors that Go used at a time (GOMAXPROCS); of several pods the largest.
	Processors int `json:"processors,omitempty"`
	// PeakMemoryBytes is the largest resident size of the process so far.
	PeakMemoryBytes int64 `json:"peakMemoryBytes,omitempty"`
}

// Arrivals is how an arrival schedule was kept.
type Arrivals struct {
	// Process is the plan's: Constant, Poisson or Trace.
	Process string `json:"process"`
	// Due operations in the measure window: those that were sent, and those that were Dropped because too many were
	// queued already.
	Due     int64 `json:"due"`
	Dropped int64 `json:"dropped"`
	// Late are those that were sent only after the window's end: the queue that was left.
	Late int64 `json:"late,omitempty"`
	// WindowMillis is the length of the window as it was planned, in which they were due; 0 when a number of operations
	// ended it.
	WindowMillis int64 `json:"windowMillis,omitempty"`
	// LargestQueue is the most operations that were due and not yet sent; of several pods the sum.
	LargestQueue int64 `json:"largestQueue"`
	// Lag is the histogram of the times from when an operation was due until it was sent, in microseconds.
	Lag string `json:"lag"`
	// WakeUp is the part of it for operations that a worker was free for: the error of the generator's own clock.
	WakeUp string `json:"wakeUp"`
}

// Search is what a search for the highest rate found.
type Search struct {
	// PercentileMillis and LimitMicros are the objective, as in the plan.
	PercentileMillis int   `json:"percentileMillis"`
	LimitMicros      int64 `json:"limitMicros"`
	// Found is the highest confirmed rate in operations per second; 0 when not even the lowest kept the objective.
	Found  int64   `json:"found"`
	Trials []Trial `json:"trials"`
}

// Trial is one rate that a search tried.
type Trial struct {
	Rate     int64 `json:"rate"`
	Achieved int64 `json:"achieved"`
	// Micros is the percentile of the response time that was seen.
	Micros       int64 `json:"micros"`
	Errors       int64 `json:"errors"`
	Dropped      int64 `json:"dropped"`
	Kept         bool  `json:"kept"`
	Confirmation bool  `json:"confirmation,omitempty"`
}

// Steady says when the throughput became steady.
type Steady struct {
	// Reached is false when it never was.
	Reached bool `json:"reached"`
	// AfterMillis is from when on, counted from MeasureStart.
	AfterMillis int64 `json:"afterMillis,omitempty"`
	// VariationPercent is the coefficient of variation of the intervals from then on, or of all.
	VariationPercent int `json:"variationPercent"`
}

// Traffic is what went over the connections to the database.
type Traffic struct {
	BytesIn  int64 `json:"bytesIn"`
	BytesOut int64 `json:"bytesOut"`
	// Checkouts of a connection from the driver's pool, and how long they took together and at most. The wire client
	// has no pool: each worker owns its connection.
	Checkouts         int64 `json:"checkouts,omitempty"`
	CheckoutMicros    int64 `json:"checkoutMicros,omitempty"`
	MaxCheckoutMicros int64 `json:"maxCheckoutMicros,omitempty"`
}

// Action is something that was done to the target.
type Action struct {
	Name string `json:"name"`
	Type string `json:"type"`
	// Member that it was done to; empty for the whole target.
	Member string `json:"member,omitempty"`
	// AtMillis is when it was done, from MeasureStart on, and UntilMillis until when it was looked at what it did: when
	// the next action was due, or the window ended.
	AtMillis    int64 `json:"atMillis"`
	UntilMillis int64 `json:"untilMillis"`
	// OutageMicros is the longest time in between in which no operation of a pod succeeded; of several pods the longest.
	OutageMicros int64 `json:"outageMicros,omitempty"`
	// RecoveryMillis is what FindRecovery found; nil when it cannot be told.
	RecoveryMillis *int64 `json:"recoveryMillis,omitempty"`
	// Error says why it could not be done.
	Error string `json:"error,omitempty"`
}

// NeverRecovered is the RecoveryMillis of an action whose step ended before.
const NeverRecovered = -1

// Drain is how the unacknowledged writes of a step ended: after the window the servers were waited for until
// they had taken in all that was sent to them.
type Drain struct {
	// Operations that are such writes, by their names.
	Operations []string `json:"operations"`
	// Micros from the step's End until the servers had taken them in; of several pods, until the last of them had.
	Micros int64 `json:"micros"`
	// Counted says that Sent and Arrived are known: one pod alone inserts, and nothing else changes how many documents
	// there are. Sent documents were in inserts of the window, and Arrived are those that the collections then had.
	Counted bool  `json:"counted,omitempty"`
	Sent    int64 `json:"sent,omitempty"`
	Arrived int64 `json:"arrived,omitempty"`
	// Failed says why it is unknown whether they were taken in; empty when they were.
	Failed string `json:"failed,omitempty"`
}

// CollectionSize is what one collection takes on one shard.
type CollectionSize struct {
	Collection string `json:"collection"`
	// Shard is the name of the replica set; empty without shards.
	Shard string `json:"shard,omitempty"`
	// Documents as the server counts them without reading: orphans of moved chunks are among them.
	Documents int64 `json:"documents"`
	// DataBytes are those of the documents, StorageBytes what they take on disk, FreeBytes what of that may be used again.
	DataBytes    int64 `json:"dataBytes"`
	StorageBytes int64 `json:"storageBytes"`
	FreeBytes    int64 `json:"freeBytes,omitempty"`
	// Chunks that lie on the shard; 0 where there are none.
	Chunks int64 `json:"chunks,omitempty"`
	// Unsettled says that the server could not be asked for a checkpoint, so that the bytes on disk are those of an
	// earlier one.
	Unsettled bool        `json:"unsettled,omitempty"`
	Indexes   []IndexSize `json:"indexes"`
}

// IndexSize is what one index takes on disk.
type IndexSize struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}
