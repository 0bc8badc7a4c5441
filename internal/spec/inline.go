package spec

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// InlineTarget is the target that a run declares, with what follows from the rest of it: the load user may write the
// run's database, and members that an action takes away are waited for.
func InlineTarget(declared benchv1alpha1.BenchmarkRunSpec) benchv1alpha1.BenchmarkTargetSpec {
	target, database := *declared.Target.DeepCopy(), *Normalise(declared).Dataset.Database
	deployment := target.Deployment()
	if deployment == nil {
		return target
	}
	if !slices.Contains(deployment.Databases, database) {
		deployment.Databases = append(deployment.Databases, database)
	}
	if ActsOnMembers(declared.Workload.Steps) {
		deployment.MemberRestarts = new(benchv1alpha1.MemberRestartsTolerate)
	}
	return target
}
