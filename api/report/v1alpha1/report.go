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
}

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
}

// Step is what was measured in one step of the plan.
type Step struct {
	Name string `json:"name"`
	// Kind is the plan's: Prepare, Load, Verify or Measure.
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
	// Threads that worked.
	Threads int `json:"threads"`
	// Documents that were written by a Load, or counted by a Verify.
	Documents int64 `json:"documents,omitempty"`
	// Operations of a Measure, in the order of the mix; of a Load one operation called "load".
	Operations []Operation `json:"operations,omitempty"`
	// IntervalMillis is the length of each interval; 1000 unless the report would have been too large.
	IntervalMillis int `json:"intervalMillis,omitempty"`
	// Generator is what the load generator itself used while counting.
	Generator Generator `json:"generator"`
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
	// ServiceTime is the histogram of the times from send to reply, in microseconds: HdrHistogram's V2 encoding,
	// compressed, in base64. Three significant digits unless the report would have been too large.
	ServiceTime string `json:"serviceTime"`
	// Intervals are counts of successes in consecutive intervals from MeasureStart on.
	Intervals []int64 `json:"intervals,omitempty"`
}

// ErrorClass is a kind of failure.
type ErrorClass struct {
	// Class is timeout, network, write conflict, duplicate key, not primary, authentication, or server.
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
	// GCPauseMicros is the sum of the stop-the-world pauses of Go's collector.
	GCPauseMicros int64 `json:"gcPauseMicros"`
}

// Server is what a server said of itself.
type Server struct {
	Version              string `json:"version,omitempty"`
	GitVersion           string `json:"gitVersion,omitempty"`
	Topology             string `json:"topology,omitempty"`
	StorageEngine        string `json:"storageEngine,omitempty"`
	CacheMebibytes       int64  `json:"cacheMebibytes,omitempty"`
	MemoryLimitMebibytes int64  `json:"memoryLimitMebibytes,omitempty"`
	CPUCores             int    `json:"cpuCores,omitempty"`
	// CPULimitMillis is the CPU limit of each member's pod, in thousandths of a core, which no mongod sees: the operator
	// adds it to the reports of the targets that it deployed.
	CPULimitMillis      int64    `json:"cpuLimitMillis,omitempty"`
	Members             int      `json:"members,omitempty"`
	DefaultWriteConcern string   `json:"defaultWriteConcern,omitempty"`
	StartupWarnings     []string `json:"startupWarnings,omitempty"`
}

// TopologyReport is what a topology Job answers.
type TopologyReport struct {
	// Version is the constant of the same name.
	Version string `json:"version"`
	Server  Server `json:"server"`
}
