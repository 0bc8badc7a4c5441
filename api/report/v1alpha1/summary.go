package v1alpha1

// Summary is a report in the numbers that people ask for.
type Summary struct {
	// Load is nil when no document was loaded.
	Load *LoadSummary `json:"load,omitempty"`
	// LoadSkipped says why none was, such as that the dataset lay there already.
	LoadSkipped string `json:"loadSkipped,omitempty"`
	// Found is the dataset that was there already and was measured as it was; nil: it was loaded.
	Found *FoundSummary `json:"found,omitempty"`
	// Steps of kind Measure, in their order.
	Steps []StepSummary `json:"steps"`
	// Sweeps over thread numbers, in the order of their first steps. Their steps are among Steps too.
	Sweeps []SweepSummary `json:"sweeps,omitempty"`
	// Growth has the sizes of the growing collection and the throughput of all steps at each checkpoint. The steps are
	// among Steps too.
	Growth []GrowthSummary `json:"growth,omitempty"`
}

// FoundSummary is a dataset that the run did not load, over all its collections.
type FoundSummary struct {
	// Documents as the servers count them without reading.
	Documents int64 `json:"documents"`
	// DataBytes are those of the documents, uncompressed; 0 where the servers do not tell.
	DataBytes int64 `json:"dataBytes,omitempty"`
}

// LoadSummary is what the loading of the dataset came to.
type LoadSummary struct {
	Documents          int64 `json:"documents"`
	DurationMillis     int64 `json:"durationMillis"`
	DocumentsPerSecond int64 `json:"documentsPerSecond"`
	// Threads that loaded, and what they sent by: "wire" or the driver with its version.
	Threads int    `json:"threads,omitempty"`
	Client  string `json:"client,omitempty"`
}

// StepSummary is what one Measure step came to.
type StepSummary struct {
	Name string `json:"name"`
	// DurationMillis is the length of the measure window, which rates are over, and OverrunMillis how long after it the
	// last reply came.
	DurationMillis int64 `json:"durationMillis"`
	OverrunMillis  int64 `json:"overrunMillis,omitempty"`
	// Threads that worked, and what they sent by: "wire" or the driver with its version.
	Threads int    `json:"threads,omitempty"`
	Client  string `json:"client,omitempty"`
	// Sent is the step's.
	Sent string `json:"sent,omitempty"`
	// SweepOf is the sweep that the step is a part of.
	SweepOf string `json:"sweepOf,omitempty"`
	// GrowthOf is the declared name of a step that is repeated while the collection grows, and Documents how many that had
	// been loaded with.
	GrowthOf  string `json:"growthOf,omitempty"`
	Documents int64  `json:"documents,omitempty"`
	// Digits is that of Step.
	Digits int `json:"digits,omitempty"`
	// Operations in the order of the mix, or of the groups.
	Operations []OperationSummary `json:"operations"`
	// Groups of workers that the step had at the same time; nil when it had one mix.
	Groups []GroupSummary `json:"groups,omitempty"`
	// Overall is all operations together; it has no name and no kind.
	Overall OperationSummary `json:"overall"`
	// Objectives are what became of the step's, in their order.
	Objectives []ObjectiveSummary `json:"objectives,omitempty"`
	// Arrivals is how the arrival schedule was kept; nil in a closed loop.
	Arrivals *ArrivalsSummary `json:"arrivals,omitempty"`
	// Search is what a search for the highest rate found.
	Search *Search `json:"search,omitempty"`
	// Steady says when the throughput became steady; nil when that was not checked, and NotChecked says why.
	Steady     *Steady `json:"steady,omitempty"`
	NotChecked string  `json:"notChecked,omitempty"`
	// Drain is how unacknowledged writes ended; nil when there are none.
	Drain *Drain `json:"drain,omitempty"`
	// Pings are what was found of each server before the step.
	Pings []Ping `json:"pings,omitempty"`
	// Actions that were done to the target, in their order.
	Actions []Action `json:"actions,omitempty"`
	// DispersionMillis is the index of dispersion of the successes per interval, in thousandths: 1000 is that of arrivals
	// at random; see Variation. 0 when there are fewer than two whole intervals.
	DispersionMillis int64 `json:"dispersionMillis,omitempty"`
	// BytesIn and BytesOut are those of the step's Traffic.
	BytesIn  int64 `json:"bytesIn,omitempty"`
	BytesOut int64 `json:"bytesOut,omitempty"`
	// Gateways are the step's.
	Gateways []Gateway `json:"gateways,omitempty"`
	// ReplicationLagMillis is by how much the secondary that was behind most was behind its primary, of all samples of the
	// measure window; nil when no primary of a replica set was observed.
	ReplicationLagMillis *int64 `json:"replicationLagMillis,omitempty"`
	// Cost follows from that of the report; nil where there is none.
	Cost *StepCost `json:"cost,omitempty"`
	// LimitedBy is what limited the step, by what was observed in its window: the first is the answer, and after it come
	// at most three others that were seen too.
	LimitedBy []Limit `json:"limitedBy,omitempty"`
}

// OperationSummary is what one operation of a mix came to. Its latencies are response times in an open loop, from when
// the operation was due; otherwise service times, from the send. They are of all operations: one that failed counts at
// no less than it took, see the package censored. The operations per second are the replies within the measure window.
// Those of unacknowledged writes are over the time until the servers had taken them in; those of all operations
// together are the sum of each one's.
type OperationSummary struct {
	Name string `json:"name,omitempty"`
	// Group is the one that sent it; empty in a step without groups.
	Group string `json:"group,omitempty"`
	Kind  string `json:"kind,omitempty"`
	// PartOf and Checks are those of Operation.
	PartOf              string  `json:"partOf,omitempty"`
	Checks              []Check `json:"checks,omitempty"`
	Count               int64   `json:"count"`
	Errors              int64   `json:"errors"`
	OperationsPerSecond int64   `json:"operationsPerSecond"`
	// Stragglers and CarriedOver are those of Operation.
	Stragglers  int64 `json:"stragglers,omitempty"`
	CarriedOver int64 `json:"carriedOver,omitempty"`
	// BusyMicros is that of Operation.
	BusyMicros int64 `json:"busyMicros,omitempty"`
	TimesSummary
	// Percentiles of the latency that the step asks for, in their order.
	Percentiles []Percentile `json:"percentiles,omitempty"`
	// Documents that were returned or written. Returned, Inserted, Matched and Deleted add up to them; Modified are those
	// of Matched that an update changed. See Operation.
	Documents int64 `json:"documents,omitempty"`
	Returned  int64 `json:"returned,omitempty"`
	Inserted  int64 `json:"inserted,omitempty"`
	Matched   int64 `json:"matched,omitempty"`
	Modified  int64 `json:"modified,omitempty"`
	Deleted   int64 `json:"deleted,omitempty"`
	// Empty are the operations that came upon no document, and Unexpected those that came upon another number than was
	// expected.
	Empty      int64 `json:"empty,omitempty"`
	Unexpected int64 `json:"unexpected,omitempty"`
	// Recall is that of Operation.
	Recall *Recall `json:"recall,omitempty"`
	// Retries is how often an operation was sent once more.
	Retries int64 `json:"retries,omitempty"`
	// Unacknowledged operations are in Count, and in no latency.
	Unacknowledged int64 `json:"unacknowledged,omitempty"`
	// ServiceTime stands beside the response times of an open loop; nil in a closed loop, where the two are one.
	ServiceTime *TimesSummary `json:"serviceTime,omitempty"`
	// FirstDocument is the time from the send to the first document; nil for kinds that read no cursor.
	FirstDocument *TimesSummary `json:"firstDocument,omitempty"`
	// DatabaseTime is how long the database took, of operations that went through a service; nil for others.
	DatabaseTime *TimesSummary `json:"databaseTime,omitempty"`
	// Failed is the latency of the operations that failed, alone; nil when none did.
	Failed *TimesSummary `json:"failed,omitempty"`
	// Corrected is the latency of a closed loop with the operations that slow ones held up, as an estimate; nil when the
	// step does not say how often a thread is expected to send one.
	Corrected *TimesSummary `json:"corrected,omitempty"`
}

// TimesSummary is what people ask of a histogram of times.
type TimesSummary struct {
	// Timed is how many times there are.
	Timed int64 `json:"timed,omitempty"`
	// The percentiles are read from as many times as there are, however few: figure.Time says which of them carry one.
	MeanMicros  int64 `json:"meanMicros"`
	P50Micros   int64 `json:"p50Micros,omitempty"`
	P95Micros   int64 `json:"p95Micros,omitempty"`
	P99Micros   int64 `json:"p99Micros,omitempty"`
	P999Micros  int64 `json:"p999Micros,omitempty"`
	P9999Micros int64 `json:"p9999Micros,omitempty"`
	MaxMicros   int64 `json:"maxMicros"`
	// StdDevMicros is the standard deviation.
	StdDevMicros int64 `json:"stdDevMicros"`
}

// ArrivalsSummary is how an arrival schedule was kept.
type ArrivalsSummary struct {
	// Process is the plan's: Constant, Poisson or Trace.
	Process string `json:"process"`
	// RequestedPerSecond is the rate at which operations were due, and AchievedPerSecond that at which they were sent
	// within the window. The throughput, in OperationSummary, is that at which they succeeded.
	RequestedPerSecond int64 `json:"requestedPerSecond"`
	AchievedPerSecond  int64 `json:"achievedPerSecond"`
	// Due, Dropped, Skipped, Late and LargestQueue are those of Arrivals.
	Due          int64 `json:"due"`
	Dropped      int64 `json:"dropped"`
	Skipped      int64 `json:"skipped,omitempty"`
	Late         int64 `json:"late"`
	LargestQueue int64 `json:"largestQueue"`
	// Lag is from when an operation was due until it was sent, and WakeUp that of the operations whose worker was free.
	Lag    TimesSummary `json:"lag"`
	WakeUp TimesSummary `json:"wakeUp"`
}

// SweepSummary is what a sweep over thread numbers found.
type SweepSummary struct {
	Name string `json:"name"`
	// Points by the number of threads.
	Points []SweepPoint `json:"points"`
	// KneeThreads is the number of threads beyond which more of them cost more latency than they bring throughput; 0 when
	// that cannot be said. See Knee.
	KneeThreads int `json:"kneeThreads,omitempty"`
	// SaturationThreads is the smallest number of threads whose throughput is within 5 % of the highest.
	SaturationThreads int `json:"saturationThreads,omitempty"`
}

// SweepPoint is one step of a sweep.
type SweepPoint struct {
	Step                string `json:"step"`
	Threads             int    `json:"threads"`
	OperationsPerSecond int64  `json:"operationsPerSecond"`
	MeanMicros          int64  `json:"meanMicros"`
	// P99Micros is 0 when too few operations were timed for it.
	P99Micros int64 `json:"p99Micros,omitempty"`
	Errors    int64 `json:"errors,omitempty"`
}

// GrowthSummary is a collection that grows, at one checkpoint.
type GrowthSummary struct {
	// Documents that had been loaded, and Found those that were counted, with what steps before had written.
	Documents int64 `json:"documents"`
	Found     int64 `json:"found"`
	// DataBytes are those of the documents, and StorageBytes and IndexBytes what these and all indexes take on disk; over
	// all shards. Unsettled as in CollectionSize.
	DataBytes    int64 `json:"dataBytes"`
	StorageBytes int64 `json:"storageBytes"`
	IndexBytes   int64 `json:"indexBytes"`
	Unsettled    bool  `json:"unsettled,omitempty"`
	// LoadedPerSecond is how many documents a second it grew by up to here; 0 at the first checkpoint.
	LoadedPerSecond int64 `json:"loadedPerSecond,omitempty"`
	// Points are the steps, in their order.
	Points []GrowthPoint `json:"points"`
}

// GrowthPoint is one step at one checkpoint.
type GrowthPoint struct {
	// Name as declared, and Step the name in the plan.
	Name                string `json:"name"`
	Step                string `json:"step"`
	OperationsPerSecond int64  `json:"operationsPerSecond"`
	MeanMicros          int64  `json:"meanMicros"`
	// P99Micros is 0 when too few operations were timed for it.
	P99Micros int64 `json:"p99Micros,omitempty"`
	Errors    int64 `json:"errors,omitempty"`
}
