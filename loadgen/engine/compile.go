package engine

import (
	"fmt"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/pacer"
	"github.com/mongobench/mongobench-operator/loadgen/search"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// compiled is all of a plan that can be prepared without a database, shared by all workers.
type compiled struct {
	dataset *workload.Dataset
	// mixes of the Measure steps, by the index of the step.
	mixes map[int]*workload.Mix
}

// Check says whether a plan can be followed, before anything is touched. The operator's plans can: the API server has
// looked at the run that they come from. An unchecked file may hold anything.
func Check(plan planv1.Plan) error {
	_, err := compile(plan)
	return err
}

func compile(plan planv1.Plan) (*compiled, error) {
	dataset, err := workload.NewDataset(plan)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	c := &compiled{dataset: dataset, mixes: map[int]*workload.Mix{}}
	for index, step := range plan.Steps {
		if err := checkLoad(step); err != nil {
			return nil, err
		}
		if step.Kind != planv1.StepMeasure {
			continue
		}
		if err := checkMeasure(step); err != nil {
			return nil, err
		}
		if err := checkSearch(step, plan.Pods); err != nil {
			return nil, err
		}
		if err := checkActions(step); err != nil {
			return nil, err
		}
		if c.mixes[index], err = workload.Compile(dataset, index); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// checkLoad says whether a Load can be done.
func checkLoad(step planv1.Step) error {
	switch {
	case step.Kind != planv1.StepLoad:
		return nil
	case step.BatchDocuments < 1:
		return fmt.Errorf("step %q: batches of %d documents", step.Name, step.BatchDocuments)
	case step.From < 0 || step.To < step.From:
		return fmt.Errorf("step %q: from record %d to %d", step.Name, step.From, step.To)
	}
	return nil
}

// checkMeasure says whether a step can be driven.
func checkMeasure(step planv1.Step) error {
	if step.Threads < 1 || (step.DurationSeconds > 0) == (step.OperationCount > 0) {
		return fmt.Errorf("step %q: %d threads, a duration of %d seconds and %d operations: it needs a thread, and "+
			"exactly one of duration and number of operations", step.Name, step.Threads, step.DurationSeconds,
			step.OperationCount)
	}
	if step.Arrival == nil {
		return nil
	}
	if _, err := pacer.New(*step.Arrival, 0, ""); err != nil {
		return fmt.Errorf("step %q: %w", step.Name, err)
	}
	if step.ThinkTimeMicros > 0 {
		return fmt.Errorf("step %q: a think time goes with a closed loop, and this one has an arrival schedule", step.Name)
	}
	return nil
}

// checkSearch says whether a step's search can be done.
func checkSearch(step planv1.Step, pods int) error {
	if step.Search == nil {
		return nil
	}
	if pods > 1 {
		return fmt.Errorf("step %q: a search is done by one load pod, and the plan has %d", step.Name, pods)
	}
	if step.Arrival != nil || step.ThinkTimeMicros > 0 || step.DurationSeconds < 1 {
		return fmt.Errorf("step %q: a search sets the rates itself, and confirms what it finds for the duration of the "+
			"step: it goes with neither an arrival schedule nor a think time nor a number of operations", step.Name)
	}
	if _, err := search.New(*step.Search); err != nil {
		return fmt.Errorf("step %q: %w", step.Name, err)
	}
	return nil
}

// checkActions says whether a step's actions can be done.
func checkActions(step planv1.Step) error {
	if len(step.Actions) == 0 {
		return nil
	}
	if step.DurationSeconds < 1 || step.Search != nil {
		return fmt.Errorf("step %q: actions need a step that lasts for a time, and no search", step.Name)
	}
	before := 0
	for _, action := range step.Actions {
		if action.AfterSeconds < before || action.AfterSeconds >= step.DurationSeconds {
			return fmt.Errorf("step %q: action %q is due after %d seconds: it must be within the %d of the step, and not "+
				"before the action that it follows", step.Name, action.Name, action.AfterSeconds, step.DurationSeconds)
		}
		before = action.AfterSeconds
	}
	return nil
}
