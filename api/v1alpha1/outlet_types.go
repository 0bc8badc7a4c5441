package v1alpha1

// LoadLogs are files that load pods write while they measure, in the folder <path>/<name of the run>-<8 characters of
// its UID> of a volume: pod-<n>.hlog and pod-<n>.csv or .ndjson. Loading is in none of them.
type LoadLogs struct {
	// persistentVolumeClaim names a folder of a volume, which is made if it is not there. Load pods on several nodes need
	// a volume that all of them can write to.
	// +required
	PersistentVolumeClaim VolumeFolder `json:"persistentVolumeClaim,omitzero"`

	// kinds of logs: Histograms, the latencies of each second and operation as HdrHistogram's interval log, and
	// Operations, a sample of the operations in which the slow and the failed ones are. Default both.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	Kinds []LogKind `json:"kinds,omitempty"`

	// format of the log of operations: CSV or NDJSON. Default CSV.
	// +optional
	Format *LogFormat `json:"format,omitempty"`

	// samplesPerSecond is how many operations each load pod logs per second, of each operation and each doubling of the
	// latency. Default 10, limits 1 to 1000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	SamplesPerSecond *int32 `json:"samplesPerSecond,omitempty"`
}

// VolumeFolder names a folder of a volume.
type VolumeFolder struct {
	// claimName is the name of the PersistentVolumeClaim.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	ClaimName string `json:"claimName,omitempty"`

	// path of the folder from the root of the volume, with slashes between its parts, of letters, digits, -, _ and dots,
	// with which none begins. Unset: the root.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_][-A-Za-z0-9_.]*(/[A-Za-z0-9_][-A-Za-z0-9_.]*)*$`
	Path *string `json:"path,omitempty"`
}

// LogKind is what a log of load pods has.
// +kubebuilder:validation:Enum=Histograms;Operations
type LogKind string

const (
	// LogHistograms has the latencies of each second and operation, as HdrHistogram's interval log.
	LogHistograms LogKind = "Histograms"
	// LogOperations has a sample of the operations.
	LogOperations LogKind = "Operations"
)

// LogFormat is how a log of operations is written.
// +kubebuilder:validation:Enum=CSV;NDJSON
type LogFormat string

const (
	// LogCSV has comma-separated values, with a line of names.
	LogCSV LogFormat = "CSV"
	// LogNDJSON has a JSON object in each line.
	LogNDJSON LogFormat = "NDJSON"
)

// PushProtocol is how load pods send figures.
// +kubebuilder:validation:Enum=OTLP;RemoteWrite
type PushProtocol string

const (
	// PushOTLP is OpenTelemetry's protocol, over HTTP with Protocol Buffers.
	PushOTLP PushProtocol = "OTLP"
	// PushRemoteWrite is Prometheus's remote write, in its version 1.
	PushRemoteWrite PushProtocol = "RemoteWrite"
)

// PushLabelValue is the value of a label that figures are sent with.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=128
// +kubebuilder:validation:Pattern=`^[^,="\n\r]+$`
type PushLabelValue string

// PushReceiver is where load pods send the figures that Prometheus can scrape from them. Figures are sent with the
// labels namespace, run and pod, and those of pushLabels. A receiver that does not answer does not hold the run up: the
// result says what was lost.
type PushReceiver struct {
	// url that figures are posted to, such as https://collector.example/v1/metrics. It has no user and no password; what
	// is secret about it belongs into headersSecretRef.
	// +required
	// +kubebuilder:validation:MinLength=8
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^https?://[^\s/@?#]+([/?][^\s#]*)?$`
	URL string `json:"url,omitempty"`

	// protocol of the receiver: OTLP or RemoteWrite.
	// +required
	Protocol PushProtocol `json:"protocol,omitempty"`

	// intervalSeconds between two times that figures are sent. They are sent after each step and at the end too. Default
	// 10, limits 1 to 300.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=300
	IntervalSeconds *int32 `json:"intervalSeconds,omitempty"`

	// headersSecretRef names a Secret in the namespace of the run, each key of which is sent as a header, for example
	// Authorization. The key ca.crt is none, but the authorities that sign the receiver's certificate, in PEM. Unset: no
	// headers, and the authorities of the load generator's image. Its name begins with mongobench-push-: whoever may make
	// runs can send it anywhere, so a Secret has to be made for that.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.name.startsWith('mongobench-push-')",message="the name of a Secret that is sent must begin with mongobench-push-"
	HeadersSecretRef *NameReference `json:"headersSecretRef,omitempty"`
}
