package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkTargetStatus is what the operator observed of a target.
type BenchmarkTargetStatus struct {
	// conditions: Accepted, Ready, Stalled.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// product is the database: MongoDB, MariaDB or FerretDB.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Product Product `json:"product,omitempty"`

	// topology is the shape of the target: Standalone, ReplicaSet, Sharded or External.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Topology Topology `json:"topology,omitempty"`

	// provisioningStartTime is when the operator started to deploy; the deadline counts from this time.
	// +optional
	ProvisioningStartTime *metav1.Time `json:"provisioningStartTime,omitempty"`

	// connection says how a load generator reaches the target, without secrets. Set when the target is ready.
	// +optional
	Connection *TargetConnection `json:"connection,omitempty"`

	// server is what the servers reported about themselves. Set when the target is ready.
	// +optional
	Server *ServerFingerprint `json:"server,omitempty"`

	// datasets that runs left in the target, one per database. A run whose dataset is there and Clean does not load it
	// again.
	// +optional
	// +listType=map
	// +listMapKey=database
	// +kubebuilder:validation:MaxItems=16
	Datasets []DatasetStatus `json:"datasets,omitempty"`

	// inUseBy names the runs that use the target, each from when it is admitted until nothing of it is left, in
	// alphabetical order; of more than 16 the first. Unset: none does. While there are any, the chart's admission policy
	// refuses to delete the target, unless it has the annotation mongobench.dev/force-delete: "true".
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	InUseBy []string `json:"inUseBy,omitempty"`
}

// DatasetState is the known state of a dataset in a target.
// It is no enum, so that a definition of an older version stores what a later operator writes.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=64
type DatasetState string

const (
	// DatasetLoading is being loaded, or was when its run ended.
	DatasetLoading DatasetState = "Loading"
	// DatasetClean is as loaded and counted.
	DatasetClean DatasetState = "Clean"
	// DatasetDirty was written to by a workload.
	DatasetDirty DatasetState = "Dirty"
)

// DatasetStatus is what is known about the dataset in one database of a target. The database itself has the same
// information in its collection mongobench.dataset, on which runs rely.
type DatasetStatus struct {
	// database with the dataset.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Database string `json:"database,omitempty"`

	// fingerprint is the SHA-256 of everything that the documents depend on.
	// +required
	// +kubebuilder:validation:MinLength=64
	// +kubebuilder:validation:MaxLength=64
	Fingerprint string `json:"fingerprint,omitempty"`

	// state is Loading, Clean or Dirty.
	// +required
	State DatasetState `json:"state,omitempty"`

	// runName is the BenchmarkRun that last changed the state.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	RunName string `json:"runName,omitempty"`
}

// TargetConnection says how a load generator reaches a target. It has uri, shardURIs or uriSecretRef; the first two
// come with credentialsSecretName, unless the target has no users.
type TargetConnection struct {
	// uri is the connection string without credentials.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	URI *string `json:"uri,omitempty"`

	// shardURIs are the connection strings of the shards of router Client, in order.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=2048
	ShardURIs []string `json:"shardURIs,omitempty"`

	// observerCredentialsSecretName names the Secret with the keys username and password of the user that observes the
	// servers.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ObserverCredentialsSecretName *string `json:"observerCredentialsSecretName,omitempty"`

	// actionCredentialsSecretName names the Secret with the keys username and password of the user that carries out the
	// actions of a workload. Only runs with such actions mount it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ActionCredentialsSecretName *string `json:"actionCredentialsSecretName,omitempty"`

	// caSecretName names the Secret whose key ca.crt has the authority that signed the servers' certificates. Unset:
	// without TLS, or with an authority that the load generator's image trusts.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	CASecretName *string `json:"caSecretName,omitempty"`

	// clientCertificateSecretName names the Secret with the keys tls.crt and tls.key of the certificate that clients show.
	// Unset: they show none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ClientCertificateSecretName *string `json:"clientCertificateSecretName,omitempty"`

	// credentialsSecretName names the Secret with the keys username and password of the load user.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	CredentialsSecretName *string `json:"credentialsSecretName,omitempty"`

	// uriSecretRef names the key of the Secret with the whole connection string of an external target.
	// +optional
	URISecretRef *SecretKeyReference `json:"uriSecretRef,omitempty"`
}

// ServerFingerprint is what the servers of a target reported about themselves: everything that may influence a result.
type ServerFingerprint struct {
	// product is the database: MongoDB or MariaDB, or whatever else the server calls itself.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Product string `json:"product,omitempty"`

	// version from buildInfo or SELECT VERSION().
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Version string `json:"version,omitempty"`

	// gitVersion is the commit that the server was built from, from buildInfo.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	GitVersion string `json:"gitVersion,omitempty"`

	// topology that was found: Standalone, ReplicaSet, or Sharded behind a connection string.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Topology string `json:"topology,omitempty"`

	// storageEngine from serverStatus, for example wiredTiger.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	StorageEngine string `json:"storageEngine,omitempty"`

	// cacheMebibytes is the maximum size of the WiredTiger cache of one member, from serverStatus.
	// +optional
	// +kubebuilder:validation:Minimum=0
	CacheMebibytes *int64 `json:"cacheMebibytes,omitempty"`

	// memoryLimitMebibytes is the memory that a member believes it has (hostInfo.system.memLimitMB).
	// +optional
	// +kubebuilder:validation:Minimum=0
	MemoryLimitMebibytes *int64 `json:"memoryLimitMebibytes,omitempty"`

	// cpuCores is the number of cores that a member believes it has (hostInfo.system.numCores); mongod does not see a CPU
	// limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	CPUCores *int32 `json:"cpuCores,omitempty"`

	// cpuLimitMillicores is the CPU limit of each member's pod, in thousandths of a core. Unset for an external target.
	// +optional
	// +kubebuilder:validation:Minimum=0
	CPULimitMillicores *int64 `json:"cpuLimitMillicores,omitempty"`

	// members is the number of data-bearing members that were found.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Members *int32 `json:"members,omitempty"`

	// shards is the number of shards. Unset: the target is not sharded.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Shards *int32 `json:"shards,omitempty"`

	// router is what routes requests to a sharded target: Mongos or Client. Unset: the target is not sharded.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Router string `json:"router,omitempty"`

	// tls says whether the load's connections use TLS: Disabled or Enabled.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	TLS string `json:"tls,omitempty"`

	// persistence says whether the storage engine keeps data across a restart: Durable or Transient.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Persistence string `json:"persistence,omitempty"`

	// defaultWriteConcern is the write concern of a write that does not specify one, for example "w: majority".
	// +optional
	// +kubebuilder:validation:MaxLength=128
	DefaultWriteConcern string `json:"defaultWriteConcern,omitempty"`

	// durability of the writes as read back: None, Memory, OSCache, Synced or Majority, or several if operations declare
	// their own write concerns. Set by the run that measured it.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Durability string `json:"durability,omitempty"`

	// syncP50Micros is the median time to write a block to the data's disk (fdatasync).
	// +optional
	// +kubebuilder:validation:Minimum=0
	SyncP50Micros *int64 `json:"syncP50Micros,omitempty"`

	// syncP99Micros is the 99th percentile of this time.
	// +optional
	// +kubebuilder:validation:Minimum=0
	SyncP99Micros *int64 `json:"syncP99Micros,omitempty"`

	// startupWarnings are the warnings that a member logged when it started, from getLog.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=512
	StartupWarnings []string `json:"startupWarnings,omitempty"`
}
