package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SuiteOrder says in which order the runs of a suite are created.
// +kubebuilder:validation:Enum=Interleaved;Sequential;Shuffled;Duet
type SuiteOrder string

const (
	// SuiteInterleaved goes through the variants alternately forwards and backwards: ABBAAB.
	SuiteInterleaved SuiteOrder = "Interleaved"
	// SuiteSequential creates all repetitions of one variant, then those of the next: AAABBB.
	SuiteSequential SuiteOrder = "Sequential"
	// SuiteShuffled draws an order from the template's seed.
	SuiteShuffled SuiteOrder = "Shuffled"
	// SuiteDuet measures each variant in one run together with the variant that is the baseline: both targets stand at the
	// same time, and the load alternates between them in windows of some seconds until the thresholds are decided.
	SuiteDuet SuiteOrder = "Duet"
)

// TargetReuse says whether the runs of a variant share one target.
// +kubebuilder:validation:Enum=None;PerVariant
type TargetReuse string

const (
	// TargetReuseNone gives each run a fresh target.
	TargetReuseNone TargetReuse = "None"
	// TargetReusePerVariant gives all runs of a variant one target, which exists until the last of them has ended. The
	// dataset is loaded once, and again after a run that changed it.
	TargetReusePerVariant TargetReuse = "PerVariant"
)

// SuspendPolicy says what a suspended suite does to runs that have begun.
// +kubebuilder:validation:Enum=AfterCurrent;Now
type SuspendPolicy string

const (
	// SuspendAfterCurrent lets runs that have begun go on to their end.
	SuspendAfterCurrent SuspendPolicy = "AfterCurrent"
	// SuspendNow stops them: what they created is removed, and they start over when the suite is resumed.
	SuspendNow SuspendPolicy = "Now"
)

// FailOn says with which verdicts a suite does not pass.
// +kubebuilder:validation:Enum=Never;Regressed;Inconclusive;NotDetected
type FailOn string

const (
	// FailOnNever lets every comparison pass: for suites that find out, and are no gate.
	FailOnNever FailOn = "Never"
	// FailOnRegressed fails if a metric is shown to be worse. What was not found passes, however much the noise hides.
	FailOnRegressed FailOn = "Regressed"
	// FailOnInconclusive fails on Inconclusive too: lines without a test, and runs that are in doubt or unlike.
	FailOnInconclusive FailOn = "Inconclusive"
	// FailOnNotDetected fails on NotDetected too: a suite that passes has shown of every line that it is not worse.
	FailOnNotDetected FailOn = "NotDetected"
)

// BenchmarkSuiteSpec declares a set of runs to compare. It may be changed at any time: a change that affects results
// starts a new revision, which creates only the missing runs.
//
// +kubebuilder:validation:XValidation:rule="!has(self.targetReuse) || self.targetReuse == 'None' || has(self.template.spec.target)",message="targetReuse: PerVariant needs template.spec.target, of which each variant gets one",fieldPath=".targetReuse"
type BenchmarkSuiteSpec struct {
	// template of every run.
	// +required
	Template RunTemplate `json:"template,omitzero"`

	// matrix of the variants of the template. Unset: one variant, named "default", which is the template itself.
	// +optional
	Matrix *Matrix `json:"matrix,omitempty"`

	// repetitions of each variant. Default 10, and 1 in the order Duet, whose runs go on by themselves until they know. Of
	// a search it is the most runs of a variant that is tried, 2 at least, by default 5. Limits 1 to 100. All variants
	// together have at most 1000 runs. The condition Accepted says so if that is too few for the lines of the comparison
	// to find anything.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Repetitions *int32 `json:"repetitions,omitempty"`

	// order of the runs: Interleaved, Sequential, Shuffled or Duet. Default Interleaved, so that drift over time, such as
	// a machine warming up, does not affect one variant more than another. Duet needs baseline.variant, and
	// template.spec.target.
	// +optional
	Order *SuiteOrder `json:"order,omitempty"`

	// search has the suite find the smallest variant that keeps some constraints, instead of measuring and comparing all
	// of them. Unset: none.
	// +optional
	Search *SuiteSearch `json:"search,omitempty"`

	// duets says how the windows of the order Duet are made. Unset: they alternate, and their length is chosen.
	// +optional
	Duets *SuiteDuetSettings `json:"duets,omitempty"`

	// targetReuse says whether the runs of a variant share a target: None or PerVariant. Default None. In the order Duet
	// it is PerVariant.
	// +optional
	TargetReuse *TargetReuse `json:"targetReuse,omitempty"`

	// parallelism is the maximum number of unfinished runs at a time. Default 1, limits 1 to 64; spec.concurrency of the
	// runs may admit fewer.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Parallelism *int32 `json:"parallelism,omitempty"`

	// suspend keeps the suite from creating further runs, as that of a CronJob does, and suspends those that wait for
	// their turn; suspendPolicy says what happens to those that have begun. Runs that Kueue admits are left to Kueue.
	// Default false.
	// +optional
	Suspend *bool `json:"suspend,omitempty"`

	// suspendPolicy says what suspend does to runs that have begun: AfterCurrent lets them go on to their end, Now stops
	// them, and they start over when suspend is false again. May be changed while the suite is suspended. Default
	// AfterCurrent.
	// +optional
	SuspendPolicy *SuspendPolicy `json:"suspendPolicy,omitempty"`

	// revisionHistoryLimit is the number of earlier revisions whose runs are kept, as that of a Deployment is. Default 3,
	// limits 0 to 100. The ConfigMap <suite>-history keeps the figures of more revisions.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	RevisionHistoryLimit *int32 `json:"revisionHistoryLimit,omitempty"`

	// historySizeLimit is what the stored reports of all runs that have ended may take together. Beyond it the runs of the
	// oldest revisions are removed, but never those of the present revision, those that it is compared with, and pinned
	// ones; the condition Accepted says so if these alone take more. Default 512Mi, a quarter of what etcd stores by
	// default; limits 1Mi to 8Gi.
	// +optional
	HistorySizeLimit *resource.Quantity `json:"historySizeLimit,omitempty"`

	// stopOnFailure ends the revision with the first run that does not succeed; unfinished runs are cancelled. Default
	// false: the other runs continue.
	// +optional
	StopOnFailure *bool `json:"stopOnFailure,omitempty"`

	// baseline is what the variants are compared with. Unset: the same variant of the previous revision.
	// +optional
	Baseline *Baseline `json:"baseline,omitempty"`

	// thresholds are the metrics to compare, and how. Unset: OperationsPerSecond and P99Micros of every step, 5 %, 95 %
	// confidence.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Thresholds []Threshold `json:"thresholds,omitempty"`

	// failOn says with which verdicts the condition Passed is False: Never, Regressed, Inconclusive or NotDetected. Each
	// fails on what the ones before it fail on, too. Default NotDetected, so that a suite that passes has shown that no
	// line got worse by its minEffectPercent or more.
	// +optional
	FailOn *FailOn `json:"failOn,omitempty"`

	// allowDoubts names reasons of a run's condition Trusted, for example "NotSteady", with which a run is compared all
	// the same. A run that is not to be trusted for any other reason makes the lines of its variant Inconclusive.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	AllowDoubts []string `json:"allowDoubts,omitempty"`

	// ignoreDifferences names fields of the fingerprint in which compared runs may differ even though the variants do not
	// declare it, for example "cpuModels". The names are those of status.server and status.fingerprint of a run.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	IgnoreDifferences []string `json:"ignoreDifferences,omitempty"`

	// acknowledged are regressions that are known. A line that regressed and is acknowledged stays Regressed, and does
	// not make the conditions Regressed True and Passed False, until its time has passed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Acknowledged []Acknowledgement `json:"acknowledged,omitempty"`

	// schedule says when the content is measured again without a change, each time as a revision of its own. What begins
	// with a change of the content begins at once all the same. While the suite is suspended, or its runs have not ended,
	// times of the schedule are skipped. Unset: never.
	// +optional
	Schedule *SuiteSchedule `json:"schedule,omitempty"`

	// timeoutSeconds is the time for all runs of a revision, counted from its first; runs that have not ended by then are
	// cancelled. Unset: only each run's own deadlines apply. Limits 60 to 2592000.
	// +optional
	// +kubebuilder:validation:Minimum=60
	// +kubebuilder:validation:Maximum=2592000
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`
}

// SuiteDuetSettings are those of the duets of a suite.
type SuiteDuetSettings struct {
	// form of the windows: Alternating or Concurrent. Default Alternating, for which the members of both targets are
	// placed on the same nodes where these have room, so that neither side has the faster ones.
	// +optional
	Form *DuetForm `json:"form,omitempty"`

	// windowSeconds is the length of a window. Default: chosen from 1 to 5 by how the throughput of the warm-ups varies;
	// 1 without a warm-up. Limits 1 to 60.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=60
	WindowSeconds *int32 `json:"windowSeconds,omitempty"`
}

// RunTemplate is the template for the runs of a suite.
type RunTemplate struct {
	// metadata of the runs.
	// +optional
	Metadata RunTemplateMetadata `json:"metadata,omitempty,omitzero"`

	// spec of the runs, before a variant's patch.
	// +required
	Spec BenchmarkRunSpec `json:"spec,omitzero"`
}

// RunTemplateMetadata is copied to each run of a suite.
type RunTemplateMetadata struct {
	// labels for each run, for example kueue.x-k8s.io/queue-name.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Labels map[string]string `json:"labels,omitempty"`

	// annotations for each run.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Annotations map[string]string `json:"annotations,omitempty"`
}

// BenchmarkSuite is a set of runs to keep in Git: a template, a matrix of variants, repetitions, and what to compare
// them with. Its status has the comparison and the verdict.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=mbs,categories=mongobench
// +kubebuilder:printcolumn:name="Revision",type=string,JSONPath=`.status.revision`
// +kubebuilder:printcolumn:name="Runs",type=integer,JSONPath=`.status.runs.planned`
// +kubebuilder:printcolumn:name="Succeeded",type=integer,JSONPath=`.status.runs.succeeded`
// +kubebuilder:printcolumn:name="Failed",type=integer,JSONPath=`.status.runs.failed`
// +kubebuilder:printcolumn:name="Complete",type=string,JSONPath=`.status.conditions[?(@.type=="Complete")].status`
// +kubebuilder:printcolumn:name="Regressed",type=string,JSONPath=`.status.conditions[?(@.type=="Regressed")].status`
// +kubebuilder:printcolumn:name="Passed",type=string,JSONPath=`.status.conditions[?(@.type=="Passed")].status`
// +kubebuilder:printcolumn:name="Found",type=string,JSONPath=`.status.search.variant`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Last Schedule",type=date,JSONPath=`.status.schedule.lastScheduleTime`,priority=1
// +kubebuilder:printcolumn:name="Next Schedule",type=string,JSONPath=`.status.schedule.nextScheduleTime`,priority=1
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 52",message="name must be no more than 52 characters"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || self.metadata.name >= 'a'",message="name must begin with a letter, because the names of its runs begin with it",optionalOldSelf=true
type BenchmarkSuite struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object's metadata. The name has at most 52 characters, of which the first is a letter. A
	// dot becomes a dash in the names of the suite's runs.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	// spec declares the runs and how to compare them.
	// +required
	Spec BenchmarkSuiteSpec `json:"spec,omitzero"`

	// status is what the operator observed, and the verdict.
	// +optional
	Status BenchmarkSuiteStatus `json:"status,omitempty,omitzero"`
}

// BenchmarkSuiteList is a list of BenchmarkSuites.
//
// +kubebuilder:object:root=true
type BenchmarkSuiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BenchmarkSuite `json:"items"`
}
