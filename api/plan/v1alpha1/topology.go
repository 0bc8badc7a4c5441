package v1alpha1

import benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"

// Topology is what a topology Job is told. Secrets reach it as files.
type Topology struct {
	// Version is the constant of the same name.
	Version string `json:"version"`
	// Kind says what is made: sets are initiated, users are made, and shards behind mongos are joined into one cluster. An
	// External one is only looked at.
	Kind benchv1alpha1.Topology `json:"kind"`
	// ServerVersion is the version that is deployed; empty with External.
	ServerVersion string `json:"serverVersion,omitempty"`
	// Sets are all replica sets; of a Standalone the one that has no name. Empty with External.
	Sets []ReplicaSet `json:"sets,omitempty"`
	// Mongos are the routers as host:port; none with a router Client or another kind.
	Mongos []string `json:"mongos,omitempty"`
	// Databases that the load user may read and write.
	Databases []string `json:"databases,omitempty"`
	// WithoutUsers makes no users and does not log in: the members know no authentication.
	WithoutUsers bool `json:"withoutUsers,omitempty"`
	// Balancer and ChunkSizeMebibytes are for a cluster behind mongos; a size of 0 is the server's own.
	Balancer           Balancer `json:"balancer,omitzero"`
	ChunkSizeMebibytes int      `json:"chunkSizeMebibytes,omitempty"`
	// DeadlineSeconds for all of it.
	DeadlineSeconds int `json:"deadlineSeconds"`
}

// SetRole says what the members of a replica set are.
type SetRole string

const (
	// RoleData is the only set of its target, or a standalone.
	RoleData SetRole = "Data"
	// RoleShard is a shard. With a router Client there is nothing else.
	RoleShard SetRole = "Shard"
	// RoleConfig is the config servers.
	RoleConfig SetRole = "Config"
	// RoleConfigShard is the config servers that are a shard as well.
	RoleConfigShard SetRole = "ConfigShard"
	// RoleArbiter is the arbiters of the set before it. No Topology has it: they are part of that set.
	RoleArbiter SetRole = "Arbiter"
)

// ReplicaSet is one replica set.
type ReplicaSet struct {
	// Name is empty for a standalone.
	Name string  `json:"name,omitempty"`
	Role SetRole `json:"role"`
	// Members as host:port.
	Members []string `json:"members"`
	// Settings are those of members that are not like the others.
	Settings []MemberSettings `json:"settings,omitempty"`
	// Arbiters as host:port.
	Arbiters []string `json:"arbiters,omitempty"`
}

// MemberSettings are what is special about one member of a replica set.
type MemberSettings struct {
	// Member is its place among the members.
	Member int `json:"member"`
	// Priority and Votes as MongoDB has them; none is 0.
	Priority int `json:"priority,omitempty"`
	Votes    int `json:"votes,omitempty"`
	// Hidden members are not told to clients, and delayed ones stay behind.
	Hidden       bool `json:"hidden,omitempty"`
	DelaySeconds int  `json:"delaySeconds,omitempty"`
	// Tags by their names.
	Tags map[string]string `json:"tags,omitempty"`
}

// Balancer says when chunks may move.
type Balancer struct {
	// Mode of none is Disabled.
	Mode benchv1alpha1.BalancerMode `json:"mode,omitempty"`
	// Start and Stop of a Window, as 23:00.
	Start string `json:"start,omitempty"`
	Stop  string `json:"stop,omitempty"`
}
