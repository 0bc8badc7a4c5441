package mongodb

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// durability refuses one that a deployed MongoDB cannot give.
func (c check) durability() field.ErrorList {
	declared, path := ptr.Deref(c.Spec.Durability, ""), c.Path.Child("durability")
	wiredTiger := ptr.Deref(ptr.Deref(c.Spec.Engine, benchv1alpha1.EngineSpec{}).WiredTiger,
		benchv1alpha1.WiredTigerSpec{})
	switch {
	case declared == benchv1alpha1.DurabilityMajority && c.Spec.Topology == benchv1alpha1.TopologyStandalone:
		return product.Refused(path, declared, "a Standalone is no majority; use Synced, or a ReplicaSet")
	case declared != benchv1alpha1.DurabilitySynced:
		return nil
	case c.engine == benchv1alpha1.EngineInMemory || c.engine == benchv1alpha1.EngineEphemeralForTest:
		return product.Refused(path, declared, "engine %s writes nothing to a disk; use Memory", c.engine)
	case ptr.Deref(wiredTiger.Journal, "") == benchv1alpha1.Disabled:
		return product.Refused(path, declared, "what is Synced is in the journal; "+
			"leave engine.wiredTiger.journal Enabled, or use "+
			"Memory")
	default:
		return nil
	}
}

// validateAcknowledged refuses operations that cannot do without an acknowledgement where the target's durability is
// None.
func validateAcknowledged(steps []benchv1alpha1.Step, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range steps {
		for k := range steps[i].Operations {
			declared := &steps[i].Operations[k]
			if operation.Of(declared.Kind).Acknowledged && declared.WriteConcern == nil {
				errs = append(errs, field.Required(path.Index(i).Child("operations").Index(k).Child("writeConcern"),
					fmt.Sprintf("the target's durability is None, and a %s has to be acknowledged; give it one of its own",
						declared.Kind)))
			}
		}
	}
	return errs
}
