package decide

import (
	"strconv"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// setFlags are the arguments that make a mongod what its set is. A shard that the load generator routes to knows
// nothing of sharding: it is a replica set like any other.
func setFlags(spec benchv1alpha1.BenchmarkTargetSpec, s set) []string {
	if spec.Topology == benchv1alpha1.TopologyStandalone {
		return nil
	}
	flags := []string{
		"--replSet", s.name,
		"--oplogSize", strconv.FormatInt(oplogSize(spec, s), 10),
	}
	switch {
	case s.role == planv1alpha1.RoleConfig, s.role == planv1alpha1.RoleConfigShard:
		flags = append(flags, "--configsvr")
	case s.role == planv1alpha1.RoleShard && !routedByClient(spec):
		flags = append(flags, "--shardsvr")
	}
	return flags
}
