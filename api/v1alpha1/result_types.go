package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkRunStatus is what the operator saw of a run, and the result.
type BenchmarkRunStatus struct {
	// conditions: Accepted, Admitted, TargetReady, DataLoaded, Progressing, Succeeded, Trusted.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// targetName is the BenchmarkTarget that is measured.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	TargetName string `json:"targetName,omitempty"`

	// planHash is the SHA-256 of the plan that the load pods were given.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	PlanHash string `json:"planHash,omitempty"`

	// stages that the run went through, in their order, with their times.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Stages []StageStatus `json:"stages,omitempty"`

	// progress of the step that is running. Unset when none is.
	// +optional
	Progress *Progress `json:"progress,omitempty"`

	// server is what the servers said of themselves, copied from the target.
	// +optional
	Server *ServerFingerprint `json:"server,omitempty"`

	// fingerprint is what else may influence the result. Set with the result.
	// +optional
	Fingerprint *RunFingerprint `json:"fingerprint,omitempty"`

	// result of a run that succeeded.
	// +optional
	Result *Result `json:"result,omitempty"`
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

// Progress of the step that is running, over all load pods.
type Progress struct {
	// step is the name of the step of the plan.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Step string `json:"step,omitempty"`

	// percent of the step that is done, 0 to 100.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Percent *int32 `json:"percent,omitempty"`

	// operationsPerSecond at present; while loading, documents per second.
	// +required
	// +kubebuilder:validation:Minimum=0
	OperationsPerSecond *int64 `json:"operationsPerSecond,omitempty"`
}

// Result is the summary of a run; the whole of it lies in the ConfigMap that report names.
type Result struct {
	// operationsPerSecond is the throughput of the last step: operations that succeeded.
	// +required
	// +kubebuilder:validation:Minimum=0
	OperationsPerSecond *int64 `json:"operationsPerSecond,omitempty"`

	// p99Micros is the 99th percentile of the latency over all operations of the last step. Of a search it is that of the
	// confirmation.
	// +required
	// +kubebuilder:validation:Minimum=0
	P99Micros *int64 `json:"p99Micros,omitempty"`

	// p99 is p99Micros written for people, for example "1.84ms".
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	P99 string `json:"p99,omitempty"`

	// steps of the workload, in their order.
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

	// omittedSteps is the number of steps, from the first on, that are left out of steps so that the status stays under
	// 16 KB. The report has them all.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OmittedSteps *int32 `json:"omittedSteps,omitempty"`

	// growth holds the sizes of the growing collection at each checkpoint. Unset: there was no growth.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Growth []GrowthResult `json:"growth,omitempty"`

	// load is what the loading of the dataset came to. Unset when nothing was loaded.
	// +optional
	Load *LoadResult `json:"load,omitempty"`

	// report says where the whole result lies.
	// +required
	Report ReportReference `json:"report,omitzero"`
}

// LoadResult is what the loading of the dataset came to.
type LoadResult struct {
	// documents that were loaded and counted.
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

// ReportReference says where the whole result lies.
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
}
