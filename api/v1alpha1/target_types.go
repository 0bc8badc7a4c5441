package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TargetKind is the database of a target.
// +kubebuilder:validation:Enum=MongoDB;MariaDB;FerretDB
type TargetKind string

const (
	// TargetMongoDB is MongoDB, or a database that speaks its protocol.
	TargetMongoDB TargetKind = "MongoDB"
	// TargetMariaDB is MariaDB; with topology External also MySQL.
	TargetMariaDB TargetKind = "MariaDB"
	// TargetFerretDB is FerretDB 1 with its SQLite backend.
	TargetFerretDB TargetKind = "FerretDB"
)

// Topology is the shape of a deployment, in MongoDB's terms.
// +kubebuilder:validation:Enum=Standalone;ReplicaSet;Sharded;External
type Topology string

const (
	// TopologyStandalone is one server without replication.
	TopologyStandalone Topology = "Standalone"
	// TopologyReplicaSet is a replica set of one to seven voting members.
	TopologyReplicaSet Topology = "ReplicaSet"
	// TopologySharded is several shards, each a replica set, behind mongos or, with router Client, without it.
	TopologySharded Topology = "Sharded"
	// TopologyExternal is an existing database, reached through a connection string.
	TopologyExternal Topology = "External"
)

// BenchmarkTargetSpec declares a deployment to measure.
//
// +kubebuilder:validation:XValidation:rule="self.topology == 'ReplicaSet' || !has(self.replicaSet)",message="replicaSet may be set only with topology ReplicaSet",fieldPath=".replicaSet"
// +kubebuilder:validation:XValidation:rule="self.topology == 'Sharded' || !has(self.sharded)",message="sharded may be set only with topology Sharded",fieldPath=".sharded"
// +kubebuilder:validation:XValidation:rule="self.topology == 'External' ? has(self.external) : !has(self.external)",message="external is required with topology External and forbidden with any other",fieldPath=".external"
// +kubebuilder:validation:XValidation:rule="self.topology == 'External' || has(self.version)",message="version is required unless the topology is External",fieldPath=".version"
// +kubebuilder:validation:XValidation:rule="self.topology != 'External' || !(has(self.version) || has(self.image) || has(self.resources) || has(self.storage))",message="version, image, resources and storage describe a deployment, and topology External deploys nothing",fieldPath=".external"
// +kubebuilder:validation:XValidation:rule="self.topology != 'External' || !(has(self.engine) || has(self.parameters) || has(self.arguments) || has(self.placement) || has(self.security) || has(self.memberRestarts) || has(self.provider))",message="engine, parameters, arguments, placement, security, memberRestarts and provider describe a deployment, and topology External deploys nothing",fieldPath=".external"
// +kubebuilder:validation:XValidation:rule="!has(self.provider) || self.provider != 'MongoDBCommunity' || self.topology == 'ReplicaSet'",message="provider MongoDBCommunity deploys topology ReplicaSet only",fieldPath=".provider"
// +kubebuilder:validation:XValidation:rule="!has(self.kind) || self.kind != 'MariaDB' || self.topology in ['Standalone', 'External']",message="kind MariaDB has topology Standalone or External",fieldPath=".topology"
// +kubebuilder:validation:XValidation:rule="!has(self.kind) || self.kind != 'MariaDB' || !(has(self.engine) || has(self.provider) || has(self.arguments))",message="engine, provider and arguments are for kind MongoDB; what can be said of a MariaDB is in mariaDB and parameters",fieldPath=".kind"
// +kubebuilder:validation:XValidation:rule="!has(self.kind) || self.kind != 'FerretDB' || self.topology in ['Standalone', 'External']",message="kind FerretDB has topology Standalone or External",fieldPath=".topology"
// +kubebuilder:validation:XValidation:rule="!has(self.kind) || self.kind != 'FerretDB' || !(has(self.engine) || has(self.provider) || has(self.arguments) || has(self.parameters) || has(self.durability))",message="engine, provider, arguments, parameters and durability cannot be had with kind FerretDB",fieldPath=".kind"
// +kubebuilder:validation:XValidation:rule="!has(self.mariaDB) || has(self.kind) && self.kind == 'MariaDB'",message="mariaDB may be set only with kind MariaDB",fieldPath=".mariaDB"
// +kubebuilder:validation:XValidation:rule="!has(self.mariaDB) || self.topology != 'External'",message="mariaDB describes a deployment, and topology External deploys nothing",fieldPath=".mariaDB"
// +kubebuilder:validation:XValidation:rule="!has(self.kind) || self.kind != 'MariaDB' || !has(self.external) || !has(self.external.tls) || !has(self.external.tls.clientCertificateSecretName)",message="a client certificate cannot be shown to kind MariaDB",fieldPath=".external.tls.clientCertificateSecretName"
// +kubebuilder:validation:XValidation:rule="!has(self.version) || (has(self.kind) && self.kind == 'MariaDB' ? self.version.matches('^(10[.]11|(1[1-9]|[2-9][0-9])[.][0-9]+)([.][0-9]+)?$') : has(self.kind) && self.kind == 'FerretDB' ? self.version.matches('^(1[.]24|[2-9][.][0-9]+)[.][0-9]+$') : self.version.matches('^(2[.][0-6]|3[.][0-6]|4[.][0-4]|5[.][0-3]|6[.][0-3]|7[.][0-3]|(8|9|[1-9][0-9])[.][0-9]+)([.][0-9]+)?$'))",message="version must be one of MongoDB, 2.0 or later, with kind MariaDB one of MariaDB, 10.11 or later, or with kind FerretDB one of FerretDB, 1.24.x or later",fieldPath=".version"
// +kubebuilder:validation:XValidation:rule="!has(self.durability) || (has(self.kind) && self.kind == 'MariaDB' ? self.durability in ['Memory', 'OSCache', 'Synced'] : self.durability != 'OSCache')",message="durability is None, Memory, Synced or Majority with kind MongoDB, and Memory, OSCache or Synced with kind MariaDB",fieldPath=".durability"
type BenchmarkTargetSpec struct {
	// kind is the database: MongoDB, MariaDB or FerretDB. Default MongoDB.
	// +optional
	Kind *TargetKind `json:"kind,omitempty"`

	// topology is the shape of the deployment: Standalone, ReplicaSet, Sharded or External. Kinds MariaDB and FerretDB are
	// Standalone or External.
	// +required
	Topology Topology `json:"topology,omitempty"`

	// provider says who deploys the target: Operator, or MongoDBCommunity for the MongoDB Community Operator, which must
	// be installed. Default Operator.
	// +optional
	Provider *Provider `json:"provider,omitempty"`

	// version is the version of mongod to deploy, for example "6.0.5"; with engine TokuMX, that of TokuMX; with kind
	// MariaDB, that of MariaDB, for example "10.11" or "11.4.2"; with kind FerretDB, that of FerretDB, for example
	// "1.24.0". It selects the image, unless image is set, and the flags of mongod. Required unless topology is External.
	// Versions 4.2 to 8.x; with your own image, without authentication and with topology Standalone, also 2.4 to 4.0,
	// which are accessed with the protocol of their time.
	// +optional
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[0-9]+\.[0-9]+(\.[0-9]+)?$`
	Version *string `json:"version,omitempty"`

	// image is the container image with mongod, or with kind MariaDB mariadbd, or with kind FerretDB ferretdb, in its
	// PATH. Unset: the operator's image repository for the kind, with version as the tag.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image *string `json:"image,omitempty"`

	// replicaSet has the settings of topology ReplicaSet. Unset: three members.
	// +optional
	ReplicaSet *ReplicaSetSpec `json:"replicaSet,omitempty"`

	// sharded has the settings of topology Sharded. Unset: two shards of one member each behind one mongos.
	// +optional
	Sharded *ShardedSpec `json:"sharded,omitempty"`

	// external locates an existing database. Required with topology External.
	// +optional
	External *ExternalSpec `json:"external,omitempty"`

	// databases that the load user may read and write. The database of the run that declares the target is always
	// included. Default: mongobench. With topology External, the given user's own permissions apply.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[A-Za-z0-9_-]+$`
	// +kubebuilder:validation:XValidation:rule="self.all(d, !(d in ['admin', 'config', 'local']))",message="databases must not be MongoDB's own: admin, config, local"
	Databases []string `json:"databases,omitempty"`

	// engine is the storage engine of the members. Unset: WiredTiger with MongoDB's own settings.
	// +optional
	Engine *EngineSpec `json:"engine,omitempty"`

	// mariaDB has the settings of kind MariaDB. Unset: InnoDB, without HandlerSocket.
	// +optional
	MariaDB *MariaDBSpec `json:"mariaDB,omitempty"`

	// durability is what an acknowledged write survives: None, Memory, OSCache, Synced or Majority. The result says which
	// holds, and figures of different durability are compared only if explicitly requested. For MongoDB it is the write
	// concern of operations that declare none, and OSCache is not available; unset, it is that of the connection string,
	// or else the server's default. For MariaDB it is how its log is flushed, and None and Majority are not available;
	// unset, it is Synced, and with topology External whatever the server does. With topology External a server that
	// behaves otherwise than declared fails the run.
	// +optional
	Durability *Durability `json:"durability,omitempty"`

	// parameters of the members (mongod --setParameter), or with kind MariaDB its system variables. Parameters that the
	// operator sets itself are refused.
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

	// placement says how the members are placed on nodes: how many may share one. Unset: different nodes if there are
	// enough.
	// +optional
	Placement *PlacementSpec `json:"placement,omitempty"`

	// podSettings of the members and of the topology Job: nodes, tolerations, labels and the like. Unset: the operator's
	// setting.
	// +optional
	PodSettings *PodSettings `json:"podSettings,omitempty"`

	// security says who may reach the members, and how. Unset: with a password, without TLS, behind a NetworkPolicy.
	// +optional
	Security *SecuritySpec `json:"security,omitempty"`

	// memberRestarts says what happens to a ready target when one of its members disappears or restarts: Fail, or Tolerate
	// if that is what you measure. A run that declares the target tolerates it when one of its actions deletes a pod.
	// Default Fail.
	// +optional
	MemberRestarts *MemberRestarts `json:"memberRestarts,omitempty"`

	// resources of each member. Unset: 500m of CPU and 1Gi of memory.
	// +optional
	Resources *PodResources `json:"resources,omitempty"`

	// storage for each member's data. Unset: a persistent volume of 10Gi of the default storage class.
	// +optional
	Storage *StorageSpec `json:"storage,omitempty"`

	// provisioningSeconds is the time within which the deployment must be ready, counted from its turn among the runs that
	// are measured and the targets that are deployed on its nodes; afterwards the target is given up with the cause in its
	// conditions. Default 600, limits 10 to 86400.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=86400
	ProvisioningSeconds *int32 `json:"provisioningSeconds,omitempty"`
}

// ReplicaSetSpec has the settings of topology ReplicaSet.
type ReplicaSetSpec struct {
	// members is the number of voting, data-bearing members. Default 3, limits 1 to 7: MongoDB allows seven voting
	// members (https://www.mongodb.com/docs/manual/reference/limits/).
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=7
	Members *int32 `json:"members,omitempty"`
}

// ExternalSpec locates an existing database.
type ExternalSpec struct {
	// uriSecretRef names the key of a Secret in the same namespace with the connection string (mongodb:// or
	// mongodb+srv://; with kind MariaDB mysql://). The load generator reads it from a file, and it is never shown. The
	// Secret must carry the label mongobench.dev/connection: "true".
	// +required
	URISecretRef SecretKeyReference `json:"uriSecretRef,omitzero"`

	// allowExisting lets a run write to a database that it did not create: collections of the same names are dropped.
	// Default false: a database that holds collections and was not created by a run is refused.
	// +optional
	AllowExisting *bool `json:"allowExisting,omitempty"`

	// tls gives certificates for a database that is reached with TLS, from Secrets in the same namespace. Unset: the
	// connection string says whether there is TLS, and the servers' certificates must be signed by an authority that the
	// load generator's image trusts.
	// +optional
	TLS *ExternalTLS `json:"tls,omitempty"`
}

// ExternalTLS are the certificates by which an existing database and the load generator know each other. Either turns
// TLS on, whatever the connection string says; names are verified, with TLS 1.2 or newer.
// +kubebuilder:validation:MinProperties=1
type ExternalTLS struct {
	// caSecretName names the Secret whose key ca.crt has the authorities that sign the servers' certificates, in PEM. No
	// others are then trusted. Unset: those that the load generator's image trusts.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	CASecretName *string `json:"caSecretName,omitempty"`

	// clientCertificateSecretName names the Secret, such as one of type kubernetes.io/tls, whose keys tls.crt and tls.key
	// have the certificate that is shown to the servers and its key without a passphrase, in PEM. To log in by it, the
	// connection string has authMechanism=MONGODB-X509. Not with kind MariaDB. Unset: none is shown, unless the connection
	// string names a file.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ClientCertificateSecretName *string `json:"clientCertificateSecretName,omitempty"`
}

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

// MemberRestarts says what happens to a ready target when one of its members restarts.
// +kubebuilder:validation:Enum=Fail;Tolerate
type MemberRestarts string

const (
	// MemberRestartsFail gives the target up: measurements before and after a restart are not comparable.
	MemberRestartsFail MemberRestarts = "Fail"
	// MemberRestartsTolerate waits until the member is back.
	MemberRestartsTolerate MemberRestarts = "Tolerate"
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

// BenchmarkTarget is a deployment to measure, or a thin wrapper around an existing database.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=mbt,categories=mongobench
// +kubebuilder:printcolumn:name="Topology",type=string,JSONPath=`.spec.topology`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.server.version`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 52",message="name must be no more than 52 characters, so that the names of its pods fit into 63"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="name must be lower case letters, digits and dashes, begin with a letter and not end with a dash: Services, Jobs and pods are named after it",optionalOldSelf=true
type BenchmarkTarget struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object's metadata. The name has at most 52 characters: lower case letters, digits and
	// dashes, of which the first is a letter and the last no dash.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	// spec declares the deployment. It is immutable: a changed deployment is another target.
	// +required
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="spec cannot be changed; create another BenchmarkTarget"
	Spec BenchmarkTargetSpec `json:"spec,omitzero"`

	// status is what the operator observed.
	// +optional
	Status BenchmarkTargetStatus `json:"status,omitempty,omitzero"`
}

// BenchmarkTargetList is a list of BenchmarkTargets.
//
// +kubebuilder:object:root=true
type BenchmarkTargetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BenchmarkTarget `json:"items"`
}
