package v1alpha1

import (
	"math/bits"
	"slices"
)

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
