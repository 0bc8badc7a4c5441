package spec

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

// NormaliseTarget returns the specification of a target with every default filled in. An External target has only those
// that say what it is: nothing of it is deployed. What the server decides stays unset.
func NormaliseTarget(declared benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.BenchmarkTargetSpec {
	target := declared.DeepCopy()
	product.Default(&target.Kind, benchv1alpha1.DefaultTargetKind)
	product.Default(&target.Provider, benchv1alpha1.ProviderOperator)
	product.Default(&target.MemberRestarts, benchv1alpha1.MemberRestartsFail)
	product.Default(&target.ProvisioningSeconds, benchv1alpha1.DefaultProvisioningSeconds)
	if target.External != nil {
		product.Default(&target.External.AllowExisting, false)
	}
	if target.Topology == benchv1alpha1.TopologyExternal {
		return *target
	}
	catalogue.Of(*target).Normalise(target)
	product.Surroundings(target)
	return *target
}
