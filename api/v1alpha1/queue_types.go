package v1alpha1

// Concurrency says which runs wait for one another. Runs of a group are admitted in order of creation, over all
// namespaces that the operator watches.
type Concurrency struct {
	// group that the run waits in. Unset: the node pool, which is the node selector of the target's placement.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$`
	Group *string `json:"group,omitempty"`

	// max is the number of runs of the group that may be admitted at once, including this one. Default 1, or the
	// operator's own setting. Limits 1 to 1000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Max *int32 `json:"max,omitempty"`
}
