package v1alpha1

// RunFingerprint is what may influence a result in addition to what the servers report about themselves. Together with
// status.server it decides whether runs are comparable.
type RunFingerprint struct {
	// datasetHash is the hash of the declared dataset, including its seed.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	DatasetHash string `json:"datasetHash,omitempty"`

	// filesHash is the hash of what the files hold that values and documents were taken from. Unset: there are none.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	FilesHash string `json:"filesHash,omitempty"`

	// foundDocuments is the number of documents of an existing dataset, as its servers counted them when the run began.
	// Runs are comparable when theirs differ by at most 5 %. Unset: the run loaded its dataset.
	// +optional
	// +kubebuilder:validation:Minimum=0
	FoundDocuments *int64 `json:"foundDocuments,omitempty"`

	// foundBytes are those of the documents of an existing dataset, uncompressed. Runs are comparable when theirs differ
	// by at most 5 %. Unset: the run loaded its dataset, or the servers did not tell.
	// +optional
	// +kubebuilder:validation:Minimum=0
	FoundBytes *int64 `json:"foundBytes,omitempty"`

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

	// clients are what sent the operations of the steps, and what went with them: one, unless steps differ in their
	// retries.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=384
	Clients []string `json:"clients,omitempty"`

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

	// processors that each load pod used at a time, as its Go runtime says (GOMAXPROCS); of several pods the largest.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Processors *int32 `json:"processors,omitempty"`

	// cpuModels of the machines of the load pods, as reported by their kernels.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=128
	CPUModels []string `json:"cpuModels,omitempty"`

	// kernelSettings of the load pods' machines that can spoil a result, one line for each kind of machine: CPU governor,
	// transparent huge pages, swappiness, clock source, cgroup version.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=128
	KernelSettings []string `json:"kernelSettings,omitempty"`

	// sharedNodes says how many of the load pods ran on a node with a member of the target: None, Some or All. Unset: it
	// is not known where they or the members ran.
	// +optional
	SharedNodes SharedNodes `json:"sharedNodes,omitempty"`

	// zones of the nodes (topology.kubernetes.io/zone), one line each: "load pods in ZONE" and "members in ZONE".
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=128
	Zones []string `json:"zones,omitempty"`

	// currency of the costs. Runs with another one have no costs that can be compared; their other figures can. Unset:
	// there is no price list.
	// +optional
	// +kubebuilder:validation:MaxLength=3
	Currency string `json:"currency,omitempty"`

	// priceListHash is the hash of what the price list says. Runs with another one have no costs that can be compared,
	// unless spec.priceList differs as well; their other figures can. Unset: there is no price list.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	PriceListHash string `json:"priceListHash,omitempty"`

	// roundTripMicros is the longest of the steps' result.steps[].roundTripMicros. Runs are comparable when theirs differ
	// by at most 300 µs, or by at most a factor of 2. Unset: no server answered.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RoundTripMicros *int64 `json:"roundTripMicros,omitempty"`

	// clockSpreadMicros is by how much the clocks of the load pods differed, by the clock of one server that all of them
	// asked: the most of all steps. Runs are comparable when theirs differ by at most 10 ms. Unset: one load pod, or not
	// known.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ClockSpreadMicros *int64 `json:"clockSpreadMicros,omitempty"`

	// stealPercent is how long the hypervisor kept the processors of a load pod's machine from running, all added up, in
	// percent of a step's window: 100 is one processor that never ran. It is that of the step and the machine for which it
	// is most. Runs are comparable when theirs differ by at most 5. Unset: not known.
	// +optional
	// +kubebuilder:validation:Minimum=0
	StealPercent *int32 `json:"stealPercent,omitempty"`

	// throttledPercent of the scheduler's periods in which a server had work, it was stopped by its CPU limit; where the
	// kernel cannot be asked, of the samples between which it used all of its limit. It is that of the server and the step
	// for which it is most. Runs are comparable when theirs differ by at most 20 percentage points. Unset: it is not
	// known.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	ThrottledPercent *int32 `json:"throttledPercent,omitempty"`
}

// SharedNodes says how many load pods shared a node with a member.
// It is no enum, so that a definition of an older version stores what a later operator writes.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=64
type SharedNodes string

const (
	// SharedNone means that no load pod shared a node with a member.
	SharedNone SharedNodes = "None"
	// SharedSome means that some load pods did, and others did not.
	SharedSome SharedNodes = "Some"
	// SharedAll means that every load pod did.
	SharedAll SharedNodes = "All"
)
