package workload

import planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"

// With is the dataset with other steps, so that a fuzzer need not compile the collections each time.
func (d *Dataset) With(steps []planv1.Step) *Dataset {
	other := *d
	other.plan.Steps = steps
	return &other
}
