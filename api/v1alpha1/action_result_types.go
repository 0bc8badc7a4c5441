package v1alpha1

// ActionResult is the result of an action.
type ActionResult struct {
	// name of the action.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`

	// member that the action affected, as host and port. Unset: the whole target.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Member string `json:"member,omitempty"`

	// atMillis is when the action was carried out, from the start of the measure window.
	// +required
	// +kubebuilder:validation:Minimum=0
	AtMillis *int64 `json:"atMillis,omitempty"`

	// tookMillis is how long the command took that carried it out, such as the build of an index. Unset: the operator
	// carried it out, or nobody did.
	// +optional
	// +kubebuilder:validation:Minimum=0
	TookMillis *int64 `json:"tookMillis,omitempty"`

	// outageMillis is the longest time after the action without a successful operation.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OutageMillis *int64 `json:"outageMillis,omitempty"`

	// recoveryMillis is the time from the action until the throughput was back for good at nine tenths of its earlier
	// level. Unset: it did not recover within the step.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RecoveryMillis *int64 `json:"recoveryMillis,omitempty"`

	// outcome is what the server answered, in words: the bytes that a Compact freed, or what AnalyzeShardKey found of the
	// key. Unset: it said nothing.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Outcome string `json:"outcome,omitempty"`

	// error says why the action could not be carried out. Unset: it was.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Error string `json:"error,omitempty"`
}
