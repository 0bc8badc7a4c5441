package decide

import (
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

const (
	mebibyte = int64(1) << 20
	gibibyte = int64(1) << 30

	// leastCacheMebibytes is the smallest cache that mongod takes.
	leastCacheMebibytes = 256

	// leastOplogMebibytes and largestOplogMebibytes are the bounds of mongod's own default.
	leastOplogMebibytes   = 990
	largestOplogMebibytes = 50 * 1024
)

// cacheGigabytes is the WiredTiger cache of a member with this memory limit, as the flag wants it: half of what is
// above 1 GiB, at least 256 MiB. It is MongoDB's own rule, applied to the limit: a mongod before 4.4.14 does not see
// the limit under cgroup v2, would size its cache by the node, and would be killed for it.
func cacheGigabytes(memory resource.Quantity) string {
	cache := max((memory.Value()-gibibyte)/2/mebibyte, leastCacheMebibytes)
	return strconv.FormatFloat(float64(cache)/1024, 'g', 6, 64)
}

// oplogMebibytes is the size of the oplog on a volume of this size: a twentieth, within the bounds of MongoDB's own
// default. Without the flag mongod would take a twentieth of the node's free disk on an emptyDir. On a small volume
// the oplog takes no more than a fifth, so that the data has room.
func oplogMebibytes(volume resource.Quantity) int64 {
	size := volume.Value() / mebibyte
	return min(max(size/20, leastOplogMebibytes), size/5, largestOplogMebibytes)
}
