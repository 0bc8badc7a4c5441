package mongod

import (
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// EngineOfItsTime is the engine of a MongoDB before 3.0, which has one and knows no name for it.
const EngineOfItsTime = benchv1alpha1.EngineName("")

// firstWithEngines is the first release that has storage engines to choose from.
var firstWithEngines = Release{3, 0}

// Engine is the storage engine of the members of a target.
func Engine(spec benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.EngineName {
	if spec.Engine != nil && spec.Engine.Name != nil {
		return *spec.Engine.Name
	}
	if !ParseRelease(ptr.Deref(spec.Version, "")).AtLeast(firstWithEngines) {
		return EngineOfItsTime
	}
	return benchv1alpha1.EngineWiredTiger
}
