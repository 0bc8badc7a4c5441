package v1alpha1

// Objective is a share of the operations that has to be done within a limit: the response time in an open loop,
// otherwise the service time. An operation that failed, was dropped or was skipped was not done within it.
type Objective struct {
	// operation of the step that it is about, by its name. Unset: all of them together.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Operation *string `json:"operation,omitempty"`

	// limitMicros is how long an operation may take. Limits 1 to 3600000000.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600000000
	LimitMicros int64 `json:"limitMicros,omitempty"`

	// percent of the operations that have to be done within the limit, such as "99.9". Default "99", from 1 to 100 with up
	// to three decimals.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=6
	// +kubebuilder:validation:Pattern=`^([1-9][0-9]?(\.[0-9]{1,3})?|100)$`
	Percent *string `json:"percent,omitempty"`
}

// ObjectiveResult is what became of an objective.
type ObjectiveResult struct {
	// operation that it is about. Unset: all of the step together.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Operation string `json:"operation,omitempty"`

	// limitMicros is how long an operation was allowed to take.
	// +required
	// +kubebuilder:validation:Minimum=1
	LimitMicros int64 `json:"limitMicros,omitempty"`

	// percent of the operations that had to be done within the limit.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=6
	Percent string `json:"percent,omitempty"`

	// operations that it was judged by: those that succeeded with a latency, failed, were dropped or were skipped.
	// +required
	// +kubebuilder:validation:Minimum=0
	Operations *int64 `json:"operations,omitempty"`

	// withinLimit are those of them that succeeded within the limit.
	// +required
	// +kubebuilder:validation:Minimum=0
	WithinLimit *int64 `json:"withinLimit,omitempty"`

	// outcome is Kept, Missed, or NotMeasured if there were no operations to judge.
	// +required
	Outcome ObjectiveOutcome `json:"outcome,omitempty"`
}

// ObjectiveOutcome says whether an objective was kept.
// It is no enum, so that a definition of an older version stores what a later operator writes.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=64
type ObjectiveOutcome string

const (
	// ObjectiveKept means that the share was reached.
	ObjectiveKept ObjectiveOutcome = "Kept"
	// ObjectiveMissed means that it was not.
	ObjectiveMissed ObjectiveOutcome = "Missed"
	// ObjectiveNotMeasured means that there were no operations to judge.
	ObjectiveNotMeasured ObjectiveOutcome = "NotMeasured"
)

// PercentileResult is a percentile of the latency that the step asked for.
type PercentileResult struct {
	// percentile as the step has it, such as "99.999".
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=6
	Percentile string `json:"percentile,omitempty"`

	// micros is the latency. Unset: fewer than ten operations lie beyond it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Micros *int64 `json:"micros,omitempty"`
}
