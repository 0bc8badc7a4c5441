package v1alpha1

import (
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Version of the plan's format; a load generator refuses any other.
const Version = "plan.mongobench.dev/v1alpha1"

// Plan is a whole run as the load generator sees it: the dataset, and the steps in their order.
type Plan struct {
	// Version is the constant of the same name.
	Version string `json:"version"`
	// Seed of everything random, but for what OperationSeed is of.
	Seed int64 `json:"seed"`
	// OperationSeed is that of what is drawn while measuring: the order of operations, their keys and parameters, and the
	// times at which they are due. 0 stands for Seed.
	OperationSeed int64 `json:"operationSeed,omitempty"`
	// Pods is the number of load pods that share the plan; each knows its index.
	Pods int `json:"pods"`
	// Processors that each pod uses at a time (GOMAXPROCS); 0 leaves it to Go.
	Processors int `json:"processors,omitempty"`
	// Client that operations are sent by; empty means ClientApplication.
	Client benchv1alpha1.Client `json:"client,omitempty"`
	// Durability that the target is declared with, by the API's name: the server has to give it, where it decides. Where
	// the client does, the operations have it as their write concern. Empty: none is declared.
	Durability string `json:"durability,omitempty"`
	// Database that everything happens in.
	Database string `json:"database"`
	// DataFiles are what values and documents are taken from.
	DataFiles []DataFile `json:"dataFiles,omitempty"`
	// Collections of the dataset. Their order gives the default collection.
	Collections []Collection `json:"collections"`
	// Steps in their order: Prepare, Load, Verify, or Survey for an existing dataset, then one Measure for each step of
	// the workload. Where the first collection grows, each checkpoint has a Size and a Measure for each step, and but for
	// the first a Load before them.
	Steps []Step `json:"steps"`
	// Dataset is the SHA-256 of all that the loaded documents depend on: the seed, the database and the collections as
	// they are at the end of the loading.
	Dataset string `json:"dataset"`
	// Existing has the collections measured as they are, and nothing loaded; nil: they are loaded.
	Existing *Existing `json:"existing,omitempty"`
	// ReloadAlways loads a dataset also where it lies already.
	ReloadAlways bool `json:"reloadAlways,omitempty"`
	// Gateway is the service that measured operations go through; nil: they go to the target itself.
	Gateway *Gateway `json:"gateway,omitempty"`
	// Duet has the plan compared with another one, in turns; nil: it is followed alone.
	Duet *Duet `json:"duet,omitempty"`
}

// Gateway is a service between load pods and target.
type Gateway struct {
	// OperationsPerRequest is how many operations of the target each request comes to, and PoolSize how many of them each
	// process of the service has under way at a time. Both are at least 1.
	OperationsPerRequest int `json:"operationsPerRequest"`
	PoolSize             int `json:"poolSize"`
	// Pods and CPUMillicores, the CPU limit of each, are those of a gateway that the operator makes. Nobody follows them:
	// they are here so that what was measured through another service is told from it.
	Pods          int   `json:"pods,omitempty"`
	CPUMillicores int64 `json:"cpuMillicores,omitempty"`
}

// StepKind says what a step of a plan does.
type StepKind string

const (
	// StepPrepare makes the collections and indexes; pod 0 alone does it.
	StepPrepare StepKind = "Prepare"
	// StepLoad writes the documents, each pod its own record numbers.
	StepLoad StepKind = "Load"
	// StepIndex makes the indexes once the documents are there; pod 0 alone does it.
	StepIndex StepKind = "Index"
	// StepVerify counts and compares the documents; pod 0 alone does it.
	StepVerify StepKind = "Verify"
	// StepSurvey looks at the collections of an existing dataset; pod 0 alone does it.
	StepSurvey StepKind = "Survey"
	// StepBalance waits until the shards hold even shares of the collections; pod 0 alone does it.
	StepBalance StepKind = "Balance"
	// StepSize takes the sizes of the collections and their indexes on disk; pod 0 alone does it.
	StepSize StepKind = "Size"
	// StepMeasure runs a mix of operations.
	StepMeasure StepKind = "Measure"
)

// Step is one step of a plan. No pod begins a step before every pod has ended the one before.
type Step struct {
	Name string   `json:"name"`
	Kind StepKind `json:"kind"`
	// Threads over all pods.
	Threads int `json:"threads,omitempty"`
	// BatchDocuments of a Load, and Ordered when a batch ends at its first error.
	BatchDocuments int  `json:"batchDocuments,omitempty"`
	Ordered        bool `json:"ordered,omitempty"`
	// WriteConcern of a Load, always acknowledged; nil for that of the connection string.
	WriteConcern *WriteConcern `json:"writeConcern,omitempty"`
	// WithoutIndexes leaves the indexes of a Prepare to a later step of kind Index.
	WithoutIndexes bool `json:"withoutIndexes,omitempty"`
	// Check says what a Verify does besides counting; empty means nothing.
	Check benchv1alpha1.Verification `json:"check,omitempty"`
	// WarmupSeconds, then either DurationSeconds or OperationCount (over all pods) of a Measure.
	WarmupSeconds   int   `json:"warmupSeconds,omitempty"`
	DurationSeconds int   `json:"durationSeconds,omitempty"`
	OperationCount  int64 `json:"operationCount,omitempty"`
	// ThinkTime is how long a worker pauses, in a closed loop only; nil: it does not.
	ThinkTime *ThinkTime `json:"thinkTime,omitempty"`
	// Arrival makes it an open loop; nil is a closed one.
	Arrival *Arrival `json:"arrival,omitempty"`
	// Search makes it a search for the highest rate that keeps an objective; nil is none.
	Search *Search `json:"search,omitempty"`
	// Compare are the lines that a Measure of a duet is judged by, which ends once all of them are decided.
	Compare []Line `json:"compare,omitempty"`
	// AbortOn are the thresholds of a Measure, any of which ends the plan when it is missed.
	AbortOn []Threshold `json:"abortOn,omitempty"`
	// Objectives are the shares of a Measure's operations that are to be done within a limit.
	Objectives []Objective `json:"objectives,omitempty"`
	// Percentiles that the result has beside those of every result, in thousandths of a percent.
	Percentiles []int `json:"percentiles,omitempty"`
	// ExpectedIntervalMicros is that in which a thread of a closed loop is taken to send an operation, for the corrected
	// latency; 0: none is shown.
	ExpectedIntervalMicros int64 `json:"expectedIntervalMicros,omitempty"`
	// SweepOf is the declared name of the step, when this is one of several numbers of threads of it.
	SweepOf string `json:"sweepOf,omitempty"`
	// Retry says whether an operation is sent once more after an error of the network or a change of the primary. Empty is
	// what the client does by itself: Application as the connection string says, the others never.
	Retry benchv1alpha1.RetryPolicy `json:"retry,omitempty"`
	// Connections beside, or in place of, those that the client opens by itself; nil for none.
	Connections *Connections `json:"connections,omitempty"`
	// Session says what the operations of a thread have in common; empty is nothing.
	Session benchv1alpha1.SessionMode `json:"session,omitempty"`
	// From is the record number that a Load of a growing collection begins at, and To the one before which it ends; it
	// writes the first collection only. Both are 0 for a Load of the whole dataset.
	From int64 `json:"from,omitempty"`
	To   int64 `json:"to,omitempty"`
	// GrowthOf is the declared name of a Measure that is repeated while the first collection grows. Documents is how many
	// this has been loaded with at the checkpoint that a Load, Size or Measure belongs to; parameters of type Key draw
	// from these.
	GrowthOf  string `json:"growthOf,omitempty"`
	Documents int64  `json:"documents,omitempty"`
	// Actions that are done to the target during a Measure, in the order of their times.
	Actions []Action `json:"actions,omitempty"`
	// Groups of a Measure that has several mixes at the same time; nil: it has one. Threads are those of all of them then,
	// and Operations are in the order of the groups.
	Groups     []Group     `json:"groups,omitempty"`
	Operations []Operation `json:"operations,omitempty"`
	// Replay has a Measure send the operations of a recording in place of a mix; nil: it does not.
	Replay *Replay `json:"replay,omitempty"`
}

// Connections are those of a step beside, or in place of, those that its client opens by itself.
type Connections struct {
	// PoolSize is the most connections of the Application client in each pod; 0: as the connection string says.
	PoolSize int `json:"poolSize,omitempty"`
	// Idle connections over all pods.
	Idle int `json:"idle,omitempty"`
	// Fresh has each operation of the Wire client open one of its own.
	Fresh bool `json:"fresh,omitempty"`
}

// Arrival is when operations are due, whatever became of those before.
type Arrival struct {
	Process benchv1alpha1.ArrivalProcess `json:"process"`
	// Stages follow one another; the last one's final rate goes on. Of Constant and Poisson.
	Stages []ArrivalStage `json:"stages,omitempty"`
	// Formula of the rate in operations per second over all pods, in place of Stages; empty: there is none.
	Formula string `json:"formula,omitempty"`
	// GapsMicros are the times between operations, over and over. Of Trace.
	GapsMicros []int64 `json:"gapsMicros,omitempty"`
	// MaxQueued is the number of operations, over all pods, that may be due and not yet sent; what is due beyond that is
	// dropped and counted.
	MaxQueued int64 `json:"maxQueued"`
	// SkipAfterMicros is how long ago an operation may have been due to be sent still; 0: any time.
	SkipAfterMicros int64 `json:"skipAfterMicros,omitempty"`
}

// ArrivalStage is a time in which the rate goes evenly from one value to another, in operations per second over all
// pods.
type ArrivalStage struct {
	Seconds int   `json:"seconds"`
	From    int64 `json:"from"`
	To      int64 `json:"to"`
}

// Threshold is one that a step must not miss over so many seconds: the first of those below that is not 0.
type Threshold struct {
	// Operation of the mix that it is about; empty: all together.
	Operation  string `json:"operation,omitempty"`
	ForSeconds int    `json:"forSeconds"`
	// ErrorPercent of the operations may fail, or ErrorsPerSecond over all pods.
	ErrorPercent    int   `json:"errorPercent,omitempty"`
	ErrorsPerSecond int64 `json:"errorsPerSecond,omitempty"`
	// PercentileMillis, in thousandths of a percent, may be LimitMicros.
	PercentileMillis int   `json:"percentileMillis,omitempty"`
	LimitMicros      int64 `json:"limitMicros,omitempty"`
	// LowestRate of operations per second must succeed, over all pods.
	LowestRate int64 `json:"lowestRate,omitempty"`
}

// Objective is a share of the operations that is to be done within a limit.
type Objective struct {
	// Operation of the mix that it is about; empty: all together.
	Operation   string `json:"operation,omitempty"`
	LimitMicros int64  `json:"limitMicros"`
	// PercentMillis is the share, in thousandths of a percent.
	PercentMillis int `json:"percentMillis"`
}

// Operation is one kind of request of a mix, as declared and with every default, but for its parameters: they have
// seeds. Documents are strings of Extended JSON, in which {"$param": "name"} stands for the value of a parameter.
type Operation struct {
	Name string `json:"name,omitempty"`
	// Group of the step that sends it; empty in a step without groups.
	Group  string `json:"group,omitempty"`
	Weight int    `json:"weight,omitempty"`
	// ThinkTime is how long a worker pauses after this operation; nil: as after the others.
	ThinkTime     *ThinkTime  `json:"thinkTime,omitempty"`
	Parameters    []Parameter `json:"parameters,omitempty"`
	Request       `json:",inline"`
	WholeSettings `json:",inline"`
	// FlowSettings of a Flow and of its parts. A part has no weight.
	FlowSettings `json:",inline"`
}

type (
	// Request is the run's own type.
	Request = benchv1alpha1.Request
	// RequestOptions is the run's own type.
	RequestOptions = benchv1alpha1.RequestOptions
	// WholeSettings is the run's own type.
	WholeSettings = benchv1alpha1.WholeSettings
	// FlowSettings is the run's own type.
	FlowSettings = benchv1alpha1.FlowSettings
	// Document is the run's own type.
	Document = benchv1alpha1.Document
	// WriteConcern is the run's own type.
	WriteConcern = benchv1alpha1.WriteConcern
)

// Parameter is a value with a name, drawn for every operation. One that is tied to another names a parameter that
// comes before it.
type Parameter struct {
	Name string `json:"name"`
	Value
	// SameRecordAs is a Key whose record this Key takes its field of, instead of drawing one.
	SameRecordAs string `json:"sameRecordAs,omitempty"`
	// PlusParameter is a parameter of the same type, Int, Long, Double or Date, whose value is added to the drawn one.
	PlusParameter string `json:"plusParameter,omitempty"`
}

// ConcernOf is MongoDB's write concern that stands for a durability, nil where none does.
func ConcernOf(durability string) *WriteConcern {
	switch benchv1alpha1.Durability(durability) {
	case benchv1alpha1.DurabilityNone:
		return &WriteConcern{W: "0"}
	case benchv1alpha1.DurabilityMemory:
		return &WriteConcern{W: "1", Journal: benchv1alpha1.JournalNotRequired}
	case benchv1alpha1.DurabilitySynced:
		return &WriteConcern{W: "1", Journal: benchv1alpha1.JournalRequired}
	case benchv1alpha1.DurabilityMajority:
		return &WriteConcern{W: "majority"}
	default:
		return nil
	}
}

// Sharding says how the documents of a collection are spread over shards. A target without shards takes no notice.
type Sharding struct {
	// Key has an Order of "1" or "hashed".
	Key []IndexKey `json:"key"`
	// InitialChunks of a hashed key, over all shards; 0 is the server's own number.
	InitialChunks int `json:"initialChunks,omitempty"`
	// SplitPoints are values of the first key, in Extended JSON, ascending; the ranges are dealt to the shards in turn.
	SplitPoints []string `json:"splitPoints,omitempty"`
	Zones       []Zone   `json:"zones,omitempty"`
	// MaxImbalancePercent is by how much the fullest shard may be above the mean.
	MaxImbalancePercent int `json:"maxImbalancePercent"`
}

// Zone keeps a range of the first key on certain shards.
type Zone struct {
	Name string `json:"name"`
	// Shards by their index from 0 on.
	Shards []int `json:"shards"`
	// Min (inclusive) and Max (exclusive) in Extended JSON; empty is no bound.
	Min string `json:"min,omitempty"`
	Max string `json:"max,omitempty"`
}

// Action is something that is done to the target while a step is measured.
type Action struct {
	Name string                   `json:"name"`
	Type benchv1alpha1.ActionType `json:"type"`
	// AfterSeconds from the start of the measure window.
	AfterSeconds int `json:"afterSeconds,omitempty"`
	// Shard by its index; 0 without shards.
	Shard int `json:"shard,omitempty"`
	// Secondary is who it is done to, rather than the primary.
	Secondary bool `json:"secondary,omitempty"`
	// DurationSeconds of a Freeze or Partition.
	DurationSeconds int `json:"durationSeconds,omitempty"`
	// Collection and Key of a change of the sharding.
	Collection string     `json:"collection,omitempty"`
	Key        []IndexKey `json:"key,omitempty"`
	// Index of the Collection that a CreateIndex builds, and IndexName of one that a DropIndex drops.
	Index     *Index `json:"index,omitempty"`
	IndexName string `json:"indexName,omitempty"`
}

// ActionGrace is how long after the end of its step an action that still goes on is waited for.
const ActionGrace = 30 * time.Second

// NeedsCommands says whether any step has an action that load pod 0 carries out, or has a part in as in a partition,
// for which it needs a user that may.
func (p Plan) NeedsCommands() bool {
	for _, step := range p.Steps {
		for _, action := range step.Actions {
			if action.Type != benchv1alpha1.ActionDeletePod {
				return true
			}
		}
	}
	return false
}
