package v1alpha1

import "time"

// The kinds of steps that readers of a report ask for, as the plan names them.
const (
	KindLoad    = "Load"
	KindMeasure = "Measure"
	KindSize    = "Size"
	KindBalance = "Balance"
	KindSurvey  = "Survey"
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
	// WindowMillis is the length of the measure window as it was planned, from MeasureStart on; 0 when a number of
	// operations ended it. OverrunMicros is how long after it the last reply came; of several pods the longest.
	WindowMillis  int64 `json:"windowMillis,omitempty"`
	OverrunMicros int64 `json:"overrunMicros,omitempty"`
	// SpanMillis is the time from MeasureStart to the end of the last of several windows, between which another target was
	// measured; WindowMillis is that of all of them then. 0: there is one window.
	SpanMillis int64 `json:"spanMillis,omitempty"`
	// StartSkewMicros is by how much Start missed IntendedStart by the pod's own clock; of several pods the largest. How
	// far apart pods began by one clock is in Pings.
	StartSkewMicros int64 `json:"startSkewMicros"`
	// ClockStepMicros is the largest step by which the pod's wall clock was set while the step went on, back when it is
	// negative; 0 when it was not, or by too little to tell. Of several pods the largest. ClockSetMicros is by how much it
	// had been set in all between the beginning of the run there and Start. Start, MeasureStart and End are by the wall
	// clock as it stood at Start, and all that is between them is by the monotonic clock, which nobody sets.
	ClockStepMicros int64 `json:"clockStepMicros,omitempty"`
	ClockSetMicros  int64 `json:"clockSetMicros,omitempty"`
	// Pings are what was found of each server that requests go to, before a Measure; those that did not answer are left
	// out.
	Pings []Ping `json:"pings,omitempty"`
	// Threads that worked, and Client is what they sent by: "wire" or the driver with its version. Of several the first.
	Threads int    `json:"threads"`
	Client  string `json:"client,omitempty"`
	// Sent is what went to the server with each operation because of the client and the connection string: retries,
	// sessions, decoding, the pool. Empty for clients that do not tell.
	Sent string `json:"sent,omitempty"`
	// PoolSize is how many connections the threads share at most; 0 for clients that have one for each thread.
	PoolSize int64 `json:"poolSize,omitempty"`
	// IdleConnections were open beside those of the threads, and LostConnections are those of them that the server did not
	// answer over in the end. Of several pods the sums.
	IdleConnections int64 `json:"idleConnections,omitempty"`
	LostConnections int64 `json:"lostConnections,omitempty"`
	// Documents that were written by a Load, or counted by a Verify. ResumedDocuments are those that an earlier load had
	// written, and this one left out.
	Documents        int64 `json:"documents,omitempty"`
	ResumedDocuments int64 `json:"resumedDocuments,omitempty"`
	// Groups of workers that a Measure had at the same time; nil when it had one mix. The Arrivals are theirs then.
	Groups []Group `json:"groups,omitempty"`
	// Operations of a Measure, in the order of the mix, or of the groups; of a Load one operation called "load".
	Operations []Operation `json:"operations,omitempty"`
	// IntervalMillis is the length of each interval; 1000 unless the report would have been too large.
	IntervalMillis int `json:"intervalMillis,omitempty"`
	// Digits are the significant digits of the times in the histograms of the step; 0 is HistogramDigits. They are fewer
	// when the report would have been too large: with two, a percentile is within 0.5 %, and with one within 4 %.
	Digits int `json:"digits,omitempty"`
	// Generator is what the load generator itself used while counting.
	Generator Generator `json:"generator"`
	// Arrivals is how an arrival schedule was kept; nil in a closed loop.
	Arrivals *Arrivals `json:"arrivals,omitempty"`
	// Search is what a search found; the operations are those of its confirmation.
	Search *Search `json:"search,omitempty"`
	// Objectives, Percentiles and ExpectedIntervalMicros are the plan's: what is to be read from the operations.
	Objectives             []Objective `json:"objectives,omitempty"`
	Percentiles            []int       `json:"percentiles,omitempty"`
	ExpectedIntervalMicros int64       `json:"expectedIntervalMicros,omitempty"`
	// SweepOf is the plan's.
	SweepOf string `json:"sweepOf,omitempty"`
	// Steady says when the throughput became steady; nil when that was not checked, as in a window that is too short.
	Steady *Steady `json:"steady,omitempty"`
	// Traffic is what went over the connections while counting.
	Traffic Traffic `json:"traffic,omitzero"`
	// Gateways are the processes of the service that the operations of a Measure went through; nil where they went to the
	// database itself.
	Gateways []Gateway `json:"gateways,omitempty"`
	// Drain is how the step's unacknowledged writes ended; nil when it has none.
	Drain *Drain `json:"drain,omitempty"`
	// Replay is what became of a recording; nil of a step that has a mix.
	Replay *Replay `json:"replay,omitempty"`
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
	// Explained is how the servers carry out the operations of a Measure, in the order of the mix; one pod alone asks.
	// What cannot be explained, such as an insert, is left out.
	Explained []Explained `json:"explained,omitempty"`
	// Slow are the commands that servers logged as slow in the window of a Measure; one pod alone asks for them.
	Slow []SlowCommands `json:"slow,omitempty"`
}

// Duration is how long operations were counted: the measure window, and then until the last reply.
func (s Step) Duration() time.Duration {
	return s.End.Sub(s.MeasureStart)
}

// Window is the length of the measure window, which rates are over: the planned one. Where a number of operations ends
// it, that is with the last reply.
func (s Step) Window() time.Duration {
	if s.WindowMillis > 0 {
		return time.Duration(s.WindowMillis) * time.Millisecond
	}
	return s.Duration()
}

// WindowEnd is when the measure window ended.
func (s Step) WindowEnd() time.Time {
	if s.SpanMillis > 0 {
		return s.MeasureStart.Add(time.Duration(s.SpanMillis) * time.Millisecond)
	}
	return s.MeasureStart.Add(s.Window())
}

// ByMember is an instant of the step as the samples of a member count time: by the wall clock as it stood when the run
// began.
func (s Step) ByMember(at time.Time) time.Time {
	return at.Add(-time.Duration(s.ClockSetMicros) * time.Microsecond)
}

// Operation is what was measured of one operation of a mix.
type Operation struct {
	Name string `json:"name"`
	// Group is the one that sent it; empty in a step without groups.
	Group string `json:"group,omitempty"`
	Kind  string `json:"kind"`
	// PartOf is the flow that it is a part of, whose operations alone are those of the mix: parts are in no sum over
	// operations. Empty for an operation of the mix.
	PartOf string `json:"partOf,omitempty"`
	// Count of operations that succeeded, and Errors of those that failed.
	Count  int64 `json:"count"`
	Errors int64 `json:"errors"`
	// Stragglers are those of Count whose reply came after the measure window: they have a latency, and are in no rate.
	// CarriedOver are operations of the warm-up that succeeded within the window: they are in the rate alone, and in
	// Intervals. Both are 0 where a number of operations ends the window.
	Stragglers  int64 `json:"stragglers,omitempty"`
	CarriedOver int64 `json:"carriedOver,omitempty"`
	// BusyMicros is how long workers were with the operation within the measure window, all added up: with those that
	// began before it and those that ended after it, too, and with a change stream also while there was no news.
	BusyMicros int64 `json:"busyMicros,omitempty"`
	// Documents that were returned or written. Of them Inserted are those of inserts and upserts, Matched those that
	// updates found, Modified those that they changed, and Deleted those that were removed, as far as the server tells;
	// the others were returned.
	Documents int64 `json:"documents"`
	Inserted  int64 `json:"inserted,omitempty"`
	Matched   int64 `json:"matched,omitempty"`
	Modified  int64 `json:"modified,omitempty"`
	Deleted   int64 `json:"deleted,omitempty"`
	// Empty are the operations that succeeded, looked for documents and came upon none.
	Empty int64 `json:"empty,omitempty"`
	// Expect is what was expected of each operation that succeeds; nil when nothing was. Unexpected are those of them that
	// came upon another number of documents.
	Expect     *Expectation `json:"expect,omitempty"`
	Unexpected int64        `json:"unexpected,omitempty"`
	// Within are the operations that succeeded within the limits of objectives, by limit. The time is the latency to the
	// nanosecond, not that of a histogram's bucket.
	Within []Within `json:"within,omitempty"`
	// Skipped are the operations of an open loop that were due too long ago to be sent. They are neither in Count nor in
	// Errors.
	Skipped int64 `json:"skipped,omitempty"`
	// Checks of the answers, in their order.
	Checks []Check `json:"checks,omitempty"`
	// Recall is how much of exact answers the operation's own had; nil when that was not asked for.
	Recall *Recall `json:"recall,omitempty"`
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
	// DatabaseTime is the histogram of how long the database took, by the clock of the service that the operation went
	// through; empty where it went to the database itself.
	DatabaseTime string `json:"databaseTime,omitempty"`
	// FailedServiceTime and FailedResponseTime are the same of operations that failed, until the failure was known. They
	// are empty where nothing failed, or in a closed loop; the three above are of those that succeeded.
	FailedServiceTime  string `json:"failedServiceTime,omitempty"`
	FailedResponseTime string `json:"failedResponseTime,omitempty"`
	// Intervals are counts of successes in consecutive intervals from MeasureStart on, and IntervalErrors of failures. The
	// successes are those of Count and of CarriedOver; of several windows without the Stragglers.
	Intervals      []int64 `json:"intervals,omitempty"`
	IntervalErrors []int64 `json:"intervalErrors,omitempty"`
	// IntervalTimes are the response times of each interval, of successes and timeouts, two buckets an octave: see
	// IntervalBucket.
	IntervalTimes [][]int64 `json:"intervalTimes,omitempty"`
}

// ClassFlow is the class of flows that ended because of what they were answered with, and not of a failed request.
const ClassFlow = "flow"

// ClassTimeout is the class of operations that took longer than they were given.
const ClassTimeout = "timeout"

// Replies are the successes within the measure window, which the rate is of.
func (o Operation) Replies() int64 { return o.Count - o.Stragglers + o.CarriedOver }

// ErrorClass is a kind of failure.
type ErrorClass struct {
	// Class is timeout, network, write conflict, duplicate key, not primary, authentication, transaction, overload,
	// memory, flow, or server.
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
	// BusiestPodPercent is the largest share of its CPU that any pod used in the window, and BusiestSecondPercent the
	// largest that any pod used in one second of it; 0 when the window is shorter.
	BusiestPodPercent    int `json:"busiestPodPercent"`
	BusiestSecondPercent int `json:"busiestSecondPercent,omitempty"`
	// ThrottledMicros is how long the cgroup was kept from running, where it can be read; of several pods the largest.
	ThrottledMicros int64 `json:"throttledMicros"`
	// GCPauseMicros is the sum of the stop-the-world pauses of Go's collector, and GCCPUMicros the CPU time it took.
	GCPauseMicros int64 `json:"gcPauseMicros"`
	GCCPUMicros   int64 `json:"gcCPUMicros,omitempty"`
	// WaitMicros is how long threads that could run waited for a processor, where the kernel tells.
	WaitMicros int64 `json:"waitMicros,omitempty"`
	// StealMicros is how long the machine's processors were kept from running by its hypervisor, all added up, and
	// PressureMicros how long any task of the machine waited for a processor, where the kernel tells; of several pods the
	// largest.
	StealMicros    int64 `json:"stealMicros,omitempty"`
	PressureMicros int64 `json:"pressureMicros,omitempty"`
	// Delay is the histogram of the generator's own delay in microseconds, from when something could be read until a
	// goroutine that waited for it noticed: what every reply waits, too. A probe finds it out by a timer of the kernel,
	// some thousand times in the window. Empty where there is no such timer.
	Delay string `json:"delay,omitempty"`
	// ProbeMicros is the mean time from the end of one probe to the instant that the next one waits for.
	ProbeMicros int64 `json:"probeMicros,omitempty"`
	// GoroutineWait is the part of it that was waiting for one of Processors: the histogram of how long goroutines that
	// could run waited, by Go's own count of one in eight.
	GoroutineWait string `json:"goroutineWait,omitempty"`
	// Processors that Go used at a time (GOMAXPROCS); of several pods the largest.
	Processors int `json:"processors,omitempty"`
	// PeakMemoryBytes is the largest resident size of the process so far.
	PeakMemoryBytes int64 `json:"peakMemoryBytes,omitempty"`
}

// Arrivals is how an arrival schedule was kept.
type Arrivals struct {
	// Process is the plan's: Constant, Poisson or Trace.
	Process string `json:"process"`
	// Due operations in the measure window: those that were sent, those that were Dropped because too many were queued
	// already, and those that were Skipped because they were due longer ago than the plan allows.
	Due     int64 `json:"due"`
	Dropped int64 `json:"dropped"`
	Skipped int64 `json:"skipped,omitempty"`
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
	// TookMicros is how long the command took that did it; 0 for what no command of the load generator did.
	TookMicros int64 `json:"tookMicros,omitempty"`
	// OutageMicros is the longest time in between in which no operation of a pod succeeded; of several pods the longest.
	OutageMicros int64 `json:"outageMicros,omitempty"`
	// RecoveryMillis is what FindRecovery found; nil when it cannot be told.
	RecoveryMillis *int64 `json:"recoveryMillis,omitempty"`
	// Outcome is what the servers said of it, in words; mostly they say nothing.
	Outcome string `json:"outcome,omitempty"`
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
