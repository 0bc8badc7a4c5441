package spec

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// NormaliseTarget returns the specification of a target with every default filled in. An External target has only those
// that say what it is: nothing of it is deployed. What the server decides stays unset.
func NormaliseTarget(declared benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.BenchmarkTargetSpec {
	target := declared.DeepCopy()
	set(&target.Kind, benchv1alpha1.DefaultTargetKind)
	set(&target.Provider, benchv1alpha1.ProviderOperator)
	set(&target.MemberRestarts, benchv1alpha1.MemberRestartsFail)
	set(&target.ProvisioningSeconds, benchv1alpha1.DefaultProvisioningSeconds)
	if target.External != nil {
		set(&target.External.AllowExisting, false)
	}
	if target.Topology == benchv1alpha1.TopologyExternal {
		return *target
	}
	switch *target.Kind {
	case benchv1alpha1.TargetMariaDB:
		set(&target.Durability, benchv1alpha1.DefaultMariaDBDurability)
		mariaDB(section(&target.MariaDB))
	default:
		engine(section(&target.Engine))
	}
	switch target.Topology {
	case benchv1alpha1.TopologyReplicaSet:
		set(&section(&target.ReplicaSet).Members, benchv1alpha1.DefaultMembers)
	case benchv1alpha1.TopologySharded:
		sharded(section(&target.Sharded))
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
	placement := section(&target.Placement)
	set(&placement.Spread, benchv1alpha1.SpreadPreferred)
	set(&placement.Pinning, benchv1alpha1.PinningNone)
	section(&placement.ReservedCPUs)
	security := section(&target.Security)
	set(&security.Authentication, benchv1alpha1.Enabled)
	set(&security.NetworkPolicy, benchv1alpha1.Enabled)
	tls := section(&security.TLS)
	set(&tls.Mode, benchv1alpha1.TLSOff)
	if tls.IssuerRef != nil {
		set(&tls.IssuerRef.Kind, benchv1alpha1.IssuerKindIssuer)
	}
	storage := section(&target.Storage)
	set(&storage.Medium, benchv1alpha1.StorageMediumPersistentVolume)
	set(&storage.Size, benchv1alpha1.DefaultStorageSize.DeepCopy())
}

func mariaDB(settings *benchv1alpha1.MariaDBSpec) {
	set(&settings.Engine, benchv1alpha1.DefaultMariaDBEngine)
	if settings.HandlerSocket != nil {
		set(&settings.HandlerSocket.ReadThreads, benchv1alpha1.DefaultReadThreads)
		set(&settings.HandlerSocket.WriteThreads, benchv1alpha1.DefaultWriteThreads)
	}
}

func engine(engine *benchv1alpha1.EngineSpec) {
	set(&engine.Name, benchv1alpha1.EngineWiredTiger)
	switch *engine.Name {
	case benchv1alpha1.EngineWiredTiger:
		settings := section(&engine.WiredTiger)
		set(&settings.Type, benchv1alpha1.WiredTigerBTree)
		set(&settings.IndexPrefixCompression, benchv1alpha1.Enabled)
		set(&settings.Journal, benchv1alpha1.Enabled)
	case benchv1alpha1.EngineTokuMX:
		set(&section(&engine.TokuMX).DirectIO, benchv1alpha1.Disabled)
	default:
	}
}

// sharded fills in the parts of a sharded cluster. With a router Client there are no mongos and no config servers.
func sharded(sharded *benchv1alpha1.ShardedSpec) {
	set(&sharded.Shards, benchv1alpha1.DefaultShards)
	set(&sharded.MembersPerShard, benchv1alpha1.DefaultMembersPerShard)
	set(&sharded.Router, benchv1alpha1.RouterMongos)
	if *sharded.Router != benchv1alpha1.RouterMongos {
		return
	}
	mongos := section(&sharded.Mongos)
	set(&mongos.Replicas, benchv1alpha1.DefaultMongosReplicas)
	resources(&mongos.Resources, benchv1alpha1.DefaultMongosResources)
	servers := section(&sharded.ConfigServers)
	set(&servers.Kind, benchv1alpha1.ConfigServersDedicated)
	set(&servers.Members, benchv1alpha1.DefaultConfigMembers)
	resources(&servers.Resources, benchv1alpha1.DefaultConfigResources)
	set(&section(&sharded.Balancer).Mode, benchv1alpha1.BalancerOff)
}

// resources fills in limits, and requests that equal them.
func resources(group **benchv1alpha1.PodResources, defaults benchv1alpha1.PodResources) {
	resources := section(group)
	set(&resources.CPU, defaults.CPU.DeepCopy())
	set(&resources.Memory, defaults.Memory.DeepCopy())
	set(&resources.CPURequest, resources.CPU.DeepCopy())
	set(&resources.MemoryRequest, resources.Memory.DeepCopy())
}
