package v1alpha1

// Recall says how the answers of an operation are compared with exact ones: the recall is the share of the documents of
// the exact answers that the operation's own answers have too, told apart by their _id. It takes up to a minute after
// the measure window, and none of the window.
type Recall struct {
	// exact is the pipeline that answers exactly, with the same parameters: an array of stages, or a string of Extended
	// JSON. Its documents keep their _id, as those of the operation do. At most 16384 characters.
	// +required
	Exact Document `json:"exact,omitempty" patchStrategy:"replace"`

	// requests is how many requests are answered both ways: the first of the step. Default 100, limits 1 to 10000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Requests int32 `json:"requests,omitempty"`

	// minPercent is the least recall, in percent, at which a run is trusted (LowRecall). Unset: any.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	MinPercent *int32 `json:"minPercent,omitempty"`
}
