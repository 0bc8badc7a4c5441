package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/handlersocket"
	"github.com/mongobench/mongobench-operator/internal/product/portable"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// Clients of each kind of target.
var (
	mongoDBClients = []benchv1alpha1.Client{
		benchv1alpha1.ClientAuto, benchv1alpha1.ClientWire, benchv1alpha1.ClientDriver,
	}
	mariaDBClients = []benchv1alpha1.Client{
		benchv1alpha1.ClientAuto, benchv1alpha1.ClientPrepared, benchv1alpha1.ClientText,
		benchv1alpha1.ClientHandlerSocket,
	}
)

// databaseCheck checks what depends on which database a target is.
type databaseCheck struct {
	spec   *benchv1alpha1.BenchmarkRunSpec
	target *benchv1alpha1.BenchmarkTargetSpec
	path   *field.Path
}

// validateDatabase refuses what the database of a target does not do. A preset is written out.
func validateDatabase(
	declared *benchv1alpha1.BenchmarkRunSpec, target *benchv1alpha1.BenchmarkTargetSpec, path *field.Path,
) field.ErrorList {
	normal := spec.Normalise(*declared)
	c := databaseCheck{&normal, target, path}
	if benchv1alpha1.IsMariaDB(*target) {
		return slices.Concat(c.client(mariaDBClients), c.ownDatabase(), c.tables(), c.statements())
	}
	errs := c.client(mongoDBClients)
	if benchv1alpha1.DeclaredDurability(*target) == benchv1alpha1.DurabilityNone {
		errs = append(errs, validateAcknowledged(normal.Workload.Steps, path.Child("workload", "steps"))...)
	}
	return errs
}

func (c databaseCheck) chosenClient() benchv1alpha1.Client {
	return *c.spec.LoadGenerator.Client
}

// client wants one that speaks to the database.
func (c databaseCheck) client(known []benchv1alpha1.Client) field.ErrorList {
	client, path := c.chosenClient(), c.path.Child("loadGenerator", "client")
	if !slices.Contains(known, client) {
		return field.ErrorList{field.NotSupported(path, client, known)}
	}
	settings := ptr.Deref(c.target.MariaDB, benchv1alpha1.MariaDBSpec{})
	deployed := c.target.Topology != benchv1alpha1.TopologyExternal
	if client == benchv1alpha1.ClientHandlerSocket && deployed && settings.HandlerSocket == nil {
		return refused(path, client, "the target does not load that plugin; set its mariaDB.handlerSocket")
	}
	return nil
}

func (c databaseCheck) ownDatabase() field.ErrorList {
	return validateOwnDatabase(*c.spec.Dataset.Database, c.path.Child("dataset", "database"))
}

// tables refuses collections that are no tables.
func (c databaseCheck) tables() field.ErrorList {
	var errs field.ErrorList
	for i, declared := range c.spec.Dataset.Collections {
		if _, refusal := portable.Table(spec.CompileCollection(declared)); refusal != nil {
			errs = append(errs, byRefusal(c.path.Child("dataset", "collections").Index(i), refusal))
		}
		errs = append(errs, c.indexes(declared.Indexes, c.path.Child("dataset", "collections").Index(i).Child("indexes"))...)
	}
	return errs
}

// indexes refuses those that the target's engine does not have. An existing server has it said by its load pods.
func (c databaseCheck) indexes(declared []benchv1alpha1.Index, path *field.Path) field.ErrorList {
	settings := ptr.Deref(c.target.MariaDB, benchv1alpha1.MariaDBSpec{})
	if ptr.Deref(settings.Engine, "") != benchv1alpha1.MariaDBMyRocks {
		return nil
	}
	var errs field.ErrorList
	for i, index := range declared {
		for k, key := range index.Keys {
			if *key.Type == benchv1alpha1.IndexKeyDescending {
				errs = append(errs, refused(path.Index(i).Child("keys").Index(k).Child("type"), *key.Type,
					"must be Ascending with MyRocks, which has no descending indexes and reads ascending ones backwards")...)
			}
		}
	}
	return errs
}

// statements refuses operations that are no statements. What works on a collection that is no table has been told of.
func (c databaseCheck) statements() field.ErrorList {
	var errs field.ErrorList
	for i := range c.spec.Workload.Steps {
		step, path := &c.spec.Workload.Steps[i], c.path.Child("workload", "steps").Index(i)
		if *step.Retry != benchv1alpha1.RetryNever {
			errs = append(errs, refused(path.Child("retry"), *step.Retry,
				"must be Never with kind MariaDB: a statement that was lost on its way cannot be told from one that was done")...)
		}
		for k := range step.Operations {
			if refusal := c.statement(step.Operations[k]); refusal != nil {
				errs = append(errs, byRefusal(path.Child("operations").Index(k), refusal))
			}
		}
	}
	return errs
}

func (c databaseCheck) statement(declared benchv1alpha1.Operation) *portable.Refusal {
	found := find(&c.spec.Dataset, declared.Collection)
	if found == nil {
		return nil
	}
	collection := spec.CompileCollection(*found)
	statement, refusal := portable.Bind(collection, spec.CompileOperation(declared))
	switch {
	case refusal != nil && refusal.Field == portable.CollectionField:
		return nil
	case refusal == nil && c.chosenClient() == benchv1alpha1.ClientHandlerSocket:
		return handlersocket.Check(collection, statement)
	default:
		return refusal
	}
}

// byRefusal is the error of a refusal whose field is below a path.
func byRefusal(path *field.Path, refusal *portable.Refusal) *field.Error {
	return field.Forbidden(path.Child(refusal.Field), "with kind MariaDB: "+refusal.Detail)
}
