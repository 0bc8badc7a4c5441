package v1alpha1

import (
	"math/bits"
	"slices"
)

// Growth repeats the steps of a workload while a collection of the dataset grows: at every checkpoint the
// collection is filled up to the checkpoint's size, its sizes on disk are recorded, and all steps are measured. Results
// are kept per size.
//
// +kubebuilder:validation:XValidation:rule="has(self.sizes) ? !(has(self.to) || has(self.checkpoints)) : has(self.to) && has(self.checkpoints)",message="either sizes alone, or to and checkpoints, must be set",fieldPath=".sizes"
type Growth struct {
	// collection that grows. Unset: that of the dataset; required where there are several.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=120
	Collection *string `json:"collection,omitempty"`

	// to is the number of documents at the last checkpoint.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000000
	To *int64 `json:"to,omitempty"`

	// checkpoints is the number of checkpoints, evenly spaced from zero. Limits 1 to 32.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=32
	Checkpoints *int32 `json:"checkpoints,omitempty"`

	// sizes are the numbers of documents at the checkpoints, in ascending order.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=100000000000
	Sizes []int64 `json:"sizes,omitempty"`
}

// Reuse says whether to load a dataset that is already in the target again.
// +kubebuilder:validation:Enum=IfClean;Never
type Reuse string

const (
	// ReuseIfClean loads it only if it is a different one, or was written to.
	ReuseIfClean Reuse = "IfClean"
	// ReuseNever always loads it.
	ReuseNever Reuse = "Never"
)

// GrowthResult is the size of the growing collection at one checkpoint.
type GrowthResult struct {
	// documents of the collection, counted before the steps of the checkpoint.
	// +required
	// +kubebuilder:validation:Minimum=0
	Documents *int64 `json:"documents,omitempty"`

	// dataBytes is the size of the documents, uncompressed, over all shards.
	// +required
	// +kubebuilder:validation:Minimum=0
	DataBytes *int64 `json:"dataBytes,omitempty"`

	// storageBytes is the size of the documents on disk, over all shards.
	// +required
	// +kubebuilder:validation:Minimum=0
	StorageBytes *int64 `json:"storageBytes,omitempty"`

	// indexBytes is the size of all indexes on disk, over all shards. The report has each index on each shard.
	// +required
	// +kubebuilder:validation:Minimum=0
	IndexBytes *int64 `json:"indexBytes,omitempty"`
}

// CheckpointSizes are the numbers of documents at the checkpoints of a growth, in their order; none without a growth.
func CheckpointSizes(growth *Growth) []int64 {
	switch {
	case growth == nil:
		return nil
	case growth.To == nil || growth.Checkpoints == nil || *growth.To < 1 || *growth.Checkpoints < 1:
		return slices.Clone(growth.Sizes)
	}
	checkpoints := uint64(*growth.Checkpoints)
	sizes := make([]int64, 0, checkpoints)
	for i := range checkpoints {
		high, low := bits.Mul64(uint64(*growth.To), i+1)
		size, _ := bits.Div64(high, low, checkpoints)
		sizes = append(sizes, int64(size))
	}
	return sizes
}
