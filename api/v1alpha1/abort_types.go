package v1alpha1

// AbortThreshold ends a run that misses it, with what was measured until then. It is judged once a second, over the
// last forSeconds of what has been measured; with several load pods each judges its own share. Exactly one of
// errorPercent, errorsPerSecond, limitMicros and minOperationsPerSecond must be set.
//
// +kubebuilder:validation:XValidation:rule="[has(self.errorPercent), has(self.errorsPerSecond), has(self.limitMicros), has(self.minOperationsPerSecond)].filter(set, set).size() == 1",message="exactly one of errorPercent, errorsPerSecond, limitMicros and minOperationsPerSecond must be set"
// +kubebuilder:validation:XValidation:rule="!has(self.percentile) || has(self.limitMicros)",message="percentile is of the latency that limitMicros limits",fieldPath=".percentile"
type AbortThreshold struct {
	// operation of the step that it is about, by its name. Unset: all of them together.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Operation *string `json:"operation,omitempty"`

	// forSeconds is the time that is judged, and that must have been measured first. Default 10, limits 1 to 3600.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	ForSeconds *int32 `json:"forSeconds,omitempty"`

	// errorPercent is how many percent of the operations may fail. Limits 1 to 99.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=99
	ErrorPercent *int32 `json:"errorPercent,omitempty"`

	// errorsPerSecond is how many operations may fail per second, over all load pods. Limits 1 to 100000000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000
	ErrorsPerSecond *int64 `json:"errorsPerSecond,omitempty"`

	// percentile of the latency that limitMicros limits: P50, P90, P95, P99 or P999. Default P99.
	// +optional
	Percentile *Percentile `json:"percentile,omitempty"`

	// limitMicros is the highest latency at the percentile: the response time in an open loop, otherwise the service time.
	// Limits 1 to 3600000000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600000000
	LimitMicros *int64 `json:"limitMicros,omitempty"`

	// minOperationsPerSecond is how many operations must succeed per second, over all load pods. Limits 1 to 100000000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000
	MinOperationsPerSecond *int64 `json:"minOperationsPerSecond,omitempty"`
}
