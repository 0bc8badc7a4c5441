package v1alpha1

// Alone says whether the step is the work of pod 0 alone.
func (k StepKind) Alone() bool {
	switch k {
	case StepPrepare, StepIndex, StepVerify, StepBalance, StepSize:
		return true
	default:
		return false
	}
}

// Growing says whether the step belongs to a checkpoint of a growth, after the loading of the dataset.
func (s Step) Growing() bool {
	return s.Documents > 0
}
