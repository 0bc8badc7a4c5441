package decide

import (
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mariadb"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

const (
	mebibyte = int64(1) << 20

	// leastOplogMebibytes and largestOplogMebibytes are the bounds of mongod's own default.
	leastOplogMebibytes   = 990
	largestOplogMebibytes = 50 * 1024
)

// cacheMebibytes is the cache that each member of a set is given. What a target says of its engine and storage is not
// for config servers.
func cacheMebibytes(spec benchv1alpha1.BenchmarkTargetSpec, s set) int64 {
	if s.isMariaDB() {
		return mariadb.BufferPoolMebibytes(spec, *s.resources.Limits.Memory())
	}
	if s.role == planv1alpha1.RoleConfig {
		spec = benchv1alpha1.BenchmarkTargetSpec{Version: spec.Version}
	}
	return mongod.CacheMebibytes(spec, *s.resources.Limits.Memory())
}

// gigabytes is a size as mongod wants it.
func gigabytes(mebibytes int64) string {
	return strconv.FormatFloat(float64(mebibytes)/1024, 'g', 6, 64)
}

// oplogSize is that of the members of a set, in MiB. Where an engine keeps it in memory, it takes a twentieth of that.
func oplogSize(spec benchv1alpha1.BenchmarkTargetSpec, s set) int64 {
	switch engineOf(spec, s) {
	case benchv1alpha1.EngineInMemory, benchv1alpha1.EngineEphemeralForTest:
		return s.resources.Limits.Memory().Value() / mebibyte / 20
	default:
		return oplogMebibytes(volumeSize(spec, s))
	}
}

// oplogMebibytes is the size of the oplog on a volume of this size: a twentieth, within the bounds of MongoDB's own
// default. Without the flag mongod would take a twentieth of the node's free disk on an emptyDir. On a small volume
// the oplog takes no more than a fifth, so that the data has room.
func oplogMebibytes(volume resource.Quantity) int64 {
	size := volume.Value() / mebibyte
	return min(max(size/20, leastOplogMebibytes), size/5, largestOplogMebibytes)
}
