package v1alpha1

import (
	"k8s.io/apimachinery/pkg/runtime"
)

// DuetForm says how the windows of a duet's two sides lie to each other.
// +kubebuilder:validation:Enum=Alternating;Concurrent
type DuetForm string

const (
	// DuetAlternating has one side at rest while the other is measured, A B A and then B A B, so that both may be on
	// the same cores.
	DuetAlternating DuetForm = "Alternating"
	// DuetConcurrent measures both sides in the same windows: for sides with cores or nodes of their own, which differ in
	// nothing else.
	DuetConcurrent DuetForm = "Concurrent"
)

// Duet has the steps of a run measured in turns with those of another target, its baseline, in windows of some seconds.
// What is compared are the ratios of neighbouring windows, and a step ends as soon as they decide. One load pod drives
// both sides.
type Duet struct {
	// baseline is the other side.
	// +required
	Baseline DuetBaseline `json:"baseline,omitzero"`

	// form of the windows: Alternating or Concurrent. Default Alternating.
	// +optional
	Form *DuetForm `json:"form,omitempty"`

	// windowSeconds is the length of a window. Default: chosen from 1 to 5 by how the throughput of the warm-ups varies;
	// 1 without a warm-up. Limits 1 to 60.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=60
	WindowSeconds *int32 `json:"windowSeconds,omitempty"`

	// thresholds are the metrics to compare, of those that every window has: OperationsPerSecond, MeanMicros, P50Micros,
	// P95Micros, P99Micros, P999Micros. Unset: OperationsPerSecond and P99Micros of every step, 5 %, 95 % confidence.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Thresholds []Threshold `json:"thresholds,omitempty"`

	// comparedLines is how many lines the confidence is held over, when other runs are judged with this one. Default: the
	// lines of this run. Limits 1 to 10000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	ComparedLines *int32 `json:"comparedLines,omitempty"`
}

// DuetBaseline is the side that a run is compared with.
type DuetBaseline struct {
	// name of the side in results. Default "baseline".
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`

	// targetRef names the BenchmarkTarget of the side, in the same namespace, which must be another one than the run's.
	// Targets that have the label mongobench.dev/duet with the same value have their members placed on the same nodes
	// where these have room.
	// +required
	TargetRef NameReference `json:"targetRef,omitzero"`

	// spec has what of the side is not as in the run: its dataset, its workload, or both, as a run declares them. The
	// steps of the workload have the names of the run's, in the same order. Unset: both are the run's.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec *runtime.RawExtension `json:"spec,omitempty"`
}

// DuetResult is how the two sides of a duet compare.
type DuetResult struct {
	// baseline is the name of the other side.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Baseline string `json:"baseline,omitempty"`

	// comparison of every line with the baseline, in the order of the steps and thresholds. At most 48; the report has
	// all of them, and how their bounds narrowed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=48
	Comparison []ComparisonLine `json:"comparison,omitempty"`

	// omittedLines is the number of lines omitted from comparison.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OmittedLines *int32 `json:"omittedLines,omitempty"`

	// windows that were measured, of both sides and all steps together.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Windows *int32 `json:"windows,omitempty"`

	// disturbedWindows are those of them in which the other side did not rest. They are not compared.
	// +optional
	// +kubebuilder:validation:Minimum=0
	DisturbedWindows *int32 `json:"disturbedWindows,omitempty"`

	// elapsedMillis is how long the windows of all steps took, with what lay between them.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ElapsedMillis *int64 `json:"elapsedMillis,omitempty"`

	// server is what the servers of the baseline reported about themselves.
	// +optional
	Server *ServerFingerprint `json:"server,omitempty"`

	// fingerprint is what else may have influenced the figures of the baseline.
	// +optional
	Fingerprint *RunFingerprint `json:"fingerprint,omitempty"`
}
