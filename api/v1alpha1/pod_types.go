package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// PodResources are the resources of a pod. Requests equal limits, which puts the pod in the Guaranteed class, unless a
// request is set as well.
//
// +kubebuilder:validation:XValidation:rule="!has(self.cpuRequest) || !has(self.cpu) || quantity(string(self.cpuRequest)).compareTo(quantity(string(self.cpu))) <= 0",message="cpuRequest must be no more than cpu",fieldPath=".cpuRequest"
// +kubebuilder:validation:XValidation:rule="!has(self.memoryRequest) || !has(self.memory) || quantity(string(self.memoryRequest)).compareTo(quantity(string(self.memory))) <= 0",message="memoryRequest must be no more than memory",fieldPath=".memoryRequest"
type PodResources struct {
	// cpu is the CPU limit, for example "2" or "500m". At least 50m.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity('50m')) >= 0",message="cpu must be at least 50m"
	CPU *resource.Quantity `json:"cpu,omitempty"`

	// memory is the memory limit, for example "4Gi". At least 32Mi; for a mongod at least 320Mi, better 512Mi: it uses 117
	// MB when idle, and its smallest cache is 256 MB.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity('32Mi')) >= 0",message="memory must be at least 32Mi"
	Memory *resource.Quantity `json:"memory,omitempty"`

	// cpuRequest is what the scheduler reserves. Unset: the same as cpu. A value below cpu makes the pod Burstable, and
	// its figures depend on its neighbours.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).isGreaterThan(quantity('0'))",message="cpuRequest must be greater than 0"
	CPURequest *resource.Quantity `json:"cpuRequest,omitempty"`

	// memoryRequest is what the scheduler reserves. Unset: the same as memory.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).isGreaterThan(quantity('0'))",message="memoryRequest must be greater than 0"
	MemoryRequest *resource.Quantity `json:"memoryRequest,omitempty"`

	// ephemeralStorage is what the scheduler reserves of the node's disk for the pod's log and its volumes on that disk,
	// and what the pod may use of it before it is evicted; at least 64Mi, and with storage.medium EmptyDir more than
	// storage.size. Unset: 64Mi are reserved, or storage.size with medium EmptyDir, and there is no limit, but for load
	// pods, which write nothing but their log: theirs is 256Mi.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity('64Mi')) >= 0",message="ephemeralStorage must be at least 64Mi"
	EphemeralStorage *resource.Quantity `json:"ephemeralStorage,omitempty"`
}

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

// LoadGenerator declares the pods that load the data and drive the load.
type LoadGenerator struct {
	// pods is the number of load pods, which split keys, threads and operations exactly. Default 1, limits 1 to 64.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Pods *int32 `json:"pods,omitempty"`

	// client that operations are sent by: Application, Driver or Wire; with a target of kind MariaDB Prepared, Text or,
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

	// resources of each load pod. Unset: 500m of CPU and 256Mi of memory.
	// +optional
	Resources *PodResources `json:"resources,omitempty"`

	// image of the load generator. Unset: the operator's setting.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image *string `json:"image,omitempty"`

	// separation of the load pods from the members that they measure: Preferred, Required or None. Where they share a
	// node, the result says so. Default Preferred.
	// +optional
	Separation *Separation `json:"separation,omitempty"`

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
	// shardsPerNode is the maximum number of members of shards, or of the one replica set, on a node. Unset: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	ShardsPerNode *int32 `json:"shardsPerNode,omitempty"`

	// spread is Preferred, Required or None. Default Preferred.
	// +optional
	Spread *Spread `json:"spread,omitempty"`

	// reservedCPUs of each node are left to the system and to other pods when checking whether the members fit, for
	// example "1". Default 0.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity('0')) >= 0",message="reservedCPUs must not be negative"
	ReservedCPUs *resource.Quantity `json:"reservedCPUs,omitempty"`

	// pinning is None or Exclusive; Exclusive needs a CPU limit of whole cores and requests that equal the limits.
	// Default None.
	// +optional
	Pinning *Pinning `json:"pinning,omitempty"`
}

// StorageMedium says where a member's data is stored.
// +kubebuilder:validation:Enum=PersistentVolume;EmptyDir;Memory
type StorageMedium string

const (
	// StorageMediumPersistentVolume is a separate claim for each member, removed with the target.
	StorageMediumPersistentVolume StorageMedium = "PersistentVolume"
	// StorageMediumEmptyDir is the disk of the member's node; data is lost with the pod.
	StorageMediumEmptyDir StorageMedium = "EmptyDir"
	// StorageMediumMemory is the memory of that node; data is lost with the pod, and counts towards the memory limit.
	StorageMediumMemory StorageMedium = "Memory"
)

// StorageSpec says where each member stores its data.
//
// +kubebuilder:validation:XValidation:rule="!has(self.storageClassName) || !has(self.medium) || self.medium == 'PersistentVolume'",message="storageClassName may be set only with medium PersistentVolume",fieldPath=".storageClassName"
type StorageSpec struct {
	// medium is PersistentVolume, EmptyDir or Memory. Default PersistentVolume.
	// +optional
	Medium *StorageMedium `json:"medium,omitempty"`

	// size of each member's volume; with medium EmptyDir the pod is evicted if it needs more, with Memory a write fails.
	// Default 10Gi, at least 1Gi, of which an idle mongod uses 300 MB for its journal.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity('1Gi')) >= 0",message="size must be at least 1Gi"
	Size *resource.Quantity `json:"size,omitempty"`

	// storageClassName of the volumes. Unset: the cluster's default class.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	StorageClassName *string `json:"storageClassName,omitempty"`
}
