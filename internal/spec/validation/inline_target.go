package validation

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// InlineTarget is the target that a run declares, with what follows from the rest of it: the load user may write the
// run's database, and members that an action takes away are waited for.
func InlineTarget(spec benchv1alpha1.BenchmarkRunSpec, database string) benchv1alpha1.BenchmarkTargetSpec {
	target := *spec.Target.DeepCopy()
	if target.Topology != benchv1alpha1.TopologyExternal && !slices.Contains(target.Databases, database) {
		target.Databases = append(target.Databases, database)
	}
	if ActsOnMembers(spec.Workload.Steps) {
		target.MemberRestarts = new(benchv1alpha1.MemberRestartsTolerate)
	}
	return target
}
