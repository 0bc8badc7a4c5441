package v1alpha1

// GroupResult is the result of one of several groups of threads of a step. All operationsPerSecond are over its own
// window.
type GroupResult struct {
	// name of the group.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`

	// threads used, over all load pods.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Threads *int32 `json:"threads,omitempty"`

	// startMillis is when the group began, from the start of the step's measure window on.
	// +required
	// +kubebuilder:validation:Minimum=0
	StartMillis *int64 `json:"startMillis,omitempty"`

	// durationMillis is how long the group worked; 0 if it never began.
	// +required
	// +kubebuilder:validation:Minimum=0
	DurationMillis *int64 `json:"durationMillis,omitempty"`

	// operationsPerSecond is the rate of successful operations of the group.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OperationsPerSecond *int64 `json:"operationsPerSecond,omitempty"`

	// p99Micros is the 99th percentile of the latency over all operations of the group together. Unset: fewer than 1,000
	// operations were timed, which is too few for it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	P99Micros *int64 `json:"p99Micros,omitempty"`

	// requestedOperationsPerSecond is the rate at which operations were due. Unset in a closed loop.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RequestedOperationsPerSecond *int64 `json:"requestedOperationsPerSecond,omitempty"`

	// achievedOperationsPerSecond is the rate at which operations were sent within the group's window. Unset in a closed
	// loop.
	// +optional
	// +kubebuilder:validation:Minimum=0
	AchievedOperationsPerSecond *int64 `json:"achievedOperationsPerSecond,omitempty"`

	// droppedOperations is the number of operations that were due but never sent. Unset in a closed loop.
	// +optional
	// +kubebuilder:validation:Minimum=0
	DroppedOperations *int64 `json:"droppedOperations,omitempty"`
}
