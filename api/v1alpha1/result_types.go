package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkRunStatus is what the operator observed of a run, and the result.
type BenchmarkRunStatus struct {
	// conditions: Accepted, Admitted, TargetReady, DataLoaded, Progressing, Succeeded, Complete, Trusted.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// doubts are the reasons why the result is not to be trusted, in the order of the message of the condition Trusted.
	// Unset: there is none. Atomic: its order counts.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=63
	Doubts []string `json:"doubts,omitempty"`

	// targetName is the BenchmarkTarget that is measured.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	TargetName string `json:"targetName,omitempty"`

	// planHash is the SHA-256 of the plan that the load pods were given.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	PlanHash string `json:"planHash,omitempty"`

	// stages that the run went through, in order, with their times.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Stages []StageStatus `json:"stages,omitempty"`

	// attempts are those before the present one, in order: what they made is gone, and nothing of them is in the result.
	// Of those that spec.suspend ended the list has only the last, and only until the next attempt is given up. Atomic: an
	// attempt has no name.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=11
	Attempts []AttemptStatus `json:"attempts,omitempty"`

	// progress of the current step. Unset between steps.
	// +optional
	Progress *Progress `json:"progress,omitempty"`

	// sharing is who else was on the nodes of the members while steps were measured. Unset: it is not known on which nodes
	// they are, or no step has begun.
	// +optional
	Sharing *NodeSharing `json:"sharing,omitempty"`

	// server is what the servers reported about themselves, copied from the target.
	// +optional
	Server *ServerFingerprint `json:"server,omitempty"`

	// fingerprint is everything else that may influence the result. Set with the result.
	// +optional
	Fingerprint *RunFingerprint `json:"fingerprint,omitempty"`

	// summary of the result in few figures, over all steps: what the columns of kubectl get show. Set with the result.
	// +optional
	Summary *RunSummary `json:"summary,omitempty"`

	// result of a run that was measured. One that did not succeed may have one as well: that of what was measured until
	// it ended.
	// +optional
	Result *Result `json:"result,omitempty"`

	// duet is how the run compares with its baseline. Unset: it has no spec.duet, or was not measured.
	// +optional
	Duet *DuetResult `json:"duet,omitempty"`
}

// RunSummary is the result of a run in few figures. Counts are over all steps. Throughput and latency are those of one
// step, which is named: rates of different loads do not add up, and percentiles have no average. That step is the one
// with the highest throughput, so that of a series of loads it is what the target carried at most.
type RunSummary struct {
	// steps that were measured, those that result.steps omits included.
	// +required
	// +kubebuilder:validation:Minimum=1
	Steps *int32 `json:"steps,omitempty"`

	// operations that succeeded, over all steps.
	// +required
	// +kubebuilder:validation:Minimum=0
	Operations *int64 `json:"operations,omitempty"`

	// errors is the number of operations that failed, over all steps.
	// +required
	// +kubebuilder:validation:Minimum=0
	Errors *int64 `json:"errors,omitempty"`

	// step is the name of the step with the highest throughput, of equals the first: operationsPerSecond, p99Micros and
	// p99 are of this step.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Step string `json:"step,omitempty"`

	// operationsPerSecond is the throughput of the step: successful operations of the whole mix.
	// +required
	// +kubebuilder:validation:Minimum=0
	OperationsPerSecond *int64 `json:"operationsPerSecond,omitempty"`

	// p99Micros is the 99th percentile of the latency over all operations of the step. For a search, that of the
	// confirmation. Unset: fewer than 1,000 operations were timed, which is too few for it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	P99Micros *int64 `json:"p99Micros,omitempty"`

	// p99 is p99Micros in readable form, for example "1.84 ms"; "few" if too few operations were timed for it, and "-" if
	// none was.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	P99 string `json:"p99,omitempty"`

	// limitedBy is what limited the step: the cause of its limitedBy in result.steps. Unset in the results of older
	// releases.
	// +optional
	LimitedBy *LimitCause `json:"limitedBy,omitempty"`

	// highestP99Step is the name of the step with the highest p99, of equals the first. Unset: no step has one.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	HighestP99Step string `json:"highestP99Step,omitempty"`

	// highestP99Micros is the p99 of that step, over all of its operations. Unset: no step has one.
	// +optional
	// +kubebuilder:validation:Minimum=0
	HighestP99Micros *int64 `json:"highestP99Micros,omitempty"`
}

// NodeSharing is who else was on the nodes of the members that a run measures.
type NodeSharing struct {
	// loadPods is how many of the run's load pods, and of the gateway's that the load goes through, are on a node with a
	// member.
	// +optional
	// +kubebuilder:validation:Minimum=0
	LoadPods *int32 `json:"loadPods,omitempty"`

	// otherNodes is how many nodes without a member would take such a load pod, by their labels, taints and size, whatever
	// else was on them. Unset: no load pod shares a node, or the operator may not read nodes.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OtherNodes *int32 `json:"otherNodes,omitempty"`

	// neighbours is how many pods of other runs and targets were seen on these nodes at a time while steps were measured,
	// at most.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Neighbours *int32 `json:"neighbours,omitempty"`
}

// AttemptStatus is an attempt that was given up, after which the run started over.
type AttemptStatus struct {
	// reason for which it was given up: LoadPodLost, GatewayLost, NodeLost or TargetLost, each of which counts against
	// retryLimit, or Suspended.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Reason string `json:"reason,omitempty"`

	// message is the cause in words, cut to 256 bytes.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Message string `json:"message,omitempty"`

	// startTime is when the attempt began.
	// +required
	StartTime metav1.Time `json:"startTime,omitzero"`

	// endTime is when it was given up.
	// +required
	EndTime metav1.Time `json:"endTime,omitzero"`
}

// StageStatus is one stage with its times.
type StageStatus struct {
	// name of the stage: a reason of the condition Progressing.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`

	// startTime of the stage.
	// +required
	StartTime metav1.MicroTime `json:"startTime,omitzero"`

	// completionTime of the stage. Unset while it lasts.
	// +optional
	CompletionTime *metav1.MicroTime `json:"completionTime,omitempty"`
}

// Progress of the current step, over all load pods.
type Progress struct {
	// step is the name of the step in the plan.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Step string `json:"step,omitempty"`

	// percent of the step that is complete, 0 to 100.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Percent *int32 `json:"percent,omitempty"`

	// operationsPerSecond is the current throughput; while loading, documents per second.
	// +required
	// +kubebuilder:validation:Minimum=0
	OperationsPerSecond *int64 `json:"operationsPerSecond,omitempty"`

	// comparison is what is known by now of the first lines of a duet, at most 8. Unset: nothing is.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Comparison []ComparisonLine `json:"comparison,omitempty"`
}

// Result is what the steps of a run came to; the whole result is in the ConfigMap named by report.
type Result struct {
	// steps of the workload, in order.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Steps []StepResult `json:"steps,omitempty"`

	// sweeps over numbers of threads, in the order of their steps. Unset: there was no threadSweep.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Sweeps []SweepResult `json:"sweeps,omitempty"`

	// omittedSteps is the number of steps, counted from the first, that are omitted from steps to keep the status under 48
	// KiB. The report has all of them.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OmittedSteps *int32 `json:"omittedSteps,omitempty"`

	// growth has the sizes of the growing collection at each checkpoint, in order. Unset: there was no growth. Atomic: a
	// checkpoint is known by its place.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Growth []GrowthResult `json:"growth,omitempty"`

	// load is the result of loading the dataset. Unset if nothing was loaded.
	// +optional
	Load *LoadResult `json:"load,omitempty"`

	// cost of the target by the price list. Unset: there is no list, or it has no price for something that the target
	// needs, which the message of the condition Trusted names.
	// +optional
	Cost *CostResult `json:"cost,omitempty"`

	// report says where the whole result is stored.
	// +required
	Report ReportReference `json:"report,omitzero"`
}

// LoadResult is the result of loading the dataset.
type LoadResult struct {
	// documents loaded and counted.
	// +required
	// +kubebuilder:validation:Minimum=0
	Documents *int64 `json:"documents,omitempty"`

	// durationMillis of the loading.
	// +required
	// +kubebuilder:validation:Minimum=0
	DurationMillis *int64 `json:"durationMillis,omitempty"`

	// documentsPerSecond over that time.
	// +required
	// +kubebuilder:validation:Minimum=0
	DocumentsPerSecond *int64 `json:"documentsPerSecond,omitempty"`
}

// ReportReference says where the whole result is stored.
type ReportReference struct {
	// configMapName of the ConfigMap in the same namespace.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ConfigMapName string `json:"configMapName,omitempty"`

	// sha256 of the report, in hexadecimal.
	// +required
	// +kubebuilder:validation:MinLength=64
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256,omitempty"`

	// bytes that the report takes as it is stored. Unset: the operator of that time did not record it.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Bytes *int64 `json:"bytes,omitempty"`
}
