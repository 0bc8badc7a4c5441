package mariadb

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/handlersocket"
	"github.com/mongobench/mongobench-operator/internal/product/portable"
)

// leastBufferPoolMebibytes is the least that a server is given, however little memory it has.
const leastBufferPoolMebibytes = 64

// BufferPoolMebibytes is what a server with this memory limit gives InnoDB, or MyRocks in its place, to keep data in:
// half of what a volume in memory leaves, since connections, writes and the operating system's cache take the rest; and
// of MyRocks, whose memtables and compactions are beside its cache, a quarter.
func BufferPoolMebibytes(spec benchv1alpha1.BenchmarkTargetSpec, memory resource.Quantity) int64 {
	free := (memory.Value() - product.VolumeBytes(spec)) / product.Mebibyte
	part := int64(2)
	if engineOf(spec) == benchv1alpha1.MariaDBMyRocks {
		part = 4
	}
	if declared := spec.MariaDB.BufferPoolMebibytes; declared != nil {
		return *declared
	}
	return max(free/part, leastBufferPoolMebibytes)
}

// ownDatabases are MariaDB's own.
var ownDatabases = []string{"mysql", "information_schema", "performance_schema", "sys"}

// What a mariadbd needs above what it keeps data in, in MiB. Loading 400,000 rows of 1 KB and then reading and writing
// over 64 connections it took 136 MiB above an InnoDB pool that was full; and with MyRocks, whose writes are collected
// in memory first, 494 MiB above its cache (500,000 rows of 1 KB, two arenas of malloc).
const (
	leastBesideInnoDB  = 144
	leastBesideMyRocks = 520
)

// check checks a target.
type check struct {
	product.Target
	product.Findings
}

// ValidateTarget implements product.Product.
func (MariaDB) ValidateTarget(target product.Target) field.ErrorList {
	c := &check{Target: target}
	product.WantKnown(&c.Findings, c.Normal.MariaDB.Engine, c.Path.Child("engine"),
		benchv1alpha1.MariaDBInnoDB, benchv1alpha1.MariaDBMyRocks)
	c.bufferPool()
	for i, name := range target.Spec.MariaDB.Databases {
		refuseOwnDatabase(&c.Findings, name, target.Path.Child("databases").Index(i))
	}
	c.security()
	c.variables()
	return c.ErrorList
}

// bufferPool refuses a limit that the buffer pool and a volume in memory do not fit into.
func (c *check) bufferPool() {
	limit := *c.Normal.MariaDB.Resources.Limits.Memory()
	pool := BufferPoolMebibytes(c.Normal, limit)
	volume := (product.VolumeBytes(c.Normal) + product.Mebibyte - 1) / product.Mebibyte
	beside := int64(leastBesideInnoDB)
	if engineOf(c.Normal) == benchv1alpha1.MariaDBMyRocks {
		beside = leastBesideMyRocks
	}
	needed := pool + volume + beside
	c.Refuse(limit.Value() < needed*product.Mebibyte, c.Path.Child("resources", "limits").Key("memory"), limit.String(),
		"must be at least %dMi, or the server is killed while it is loaded: %d Mi of buffer pool + %d Mi of a volume in "+
			"memory + %d Mi beside", needed, pool, volume, beside)
}

func refuseOwnDatabase(found *product.Findings, name string, path *field.Path) {
	found.Refuse(slices.Contains(ownDatabases, strings.ToLower(name)), path, name,
		"must not be one of MariaDB's own: %s", strings.Join(ownDatabases, ", "))
}

// security refuses what a MariaDB is not deployed with.
func (c *check) security() {
	security, path := c.Normal.MariaDB.Security, c.Path.Child("security")
	c.Refuse(*security.TLS.Mode != benchv1alpha1.TLSDisabled, path.Child("tls", "mode"), *security.TLS.Mode,
		"must be Disabled: a MariaDB is deployed without TLS")
	c.Refuse(*security.Authentication == benchv1alpha1.Disabled, path.Child("authentication"), *security.Authentication,
		"must be Enabled: a MariaDB always has users")
	c.Refuse(*security.NetworkPolicy == benchv1alpha1.Disabled && c.Normal.MariaDB.HandlerSocket != nil,
		path.Child("networkPolicy"), *security.NetworkPolicy,
		"must be Enabled with handlerSocket: whoever reaches its ports can stop it, without logging in")
}

// variables refuses those that the operator sets, or that a field stands for.
func (c *check) variables() {
	for _, parameter := range c.Spec.MariaDB.Parameters {
		owned, found := Find(parameter.Name)
		why := "use " + c.Path.String() + "." + owned.Field + " instead"
		if owned.Field == "" {
			why = fmt.Sprintf("is or stands for %s, which cannot be given: %s", owned.Name, owned.Why)
		}
		c.Refuse(found, c.Path.Child("parameters").Key(parameter.Name), parameter.Name, "%s", why)
	}
}

// runCheck checks what depends on the target.
type runCheck struct {
	product.Run
	product.Findings
	// collections of the dataset, compiled.
	collections []planv1.Collection
}

// ValidateRun implements product.Product. What works on a collection that is no table has been told of.
func (MariaDB) ValidateRun(run product.Run) field.ErrorList {
	c := &runCheck{Run: run}
	client, deployed := *c.Spec.LoadGenerator.Client, c.Target.Topology() != benchv1alpha1.TopologyExternal
	c.Refuse(client == benchv1alpha1.ClientHandlerSocket && deployed && pluginOf(*c.Target) == nil,
		c.Path.Child("loadGenerator", "client"), client,
		"the target does not load that plugin; set its mariadb.handlerSocket")
	refuseOwnDatabase(&c.Findings, *c.Spec.Dataset.Database, c.Path.Child("dataset", "database"))
	for i, declared := range c.Spec.Dataset.Collections {
		path := c.Path.Child("dataset", "collections").Index(i)
		compiled := c.Collection(declared)
		c.collections = append(c.collections, compiled)
		_, refusal := portable.Table(compiled)
		c.add(path, refusal)
		c.indexes(declared.Indexes, path.Child("indexes"))
	}
	c.EachOperation(run,
		"must be Never with MariaDB: a statement that was lost on its way cannot be told from one that was done",
		func(path *field.Path, step, index int) {
			c.add(path, c.statement(c.Operation(c.Spec.Workload.Steps[step].Operations[index])))
		})
	return c.ErrorList
}

// add is a refusal whose field is below a path; nil is none.
func (c *runCheck) add(path *field.Path, refusal *portable.Refusal) {
	if refusal != nil {
		c.ErrorList = append(c.ErrorList, field.Forbidden(path.Child(refusal.Field), "with MariaDB: "+refusal.Detail))
	}
}

// indexes refuses those that the target's engine does not have. An existing server has it said by its load pods.
func (c *runCheck) indexes(declared []benchv1alpha1.Index, path *field.Path) {
	settings := ptr.Deref(c.Target.MariaDB, benchv1alpha1.MariaDBTarget{})
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
	i := slices.IndexFunc(c.collections, func(known planv1.Collection) bool { return known.Name == operation.Collection })
	if i < 0 {
		return nil
	}
	collection := c.collections[i]
	statement, refusal := portable.Bind(collection, operation)
	switch {
	case refusal != nil && refusal.Field == portable.CollectionField:
		return nil
	case refusal == nil && *c.Spec.LoadGenerator.Client == benchv1alpha1.ClientHandlerSocket:
		_, refusal = handlersocket.Find(collection, statement)
		return refusal
	default:
		return refusal
	}
}
