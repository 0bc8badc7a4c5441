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
}

// Client is the client that sends operations.
// +kubebuilder:validation:Enum=Auto;Wire;Driver;Prepared;Text;HandlerSocket
type Client string

const (
	// ClientAuto uses Wire for steps whose operations allow it, and Driver for the others; with a target of kind MariaDB
	// it is Prepared.
	ClientAuto Client = "Auto"
	// ClientWire is the load generator's own client, whose cost is so low that the server is what is measured. It supports
	// no transactions and no change streams.
	ClientWire Client = "Wire"
	// ClientDriver is MongoDB's official driver: what an application would see.
	ClientDriver Client = "Driver"
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

	// client that operations are sent by: Auto, Wire or Driver; with a target of kind MariaDB Auto, Prepared, Text or,
	// where the target has it, HandlerSocket. Every result says which it was. Default Auto.
	// +optional
	Client *Client `json:"client,omitempty"`

	// resources of each load pod. Unset: 500m of CPU and 256Mi of memory.
	// +optional
	Resources *PodResources `json:"resources,omitempty"`

	// image of the load generator. Unset: the operator's setting.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image *string `json:"image,omitempty"`
}
