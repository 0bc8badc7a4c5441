package mariadb

import (
	"k8s.io/apimachinery/pkg/api/resource"

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
