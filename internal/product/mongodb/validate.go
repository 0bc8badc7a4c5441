package mongodb

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// check checks a target.
type check struct {
	product.Target
	release mongod.Release
	engine  benchv1alpha1.EngineName
}

// ValidateTarget implements product.Product.
func (MongoDB) ValidateTarget(target product.Target) field.ErrorList {
	c := check{Target: target, release: releaseOf(*target.Spec), engine: mongod.Engine(*target.Spec)}
	return slices.Concat(
		c.memory(), c.sharded(), c.legacy(), c.storageEngine(), c.wiredTiger(), c.parameters(), c.arguments(), c.provider(),
		c.durability(),
	)
}

// ValidateRun implements product.Product.
func (MongoDB) ValidateRun(run product.Run) field.ErrorList {
	if ptr.Deref(run.Target.Durability, "") != benchv1alpha1.DurabilityNone {
		return nil
	}
	return validateAcknowledged(run.Spec.Workload.Steps, run.Path.Child("workload", "steps"))
}

// sharded refuses what sharded clusters of the version do not have.
func (c check) sharded() field.ErrorList {
	servers := ptr.Deref(ptr.Deref(c.Spec.Sharded, benchv1alpha1.ShardedSpec{}).ConfigServers,
		benchv1alpha1.ConfigServersSpec{})
	kind := ptr.Deref(servers.Kind, "")
	if kind != benchv1alpha1.ConfigServersShard || c.release.AtLeast(mongod.Release{Major: 8}) {
		return nil
	}
	return product.Refused(c.Path.Child("sharded", "configServers", "kind"), kind,
		"a shard that is config server as well needs version 8.0 or later; use Dedicated")
}
