package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// StorageMedium says what a member's data lies on.
// +kubebuilder:validation:Enum=PersistentVolume;EmptyDir;Memory
type StorageMedium string

const (
	// StorageMediumPersistentVolume is a claim of its own for each member, removed with the target.
	StorageMediumPersistentVolume StorageMedium = "PersistentVolume"
	// StorageMediumEmptyDir is the disk of the node that the member runs on, lost with its pod.
	StorageMediumEmptyDir StorageMedium = "EmptyDir"
	// StorageMediumMemory is the memory of that node, lost with the pod; what lies there counts towards the memory limit.
	StorageMediumMemory StorageMedium = "Memory"
)

// StorageSpec says what each member keeps its data on.
//
// +kubebuilder:validation:XValidation:rule="!has(self.storageClassName) || !has(self.medium) || self.medium == 'PersistentVolume'",message="storageClassName may be set only with medium PersistentVolume",fieldPath=".storageClassName"
type StorageSpec struct {
	// medium is PersistentVolume, EmptyDir or Memory. Default PersistentVolume.
	// +optional
	Medium *StorageMedium `json:"medium,omitempty"`

	// size of each member's volume; with medium EmptyDir the pod is evicted when it needs more, with Memory a write fails
	// then. Default 10Gi, at least 1Gi, of which an idle mongod takes 300 MB for its journal.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity('1Gi')) >= 0",message="size must be at least 1Gi"
	Size *resource.Quantity `json:"size,omitempty"`

	// storageClassName of the volumes. Unset: the cluster's default class.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	StorageClassName *string `json:"storageClassName,omitempty"`
}
