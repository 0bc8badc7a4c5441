package v1alpha1

import (
	"time"
)

// Version of the report's format; a reader refuses any other.
const Version = "report.mongobench.dev/v1alpha1"

// Keys of the ConfigMap that one load pod writes into.
const (
	// ProgressKey is the key of its data that holds a Progress.
	ProgressKey = "progress"
	// ReportKey is the key of its binary data that holds an encoded Report.
	ReportKey = "report"
	// TopologyKey is the key of its data that holds a TopologyReport; a topology Job writes it.
	TopologyKey = "topology"
)

// MaxReportBytes is the most that one pod's encoded report may take: a ConfigMap holds 1 MiB.
const MaxReportBytes = 900 << 10

// Progress is where one load pod is. It is written when a step is reached, and every second or two within it.
type Progress struct {
	// Step is the index, in the plan, of the step that the pod is in or waits to begin.
	Step int `json:"step"`
	// State is Waiting (ready to begin the step), Running, or Done (all steps ended, the report is written).
	State ProgressState `json:"state"`
	// WarmingUp is true while nothing is counted yet.
	WarmingUp bool `json:"warmingUp,omitempty"`
	// Percent of the step that is done, 0 to 100.
	Percent int `json:"percent"`
	// OperationsPerSecond of this pod at present; while loading, documents.
	OperationsPerSecond int64 `json:"operationsPerSecond"`
	// Requests are the actions that the operator is asked to carry out, of all steps so far; pod 0 alone has any.
	Requests []ActionRequest `json:"requests,omitempty"`
	// Dataset is what is known of the dataset in the target; pod 0 alone says it.
	Dataset *DatasetMark `json:"dataset,omitempty"`
	// Reused says that the dataset lay there already, so that nothing was loaded; pod 0 alone says it.
	Reused bool `json:"reused,omitempty"`
}

// ActionRequest asks the operator to carry out an action of the plan.
type ActionRequest struct {
	// Step is the index of the plan's step, and Action that of its action.
	Step   int `json:"step"`
	Action int `json:"action"`
	// Member is the one that it is for, as host:port.
	Member string `json:"member"`
	// At is when it was due. What the operator sees later than its deadline it leaves alone.
	At time.Time `json:"at"`
}

// DatasetMark is what a database says of the dataset in it: the one document of its collection DatasetCollection.
type DatasetMark struct {
	// Fingerprint is the plan's Dataset.
	Fingerprint string `json:"fingerprint"`
	// State is Loading, Clean or Dirty.
	State DatasetState `json:"state"`
}

// DatasetState says what is known of a dataset.
type DatasetState string

// The states of a dataset.
const (
	DatasetLoading DatasetState = "Loading"
	DatasetClean   DatasetState = "Clean"
	DatasetDirty   DatasetState = "Dirty"
)

// DatasetCollection is the collection, in the database of a dataset, whose one document marks it. Its presence says
// that a load generator made the database.
const DatasetCollection = "mongobench.dataset"

// DatasetMarkID is the _id of that document.
const DatasetMarkID = "dataset"

// ProgressState says what a load pod does with the step that it is in.
type ProgressState string

// The states of a load pod.
const (
	ProgressWaiting ProgressState = "Waiting"
	ProgressRunning ProgressState = "Running"
	ProgressDone    ProgressState = "Done"
)

// Report is what one load pod measured, or what several did together once merged.
type Report struct {
	// Version is the constant of the same name.
	Version string `json:"version"`
	// PlanHash is the SHA-256 of the plan that was followed.
	PlanHash string `json:"planHash"`
	// LoadgenVersion and Driver say what the load was driven by, for example "mongo-driver v2.8.0".
	LoadgenVersion string `json:"loadgenVersion"`
	Driver         string `json:"driver"`
	// Pods that were merged into this report; 1 for a pod's own.
	Pods int `json:"pods"`
	// Steps in the order of the plan.
	Steps []Step `json:"steps"`
	// Server is what the servers said of themselves before the first step.
	Server Server `json:"server"`
	// Members is what was observed of each server while the steps went on; only one pod observes.
	Members []Member `json:"members,omitempty"`
	// Machines that the load pods ran on, each once.
	Machines []Machine `json:"machines,omitempty"`
}

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

// Member is what was observed of one server.
type Member struct {
	// Name is host and port; Role is primary, secondary, standalone, mongos or config when the observation began.
	Name string `json:"name"`
	Role string `json:"role,omitempty"`
	// Start is when the first sample was taken, and IntervalMillis the time between two of them.
	Start          time.Time `json:"start"`
	IntervalMillis int       `json:"intervalMillis"`
	// Series of the samples: rates per second by difference, and levels as they were.
	Series []Series `json:"series"`
	// CostMicros is the CPU time that observing took here, per second, and Missed the samples that did not come in time.
	CostMicros int64 `json:"costMicros"`
	Missed     int64 `json:"missed,omitempty"`
}

// Series is one figure over time. A value of -1 is one that is not known.
type Series struct {
	// Name and Unit are those that the package observe lists.
	Name   string  `json:"name"`
	Unit   string  `json:"unit"`
	Values []int64 `json:"values"`
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

// Server is what a server said of itself.
type Server struct {
	// Product is ProductMongoDB or ProductMariaDB, or what else the server calls itself.
	Product              string `json:"product,omitempty"`
	Version              string `json:"version,omitempty"`
	GitVersion           string `json:"gitVersion,omitempty"`
	Topology             string `json:"topology,omitempty"`
	StorageEngine        string `json:"storageEngine,omitempty"`
	CacheMebibytes       int64  `json:"cacheMebibytes,omitempty"`
	MemoryLimitMebibytes int64  `json:"memoryLimitMebibytes,omitempty"`
	CPUCores             int    `json:"cpuCores,omitempty"`
	// CPULimitMillis is the CPU limit of each member's pod, in thousandths of a core, which no mongod sees: the operator
	// adds it to the reports of the targets that it deployed.
	CPULimitMillis int64 `json:"cpuLimitMillis,omitempty"`
	Members        int   `json:"members,omitempty"`
	// Shards of a sharded deployment, and Router what requests go through: Mongos or Client.
	Shards int    `json:"shards,omitempty"`
	Router string `json:"router,omitempty"`
	// TLS is Off or On, as the load's connections have it.
	TLS string `json:"tls,omitempty"`
	// Persistence is Durable or Transient, as serverStatus.storageEngine.persistent tells.
	Persistence         string `json:"persistence,omitempty"`
	DefaultWriteConcern string `json:"defaultWriteConcern,omitempty"`
	// Durability of the writes that were measured, by the API's name, as the server and the client's requests give it;
	// several, in alphabetical order, where operations differ.
	Durability string `json:"durability,omitempty"`
	// SyncMicros is how long it takes to bring a written block to the disk of the data; zero where nobody measured it.
	SyncMicros      SyncMicros `json:"syncMicros,omitzero"`
	StartupWarnings []string   `json:"startupWarnings,omitempty"`
}

// The products that are known by name.
const (
	ProductMongoDB = "MongoDB"
	ProductMariaDB = "MariaDB"
)

// SyncMicros are percentiles of the times that fdatasync takes on the volume of the data.
type SyncMicros struct {
	P50 int64 `json:"p50"`
	P99 int64 `json:"p99"`
}

// TopologyReport is what a topology Job answers.
type TopologyReport struct {
	// Version is the constant of the same name.
	Version string `json:"version"`
	Server  Server `json:"server"`
}
