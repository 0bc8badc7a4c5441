package v1alpha1

// FileSource names a file that the load pods read, in the namespace of the run. They have it read-only, and whoever may
// make runs in a namespace can read its ConfigMaps and volumes by that.
//
// +kubebuilder:validation:ExactlyOneOf=configMap;persistentVolumeClaim
type FileSource struct {
	// configMap names a key of a ConfigMap, which holds at most 1 MiB.
	// +optional
	ConfigMap *ConfigMapFile `json:"configMap,omitempty"`

	// persistentVolumeClaim names a file of a volume. Load pods on several nodes need a volume that all of them can mount.
	// +optional
	PersistentVolumeClaim *VolumeFile `json:"persistentVolumeClaim,omitempty"`
}

// ConfigMapFile names one key of a ConfigMap.
type ConfigMapFile struct {
	// name of the ConfigMap.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name,omitempty"`

	// key within the ConfigMap's data or binaryData.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-_a-zA-Z0-9][-._a-zA-Z0-9]*$`
	Key string `json:"key,omitempty"`
}

// VolumeFile names one file of a volume.
type VolumeFile struct {
	// claimName is the name of the PersistentVolumeClaim.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	ClaimName string `json:"claimName,omitempty"`

	// path of the file from the root of the volume on, with slashes between its parts, none of which begins with a dot.
	// Links are followed where they stay within the volume.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^[^./\x00-\x1f][^/\x00-\x1f]*(/[^./\x00-\x1f][^/\x00-\x1f]*)*$`
	Path string `json:"path,omitempty"`
}
