package decide

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
)

// set is a group of a target's pods that are made alike, by one StatefulSet: a replica set, a standalone, or the
// routers.
type set struct {
	// name is that of the replica set, and in the names of the set's objects.
	name string
	// role is what the members are; empty for the routers.
	role      planv1alpha1.SetRole
	component naming.Component
	members   int
	resources corev1.ResourceRequirements
}

// sets are all that a target is made of, in the order in which they are told of. What others deploy has
// none.
func sets(spec benchv1alpha1.BenchmarkTargetSpec) []set {
	switch {
	case spec.Topology == benchv1alpha1.TopologyExternal, ByCommunity(spec):
		return nil
	case benchv1alpha1.IsMariaDB(spec):
		return []set{mariaDBSet(spec)}
	case spec.Topology == benchv1alpha1.TopologySharded:
		return shardedSets(spec)
	default:
		only := dataSet(spec, naming.ReplicaSet, planv1alpha1.RoleData)
		only.members = members(spec)
		return []set{only}
	}
}

func shardedSets(spec benchv1alpha1.BenchmarkTargetSpec) []set {
	sharded := ptr.Deref(spec.Sharded, benchv1alpha1.ShardedSpec{})
	all := make([]set, 0, shards(spec)+2)
	for i := range shards(spec) {
		shard := dataSet(spec, naming.ShardSet(i), planv1alpha1.RoleShard)
		shard.members = int(ptr.Deref(sharded.MembersPerShard, benchv1alpha1.DefaultMembersPerShard))
		all = append(all, shard)
	}
	if routedByClient(spec) {
		return all
	}
	configServers := ptr.Deref(sharded.ConfigServers, benchv1alpha1.ConfigServersSpec{})
	if ptr.Deref(configServers.Kind, "") == benchv1alpha1.ConfigServersShard {
		all[0].role = planv1alpha1.RoleConfigShard
	} else {
		all = append(all, set{
			name: naming.ConfigSet, role: planv1alpha1.RoleConfig, component: naming.ComponentConfig,
			members:   int(ptr.Deref(configServers.Members, benchv1alpha1.DefaultConfigMembers)),
			resources: podspec.Resources(configServers.Resources, benchv1alpha1.DefaultConfigResources),
		})
	}
	mongos := ptr.Deref(sharded.Mongos, benchv1alpha1.MongosSpec{})
	return append(all, set{
		name: naming.MongosSet, component: naming.ComponentMongos,
		members:   int(ptr.Deref(mongos.Replicas, benchv1alpha1.DefaultMongosReplicas)),
		resources: podspec.Resources(mongos.Resources, benchv1alpha1.DefaultMongosResources),
	})
}

func dataSet(spec benchv1alpha1.BenchmarkTargetSpec, name string, role planv1alpha1.SetRole) set {
	return set{name: name, role: role, component: naming.ComponentMongod, resources: memberResources(spec)}
}

// holdsData tells the members that are measured from config servers and routers.
func (s set) holdsData() bool { return s.component == naming.ComponentMongod || s.isMariaDB() }

// isMariaDB tells a MariaDB from the members of a MongoDB.
func (s set) isMariaDB() bool { return s.component == naming.ComponentMariaDB }

// routes tells the routers, which keep nothing, from mongods.
func (s set) routes() bool { return s.component == naming.ComponentMongos }

// container is the name of the container, and of the program in it.
func (s set) container() string {
	if s.routes() {
		return naming.MongosContainer
	}
	return naming.MongodContainer
}

// hosts are the addresses of the set's members.
func (s set) hosts(t *benchv1alpha1.BenchmarkTarget) []string {
	hosts := make([]string, 0, s.members)
	for i := range s.members {
		hosts = append(hosts, naming.MemberHost(t.Name, t.Namespace, s.name, i))
	}
	return hosts
}

// pods are the names of the pods of the set's members.
func (s set) pods(t *benchv1alpha1.BenchmarkTarget) []string {
	names := make([]string, 0, s.members)
	for i := range s.members {
		names = append(names, naming.MemberPod(t.Name, s.name, i))
	}
	return names
}

// members is the number of members of the one set of a target that is not sharded.
func members(spec benchv1alpha1.BenchmarkTargetSpec) int {
	switch {
	case spec.Topology == benchv1alpha1.TopologyStandalone:
		return 1
	case spec.ReplicaSet != nil:
		return int(ptr.Deref(spec.ReplicaSet.Members, benchv1alpha1.DefaultMembers))
	default:
		return int(benchv1alpha1.DefaultMembers)
	}
}

func shards(spec benchv1alpha1.BenchmarkTargetSpec) int {
	sharded := ptr.Deref(spec.Sharded, benchv1alpha1.ShardedSpec{})
	return int(ptr.Deref(sharded.Shards, benchv1alpha1.DefaultShards))
}

// routedByClient says whether the shards know nothing of each other: the load generator routes by itself.
func routedByClient(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return spec.Sharded != nil && ptr.Deref(spec.Sharded.Router, "") == benchv1alpha1.RouterClient
}

// memberResources are those of each member that holds data. A member with cores of its own asks for as much as it may
// use: the kubelet gives whole cores only to the Guaranteed class.
func memberResources(spec benchv1alpha1.BenchmarkTargetSpec) corev1.ResourceRequirements {
	resources := podspec.Resources(spec.Resources, benchv1alpha1.DefaultMemberResources)
	if spec.Placement != nil && ptr.Deref(spec.Placement.Pinning, "") == benchv1alpha1.PinningExclusive {
		resources.Requests = resources.Limits.DeepCopy()
	}
	return resources
}
