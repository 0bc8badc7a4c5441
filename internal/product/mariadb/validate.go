package mariadb

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
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
}

// ValidateTarget implements product.Product.
func (MariaDB) ValidateTarget(target product.Target) field.ErrorList {
	c := check{target}
	return slices.Concat(c.bufferPool(), c.databases(), c.security(), c.variables())
}

// bufferPool refuses a limit that the buffer pool and a volume in memory do not fit into.
func (c check) bufferPool() field.ErrorList {
	limit := *c.Normal.Resources.Memory
	pool := BufferPoolMebibytes(c.Normal, limit)
	volume := (product.VolumeBytes(c.Normal) + product.Mebibyte - 1) / product.Mebibyte
	beside := int64(leastBesideInnoDB)
	if engineOf(c.Normal) == benchv1alpha1.MariaDBMyRocks {
		beside = leastBesideMyRocks
	}
	needed := pool + volume + beside
	if limit.Value() >= needed*product.Mebibyte {
		return nil
	}
	return product.Refused(c.Path.Child("resources", "memory"), limit.String(),
		"must be at least %dMi, or the server is killed while it is loaded: %d Mi of buffer pool + %d Mi of a volume in "+
			"memory + %d Mi beside", needed, pool, volume, beside)
}

func (c check) databases() field.ErrorList {
	errs := make(field.ErrorList, 0, len(c.Spec.Databases))
	for i, name := range c.Spec.Databases {
		errs = append(errs, validateOwnDatabase(name, c.Path.Child("databases").Index(i))...)
	}
	return errs
}

func validateOwnDatabase(name string, path *field.Path) field.ErrorList {
	if !slices.Contains(ownDatabases, strings.ToLower(name)) {
		return nil
	}
	return product.Refused(path, name, "must not be one of MariaDB's own: %s", strings.Join(ownDatabases, ", "))
}

// security refuses what a MariaDB is not deployed with.
func (c check) security() field.ErrorList {
	security, path := c.Normal.Security, c.Path.Child("security")
	var errs field.ErrorList
	if mode := *security.TLS.Mode; mode != benchv1alpha1.TLSOff {
		errs = append(errs, product.Refused(path.Child("tls", "mode"), mode, "must be Off with kind MariaDB")...)
	}
	authentication := *security.Authentication
	if authentication == benchv1alpha1.Disabled {
		errs = append(errs, product.Refused(path.Child("authentication"), authentication,
			"must be Enabled with kind MariaDB, which always has users")...)
	}
	policy := *security.NetworkPolicy
	if policy == benchv1alpha1.Disabled && c.Normal.MariaDB.HandlerSocket != nil {
		errs = append(errs, product.Refused(path.Child("networkPolicy"), policy,
			"must be Enabled with mariaDB.handlerSocket: whoever reaches its ports can stop it, without logging in")...)
	}
	return errs
}

// variables refuses those that the operator sets, or that a field stands for.
func (c check) variables() field.ErrorList {
	var errs field.ErrorList
	for _, parameter := range c.Spec.Parameters {
		owned, found := Find(parameter.Name)
		if !found {
			continue
		}
		why := "use " + c.Path.String() + "." + owned.Field + " instead"
		if owned.Field == "" {
			why = fmt.Sprintf("is or stands for %s, which cannot be given: %s", owned.Name, owned.Why)
		}
		errs = append(errs, product.Refused(c.Path.Child("parameters").Key(parameter.Name), parameter.Name, "%s", why)...)
	}
	return errs
}
