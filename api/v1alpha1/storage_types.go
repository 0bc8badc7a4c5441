package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

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
