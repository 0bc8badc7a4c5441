package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Topology is the shape of a MongoDB deployment, in MongoDB's own terms.
// +kubebuilder:validation:Enum=Standalone;ReplicaSet;External
type Topology string

const (
	// TopologyStandalone is one mongod without replication.
	TopologyStandalone Topology = "Standalone"
	// TopologyReplicaSet is a replica set of one to seven voting members.
	TopologyReplicaSet Topology = "ReplicaSet"
	// TopologyExternal is a database that exists already and is reached through a connection string.
	TopologyExternal Topology = "External"
)

// StorageMedium says what a member's data lies on.
// +kubebuilder:validation:Enum=PersistentVolume;EmptyDir
type StorageMedium string

const (
	// StorageMediumPersistentVolume is a claim of its own for each member, removed with the target.
	StorageMediumPersistentVolume StorageMedium = "PersistentVolume"
	// StorageMediumEmptyDir is the disk of the node that the member runs on, lost with its pod.
	StorageMediumEmptyDir StorageMedium = "EmptyDir"
)

// BenchmarkTargetSpec declares a MongoDB deployment to be measured.
//
// +kubebuilder:validation:XValidation:rule="self.topology == 'ReplicaSet' || !has(self.replicaSet)",message="replicaSet may be set only with topology ReplicaSet",fieldPath=".replicaSet"
// +kubebuilder:validation:XValidation:rule="self.topology == 'External' ? has(self.external) : !has(self.external)",message="external is required with topology External and forbidden with any other",fieldPath=".external"
// +kubebuilder:validation:XValidation:rule="self.topology == 'External' || has(self.version)",message="version is required unless the topology is External",fieldPath=".version"
// +kubebuilder:validation:XValidation:rule="self.topology != 'External' || !(has(self.version) || has(self.image) || has(self.resources) || has(self.storage))",message="version, image, resources and storage describe a deployment, and topology External deploys nothing",fieldPath=".external"
type BenchmarkTargetSpec struct {
	// topology is the shape of the deployment: Standalone, ReplicaSet or External.
	// +required
	Topology Topology `json:"topology,omitempty"`

	// version is the version of mongod to deploy, for example "6.0.5". It chooses the image, unless image is set, and
	// the flags that mongod is given. Required unless topology is External. Versions 4.4 to 8.x.
	// +optional
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^(4\.4|5\.0|6\.0|7\.0|8\.[0-9])(\.[0-9]+)?$`
	Version *string `json:"version,omitempty"`

	// image is the container image that holds mongod in its PATH. Unset: the operator's mongod image repository, with
	// version as the tag.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image *string `json:"image,omitempty"`

	// replicaSet holds the settings of topology ReplicaSet. Unset: three members.
	// +optional
	ReplicaSet *ReplicaSetSpec `json:"replicaSet,omitempty"`

	// external says where a database is that exists already. Required with topology External.
	// +optional
	External *ExternalSpec `json:"external,omitempty"`

	// resources are what each member may use. Unset: 500m of CPU and 1Gi of memory.
	// +optional
	Resources *PodResources `json:"resources,omitempty"`

	// storage is what each member keeps its data on. Unset: a persistent volume of 10Gi of the default storage class.
	// +optional
	Storage *StorageSpec `json:"storage,omitempty"`

	// provisioningSeconds is the time within which the deployment must be ready; after it the target is given up with
	// the cause in its conditions. Default 600, limits 10 to 86400.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=86400
	ProvisioningSeconds *int32 `json:"provisioningSeconds,omitempty"`
}

// ReplicaSetSpec holds the settings of topology ReplicaSet.
type ReplicaSetSpec struct {
	// members is the number of voting, data-bearing members. Default 3, limits 1 to 7: MongoDB allows seven voting
	// members (https://www.mongodb.com/docs/manual/reference/limits/).
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=7
	Members *int32 `json:"members,omitempty"`
}

// ExternalSpec says where a database is that exists already.
type ExternalSpec struct {
	// uriSecretRef names the key of a Secret in the same namespace that holds the connection string
	// (mongodb:// or mongodb+srv://). It reaches the load generator as a file and is shown nowhere.
	// +required
	URISecretRef SecretKeyReference `json:"uriSecretRef,omitzero"`
}

// SecretKeyReference names one key of a Secret in the same namespace.
type SecretKeyReference struct {
	// name of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// key within the Secret's data.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key,omitempty"`
}

// StorageSpec says what each member keeps its data on.
//
// +kubebuilder:validation:XValidation:rule="!has(self.storageClassName) || !has(self.medium) || self.medium == 'PersistentVolume'",message="storageClassName may be set only with medium PersistentVolume",fieldPath=".storageClassName"
type StorageSpec struct {
	// medium is PersistentVolume or EmptyDir. Default PersistentVolume.
	// +optional
	Medium *StorageMedium `json:"medium,omitempty"`

	// size of each member's volume; with medium EmptyDir the pod is evicted when it needs more. Default 10Gi, at
	// least 1Gi, of which an idle mongod takes 300 MB for its journal.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity('1Gi')) >= 0",message="size must be at least 1Gi"
	Size *resource.Quantity `json:"size,omitempty"`

	// storageClassName of the volumes. Unset: the cluster's default class.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	StorageClassName *string `json:"storageClassName,omitempty"`
}

// BenchmarkTargetStatus is what the operator saw of a target.
type BenchmarkTargetStatus struct {
	// conditions: Accepted, Ready, Stalled.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// provisioningStartTime is when the operator began to deploy; the deadline counts from it.
	// +optional
	ProvisioningStartTime *metav1.Time `json:"provisioningStartTime,omitempty"`

	// connection says how a load generator reaches the target, without any secret. Set when the target is ready.
	// +optional
	Connection *TargetConnection `json:"connection,omitempty"`

	// server is what the servers said of themselves. Set when the target is ready.
	// +optional
	Server *ServerFingerprint `json:"server,omitempty"`
}

// TargetConnection says how a load generator reaches a target. It has either uri and credentialsSecretName, or
// uriSecretRef.
type TargetConnection struct {
	// uri is the connection string without credentials.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	URI *string `json:"uri,omitempty"`

	// credentialsSecretName names the Secret with the keys username and password of the load user.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	CredentialsSecretName *string `json:"credentialsSecretName,omitempty"`

	// uriSecretRef names the key of the Secret that holds the whole connection string of an external target.
	// +optional
	URISecretRef *SecretKeyReference `json:"uriSecretRef,omitempty"`
}

// ServerFingerprint is what the servers of a target said of themselves: all that may influence a result.
type ServerFingerprint struct {
	// version as buildInfo tells it.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Version string `json:"version,omitempty"`

	// gitVersion is the commit that the server was built from, as buildInfo tells it.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	GitVersion string `json:"gitVersion,omitempty"`

	// topology that was found: Standalone, ReplicaSet, or Sharded behind a connection string.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Topology string `json:"topology,omitempty"`

	// storageEngine as serverStatus tells it, for example wiredTiger.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	StorageEngine string `json:"storageEngine,omitempty"`

	// cacheMebibytes is the largest size of the WiredTiger cache of one member, as serverStatus tells it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	CacheMebibytes *int64 `json:"cacheMebibytes,omitempty"`

	// memoryLimitMebibytes is the memory that a member believes it has (hostInfo.system.memLimitMB).
	// +optional
	// +kubebuilder:validation:Minimum=0
	MemoryLimitMebibytes *int64 `json:"memoryLimitMebibytes,omitempty"`

	// cpuCores is the number of cores that a member believes it has (hostInfo.system.numCores); a CPU limit is
	// not seen by mongod.
	// +optional
	// +kubebuilder:validation:Minimum=0
	CPUCores *int32 `json:"cpuCores,omitempty"`

	// cpuLimitMillis is the CPU limit of each member's pod, in thousandths of a core. Unset for an external target.
	// +optional
	// +kubebuilder:validation:Minimum=0
	CPULimitMillis *int64 `json:"cpuLimitMillis,omitempty"`

	// members is the number of data-bearing members that were found.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Members *int32 `json:"members,omitempty"`

	// defaultWriteConcern is the write concern of a write that asks for none, for example "w: majority".
	// +optional
	// +kubebuilder:validation:MaxLength=128
	DefaultWriteConcern string `json:"defaultWriteConcern,omitempty"`

	// startupWarnings are the warnings that a member logged when it started, as getLog tells them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=512
	StartupWarnings []string `json:"startupWarnings,omitempty"`
}

// BenchmarkTarget is a MongoDB deployment to be measured, or a thin wrapper round a database that exists already.
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
type BenchmarkTarget struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object's metadata. The name has at most 52 characters.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	// spec declares the deployment. It cannot be changed: a changed deployment is another target.
	// +required
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="spec cannot be changed; create another BenchmarkTarget"
	Spec BenchmarkTargetSpec `json:"spec,omitzero"`

	// status is what the operator saw.
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
