package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Client is the client that sends operations.
// +kubebuilder:validation:Enum=Application;Driver;Wire;Prepared;Text;HandlerSocket
type Client string

const (
	// ClientApplication is MongoDB's official driver as an application uses it: its CRUD methods, the options of the
	// connection string, and every document decoded.
	ClientApplication Client = "Application"
	// ClientDriver is the same driver with commands that are encoded beforehand, a connection for each thread, no
	// retryable writes unless asked for, and nothing decoded.
	ClientDriver Client = "Driver"
	// ClientWire is the load generator's own client, whose cost is so low that the server is what is measured. It supports
	// no transactions and no change streams, and reads from the primary.
	ClientWire Client = "Wire"
	// ClientPrepared sends SQL statements that each connection has prepared once: the fastest way to use MariaDB's
	// protocol.
	ClientPrepared Client = "Prepared"
	// ClientText sends SQL with the values in its text, as many applications do.
	ClientText Client = "Text"
	// ClientHandlerSocket reads and writes rows by their keys, without SQL.
	ClientHandlerSocket Client = "HandlerSocket"
)

// Way says how measured operations reach the target.
// +kubebuilder:validation:Enum=Direct;Gateway
type Way string

const (
	// WayDirect sends them from the load pods to the target.
	WayDirect Way = "Direct"
	// WayGateway sends them to an HTTP service before the target, as an application has one.
	WayGateway Way = "Gateway"
)

// Gateway declares a small HTTP service between load generator and target. A request to it names operations of
// the run by their numbers; it draws them, carries them out one after the other over a session of its pool, and answers
// with what came of them and how long the target took. It is given nothing but the run, and does nothing else.
type Gateway struct {
	// operationsPerRequest is how many operations of the target each request comes to, all of the same entry of
	// operations. A request is one operation of the result. Default 1, limits 1 to 1000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	OperationsPerRequest *int32 `json:"operationsPerRequest,omitempty"`

	// poolSize is how many operations each process of the service has under way at a time. Default 100, limits 1 to 10000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	PoolSize *int32 `json:"poolSize,omitempty"`

	// pods is the number of processes of the service, one in each pod. The threads of the load pods have them in turn.
	// Default 1, limits 1 to 16.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16
	Pods *int32 `json:"pods,omitempty"`

	// resources of each of these pods, as those of load pods, with the same defaults: limits of 500m of CPU and 256Mi of
	// memory. At least 50m and 32Mi. claims cannot be set.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`

	// podSettings of these pods: nodes, tolerations, labels and the like. Unset: those of the load pods.
	// +optional
	PodSettings *PodSettings `json:"podSettings,omitempty"`
}

// LoadGenerator declares the pods that load the data and drive the load.
// +kubebuilder:validation:XValidation:rule="!has(self.gateway) || (has(self.through) && self.through == 'Gateway')",message="gateway goes with through: Gateway",fieldPath=".gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.pushLabels) || has(self.push)",message="pushLabels are for what push sends: it must be set",fieldPath=".pushLabels"
type LoadGenerator struct {
	// pods is the number of load pods, which split keys, threads and operations exactly. Default 1, limits 1 to 64.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Pods *int32 `json:"pods,omitempty"`

	// client that operations are sent by: Application, Driver or Wire; with MariaDB Prepared, Text or,
	// where the target has it, HandlerSocket. The dataset is loaded by the fastest that can, whatever this says. Every
	// result says which it was, and results of different clients are not compared. Default Application; Wire for servers
	// that MongoDB's driver does not speak to and with the router Client; Prepared with MariaDB.
	// +optional
	Client *Client `json:"client,omitempty"`

	// processors is how many processors each load pod uses at a time (GOMAXPROCS of Go). One is often the cheapest in CPU
	// time, and lets a reply wait for all others. Unset: what Go chooses, the CPU limit of the pod rounded up, but at
	// least 2, and no more than the node has. Limits 1 to 256.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=256
	Processors *int32 `json:"processors,omitempty"`

	// resources of each load pod. What has a limit and no request requests its limit, as in any pod. Unset, or unset for
	// one of the two: limits of 500m of CPU and 256Mi of memory. At least 50m and 32Mi. ephemeral-storage is the room on
	// the node's disk for the log, at least and by default 64Mi, with a limit of 256Mi. claims cannot be set.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`

	// image of the load generator. Unset: the operator's setting.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image *string `json:"image,omitempty"`

	// through says how measured operations reach the target: Direct, or Gateway for a small HTTP service between load
	// generator and target, which loadgen gateway is. The time of an operation is then that of the service, and
	// databaseTime is what the target had of it. Loading goes to the target itself. For MongoDB. Default Direct.
	// +optional
	Through *Way `json:"through,omitempty"`

	// gateway is that service, with through: Gateway. Unset: every default.
	// +optional
	Gateway *Gateway `json:"gateway,omitempty"`

	// separation of the load pods, and of the gateway's, from the members that they measure: Preferred, Required or None.
	// Where they share a node, the result says so. Default Preferred.
	// +optional
	Separation *Separation `json:"separation,omitempty"`

	// logs that load pods write on a volume while they measure. Unset: none.
	// +optional
	Logs *LoadLogs `json:"logs,omitempty"`

	// push sends the figures of the load pods to receivers while they measure. Unset: they are only there to be scraped.
	// +optional
	// +listType=map
	// +listMapKey=url
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	Push []PushReceiver `json:"push,omitempty" patchMergeKey:"url" patchStrategy:"merge"`

	// pushLabels are labels of your own that all figures of push have, for example team or image: at most 16, with names
	// of up to 63 letters, digits and _ that begin with no digit, and values of up to 128 characters without commas,
	// equals signs and quotes. Those that figures have already cannot be given. Unset: none.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(name, name.matches('^[a-zA-Z_][a-zA-Z0-9_]{0,62}$') && !name.startsWith('__'))",message="names must be of up to 63 letters, digits and _, and begin with no digit and no __"
	// +kubebuilder:validation:XValidation:rule="self.all(name, !(name in ['namespace', 'run', 'pod', 'job', 'instance', 'step', 'kind', 'operation', 'class', 'member', 'le', 'quantile']))",message="namespace, run, pod, job, instance, step, kind, operation, class, member, le and quantile are labels of figures"
	PushLabels map[string]PushLabelValue `json:"pushLabels,omitempty"`

	// podSettings of the load pods: nodes, tolerations, labels and the like. Unset: the operator's setting.
	// +optional
	PodSettings *PodSettings `json:"podSettings,omitempty"`
}

// Spread says how strictly the members of a target are kept on different nodes.
// +kubebuilder:validation:Enum=Preferred;Required;None
type Spread string

const (
	// SpreadPreferred puts members on different nodes if there are enough.
	SpreadPreferred Spread = "Preferred"
	// SpreadRequired keeps members of one replica set on different nodes, and shards evenly distributed over the nodes.
	SpreadRequired Spread = "Required"
	// SpreadNone leaves it to the scheduler.
	SpreadNone Spread = "None"
)

// Pinning says whether a member has exclusive CPU cores.
// +kubebuilder:validation:Enum=None;Exclusive
type Pinning string

const (
	// PinningNone shares the cores of the node with other pods.
	PinningNone Pinning = "None"
	// PinningExclusive gives each member whole cores for itself, on nodes whose kubelet has the static CPU manager policy.
	PinningExclusive Pinning = "Exclusive"
)

// PlacementSpec says how the members of a target are placed on nodes. Which nodes those are is in podSettings.
type PlacementSpec struct {
	// membersPerNode is the maximum number of members of shards, or of the one replica set, on a node. Unset: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	MembersPerNode *int32 `json:"membersPerNode,omitempty"`

	// spread is Preferred, Required or None. Default Preferred.
	// +optional
	Spread *Spread `json:"spread,omitempty"`

	// reservedCPUs of each node are left to the system and to other pods when checking whether the members fit, for
	// example "1". Default 0, and not negative.
	// +optional
	ReservedCPUs *resource.Quantity `json:"reservedCPUs,omitempty"`

	// pinning is None or Exclusive; Exclusive needs a CPU limit of whole cores and requests that equal the limits.
	// Default None.
	// +optional
	Pinning *Pinning `json:"pinning,omitempty"`
}

// StorageSpec says where each member stores its data. At most one of its members may be set; without any it is a
// persistent volume of 10Gi of the default storage class.
//
// +kubebuilder:validation:AtMostOneOf=volumeClaimTemplate;emptyDir
type StorageSpec struct {
	// volumeClaimTemplate makes a claim for each member, which is removed with the target.
	// +optional
	VolumeClaimTemplate *VolumeClaimTemplate `json:"volumeClaimTemplate,omitempty"`

	// emptyDir is the disk of the member's node, or with medium Memory its memory, which counts towards the memory limit;
	// either way data is lost with the pod. Of its sizeLimit, 10Gi by default and at least 1Gi, an idle mongod uses 300 MB
	// for its journal; beyond it the pod is evicted, and with medium Memory a write fails.
	// +optional
	EmptyDir *corev1.EmptyDirVolumeSource `json:"emptyDir,omitempty"`
}

// VolumeClaimTemplate is what a member's claim is made by. It has no metadata, as the template of an ephemeral volume
// has: names and labels of claims are the operator's, which finds and removes them by these.
type VolumeClaimTemplate struct {
	// spec of the claim. accessModes are [ReadWriteOnce] by default, or [ReadWriteOncePod]; resources.requests.storage is
	// 10Gi by default and at least 1Gi; storageClassName is the cluster's default class. What is of one volume, or
	// already holds data, cannot be set: volumeName, dataSource, dataSourceRef, and volumeMode Block.
	// +optional
	Spec corev1.PersistentVolumeClaimSpec `json:"spec,omitempty,omitzero"`
}
