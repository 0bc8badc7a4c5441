package spec

import (
	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// stepNameGrow is the name, without the size, of the step that every checkpoint of a growth but the first begins with.
const stepNameGrow = "grow"

// grow makes the first collection one that begins with the size of the first checkpoint.
func grow(collections []planv1.Collection, sizes []int64) {
	if len(sizes) == 0 || len(collections) == 0 {
		return
	}
	collections[0].DocumentCount, collections[0].GrowsTo = sizes[0], sizes[len(sizes)-1]
}

// growingSteps repeats the measured steps at every checkpoint. Without checkpoints they are measured once.
//
//	load  size-100  read-100 │ grow-200  size-200  read-200 │ grow-300  size-300  read-300
func growingSteps(load *benchv1alpha1.Load, sizes []int64, measured []planv1.Step) []planv1.Step {
	if len(sizes) == 0 {
		return measured
	}
	steps := make([]planv1.Step, 0, len(sizes)*(len(measured)+2))
	for i, size := range sizes {
		if i > 0 {
			more := loadStep(load, planv1.GrowthStepName(stepNameGrow, size))
			more.From, more.To, more.Documents = sizes[i-1], size, size
			steps = append(steps, more)
		}
		steps = append(steps, planv1.Step{
			Name: planv1.GrowthStepName(planv1.StepNameSize, size), Kind: planv1.StepSize, Documents: size,
		})
		for _, step := range measured {
			step.GrowthOf, step.Documents = step.Name, size
			step.Name = planv1.GrowthStepName(step.GrowthOf, size)
			steps = append(steps, step)
		}
	}
	return steps
}
