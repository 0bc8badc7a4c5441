package v1alpha1

// Connections says which connections a step has beside, or in place of, those that its client opens by itself.
// +kubebuilder:validation:XValidation:rule="!has(self.idle) || !has(self.idleSweep)",message="only one of idle and idleSweep may be set",fieldPath=".idleSweep"
type Connections struct {
	// poolSize is the largest number of connections of the Application client in each load pod, in place of the
	// connection string's maxPoolSize. With fewer than there are threads, these wait for each other, and the result says
	// for how long. Unset: as the connection string says, else 100. Limits 1 to 10000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	PoolSize *int32 `json:"poolSize,omitempty"`

	// idle is how many connections more are open during the step, over all load pods. They are logged in and send nothing.
	// What is lost of them is counted. Default 0, limit 20000.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=20000
	Idle *int32 `json:"idle,omitempty"`

	// idleSweep measures the step once with each of these numbers of idle connections, as separate steps named after it
	// and the number: read-0, read-1000. Unset: idle.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:Minimum=0
	// +kubebuilder:validation:items:Maximum=20000
	IdleSweep []int32 `json:"idleSweep,omitempty"`

	// reuse says for how long a connection of the Wire client is used: Always, or Never for one of its own for each
	// operation, whose time then includes connecting. Default Always.
	// +optional
	Reuse ConnectionReuse `json:"reuse,omitempty"`
}

// ConnectionReuse says for how long a connection is used.
// +kubebuilder:validation:Enum=Always;Never
type ConnectionReuse string

const (
	// ConnectionReuseAlways keeps a connection for each thread.
	ConnectionReuseAlways ConnectionReuse = "Always"
	// ConnectionReuseNever opens one for each operation.
	ConnectionReuseNever ConnectionReuse = "Never"
)

// ConnectStage is how far the opening of a connection goes.
// +kubebuilder:validation:Enum=TCP;TLS;Hello;Ready
type ConnectStage string

const (
	// ConnectTCP is over once the server's machine has accepted the connection.
	ConnectTCP ConnectStage = "TCP"
	// ConnectTLS is over once it is encrypted.
	ConnectTLS ConnectStage = "TLS"
	// ConnectHello is over once the server has said what it is.
	ConnectHello ConnectStage = "Hello"
	// ConnectReady is over once the user is logged in, where there is one: the connection is ready for commands.
	ConnectReady ConnectStage = "Ready"
)
