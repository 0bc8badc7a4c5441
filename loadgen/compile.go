package loadgen

import (
	"fmt"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// compiled is all of a plan that can be prepared without a database, shared by all workers.
type compiled struct {
	dataset *workload.Dataset
	// mixes of the Measure steps, by the index of the step.
	mixes map[int]*workload.Mix
}

// Check says whether a plan can be followed, before anything is touched. The operator's plans can: the API server has
// looked at the run that they come from. A file that nobody has looked at may hold anything.
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
