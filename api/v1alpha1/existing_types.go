package v1alpha1

// ExistingDataset measures collections that are there already. Nothing of them is dropped, loaded, indexed or cleaned
// up.
type ExistingDataset struct {
	// writes says whether a run may change the documents: Forbidden or Allowed. Default Forbidden: a run with an operation
	// or an action that changes documents or indexes is not Accepted.
	// +optional
	Writes *ExistingWrites `json:"writes,omitempty"`

	// sampledKeys is the number of documents of each collection without documentCount that parameters of type Key draw
	// from. They are chosen by the hash of their _id, for which every load pod reads all of the index on _id when the run
	// starts, and numbered in the order of that index. Default 100000, limits 1 to 1000000. Of a smaller collection these
	// are all documents.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	SampledKeys *int32 `json:"sampledKeys,omitempty"`
}

// ExistingWrites says whether a run may change documents that it did not load.
// +kubebuilder:validation:Enum=Forbidden;Allowed
type ExistingWrites string

const (
	// ExistingWritesForbidden refuses a run that changes anything.
	ExistingWritesForbidden ExistingWrites = "Forbidden"
	// ExistingWritesAllowed lets operations and actions change documents and indexes, for good.
	ExistingWritesAllowed ExistingWrites = "Allowed"
)
