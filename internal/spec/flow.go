package spec

import (
	"cmp"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// normaliseFlow fills in what a Flow and its parts leave open.
func normaliseFlow(declared *benchv1alpha1.Operation) {
	for i := range declared.Captures {
		declared.Captures[i].Of = cmp.Or(declared.Captures[i].Of, benchv1alpha1.CaptureDocument)
	}
	for i := range declared.Next {
		declared.Next[i].Weight = cmp.Or(declared.Next[i].Weight, 1)
	}
}

// inheritFlows gives the parts of flows the group of what they are a part of.
func inheritFlows(step *benchv1alpha1.Step) {
	for range step.Operations { // A part may be declared before what it is a part of.
		for i := range step.Operations {
			part := &step.Operations[i]
			if at := wholeOf(step.Operations, part.PartOf); at >= 0 {
				part.Group = cmp.Or(part.Group, step.Operations[at].Group)
			}
		}
	}
}

// wholeOf is the index of the operation with a name; negative for none.
func wholeOf(operations []benchv1alpha1.Operation, name string) int {
	return slices.IndexFunc(operations, func(o benchv1alpha1.Operation) bool { return name != "" && o.Name == name })
}

// compileFlow writes the constants of a Flow and its parts as a plan has them.
func compileFlow(declared benchv1alpha1.FlowSettings) planv1.FlowSettings {
	declared.Captures, declared.State = slices.Clone(declared.Captures), slices.Clone(declared.State)
	for i := range declared.Captures {
		declared.Captures[i].Otherwise = compileOptional(declared.Captures[i].Otherwise)
	}
	for i := range declared.State {
		declared.State[i].Value = compileOptional(declared.State[i].Value)
	}
	return declared
}

// compileOptional is a constant in Extended JSON, or none.
func compileOptional(constant benchv1alpha1.Constant) benchv1alpha1.Constant {
	if constant == "" {
		return ""
	}
	return benchv1alpha1.Constant(compileConstant(constant))
}
