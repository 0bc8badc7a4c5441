package v1alpha1

// MariaDBTarget deploys one server of MariaDB.
type MariaDBTarget struct {
	Deployment `json:",inline"`

	MariaDBSpec `json:",inline"`

	// durability is what an acknowledged write survives, by how the server's log is flushed: Memory, OSCache or Synced.
	// The result says which holds, and figures of different durability are compared only if explicitly requested.
	// Default Synced.
	// +optional
	// +kubebuilder:validation:Enum=Memory;OSCache;Synced
	Durability *Durability `json:"durability,omitempty"`

	// parameters are system variables of the server. Those that the operator sets itself are refused.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Parameters []ServerParameter `json:"parameters,omitempty" patchMergeKey:"name" patchStrategy:"merge"`
}

// FerretDBTarget deploys one server of FerretDB 1 with its SQLite backend. It has no settings of its own.
type FerretDBTarget struct {
	Deployment `json:",inline"`
}
