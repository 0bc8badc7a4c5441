package v1alpha1

import "fmt"

// Names of the steps that a plan begins with. A step of a workload cannot have one of them.
const (
	StepNamePrepare = "prepare"
	StepNameLoad    = "load"
	StepNameIndex   = "index"
	StepNameBalance = "balance"
	StepNameVerify  = "verify"
	// StepNameSize is completed by GrowthStepName.
	StepNameSize = "size"
)

// GrowthStepName is the name, in the plan and in the result, of a step at the checkpoint of this size.
func GrowthStepName(step string, size int64) string {
	return fmt.Sprintf("%s-%d", step, size)
}

// SweepStepName is the name, in the plan and in the result, of the step that measures one number of threads of a sweep.
func SweepStepName(step string, threads int32) string {
	return fmt.Sprintf("%s-%d", step, threads)
}
