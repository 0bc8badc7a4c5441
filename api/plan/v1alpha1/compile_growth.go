package v1alpha1

import (
	"fmt"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// stepNameGrow is the name, without the size, of the step that every checkpoint of a growth but the first begins with.
const stepNameGrow = "grow"

// StepNameSize is that of the step after it, which finds what the collection takes.
const StepNameSize = "size"

// grow makes the first collection one that begins with the size of the first checkpoint.
func grow(collections []Collection, sizes []int64) {
	if len(sizes) == 0 || len(collections) == 0 {
		return
	}
	collections[0].DocumentCount, collections[0].GrowsTo = sizes[0], sizes[len(sizes)-1]
}

// growingSteps repeats the measured steps at every checkpoint. Without checkpoints they are measured once.
//
//	load  size-100  read-100 │ grow-200  size-200  read-200 │ grow-300  size-300  read-300
func growingSteps(load benchv1alpha1.Load, sizes []int64, measured []Step) []Step {
	if len(sizes) == 0 {
		return measured
	}
	steps := make([]Step, 0, len(sizes)*(len(measured)+2))
	for i, size := range sizes {
		if i > 0 {
			more := loadStep(load, GrowthStepName(stepNameGrow, size))
			more.From, more.To, more.Documents = sizes[i-1], size, size
			steps = append(steps, more)
		}
		steps = append(steps, Step{Name: GrowthStepName(StepNameSize, size), Kind: StepSize, Documents: size})
		for _, step := range measured {
			step.GrowthOf, step.Documents = step.Name, size
			step.Name = GrowthStepName(step.GrowthOf, size)
			steps = append(steps, step)
		}
	}
	return steps
}

// GrowthStepName is the name, in the plan and in the result, of a step at the checkpoint of this size.
func GrowthStepName(step string, size int64) string {
	return fmt.Sprintf("%s-%d", step, size)
}
