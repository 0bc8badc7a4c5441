package mongodb

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

const (
	// leastBesideCache is what a mongod needs above its cache. With the smallest cache of 256 MiB, of which it fills four
	// fifths before it evicts, and a limit of 320 MiB it took 600 MB of inserts; with less the kernel kills it as soon as
	// the cache is full.
	leastBesideCache = 64
)

// memory refuses limits that the caches and volumes in memory do not fit into.
func (c check) memory() field.ErrorList {
	errs := memoryFits(c.Normal, *c.Normal.Resources.Memory, c.Path.Child("resources", "memory"))
	sharded := ptr.Deref(c.Spec.Sharded, benchv1alpha1.ShardedSpec{})
	servers := ptr.Deref(sharded.ConfigServers, benchv1alpha1.ConfigServersSpec{})
	if servers.Resources != nil && servers.Resources.Memory != nil {
		plain := benchv1alpha1.BenchmarkTargetSpec{Version: c.Spec.Version}
		path := c.Path.Child("sharded", "configServers", "resources", "memory")
		errs = append(errs, memoryFits(plain, *servers.Resources.Memory, path)...)
	}
	return errs
}

func memoryFits(spec benchv1alpha1.BenchmarkTargetSpec, limit resource.Quantity, path *field.Path) field.ErrorList {
	cache := mongod.CacheMebibytes(spec, limit)
	volume := (product.VolumeBytes(spec) + product.Mebibyte - 1) / product.Mebibyte
	needed := cache + volume + leastBesideCache
	if limit.Value() >= needed*product.Mebibyte {
		return nil
	}
	var parts []string
	if cache > 0 {
		parts = append(parts, fmt.Sprintf("%d Mi of cache", cache))
	}
	if volume > 0 {
		parts = append(parts, fmt.Sprintf("%d Mi of a volume in memory", volume))
	}
	parts = append(parts, fmt.Sprintf("%d Mi beside", leastBesideCache))
	return product.Refused(path, limit.String(), "must be at least %dMi, or a member is killed while it is loaded: %s",
		needed, strings.Join(parts, " + "))
}
