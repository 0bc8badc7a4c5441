package v1alpha1

// MongoDBTarget deploys MongoDB, or a fork of it. At most one of standalone, replicaSet and sharded may be set; without
// any of them it is a standalone.
//
// +kubebuilder:validation:AtMostOneOf=standalone;replicaSet;sharded
// +kubebuilder:validation:XValidation:rule="!has(self.provider) || self.provider != 'MongoDBCommunity' || has(self.replicaSet)",message="provider MongoDBCommunity deploys a replicaSet only; set replicaSet, or use provider Operator",fieldPath=".provider"
type MongoDBTarget struct {
	Deployment `json:",inline"`

	// standalone is one server without replication. Empty: it has no settings of its own.
	// +optional
	Standalone *StandaloneSpec `json:"standalone,omitempty"`

	// replicaSet is a replica set, which transactions and change streams need. Empty: three members.
	// +optional
	ReplicaSet *ReplicaSetSpec `json:"replicaSet,omitempty"`

	// sharded is several shards, each a replica set. Empty: two shards of one member each behind one mongos.
	// +optional
	Sharded *ShardedSpec `json:"sharded,omitempty"`

	// provider says who deploys the target: Operator, or MongoDBCommunity for the MongoDB Community Operator, which must
	// be installed. Default Operator.
	// +optional
	Provider *Provider `json:"provider,omitempty"`

	// engine is the storage engine of the members. Unset: WiredTiger with MongoDB's own settings.
	// +optional
	Engine *EngineSpec `json:"engine,omitempty"`

	// durability is what an acknowledged write survives: None, Memory, Synced or Majority. It is the write concern of
	// operations that declare none. The result says which holds, and figures of different durability are compared only if
	// explicitly requested. Unset: the server's default.
	// +optional
	// +kubebuilder:validation:Enum=None;Memory;Synced;Majority
	Durability *Durability `json:"durability,omitempty"`

	// parameters of the members (mongod --setParameter). Parameters that the operator sets itself are refused.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Parameters []ServerParameter `json:"parameters,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// arguments for the members, each as --name or --name=value, for example "--slowms=500". Arguments that the operator
	// sets itself, or that have a field in this object, are refused.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=3
	// +kubebuilder:validation:items:MaxLength=512
	// +kubebuilder:validation:items:Pattern=`^--[A-Za-z][A-Za-z0-9._]*(=.+)?$`
	Arguments []string `json:"arguments,omitempty"`
}

// StandaloneSpec has the settings of a standalone: none yet.
type StandaloneSpec struct{}

// Provider says who deploys a target.
// +kubebuilder:validation:Enum=Operator;MongoDBCommunity
type Provider string

const (
	// ProviderOperator is this operator.
	ProviderOperator Provider = "Operator"
	// ProviderMongoDBCommunity is the MongoDB Community Operator: the target creates a MongoDBCommunity object and waits
	// for it.
	ProviderMongoDBCommunity Provider = "MongoDBCommunity"
)

// ServerParameter is one parameter of mongod, or one system variable of mariadbd.
type ServerParameter struct {
	// name of the parameter.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9_.]*$`
	Name string `json:"name,omitempty"`

	// value of the parameter.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Value string `json:"value,omitempty"`
}
