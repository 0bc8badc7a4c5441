package v1alpha1

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/mongobench/mongobench-operator/internal/strictjson"
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
	// State is Waiting (ready to begin the step), Running, Done (all steps ended, the report is written), or Stopped (the
	// pod ends before the end of the plan, and the report of what it measured is written).
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
	// BaselineDataset is the same of the target on the other side of a duet; nil without one.
	BaselineDataset *DatasetMark `json:"baselineDataset,omitempty"`
	// Reused says that the dataset lay there already, so that nothing was loaded; pod 0 alone says it.
	Reused bool `json:"reused,omitempty"`
	// Lines are what is known by now of the step of a duet, without their course.
	Lines []DuetLine `json:"lines,omitempty"`
	// Pod is the UID of the pod that says it: one that was lost may have said the last thing. Empty outside of a cluster.
	Pod string `json:"pod,omitempty"`
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
	// LoadBegan is when the load of a dataset with dates around that instant began, in milliseconds since 1970; 0 for
	// every other dataset.
	LoadBegan int64 `json:"loadBegan,omitempty"`
}

// LoadCheckpoint is how far one load pod has come with a load, as it keeps it in the database beside the mark.
type LoadCheckpoint struct {
	Pod int `json:"pod" bson:"pod"`
	// Fingerprint is the plan's Dataset.
	Fingerprint string `json:"fingerprint" bson:"fingerprint"`
	// Done are the records that were acknowledged, in order and apart.
	Done []RecordRange `json:"done" bson:"done"`
}

// RecordRange are the records of a collection from First to before End.
type RecordRange struct {
	Collection string `json:"collection" bson:"collection"`
	First      int64  `json:"first" bson:"first"`
	End        int64  `json:"end" bson:"end"`
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

// CheckpointID is what the _id of a LoadCheckpoint in the same collection begins with; the pod's index follows.
const CheckpointID = "load-"

// ProgressState says what a load pod does with the step that it is in.
type ProgressState string

// The states of a load pod.
const (
	ProgressWaiting ProgressState = "Waiting"
	ProgressRunning ProgressState = "Running"
	ProgressDone    ProgressState = "Done"
	ProgressStopped ProgressState = "Stopped"
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
	// Partial says that the plan was not followed to its end; nil when it was. The last step may be cut then.
	Partial *Partial `json:"partial,omitempty"`
	// Server is what the servers said of themselves before the first step.
	Server Server `json:"server"`
	// Members is what was observed of each server while the steps went on; only one pod observes.
	Members []Member `json:"members,omitempty"`
	// OperatorDoubts and OperatorRemarks are those of the CollectOrder.
	OperatorDoubts  []Doubt  `json:"operatorDoubts,omitempty"`
	OperatorRemarks []string `json:"operatorRemarks,omitempty"`
	// Outlets are what the load pods wrote or sent elsewhere meanwhile; nil: nothing.
	Outlets []Outlet `json:"outlets,omitempty"`
	// Machines that the load pods ran on, each once.
	Machines []Machine `json:"machines,omitempty"`
	// FilesHash is the SHA-256 of the contents of all files that values and documents were taken from; empty: there are
	// none.
	FilesHash string `json:"filesHash,omitempty"`
	// Duet is what the windows of a duet came to; nil when there was no other target.
	Duet *Duet `json:"duet,omitempty"`
	// Cost is what the target costs by the operator's reckoning, added when a report is read; nil where that is not known.
	// No stored report has it: the status of the run does.
	Cost *Cost `json:"cost,omitempty"`
}

// Machine is what a load pod sees of the machine that it runs on. What the kernel does not tell a pod is empty.
type Machine struct {
	// Node is what the cluster calls the machine; empty outside of one.
	Node string `json:"node,omitempty"`
	// CPUModel and Kernel, its release.
	CPUModel string `json:"cpuModel,omitempty"`
	Kernel   string `json:"kernel,omitempty"`
	// CPUGovernor chooses the clock rate of the processors; of several they are joined by commas. Virtual machines have
	// none.
	CPUGovernor string `json:"cpuGovernor,omitempty"`
	// TransparentHugePages is when the kernel makes them: always, madvise or never.
	TransparentHugePages string `json:"transparentHugePages,omitempty"`
	// Swappiness is how readily memory of processes is swapped, as the kernel writes the number.
	Swappiness string `json:"swappiness,omitempty"`
	// ClockSource is what the kernel reads the time from, such as tsc or kvm-clock: where programs cannot read it by
	// themselves, each reading of the time is a system call.
	ClockSource string `json:"clockSource,omitempty"`
	// CgroupVersion is 1 or 2; 0 when it is not known.
	CgroupVersion int `json:"cgroupVersion,omitempty"`
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
	// Diagnostics is the raw data that the server has of itself; nil where nothing was measured.
	Diagnostics *Diagnostics `json:"diagnostics,omitempty"`
}

// Series is one figure over time. A value of -1 is one that is not known.
type Series struct {
	// Name and Unit are those that the package observe lists.
	Name   string  `json:"name"`
	Unit   string  `json:"unit"`
	Values []int64 `json:"values"`
}

// Names of series that doubts and remarks read: the CPU time of a server's process, the scheduler periods in which a
// server with a CPU limit had work, and those of them in which the limit stopped it; the state of a member of a replica
// set, the term of its elections, and how many other members it does not reach.
const (
	SeriesCPUUser          = "cpu.user"
	SeriesCPUSystem        = "cpu.system"
	SeriesPeriods          = "cpu.periods"
	SeriesThrottledPeriods = "cpu.throttledPeriods"
	SeriesReplicationState = "replication.state"
	SeriesReplicationTerm  = "replication.term"
	SeriesUnreachable      = "replication.unreachable"
)

// Names of series that tell what limits a step: what the processors of a server's machine did, whatever for, and how
// long each of its disks was busy, of which the name is a beginning; how far the secondaries were behind; and how long
// locks were waited for.
const (
	SeriesHostBusy   = "host.cpuBusy"
	SeriesHostIdle   = "host.cpuIdle"
	SeriesHostDisk   = "host.disk."
	SeriesLargestLag = "replication.largestLag"
	SeriesLockWait   = "locks.waitTime"
)

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
	// CPULimitMillicores is the CPU limit of each member's pod, in thousandths of a core, which no mongod sees: the
	// operator adds it to the reports of the targets that it deployed.
	CPULimitMillicores int64 `json:"cpuLimitMillicores,omitempty"`
	Members            int   `json:"members,omitempty"`
	// Shards of a sharded deployment, and Router what requests go through: Mongos or Client.
	Shards int    `json:"shards,omitempty"`
	Router string `json:"router,omitempty"`
	// TLS is Disabled or Enabled, as the load's connections have it.
	TLS string `json:"tls,omitempty"`
	// Persistence is Durable or Transient, as serverStatus.storageEngine.persistent tells.
	Persistence         string `json:"persistence,omitempty"`
	DefaultWriteConcern string `json:"defaultWriteConcern,omitempty"`
	// Durability of the writes that were measured, by the API's name, as the server and the client's requests give it;
	// several, in alphabetical order, where operations differ.
	Durability string `json:"durability,omitempty"`
	// SyncMicros is how long it takes to bring a written block to the disk of the data; zero where it was not measured.
	SyncMicros      SyncMicros `json:"syncMicros,omitzero"`
	StartupWarnings []string   `json:"startupWarnings,omitempty"`
}

// The products that are known by name.
const (
	ProductMongoDB = "MongoDB"
	ProductMariaDB = "MariaDB"
	ProductMySQL   = "MySQL"
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

// maxDecodedBytes bounds what a report may decompress to; a hundred times what it may take compressed.
const maxDecodedBytes = 100 * MaxReportBytes

// Encode writes a report as compressed JSON, of any size: package result makes it fit into MaxReportBytes.
func Encode(report Report) ([]byte, error) { return strictjson.EncodeCompressed(report) }

// Decode reads what Encode wrote. Fields that only a later release knows are passed over.
func Decode(encoded []byte) (Report, error) {
	var report Report
	if err := strictjson.DecodeCompressed(encoded, Version, maxDecodedBytes, &report); err != nil {
		return Report{}, fmt.Errorf("reading report: %w", err)
	}
	return report, nil
}

// Unknown are the fields of an encoded report that only a later release knows, such as "steps[].haste".
func Unknown(encoded []byte) []string {
	return strictjson.UnknownCompressed(encoded, maxDecodedBytes, Report{})
}

// UnknownInFile is the same of a report.json, which holds a report beside what it comes to.
func UnknownInFile(file []byte) []string {
	var document struct {
		Report json.RawMessage `json:"report"`
	}
	if err := json.Unmarshal(file, &document); err != nil {
		return nil
	}
	return strictjson.Unknown(document.Report, Report{})
}

// progressBounds are more than any Progress has: a request for each action of a plan of many steps.
var progressBounds = strictjson.Bounds{Bytes: 32 << 10, Depth: 6, Items: 256, Objects: 300, Text: 4 << 10}

// EncodeProgress writes a Progress as a load pod's ConfigMap holds it.
func EncodeProgress(progress Progress) ([]byte, error) { return strictjson.Encode(progress) }

// DecodeProgress reads what EncodeProgress wrote. Fields that only a later release knows are passed over.
func DecodeProgress(encoded []byte) (Progress, error) {
	var progress Progress
	err := progressBounds.Check(encoded)
	if err == nil {
		err = strictjson.DecodeKnown(encoded, &progress)
	}
	if err != nil {
		return Progress{}, fmt.Errorf("reading progress: %w", err)
	}
	return progress, nil
}

// EncodeTopology writes what a topology Job answers.
func EncodeTopology(topology TopologyReport) ([]byte, error) { return strictjson.Encode(topology) }

// DecodeTopology reads what EncodeTopology wrote. Fields that only a later release knows are passed over.
func DecodeTopology(encoded []byte) (TopologyReport, error) {
	var topology TopologyReport
	if err := strictjson.DecodeKnownVersioned(encoded, Version, &topology); err != nil {
		return TopologyReport{}, fmt.Errorf("reading topology report: %w", err)
	}
	return topology, nil
}
