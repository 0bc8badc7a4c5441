package v1alpha1

// RunFingerprint is what may influence a result in addition to what the servers report about themselves. Together with
// status.server it decides whether runs are comparable.
type RunFingerprint struct {
	// datasetHash is the hash of the declared dataset, including its seed.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	DatasetHash string `json:"datasetHash,omitempty"`

	// workloadHash is the hash of the load pods' plan, without its dataset.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	WorkloadHash string `json:"workloadHash,omitempty"`

	// serverImages are the images of the members, with their digests, as reported by the kubelets.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=512
	ServerImages []string `json:"serverImages,omitempty"`

	// generatorImage is the image of the load pods, with its digest.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	GeneratorImage string `json:"generatorImage,omitempty"`

	// generatorVersion is the version that the load generator reports.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	GeneratorVersion string `json:"generatorVersion,omitempty"`

	// storageClass of the members' volumes. Unset: they have none.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	StorageClass string `json:"storageClass,omitempty"`

	// nodeTypes are the instance types of the nodes of members and load pods, or their sizes where nodes have no type.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=253
	NodeTypes []string `json:"nodeTypes,omitempty"`

	// kernels of those nodes.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=253
	Kernels []string `json:"kernels,omitempty"`

	// cpuModels of the machines of the load pods, as reported by their kernels.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=128
	CPUModels []string `json:"cpuModels,omitempty"`

	// kernelSettings of the load pods' machines that can spoil a result, one line for each kind of machine: CPU governor,
	// transparent huge pages, swappiness, cgroup version.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=128
	KernelSettings []string `json:"kernelSettings,omitempty"`
}
