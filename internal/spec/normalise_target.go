package spec

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

// NormaliseTarget returns the specification of a target with every default filled in. An External target has only those
// that say what it is: nothing of it is deployed. What the server decides stays unset.
func NormaliseTarget(declared benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.BenchmarkTargetSpec {
	target := declared.DeepCopy()
	product.Default(&target.Kind, benchv1alpha1.DefaultTargetKind)
	product.Default(&target.Provider, benchv1alpha1.ProviderOperator)
	product.Default(&target.MemberRestarts, benchv1alpha1.MemberRestartsFail)
	product.Default(&target.ProvisioningSeconds, benchv1alpha1.DefaultProvisioningSeconds)
	if target.External != nil {
		product.Default(&target.External.AllowExisting, false)
	}
	if target.Topology == benchv1alpha1.TopologyExternal {
		return *target
	}
	catalogue.Of(*target).Normalise(target)
	switch target.Topology {
	case benchv1alpha1.TopologyReplicaSet:
		product.Default(&product.Section(&target.ReplicaSet).Members, benchv1alpha1.DefaultMembers)
	case benchv1alpha1.TopologySharded:
		sharded(product.Section(&target.Sharded))
	default:
	}
	if len(target.Databases) == 0 {
		target.Databases = []string{benchv1alpha1.DefaultDatabase}
	}
	resources(&target.Resources, benchv1alpha1.DefaultMemberResources)
	surroundings(target)
	return *target
}

// surroundings are where members run, who reaches them, and what they keep their data on.
func surroundings(target *benchv1alpha1.BenchmarkTargetSpec) {
	placement := product.Section(&target.Placement)
	product.Default(&placement.Spread, benchv1alpha1.SpreadPreferred)
	product.Default(&placement.Pinning, benchv1alpha1.PinningNone)
	product.Section(&placement.ReservedCPUs)
	security := product.Section(&target.Security)
	product.Default(&security.Authentication, benchv1alpha1.Enabled)
	product.Default(&security.NetworkPolicy, benchv1alpha1.Enabled)
	tls := product.Section(&security.TLS)
	product.Default(&tls.Mode, benchv1alpha1.TLSOff)
	if tls.IssuerRef != nil {
		product.Default(&tls.IssuerRef.Kind, benchv1alpha1.IssuerKindIssuer)
	}
	storage := product.Section(&target.Storage)
	product.Default(&storage.Medium, benchv1alpha1.StorageMediumPersistentVolume)
	product.Default(&storage.Size, benchv1alpha1.DefaultStorageSize.DeepCopy())
}

// sharded fills in the parts of a sharded cluster. With a router Client there are no mongos and no config servers.
func sharded(sharded *benchv1alpha1.ShardedSpec) {
	product.Default(&sharded.Shards, benchv1alpha1.DefaultShards)
	product.Default(&sharded.MembersPerShard, benchv1alpha1.DefaultMembersPerShard)
	product.Default(&sharded.Router, benchv1alpha1.RouterMongos)
	if *sharded.Router != benchv1alpha1.RouterMongos {
		return
	}
	mongos := product.Section(&sharded.Mongos)
	product.Default(&mongos.Replicas, benchv1alpha1.DefaultMongosReplicas)
	resources(&mongos.Resources, benchv1alpha1.DefaultMongosResources)
	servers := product.Section(&sharded.ConfigServers)
	product.Default(&servers.Kind, benchv1alpha1.ConfigServersDedicated)
	product.Default(&servers.Members, benchv1alpha1.DefaultConfigMembers)
	resources(&servers.Resources, benchv1alpha1.DefaultConfigResources)
	product.Default(&product.Section(&sharded.Balancer).Mode, benchv1alpha1.BalancerOff)
}

// resources fills in limits, and requests that equal them.
func resources(group **benchv1alpha1.PodResources, defaults benchv1alpha1.PodResources) {
	resources := product.Section(group)
	product.Default(&resources.CPU, defaults.CPU.DeepCopy())
	product.Default(&resources.Memory, defaults.Memory.DeepCopy())
	product.Default(&resources.CPURequest, resources.CPU.DeepCopy())
	product.Default(&resources.MemoryRequest, resources.Memory.DeepCopy())
}
