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
	product.Findings
}

// ValidateRun implements product.Product. What works on a collection that is no table has been told of.
func (MariaDB) ValidateRun(run product.Run) field.ErrorList {
	c := &runCheck{Run: run}
	client, deployed := *c.Spec.LoadGenerator.Client, c.Target.Topology != benchv1alpha1.TopologyExternal
	c.Refuse(client == benchv1alpha1.ClientHandlerSocket && deployed && pluginOf(*c.Target) == nil,
		c.Path.Child("loadGenerator", "client"), client,
		"the target does not load that plugin; set its mariaDB.handlerSocket")
	refuseOwnDatabase(&c.Findings, *c.Spec.Dataset.Database, c.Path.Child("dataset", "database"))
	for i, declared := range c.Spec.Dataset.Collections {
		path := c.Path.Child("dataset", "collections").Index(i)
		_, refusal := portable.Table(c.Collections[i])
		c.add(path, refusal)
		c.indexes(declared.Indexes, path.Child("indexes"))
	}
	c.EachOperation(run,
		"must be Never with kind MariaDB: a statement that was lost on its way cannot be told from one that was done",
		func(path *field.Path, step, index int) { c.add(path, c.statement(c.Operations[step][index])) })
	return c.ErrorList
}

// add is a refusal whose field is below a path; nil is none.
func (c *runCheck) add(path *field.Path, refusal *portable.Refusal) {
	if refusal != nil {
		c.ErrorList = append(c.ErrorList, field.Forbidden(path.Child(refusal.Field), "with kind MariaDB: "+refusal.Detail))
	}
}

// indexes refuses those that the target's engine does not have. An existing server has it said by its load pods.
func (c *runCheck) indexes(declared []benchv1alpha1.Index, path *field.Path) {
	settings := ptr.Deref(c.Target.MariaDB, benchv1alpha1.MariaDBSpec{})
	rocks := ptr.Deref(settings.Engine, "") == benchv1alpha1.MariaDBMyRocks
	for i, index := range declared {
		for k, key := range index.Keys {
			c.Refuse(rocks && *key.Type == benchv1alpha1.IndexKeyDescending,
				path.Index(i).Child("keys").Index(k).Child("type"), *key.Type,
				"must be Ascending with MyRocks, which has no descending indexes and reads ascending ones backwards")
		}
	}
}

func (c *runCheck) statement(operation planv1.Operation) *portable.Refusal {
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
