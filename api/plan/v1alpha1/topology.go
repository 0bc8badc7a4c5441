package v1alpha1

// TopologyKind says what a topology Job has to make or find.
type TopologyKind string

const (
	// TopologyStandalone is one mongod: users are made.
	TopologyStandalone TopologyKind = "Standalone"
	// TopologyReplicaSet is a replica set: it is initiated, and users are made.
	TopologyReplicaSet TopologyKind = "ReplicaSet"
	// TopologyExternal exists already: it is only looked at.
	TopologyExternal TopologyKind = "External"
)

// Topology is what a topology Job is told. Secrets reach it as files.
type Topology struct {
	// Version is the constant of the same name.
	Version string       `json:"version"`
	Kind    TopologyKind `json:"kind"`
	// ReplicaSet is the name of the set.
	ReplicaSet string `json:"replicaSet,omitempty"`
	// Members as host:port. Empty with External.
	Members []string `json:"members,omitempty"`
	// DeadlineSeconds for all of it.
	DeadlineSeconds int `json:"deadlineSeconds"`
}
