package mariadb

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/handlersocket"
	"github.com/mongobench/mongobench-operator/internal/product/portable"
)

// runCheck checks what depends on the target.
type runCheck struct {
	product.Run
}

// ValidateRun implements product.Product.
func (MariaDB) ValidateRun(run product.Run) field.ErrorList {
	c := runCheck{run}
	return slices.Concat(c.plugin(), c.ownDatabase(), c.tables(), c.statements())
}

// plugin wants HandlerSocket where its client is chosen.
func (c runCheck) plugin() field.ErrorList {
	client, deployed := *c.Spec.LoadGenerator.Client, c.Target.Topology != benchv1alpha1.TopologyExternal
	if client == benchv1alpha1.ClientHandlerSocket && deployed && pluginOf(*c.Target) == nil {
		return product.Refused(c.Path.Child("loadGenerator", "client"), client,
			"the target does not load that plugin; set its mariaDB.handlerSocket")
	}
	return nil
}

func (c runCheck) ownDatabase() field.ErrorList {
	return validateOwnDatabase(*c.Spec.Dataset.Database, c.Path.Child("dataset", "database"))
}

// tables refuses collections that are no tables.
func (c runCheck) tables() field.ErrorList {
	var errs field.ErrorList
	for i, declared := range c.Spec.Dataset.Collections {
		if _, refusal := portable.Table(c.Collections[i]); refusal != nil {
			errs = append(errs, byRefusal(c.Path.Child("dataset", "collections").Index(i), refusal))
		}
		errs = append(errs, c.indexes(declared.Indexes, c.Path.Child("dataset", "collections").Index(i).Child("indexes"))...)
	}
	return errs
}

// indexes refuses those that the target's engine does not have. An existing server has it said by its load pods.
func (c runCheck) indexes(declared []benchv1alpha1.Index, path *field.Path) field.ErrorList {
	settings := ptr.Deref(c.Target.MariaDB, benchv1alpha1.MariaDBSpec{})
	if ptr.Deref(settings.Engine, "") != benchv1alpha1.MariaDBMyRocks {
		return nil
	}
	var errs field.ErrorList
	for i, index := range declared {
		for k, key := range index.Keys {
			if *key.Type == benchv1alpha1.IndexKeyDescending {
				errs = append(errs, product.Refused(path.Index(i).Child("keys").Index(k).Child("type"), *key.Type,
					"must be Ascending with MyRocks, which has no descending indexes and reads ascending ones backwards")...)
			}
		}
	}
	return errs
}

// statements refuses operations that are no statements. What works on a collection that is no table has been told of.
func (c runCheck) statements() field.ErrorList {
	var errs field.ErrorList
	for i := range c.Spec.Workload.Steps {
		step, path := &c.Spec.Workload.Steps[i], c.Path.Child("workload", "steps").Index(i)
		if *step.Retry != benchv1alpha1.RetryNever {
			errs = append(errs, product.Refused(path.Child("retry"), *step.Retry,
				"must be Never with kind MariaDB: a statement that was lost on its way cannot be told from one that was done")...)
		}
		for k := range step.Operations {
			if refusal := c.statement(c.Operations[i][k]); refusal != nil {
				errs = append(errs, byRefusal(path.Child("operations").Index(k), refusal))
			}
		}
	}
	return errs
}

func (c runCheck) statement(operation planv1.Operation) *portable.Refusal {
	i := slices.IndexFunc(c.Collections, func(known planv1.Collection) bool { return known.Name == operation.Collection })
	if i < 0 {
		return nil
	}
	collection := c.Collections[i]
	statement, refusal := portable.Bind(collection, operation)
	switch {
	case refusal != nil && refusal.Field == portable.CollectionField:
		return nil
	case refusal == nil && *c.Spec.LoadGenerator.Client == benchv1alpha1.ClientHandlerSocket:
		return handlersocket.Check(collection, statement)
	default:
		return refusal
	}
}

// byRefusal is the error of a refusal whose field is below a path.
func byRefusal(path *field.Path, refusal *portable.Refusal) *field.Error {
	return field.Forbidden(path.Child(refusal.Field), "with kind MariaDB: "+refusal.Detail)
}
