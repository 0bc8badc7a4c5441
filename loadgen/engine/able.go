package engine

import (
	"fmt"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// actor is a plan's target as one that actions can be done to; nil when there are none to do.
func actor(plan planv1.Plan, target loadgen.Target) (loadgen.Actor, error) {
	for _, step := range plan.Steps {
		if len(step.Actions) == 0 {
			continue
		}
		if able, ok := target.(loadgen.Actor); ok {
			return able, nil
		}
		return nil, fmt.Errorf("step %q has actions, and %s cannot carry any out", step.Name, target.Driver())
	}
	return nil, nil //nolint:nilnil // Most plans have no actions.
}

// checkSizer says whether a target can do the steps of a plan that take sizes.
func checkSizer(plan planv1.Plan, target loadgen.Target) error {
	if _, able := target.(loadgen.Sizer); able {
		return nil
	}
	for _, step := range plan.Steps {
		if step.Kind == planv1.StepSize {
			return fmt.Errorf("step %q is about the sizes of collections, which %s cannot tell", step.Name, target.Driver())
		}
	}
	return nil
}
