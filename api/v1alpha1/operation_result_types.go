package v1alpha1

// OperationResult is the result of one operation of a mix. Latencies are response times in an open loop, from when the
// operation was due to the reply, and service times otherwise, from the send; they come from histograms of three
// significant digits, merged over all load pods. They are of all requests: one that failed counts at no less than it
// took. A percentile is unset if fewer than ten operations lie beyond it: p99 needs 1,000 operations, p99.9 10,000.
type OperationResult struct {
	// name of the operation.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`

	// partOf is the flow whose part the operation is: it is in no figure of the step. Unset: it is one of the mix.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	PartOf string `json:"partOf,omitempty"`

	// count of successful operations.
	// +required
	// +kubebuilder:validation:Minimum=0
	Count *int64 `json:"count,omitempty"`

	// errors is the number of failed operations. In the latencies each counts at no less than it took.
	// +required
	// +kubebuilder:validation:Minimum=0
	Errors *int64 `json:"errors,omitempty"`

	// returned is the number of documents that operations returned. Unset: none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Returned *int64 `json:"returned,omitempty"`

	// matched is the number of documents that updates and replacements found. Unset: none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Matched *int64 `json:"matched,omitempty"`

	// modified is the number of documents that updates and replacements changed, if the server tells. Unset: none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Modified *int64 `json:"modified,omitempty"`

	// deleted is the number of documents that were deleted. Unset: none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Deleted *int64 `json:"deleted,omitempty"`

	// empty is the number of successful operations that looked for documents and found none. Unset: none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Empty *int64 `json:"empty,omitempty"`

	// unexpected is the number of operations that found more or fewer documents than expected. Unset: none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Unexpected *int64 `json:"unexpected,omitempty"`

	// failedChecks is how often a check of the operation did not hold. Unset: never.
	// +optional
	// +kubebuilder:validation:Minimum=0
	FailedChecks *int64 `json:"failedChecks,omitempty"`

	// recallPerMillion is how many in a million documents of the exact answers the operation's own answers had. Unset:
	// they were not compared.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	RecallPerMillion *int64 `json:"recallPerMillion,omitempty"`

	// retries is how often an operation was resent. Unset: never.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Retries *int64 `json:"retries,omitempty"`

	// unacknowledged is the number of operations without a latency: unacknowledged writes, and waits of a ChangeStream or
	// Tail without news. They are part of count, but of no latency. Unset: none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Unacknowledged *int64 `json:"unacknowledged,omitempty"`

	// operationsPerSecond is the rate of successful operations: the replies within the measure window over its length. Of
	// unacknowledged writes it is their number over the window and drainMillis.
	// +required
	// +kubebuilder:validation:Minimum=0
	OperationsPerSecond *int64 `json:"operationsPerSecond,omitempty"`

	// stragglers is the number of operations in count that were sent in the measure window and answered after it. They are
	// part of the latencies, but of no rate. Unset: none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Stragglers *int64 `json:"stragglers,omitempty"`

	// meanMicros is the mean latency. Unset: no operation was timed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MeanMicros *int64 `json:"meanMicros,omitempty"`

	// p50Micros is the median latency. Unset: fewer than 20 operations were timed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	P50Micros *int64 `json:"p50Micros,omitempty"`

	// p95Micros is the 95th percentile of the latency. Unset: fewer than 200 operations were timed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	P95Micros *int64 `json:"p95Micros,omitempty"`

	// p99Micros is the 99th percentile of the latency. Unset: fewer than 1,000 operations were timed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	P99Micros *int64 `json:"p99Micros,omitempty"`

	// p999Micros is the 99.9th percentile of the latency. Unset: fewer than 10,000 operations were timed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	P999Micros *int64 `json:"p999Micros,omitempty"`

	// p9999Micros is the 99.99th percentile of the latency. Unset: fewer than 100,000 operations were timed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	P9999Micros *int64 `json:"p9999Micros,omitempty"`

	// maxMicros is the largest latency. Unset: no operation was timed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxMicros *int64 `json:"maxMicros,omitempty"`

	// stdDevMicros is the standard deviation of the latency. Unset in the results of older releases.
	// +optional
	// +kubebuilder:validation:Minimum=0
	StdDevMicros *int64 `json:"stdDevMicros,omitempty"`

	// serviceP99Micros is the 99th percentile of the service time. Unset in a closed loop, where it is the latency.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ServiceP99Micros *int64 `json:"serviceP99Micros,omitempty"`

	// firstDocumentP50Micros is the median time from the send to the first document. Unset for kinds that read no cursor.
	// +optional
	// +kubebuilder:validation:Minimum=0
	FirstDocumentP50Micros *int64 `json:"firstDocumentP50Micros,omitempty"`

	// firstDocumentP99Micros is the 99th percentile of that time. Unset for kinds that read no cursor.
	// +optional
	// +kubebuilder:validation:Minimum=0
	FirstDocumentP99Micros *int64 `json:"firstDocumentP99Micros,omitempty"`

	// correctedP99Micros is the 99th percentile of the latency as it would have been if each thread had sent an operation
	// in every expectedIntervalMicros: an estimate. Unset: the step does not say how often.
	// +optional
	// +kubebuilder:validation:Minimum=0
	CorrectedP99Micros *int64 `json:"correctedP99Micros,omitempty"`

	// percentiles of the latency that the step asks for, in order. Unset: it asks for none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Percentiles []PercentileResult `json:"percentiles,omitempty"`

	// databaseTimeP50Micros is the median of how long the database took, by the clock of the gateway that the operation
	// went through. Unset where it went to the database itself.
	// +optional
	// +kubebuilder:validation:Minimum=0
	DatabaseTimeP50Micros *int64 `json:"databaseTimeP50Micros,omitempty"`

	// databaseTimeP99Micros is the 99th percentile of that time. Unset where there is none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	DatabaseTimeP99Micros *int64 `json:"databaseTimeP99Micros,omitempty"`

	// failedP50Micros is the median time after which failed operations failed. Unset: fewer than 20 did.
	// +optional
	// +kubebuilder:validation:Minimum=0
	FailedP50Micros *int64 `json:"failedP50Micros,omitempty"`

	// failedMaxMicros is the longest time after which an operation failed. Unset: none did.
	// +optional
	// +kubebuilder:validation:Minimum=0
	FailedMaxMicros *int64 `json:"failedMaxMicros,omitempty"`
}
