package v1alpha1

// PresetName is a predefined workload. One that the operator does not know is not Accepted.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9-]*$`
type PresetName string

// The core workloads of YCSB (https://github.com/brianfrankcooper/YCSB/wiki/Core-Workloads).
const (
	// PresetYCSBA is half reads, half updates, keys zipfian.
	PresetYCSBA PresetName = "YCSB-A"
	// PresetYCSBB is 95 % reads and 5 % updates, keys zipfian.
	PresetYCSBB PresetName = "YCSB-B"
	// PresetYCSBC is reads alone, keys zipfian.
	PresetYCSBC PresetName = "YCSB-C"
	// PresetYCSBD is 95 % reads, of the latest records, and 5 % inserts.
	PresetYCSBD PresetName = "YCSB-D"
	// PresetYCSBE is 95 % scans of up to 100 records and 5 % inserts, keys zipfian.
	PresetYCSBE PresetName = "YCSB-E"
	// PresetYCSBF is half reads, half read-modify-writes, keys zipfian.
	PresetYCSBF PresetName = "YCSB-F"
)

// Preset stands for a dataset and a workload.
type Preset struct {
	// name of the preset: YCSB-A, YCSB-B, YCSB-C, YCSB-D, YCSB-E or YCSB-F; or a ready workload: tpc-c-like, social-graph,
	// orders-inventory, iot, queue, content-store or session-store, of docs/how-to/ready-workloads.md.
	// +required
	Name PresetName `json:"name,omitempty"`

	// parameters change the preset. They have YCSB's own names, and values as in its property files: recordcount,
	// operationcount, maxexecutiontime, threadcount, target, fieldcount, fieldlength, requestdistribution and more, all in
	// docs/how-to/writing-a-run.md. A ready workload has scale, which multiplies its documents, maxexecutiontime,
	// threadcount and target. Unset parameters are as in YCSB's file of the workload, or as in the sample.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Parameters map[string]string `json:"parameters,omitempty"`

	// warmupSeconds is how long the operations run before they are counted. Default 0, that of a ready workload 2; limit
	// 86400.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	WarmupSeconds *int32 `json:"warmupSeconds,omitempty"`

	// threadSweep measures the workload once for each of these numbers of threads, instead of the parameter threadcount.
	// Not with a ready workload that has groups. Unset: threadcount.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=4096
	ThreadSweep []int32 `json:"threadSweep,omitempty"`
}
