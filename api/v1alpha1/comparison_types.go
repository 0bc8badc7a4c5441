package v1alpha1

// Baseline is what the variants of a suite are compared with: exactly one of its fields is set.
//
// +kubebuilder:validation:XValidation:rule="[has(self.variant), has(self.previousRevision), has(self.suite), has(self.figures)].filter(x, x).size() == 1",message="exactly one of variant, previousRevision, suite and figures must be set"
type Baseline struct {
	// variant of this suite that all others are compared with.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Variant *string `json:"variant,omitempty"`

	// previousRevision compares each variant with the variant of the same name in the latest complete earlier revision.
	// +optional
	PreviousRevision *PreviousRevision `json:"previousRevision,omitempty"`

	// suite compares each variant with the variant of the same name in another suite.
	// +optional
	Suite *SuiteReference `json:"suite,omitempty"`

	// figures compare each variant with fixed numbers, which have no spread: the confidence interval of the runs' median
	// must lie beyond them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Figures []Figure `json:"figures,omitempty"`
}

// PreviousRevision has no settings.
type PreviousRevision struct{}

// SuiteReference names a revision of a suite in the same namespace.
type SuiteReference struct {
	// name of the BenchmarkSuite.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=52
	Name string `json:"name,omitempty"`

	// revision to compare with. Unset: the latest complete one.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Revision *string `json:"revision,omitempty"`
}

// Figure is a fixed number to compare runs with.
type Figure struct {
	// metric of the number.
	// +required
	Metric Metric `json:"metric,omitempty"`

	// step of the workload. Unset: every step.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Step *string `json:"step,omitempty"`

	// operation of the step. Unset: as for a threshold.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Operation *string `json:"operation,omitempty"`

	// value in the metric's own unit.
	// +required
	// +kubebuilder:validation:Minimum=0
	Value *int64 `json:"value,omitempty"`
}

// Metric is a figure of a run that can be compared. Its unit is in its name.
// +kubebuilder:validation:Enum=OperationsPerSecond;MeanMicros;P50Micros;P95Micros;P99Micros;P999Micros;P9999Micros;StdDevMicros;RecallPerMillion;FirstDocumentP50Micros;ErrorsPerMillion;LoadDocumentsPerSecond;StorageBytes;IndexBytes;ReplicationLagMillis;CostPerMillionOperationsMicros;CostPerMonthAtRateMicros
type Metric string

const (
	// MetricOperationsPerSecond is the throughput: successful operations.
	MetricOperationsPerSecond Metric = "OperationsPerSecond"
	// MetricMeanMicros is the mean latency.
	MetricMeanMicros Metric = "MeanMicros"
	// MetricP50Micros is the median latency.
	MetricP50Micros Metric = "P50Micros"
	// MetricP95Micros is the 95th percentile of the latency.
	MetricP95Micros Metric = "P95Micros"
	// MetricP99Micros is the 99th percentile of the latency.
	MetricP99Micros Metric = "P99Micros"
	// MetricP999Micros is the 99.9th percentile of the latency.
	MetricP999Micros Metric = "P999Micros"
	// MetricP9999Micros is the 99.99th percentile of the latency.
	MetricP9999Micros Metric = "P9999Micros"
	// MetricStdDevMicros is the standard deviation of the latency.
	MetricStdDevMicros Metric = "StdDevMicros"
	// MetricRecallPerMillion is the recall of an operation, in millionths.
	MetricRecallPerMillion Metric = "RecallPerMillion"
	// MetricFirstDocumentP50Micros is the median time to the first document.
	MetricFirstDocumentP50Micros Metric = "FirstDocumentP50Micros"
	// MetricErrorsPerMillion is the number of failed operations per million.
	MetricErrorsPerMillion Metric = "ErrorsPerMillion"
	// MetricLoadDocumentsPerSecond is the throughput of loading. It belongs to no step and no operation.
	MetricLoadDocumentsPerSecond Metric = "LoadDocumentsPerSecond"
	// MetricStorageBytes is the size on disk of the documents of a growing collection, over all shards. Its step is
	// size-<documents>, one for each checkpoint.
	MetricStorageBytes Metric = "StorageBytes"
	// MetricIndexBytes is the size on disk of all its indexes.
	MetricIndexBytes Metric = "IndexBytes"
	// MetricReplicationLagMillis is by how much the secondary that was behind most was behind its primary. It belongs to
	// no operation.
	MetricReplicationLagMillis Metric = "ReplicationLagMillis"
	// MetricCostPerMillionOperationsMicros is what a million operations of a step cost, in millionths of the currency. It
	// belongs to no operation.
	MetricCostPerMillionOperationsMicros Metric = "CostPerMillionOperationsMicros"
	// MetricCostPerMonthAtRateMicros is what a month at the rate of a step costs, in millionths of the currency. It
	// belongs to no operation.
	MetricCostPerMonthAtRateMicros Metric = "CostPerMonthAtRateMicros"
)

// Direction says which direction of change is an improvement.
// +kubebuilder:validation:Enum=HigherIsBetter;LowerIsBetter
type Direction string

const (
	// HigherIsBetter is the direction of throughputs and of the recall.
	HigherIsBetter Direction = "HigherIsBetter"
	// LowerIsBetter is the direction of latencies and errors.
	LowerIsBetter Direction = "LowerIsBetter"
)

// Threshold says which metric to compare, and what counts as a change.
type Threshold struct {
	// metric to compare. A percentile needs operations: 20 for the p50, 200 for the p95, 1000 for the p99, 10000 for the
	// p99.9. At least one step must have as many.
	// +required
	Metric Metric `json:"metric,omitempty"`

	// step of the workload. Unset: every step separately.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Step *string `json:"step,omitempty"`

	// operation of the step. Unset: OperationsPerSecond and ErrorsPerMillion of all operations together, latencies of
	// every operation separately.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Operation *string `json:"operation,omitempty"`

	// direction of improvement. Default HigherIsBetter for throughputs and RecallPerMillion, LowerIsBetter for the rest.
	// +optional
	Direction *Direction `json:"direction,omitempty"`

	// minEffectPercent is the smallest change that matters, in percent of the baseline. Default 5, limits 0 to 1000.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	MinEffectPercent *int32 `json:"minEffectPercent,omitempty"`

	// confidencePercent of the verdict: of a hundred suites without a real change, at most 100 minus this number report
	// one, over all metrics together. Default 95, limits 50 to 99.
	// +optional
	// +kubebuilder:validation:Minimum=50
	// +kubebuilder:validation:Maximum=99
	ConfidencePercent *int32 `json:"confidencePercent,omitempty"`
}
