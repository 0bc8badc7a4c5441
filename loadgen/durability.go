package loadgen

import (
	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// What a server's report says of a deployment, where its durability depends on it.
const (
	// TopologyStandalone is one server without replication.
	TopologyStandalone = "Standalone"
	// PersistenceTransient says that the storage engine keeps nothing over a restart.
	PersistenceTransient = "Transient"
)

// majority is the write concern that waits for one.
const majority = "majority"

// ConcernDurability is what a write with this concern has survived once such a server acknowledges it.
func ConcernDurability(concern planv1.WriteConcern, server reportv1.Server) string {
	switch {
	case concern.W == "0":
		return string(benchv1alpha1.DurabilityNone)
	case concern.W == majority && server.Topology != TopologyStandalone:
		return string(benchv1alpha1.DurabilityMajority)
	case server.Persistence == PersistenceTransient:
		return string(benchv1alpha1.DurabilityMemory)
	case concern.Journal != nil && *concern.Journal, concern.Journal == nil && syncsMajority(concern, server):
		return string(benchv1alpha1.DurabilitySynced)
	default:
		return string(benchv1alpha1.DurabilityMemory)
	}
}

// syncsMajority says whether a standalone, which is a majority of one, writes its journal for it without being asked:
// the servers since 5.0 do.
func syncsMajority(concern planv1.WriteConcern, server reportv1.Server) bool {
	return concern.W == majority && mongod.ParseRelease(server.Version).AtLeast(mongod.Release{Major: 5})
}
