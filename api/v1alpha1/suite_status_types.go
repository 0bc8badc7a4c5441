package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkSuiteStatus is what the operator observed of a suite, and the verdict.
type BenchmarkSuiteStatus struct {
	// conditions: Accepted, Complete, Regressed, Passed.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// revision is the hash of everything in the current content that may change results, and of the occasion.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Revision string `json:"revision,omitempty"`

	// occasion on which everything was measured again last. A change of the content keeps it, so that variants that the
	// change does not concern keep their runs. Unset: there was none.
	// +optional
	Occasion *SuiteOccasion `json:"occasion,omitempty"`

	// schedule is what became of spec.schedule.
	// +optional
	Schedule *SuiteScheduleStatus `json:"schedule,omitempty"`

	// runNow is the value of the annotation mongobench.dev/run-now that was acted on last. One that is longer than 63
	// characters is cut, and ends with some of the hash of the whole.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	RunNow string `json:"runNow,omitempty"`

	// acknowledgedUntil is when the first acknowledgement of a line of the comparison ends. Unset: none is acknowledged.
	// +optional
	AcknowledgedUntil *metav1.Time `json:"acknowledgedUntil,omitempty"`

	// startTime is when the first run of the revision was created.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime is when the revision was complete.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// runs counts the runs of the revision.
	// +optional
	Runs *RunCounts `json:"runs,omitempty"`

	// variants of the revision, in the order of the matrix: the first 200.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=200
	Variants []VariantStatus `json:"variants,omitempty"`

	// search is what spec.search knows. Unset: nothing is searched.
	// +optional
	Search *SuiteSearchStatus `json:"search,omitempty"`

	// comparison with the baseline: first what regressed, then what improved, what is inconclusive, what was not
	// detected, and what is not worse or unchanged. At most 48 lines; the ConfigMap named by result has all. Atomic:
	// what a line is of is told by several fields, of which some are unset.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=48
	Comparison []ComparisonLine `json:"comparison,omitempty"`

	// omittedLines is the number of lines omitted from comparison.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OmittedLines *int32 `json:"omittedLines,omitempty"`

	// changePoints are the revisions at which a metric changed, over the history of the suite. Atomic, as
	// comparison is.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	ChangePoints []ChangePoint `json:"changePoints,omitempty"`

	// result says where the whole result is stored: every sample, the comparison, and tables for other tools.
	// +optional
	Result *SuiteResultReference `json:"result,omitempty"`

	// history of the revisions, the latest first, including the current one.
	// +optional
	// +listType=map
	// +listMapKey=revision
	// +kubebuilder:validation:MaxItems=101
	History []RevisionStatus `json:"history,omitempty"`
}

// RunCounts counts runs.
type RunCounts struct {
	// planned is the number of runs to make.
	// +required
	// +kubebuilder:validation:Minimum=0
	Planned *int32 `json:"planned,omitempty"`

	// active is the number of existing runs that have not ended.
	// +required
	// +kubebuilder:validation:Minimum=0
	Active *int32 `json:"active,omitempty"`

	// succeeded is the number of runs that succeeded.
	// +required
	// +kubebuilder:validation:Minimum=0
	Succeeded *int32 `json:"succeeded,omitempty"`

	// failed is the number of runs that ended without success.
	// +required
	// +kubebuilder:validation:Minimum=0
	Failed *int32 `json:"failed,omitempty"`

	// untrusted is the number of runs that succeeded but are not trusted. The lines of their variants are Inconclusive,
	// unless allowDoubts has every reason for doubt.
	// +required
	// +kubebuilder:validation:Minimum=0
	Untrusted *int32 `json:"untrusted,omitempty"`
}

// VariantStatus is one variant of a revision.
type VariantStatus struct {
	// name: the variant's choices, joined by dashes.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name string `json:"name,omitempty"`

	// specHash is the hash of everything that may change the results of the variant, and of the occasion. It is part of
	// its runs' names.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	SpecHash string `json:"specHash,omitempty"`

	// succeeded is the number of its runs that succeeded.
	// +required
	// +kubebuilder:validation:Minimum=0
	Succeeded *int32 `json:"succeeded,omitempty"`

	// failed is the number of its runs that ended without success.
	// +required
	// +kubebuilder:validation:Minimum=0
	Failed *int32 `json:"failed,omitempty"`

	// step is the name of the step that operationsPerSecond and p99Micros are of, in every run of the variant: the one
	// with the highest throughput in its first run that succeeded. Unset: none has a result.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Step string `json:"step,omitempty"`

	// operationsPerSecond of the step is the median over the variant's runs. Unset: none has a result.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OperationsPerSecond *int64 `json:"operationsPerSecond,omitempty"`

	// p99Micros is the median over the variant's runs of the 99th percentile over all operations of the step. Unset: none
	// has one.
	// +optional
	// +kubebuilder:validation:Minimum=0
	P99Micros *int64 `json:"p99Micros,omitempty"`
}

// Verdict says how a metric compares with its baseline.
// It is no enum, so that a definition of an older version stores what a later operator writes.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=64
type Verdict string

const (
	// VerdictImproved is a change for the better that is large enough to matter.
	VerdictImproved Verdict = "Improved"
	// VerdictUnchanged means that a change that is large enough to matter is ruled out.
	VerdictUnchanged Verdict = "Unchanged"
	// VerdictNotWorse means that a change for the worse that is large enough to matter is ruled out, and one for the
	// better is not.
	VerdictNotWorse Verdict = "NotWorse"
	// VerdictNotDetected means that no change was found, and that one that is large enough to matter is not ruled out; the
	// message says which change would have been found.
	VerdictNotDetected Verdict = "NotDetected"
	// VerdictRegressed is a change for the worse that is large enough to matter.
	VerdictRegressed Verdict = "Regressed"
	// VerdictInconclusive means that the data does not decide; the message says why.
	VerdictInconclusive Verdict = "Inconclusive"
)

// ComparisonTest is how the samples of a line were compared.
// It is no enum, so that a definition of an older version stores what a later operator writes.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=64
type ComparisonTest string

const (
	// TestSignedRank is Wilcoxon's test of the runs of each repetition, which were measured one after the other.
	TestSignedRank ComparisonTest = "SignedRank"
	// TestRankSum is the Mann-Whitney test of two samples.
	TestRankSum ComparisonTest = "RankSum"
	// TestSign is the sign test against a fixed figure.
	TestSign ComparisonTest = "Sign"
	// TestSequential is the anytime-valid t-test of the windows of a duet, which may be looked at after each of them.
	TestSequential ComparisonTest = "Sequential"
)

// ComparisonLine compares one metric of one variant with the baseline.
type ComparisonLine struct {
	// variant that was compared.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Variant string `json:"variant,omitempty"`

	// baseline of the comparison: a variant, "<suite>@<revision>", or "figure".
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Baseline string `json:"baseline,omitempty"`

	// metric that was compared.
	// +required
	Metric Metric `json:"metric,omitempty"`

	// step of the workload. Unset: the metric does not belong to a step.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Step string `json:"step,omitempty"`

	// operation of the step. Unset: all operations together.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Operation string `json:"operation,omitempty"`

	// verdict is Improved, Unchanged, NotWorse, Regressed, NotDetected or Inconclusive.
	// +required
	Verdict Verdict `json:"verdict,omitempty"`

	// baselineMedian in the metric's unit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	BaselineMedian *int64 `json:"baselineMedian,omitempty"`

	// median of the variant, in the metric's unit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Median *int64 `json:"median,omitempty"`

	// test that was used: SignedRank, RankSum, Sign or Sequential. Unset: there was nothing to test.
	// +optional
	Test ComparisonTest `json:"test,omitempty"`

	// baselineSamples is the number of the baseline's runs that were compared.
	// +optional
	// +kubebuilder:validation:Minimum=0
	BaselineSamples *int32 `json:"baselineSamples,omitempty"`

	// samples is the number of the variant's runs that were compared.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Samples *int32 `json:"samples,omitempty"`

	// effectBasisPoints is the change, in hundredths of a percent of the baseline: the Hodges-Lehmann estimate.
	// +optional
	EffectBasisPoints *int64 `json:"effectBasisPoints,omitempty"`

	// lowBasisPoints and highBasisPoints bound the change with the requested confidence.
	// +optional
	LowBasisPoints *int64 `json:"lowBasisPoints,omitempty"`

	// highBasisPoints is the upper bound of the change.
	// +optional
	HighBasisPoints *int64 `json:"highBasisPoints,omitempty"`

	// detectableBasisPoints is the smallest change for the worse, in hundredths of a percent of the baseline, that would
	// have been found in four of five such comparisons, given how much these runs vary. Unset: unknown.
	// +optional
	// +kubebuilder:validation:Minimum=0
	DetectableBasisPoints *int64 `json:"detectableBasisPoints,omitempty"`

	// pMillionths is the probability, in millionths, of a difference at least as large between samples of the same
	// distribution, by the line's test: two-sided, corrected over all lines (Holm).
	// +optional
	// +kubebuilder:validation:Minimum=0
	PMillionths *int64 `json:"pMillionths,omitempty"`

	// message explains, for people, the reason for the verdict, or what is missing for one.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`

	// acknowledged says that the regression is known, and until when it does not count. Only in a status.
	// +optional
	Acknowledged *LineAcknowledgement `json:"acknowledged,omitempty"`
}

// ChangePoint is where a metric changed.
type ChangePoint struct {
	// revision at which it changed.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Revision string `json:"revision,omitempty"`

	// variant in which it changed.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Variant string `json:"variant,omitempty"`

	// metric that changed.
	// +required
	Metric Metric `json:"metric,omitempty"`

	// step of the workload. Unset: the metric does not belong to a step.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Step string `json:"step,omitempty"`

	// operation of the step. Unset: all operations together.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Operation string `json:"operation,omitempty"`

	// effectBasisPoints is the change of the mean, in hundredths of a percent.
	// +required
	EffectBasisPoints *int64 `json:"effectBasisPoints,omitempty"`
}

// SuiteResultReference says where the whole result of a revision is stored.
type SuiteResultReference struct {
	// configMapName of the ConfigMap in the same namespace.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ConfigMapName string `json:"configMapName,omitempty"`

	// sha256 of its key result.json.gz, in hexadecimal.
	// +required
	// +kubebuilder:validation:MinLength=64
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256,omitempty"`
}

// RevisionStatus is one revision of a suite.
type RevisionStatus struct {
	// revision is the hash of the revision.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Revision string `json:"revision,omitempty"`

	// occasion on which everything was measured again, in this revision or in one before. Unset: there was none.
	// +optional
	Occasion *SuiteOccasion `json:"occasion,omitempty"`

	// startTime is when the first run was created.
	// +required
	StartTime metav1.Time `json:"startTime,omitzero"`

	// completionTime is when the revision was complete. Unset: it never was.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// verdict over all metrics: the worst one. Unset: it was not compared.
	// +optional
	Verdict *Verdict `json:"verdict,omitempty"`

	// resultConfigMapName of the ConfigMap with the result. Unset: there is none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ResultConfigMapName *string `json:"resultConfigMapName,omitempty"`
}
