package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

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

// PlacementSpec says which nodes the members of a target run on, and how many members may share a node.
type PlacementSpec struct {
	// shardsPerNode is the maximum number of members of shards, or of the one replica set, on a node. Unset: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	ShardsPerNode *int32 `json:"shardsPerNode,omitempty"`

	// spread is Preferred, Required or None. Default Preferred.
	// +optional
	Spread *Spread `json:"spread,omitempty"`

	// nodeSelector has the labels that a node must have.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// tolerations of the members' pods.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

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
