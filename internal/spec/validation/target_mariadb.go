package validation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mariadb"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// ownDatabases are MariaDB's own.
var ownDatabases = []string{"mysql", "information_schema", "performance_schema", "sys"}

// What a mariadbd needs above what it keeps data in, in MiB. Loading 400,000 rows of 1 KB and then reading and writing
// over 64 connections it took 136 MiB above an InnoDB pool that was full; and with MyRocks, whose writes are collected
// in memory first, 494 MiB above its cache (500,000 rows of 1 KB, two arenas of malloc).
const (
	leastBesideInnoDB  = 144
	leastBesideMyRocks = 520
)

// mariaDB checks a MariaDB that is to be deployed.
func (c targetCheck) mariaDB() field.ErrorList {
	return slices.Concat(c.resources(), c.bufferPool(), c.pinning(), c.mariaDBDatabases(), c.mariaDBSecurity(),
		c.variables())
}

// bufferPool refuses a limit that the buffer pool and a volume in memory do not fit into.
func (c targetCheck) bufferPool() field.ErrorList {
	limit := *c.normal.Resources.Memory
	pool := mariadb.BufferPoolMebibytes(*c.spec, limit)
	volume := (mongod.VolumeBytes(*c.spec) + mebibyte - 1) / mebibyte
	beside := int64(leastBesideInnoDB)
	if benchv1alpha1.EngineOfMariaDB(*c.spec) == benchv1alpha1.MariaDBMyRocks {
		beside = leastBesideMyRocks
	}
	needed := pool + volume + beside
	if limit.Value() >= needed*mebibyte {
		return nil
	}
	return refused(c.path.Child("resources", "memory"), limit.String(),
		"must be at least %dMi, or the server is killed while it is loaded: %d Mi of buffer pool + %d Mi of a volume in "+
			"memory + %d Mi beside", needed, pool, volume, beside)
}

func (c targetCheck) mariaDBDatabases() field.ErrorList {
	errs := make(field.ErrorList, 0, len(c.spec.Databases))
	for i, name := range c.spec.Databases {
		errs = append(errs, validateOwnDatabase(name, c.path.Child("databases").Index(i))...)
	}
	return errs
}

func validateOwnDatabase(name string, path *field.Path) field.ErrorList {
	if !slices.Contains(ownDatabases, strings.ToLower(name)) {
		return nil
	}
	return refused(path, name, "must not be one of MariaDB's own: %s", strings.Join(ownDatabases, ", "))
}

// mariaDBSecurity refuses what a MariaDB is not deployed with.
func (c targetCheck) mariaDBSecurity() field.ErrorList {
	security, path := c.normal.Security, c.path.Child("security")
	var errs field.ErrorList
	if mode := *security.TLS.Mode; mode != benchv1alpha1.TLSOff {
		errs = append(errs, refused(path.Child("tls", "mode"), mode, "must be Off with kind MariaDB")...)
	}
	authentication := *security.Authentication
	if authentication == benchv1alpha1.Disabled {
		errs = append(errs, refused(path.Child("authentication"), authentication,
			"must be Enabled with kind MariaDB, which always has users")...)
	}
	policy := *security.NetworkPolicy
	if policy == benchv1alpha1.Disabled && c.normal.MariaDB.HandlerSocket != nil {
		errs = append(errs, refused(path.Child("networkPolicy"), policy,
			"must be Enabled with mariaDB.handlerSocket: whoever reaches its ports can stop it, without logging in")...)
	}
	return errs
}

// variables refuses those that the operator sets, or that a field stands for.
func (c targetCheck) variables() field.ErrorList {
	var errs field.ErrorList
	for _, parameter := range c.spec.Parameters {
		owned, found := mariadb.Find(parameter.Name)
		if !found {
			continue
		}
		why := "use " + c.path.String() + "." + owned.Field + " instead"
		if owned.Field == "" {
			why = fmt.Sprintf("is or stands for %s, which cannot be given: %s", owned.Name, owned.Why)
		}
		errs = append(errs, refused(c.path.Child("parameters").Key(parameter.Name), parameter.Name, "%s", why)...)
	}
	return errs
}
