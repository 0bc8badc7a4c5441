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

// Check says whether the data and the operations of a plan can be made, before anything is touched. That its steps go
// together was checked of the run that it comes from.
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
		if step.Kind != planv1.StepMeasure {
			continue
		}
		if err := checkRates(step); err != nil {
			return nil, err
		}
		if c.mixes[index], err = workload.Compile(dataset, index); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// checkRates says whether a step's arrivals or its search can be had.
func checkRates(step planv1.Step) (err error) {
	if step.Arrival != nil {
		_, err = pacer.New(*step.Arrival, 0, "")
	} else if step.Search != nil {
		_, err = search.New(*step.Search)
	}
	if err != nil {
		return fmt.Errorf("step %q: %w", step.Name, err)
	}
	return nil
}
