package ferretdb

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// leastMebibytes is what a server is given at least, beside a volume in memory.
const leastMebibytes = 256

// ValidateTarget implements product.Product.
func (FerretDB) ValidateTarget(target product.Target) field.ErrorList {
	security, path := target.Normal.Security, target.Path.Child("security")
	var errs field.ErrorList
	if *security.Authentication != benchv1alpha1.Disabled {
		errs = append(errs, product.Refused(path.Child("authentication"), *security.Authentication,
			"must be Disabled with kind FerretDB, which is deployed without users")...)
	}
	if *security.TLS.Mode != benchv1alpha1.TLSOff {
		errs = append(errs, product.Refused(path.Child("tls", "mode"), *security.TLS.Mode,
			"must be Off with kind FerretDB")...)
	}
	limit := target.Normal.Resources.Memory
	least := leastMebibytes + product.VolumeBytes(target.Normal)/product.Mebibyte
	if limit.Value() < least*product.Mebibyte {
		errs = append(errs, product.Refused(target.Path.Child("resources", "memory"), limit.String(),
			"must be at least %dMi, or the server is killed while it is loaded", least)...)
	}
	return errs
}

// ValidateRun implements product.Product.
func (FerretDB) ValidateRun(run product.Run) field.ErrorList {
	c := check{run}
	return slices.Concat(c.dataset(), c.steps())
}

// check checks a run.
type check struct {
	product.Run
}

const never = "cannot be had with kind FerretDB, which %s; leave it out"

func (c check) dataset() field.ErrorList {
	var errs field.ErrorList
	for i := range c.Spec.Dataset.Collections {
		collection, path := &c.Spec.Dataset.Collections[i], c.Path.Child("dataset", "collections").Index(i)
		if collection.Sharding != nil {
			errs = append(errs, field.Forbidden(path.Child("sharding"), "a FerretDB has no shards; leave it out"))
		}
		if options := collection.Options; options != nil && options.Compressor != nil {
			errs = append(errs, product.Refused(path.Child("options", "compressor"), *options.Compressor, never,
				"compresses nothing")...)
		}
		for k := range collection.Indexes {
			errs = append(errs, index(&collection.Indexes[k], path.Child("indexes").Index(k))...)
		}
	}
	return errs
}

// index refuses what SQLite has no index for, or FerretDB takes and ignores.
func index(declared *benchv1alpha1.Index, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, key := range declared.Keys {
		if ptr.Deref(key.Type, "") == benchv1alpha1.IndexKeyHashed {
			errs = append(errs, product.Refused(path.Child("keys").Index(i).Child("type"), *key.Type,
				"must be Ascending or Descending with kind FerretDB")...)
		}
	}
	for i, property := range declared.Properties {
		if property != benchv1alpha1.IndexUnique {
			errs = append(errs, product.Refused(path.Child("properties").Index(i), property, never, "ignores it")...)
		}
	}
	if declared.ExpireAfterSeconds != nil {
		errs = append(errs, product.Refused(path.Child("expireAfterSeconds"), *declared.ExpireAfterSeconds, never,
			"removes no documents by their age")...)
	}
	return errs
}

func (c check) steps() field.ErrorList {
	var errs field.ErrorList
	for i := range c.Spec.Workload.Steps {
		step, path := &c.Spec.Workload.Steps[i], c.Path.Child("workload", "steps").Index(i)
		if *step.Retry != benchv1alpha1.RetryNever {
			errs = append(errs, product.Refused(path.Child("retry"), *step.Retry,
				"must be Never with kind FerretDB, which cannot tell a write that is sent again")...)
		}
		for k := range step.Operations {
			errs = append(errs, request(&step.Operations[k], path.Child("operations").Index(k))...)
		}
	}
	return errs
}

// request refuses kinds that there are not, and concerns, which FerretDB takes and does not heed.
func request(declared *benchv1alpha1.Operation, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	row := operation.Of(declared.Kind)
	if row.ReplicaSet || declared.Kind == benchv1alpha1.OperationTail {
		errs = append(errs, product.Refused(path.Child("kind"), declared.Kind, "FerretDB does no such operation")...)
	}
	if declared.ReadConcern != nil {
		errs = append(errs, product.Refused(path.Child("readConcern"), *declared.ReadConcern, never, "heeds none")...)
	}
	if declared.ReadPreference != nil {
		errs = append(errs, product.Refused(path.Child("readPreference"), *declared.ReadPreference, never,
			"is one server")...)
	}
	if declared.WriteConcern != nil {
		errs = append(errs, field.Forbidden(path.Child("writeConcern"), "FerretDB heeds none; leave it out"))
	}
	return errs
}
