package decide

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

// sets are all that a target consists of, in the order in which they are reported. What others deploy has none.
func sets(spec benchv1alpha1.BenchmarkTargetSpec) []product.Set {
	if spec.Topology == benchv1alpha1.TopologyExternal || ByCommunity(spec) {
		return nil
	}
	return catalogue.Of(spec).Sets(spec)
}

// preparesItself says whether a target is deployed by its own pods alone, so that the topology Job only looks at it.
func preparesItself(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return spec.Topology != benchv1alpha1.TopologyExternal && catalogue.Of(spec).Traits().PreparesItself
}

// waitsForServer says whether a server that prepares itself does not work yet, so that it cannot be looked at.
func waitsForServer(o Observation) bool {
	return preparesItself(o.Target.Spec) && len(readyMembers(o)) == 0
}

// routes tells the routers, which keep nothing.
func routes(s product.Set) bool { return s.Volume == nil }
