package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Router is what routes requests to a sharded target.
// +kubebuilder:validation:Enum=Mongos;Client
type Router string

const (
	// RouterMongos is MongoDB's own router, with config servers and a balancer behind it.
	RouterMongos Router = "Mongos"
	// RouterClient is the load generator itself: there is no mongos and no config server, each shard is a separate replica
	// set, and the hash or range of the shard key determines where documents are stored. The same workload with both
	// routers shows what mongos costs.
	RouterClient Router = "Client"
)

// ShardedSpec has the settings of a sharded cluster.
//
// +kubebuilder:validation:XValidation:rule="!has(self.router) || self.router != 'Client' || !(has(self.mongos) || has(self.configServers) || has(self.balancer) || has(self.chunkSizeMebibytes))",message="with router Client, mongos, configServers, balancer and chunkSizeMebibytes must be left out: there are none",fieldPath=".router"
type ShardedSpec struct {
	// shards is the number of shards. Default 2, limits 1 to 64.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Shards *int32 `json:"shards,omitempty"`

	// membersPerShard is the number of voting, data-bearing members of each shard. Default 1, limits 1 to 7.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=7
	MembersPerShard *int32 `json:"membersPerShard,omitempty"`

	// router is Mongos or Client. Default Mongos.
	// +optional
	Router *Router `json:"router,omitempty"`

	// mongos declares the routers. Unset: one.
	// +optional
	Mongos *MongosSpec `json:"mongos,omitempty"`

	// configServers declares the config servers. Unset: one.
	// +optional
	ConfigServers *ConfigServersSpec `json:"configServers,omitempty"`

	// balancer says when chunks may move. Unset: Disabled.
	// +optional
	Balancer *BalancerSpec `json:"balancer,omitempty"`

	// chunkSizeMebibytes is the size at which chunks are split. Unset: MongoDB's own, 64 up to 5.0 and 128 since 6.0
	// (https://www.mongodb.com/docs/manual/core/sharding-data-partitioning/). Limits 1 to 1024.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	ChunkSizeMebibytes *int32 `json:"chunkSizeMebibytes,omitempty"`
}

// MongosSpec declares the routers of a sharded cluster.
type MongosSpec struct {
	// replicas is the number of mongos. Default 1, limits 1 to 16.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16
	Replicas *int32 `json:"replicas,omitempty"`

	// image is the container image with mongos in its PATH. Unset: the image of the members, since MongoDB's own images
	// contain both.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image *string `json:"image,omitempty"`

	// resources of each mongos. Unset: 500m of CPU and 512Mi of memory.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
}

// ConfigServersKind says where the metadata of a sharded cluster is stored.
// +kubebuilder:validation:Enum=Dedicated;Shard
type ConfigServersKind string

const (
	// ConfigServersDedicated is a separate replica set.
	ConfigServersDedicated ConfigServersKind = "Dedicated"
	// ConfigServersShard is the first shard, which becomes a config shard, as in MongoDB 8.0 and later.
	ConfigServersShard ConfigServersKind = "Shard"
)

// ConfigServersSpec declares the config servers of a sharded cluster.
//
// +kubebuilder:validation:XValidation:rule="!has(self.kind) || self.kind != 'Shard' || !(has(self.members) || has(self.resources))",message="with kind Shard, members and resources must be left out: the config servers are the members of the first shard",fieldPath=".kind"
type ConfigServersSpec struct {
	// kind is Dedicated or Shard. Shard needs version 8.0. Default Dedicated.
	// +optional
	Kind *ConfigServersKind `json:"kind,omitempty"`

	// members of the config servers' replica set. Default 1, limits 1 to 7.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=7
	Members *int32 `json:"members,omitempty"`

	// resources of each config server. Unset: 250m of CPU and 512Mi of memory.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
}

// BalancerMode says when the balancer may move chunks.
// +kubebuilder:validation:Enum=Disabled;Enabled;Window
type BalancerMode string

const (
	// BalancerDisabled means never: data does not move during a measurement.
	BalancerDisabled BalancerMode = "Disabled"
	// BalancerEnabled means always.
	BalancerEnabled BalancerMode = "Enabled"
	// BalancerWindow means between two times of day.
	BalancerWindow BalancerMode = "Window"
)

// BalancerSpec says when chunks may move.
//
// +kubebuilder:validation:XValidation:rule="has(self.mode) && self.mode == 'Window' ? has(self.windowStart) && has(self.windowStop) : !(has(self.windowStart) || has(self.windowStop))",message="windowStart and windowStop are required with mode Window and forbidden with any other",fieldPath=".mode"
type BalancerSpec struct {
	// mode is Disabled, Enabled or Window. Default Disabled.
	// +optional
	Mode *BalancerMode `json:"mode,omitempty"`

	// windowStart is the time of day, by the config server's clock, from which chunks may move: "23:00".
	// +optional
	// +kubebuilder:validation:MinLength=5
	// +kubebuilder:validation:MaxLength=5
	// +kubebuilder:validation:Pattern=`^([01][0-9]|2[0-3]):[0-5][0-9]$`
	WindowStart *string `json:"windowStart,omitempty"`

	// windowStop is the time of day until which chunks may move.
	// +optional
	// +kubebuilder:validation:MinLength=5
	// +kubebuilder:validation:MaxLength=5
	// +kubebuilder:validation:Pattern=`^([01][0-9]|2[0-3]):[0-5][0-9]$`
	WindowStop *string `json:"windowStop,omitempty"`
}

// Sharding says how the documents of a collection are distributed over the shards of a sharded target. It has no effect
// on other targets.
//
// +kubebuilder:validation:XValidation:rule="!has(self.initialChunks) || self.key.exists(k, has(k.type) && k.type == 'Hashed')",message="initialChunks needs a key of type Hashed; splitPoints divide other keys",fieldPath=".initialChunks"
// +kubebuilder:validation:XValidation:rule="self.key.filter(k, has(k.type) && k.type == 'Hashed').size() <= 1",message="at most one key can be Hashed",fieldPath=".key"
// +kubebuilder:validation:XValidation:rule="self.key.all(k, !has(k.type) || k.type in ['Ascending', 'Hashed'])",message="the type of a shard key must be Ascending or Hashed",fieldPath=".key"
type Sharding struct {
	// key is the shard key: fields with type Ascending, which makes ranges, or Hashed. An index on it is created if none
	// is declared.
	// +required
	// +listType=map
	// +listMapKey=field
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Key []IndexKey `json:"key,omitempty"`

	// initialChunks is the number of chunks, over all shards, with which a collection with a Hashed key is created
	// (numInitialChunks); it has no effect since MongoDB 7.2. Unset: MongoDB's own, two per shard, or one since 7.2.
	// Limits 1 to 8192.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=8192
	InitialChunks *int32 `json:"initialChunks,omitempty"`

	// splitPoints are the values of the first key, in ascending order and each as the value of a Choice is written, at
	// which the collection is split before it is loaded; the ranges between them are assigned to the shards in turn. Each
	// has at most 1024 characters. Unset: one range, on the first shard; with router Client, and a key that is a Sequence,
	// ranges with an equal number of documents per shard. Not with initialChunks or a first key that is Hashed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1024
	SplitPoints []Constant `json:"splitPoints,omitempty"`

	// zones keep ranges of the shard key permanently on certain shards. Not with router Client.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Zones []ShardingZone `json:"zones,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// maxImbalancePercent is how far the data of the fullest shard may exceed the mean before the steps start. With a
	// balancer that is Disabled the run does not wait, and a larger imbalance makes the result not Trusted. Default 20,
	// limits 1 to 1000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	MaxImbalancePercent *int32 `json:"maxImbalancePercent,omitempty"`
}

// ShardingZone keeps a range of the shard key on certain shards.
type ShardingZone struct {
	// name of the zone.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`

	// shards of the zone, by their index, starting at 0.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:Minimum=0
	// +kubebuilder:validation:items:Maximum=63
	Shards []int32 `json:"shards,omitempty"`

	// min is the lower bound of the first key, inclusive, as the value of a Choice is written. Unset: the lowest value.
	// +optional
	Min *Constant `json:"min,omitempty" patchStrategy:"replace"`

	// max is the upper bound of the first key, exclusive, as the value of a Choice is written. Unset: the highest value.
	// +optional
	Max *Constant `json:"max,omitempty" patchStrategy:"replace"`
}
