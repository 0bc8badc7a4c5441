package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Product is a database that the operator knows.
type Product string

const (
	// ProductMongoDB is MongoDB, or a database that speaks its protocol.
	ProductMongoDB Product = "MongoDB"
	// ProductMariaDB is MariaDB; of an existing database also MySQL.
	ProductMariaDB Product = "MariaDB"
	// ProductFerretDB is FerretDB 1 with its SQLite backend.
	ProductFerretDB Product = "FerretDB"
)

// Topology is the shape of a target, in MongoDB's terms.
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

// BenchmarkTargetSpec declares what to measure: a database that the operator deploys, by the name of the product, or
// one that exists. Exactly one member must be set. Settings of one product cannot be written for another, and a
// product more is a member more.
//
// +kubebuilder:validation:ExactlyOneOf=mongodb;mariadb;ferretdb;external
type BenchmarkTargetSpec struct {
	// mongodb deploys MongoDB, or a fork of it: one server, a replica set or a sharded cluster.
	// +optional
	MongoDB *MongoDBTarget `json:"mongodb,omitempty"`

	// mariadb deploys one server of MariaDB.
	// +optional
	MariaDB *MariaDBTarget `json:"mariadb,omitempty"`

	// ferretdb deploys one server of FerretDB 1 with its SQLite backend.
	// +optional
	FerretDB *FerretDBTarget `json:"ferretdb,omitempty"`

	// external locates a database that exists already, and that the operator leaves in place.
	// +optional
	External *ExternalTarget `json:"external,omitempty"`
}

// Deployment has the settings of every database that the operator deploys, whichever product it is.
type Deployment struct {
	// version of the server to deploy. It selects the image, unless image is set, and what the server is told. MongoDB 4.2
	// or later, for example "6.0.5"; with your own image and without authentication also a standalone of 2.4 to 4.0, which
	// is accessed with the protocol of its time; with engine TokuMX the version of TokuMX. MariaDB 10.11 or later, for
	// example "10.11". FerretDB 1.24.0 or later, with its patch, for example "1.24.0".
	// +required
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[0-9]+\.[0-9]+(\.[0-9]+)?$`
	Version string `json:"version,omitempty"`

	// image is the container image with the server's program (mongod, mariadbd, ferretdb) in its PATH. Unset: the
	// operator's image repository for the product, with version as the tag.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image *string `json:"image,omitempty"`

	// databases that the load user may read and write. The database of the run that declares the target is always
	// included. Default: mongobench.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[A-Za-z0-9_-]+$`
	// +kubebuilder:validation:XValidation:rule="self.all(d, !(d in ['admin', 'config', 'local']))",message="databases must not be MongoDB's own: admin, config, local"
	Databases []string `json:"databases,omitempty"`

	// resources of each member. What has a limit and no request requests its limit, as in any pod. Unset, or unset for one
	// of the two: limits of 500m of CPU and 1Gi of memory. At least 50m and 32Mi; a mongod needs 320Mi, better 512Mi,
	// since it uses 117 MB when idle and its smallest cache is 256 MB. A request below the limit makes the pod Burstable,
	// and its figures depend on its neighbours. ephemeral-storage is the room on the node's disk for the pod's log and its
	// volumes on that disk, with storage.emptyDir more than its sizeLimit; unset, 64Mi are requested, or the sizeLimit,
	// and there is no limit. claims cannot be set.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`

	// storage for each member's data. Unset: a persistent volume of 10Gi of the default storage class.
	// +optional
	Storage *StorageSpec `json:"storage,omitempty"`

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

	// provisioningSeconds is the time within which the deployment must be ready, counted from its turn among the runs that
	// are measured and the targets that are deployed on its nodes; afterwards the target is given up with the cause in its
	// conditions. Default 600, limits 10 to 86400.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=86400
	ProvisioningSeconds *int32 `json:"provisioningSeconds,omitempty"`
}

// MemberRestarts says what happens to a ready target when one of its members restarts.
// +kubebuilder:validation:Enum=Fail;Tolerate
type MemberRestarts string

const (
	// MemberRestartsFail gives the target up: measurements before and after a restart are not comparable.
	MemberRestartsFail MemberRestarts = "Fail"
	// MemberRestartsTolerate waits until the member is back.
	MemberRestartsTolerate MemberRestarts = "Tolerate"
)

// BenchmarkTarget is a deployment to measure, or a thin wrapper around an existing database.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=mbt,categories=mongobench
// +kubebuilder:printcolumn:name="Topology",type=string,JSONPath=`.status.topology`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.server.version`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 52",message="name must be no more than 52 characters, so that the names of its pods fit into 63"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || self.metadata.name >= 'a' && !self.metadata.name.contains('.')",message="name must be lower case letters, digits and dashes, begin with a letter and not end with a dash: Services, Jobs and pods are named after it",optionalOldSelf=true
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
