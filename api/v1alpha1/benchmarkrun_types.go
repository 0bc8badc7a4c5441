package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// CleanupPolicy says what happens to a run's target and pods when it has finished. Results are always kept.
// +kubebuilder:validation:Enum=Delete;KeepOnFailure;Keep
type CleanupPolicy string

const (
	// CleanupDelete removes the target and the pods.
	CleanupDelete CleanupPolicy = "Delete"
	// CleanupKeepOnFailure removes them only after a success, so that a failure can be investigated.
	CleanupKeepOnFailure CleanupPolicy = "KeepOnFailure"
	// CleanupKeep leaves them in place.
	CleanupKeep CleanupPolicy = "Keep"
)

// PinAnnotation with the value "true" pins a finished run: neither its ttlSecondsAfterFinished nor the
// revisionHistoryLimit of its suite removes it. Whoever deletes the run or its suite still does.
const PinAnnotation = "mongobench.dev/pin"

// RepeatAnnotation with the value "true" on a run of a suite that did not succeed has the suite remove the run and make
// it again, also when the suite was complete. On a run that succeeded it means nothing.
const RepeatAnnotation = "mongobench.dev/repeat"

// BenchmarkRunSpec declares one measurement. It is immutable except for deadlines, concurrency, suspend, cancel,
// retryLimit, cleanupPolicy, keepSeconds and ttlSecondsAfterFinished.
//
// +kubebuilder:validation:XValidation:rule="has(self.target) != has(self.targetRef)",message="exactly one of target and targetRef must be set",fieldPath=".target"
// +kubebuilder:validation:XValidation:rule="has(self.preset) ? !has(self.dataset) && !has(self.workload) : has(self.dataset) && has(self.workload)",message="either preset alone, or dataset and workload, must be set",fieldPath=".preset"
type BenchmarkRunSpec struct {
	// target declares a MongoDB deployment for this run, removed according to cleanupPolicy. Exactly one of target and
	// targetRef must be set.
	// +optional
	Target *BenchmarkTargetSpec `json:"target,omitempty"`

	// targetRef names a BenchmarkTarget in the same namespace, which the run leaves in place.
	// +optional
	TargetRef *NameReference `json:"targetRef,omitempty"`

	// seed for everything random: the same specification and seed give the same documents and operations. Default 1.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Seed *int64 `json:"seed,omitempty"`

	// operationSeed for what is drawn while measuring: the order of the operations, their keys and parameters, and the
	// times at which they are due. Loaded and inserted documents do not depend on it. Default: seed; a suite gives each
	// repetition another one, seed plus the number of the repetition, which is the same for all variants.
	// +optional
	// +kubebuilder:validation:Minimum=1
	OperationSeed *int64 `json:"operationSeed,omitempty"`

	// preset stands for a predefined dataset and workload, such as a core workload of YCSB. Set either preset alone, or
	// dataset and workload.
	// +optional
	Preset *Preset `json:"preset,omitempty"`

	// dataset declares what to load first.
	// +optional
	Dataset Dataset `json:"dataset,omitzero"`

	// workload declares what to measure.
	// +optional
	Workload Workload `json:"workload,omitzero"`

	// duet has the steps measured in turns with those of another target, and compared with them. Unset: they are measured
	// alone.
	// +optional
	Duet *Duet `json:"duet,omitempty"`

	// loadGenerator declares the pods that drive the load. Unset: one pod.
	// +optional
	LoadGenerator *LoadGenerator `json:"loadGenerator,omitempty"`

	// priceList names what things cost, as a ConfigMap in the same namespace. From it, and from what the target ran on,
	// the result has costPerMillionOperationsMicros and costPerMonthAtRateMicros of each step. It is read when the run
	// is accepted, to say what is wrong with it, and counts as it is when the run ends; a list that is not right fails no
	// run. Unset: the operator's own list, if it was given one, or else no costs.
	// +optional
	PriceList *PriceListReference `json:"priceList,omitempty"`

	// deadlines of the run's stages. They may be changed at any time, also for a stage that has begun: a load that takes
	// longer than was thought need not be lost.
	// +optional
	Deadlines *Deadlines `json:"deadlines,omitempty"`

	// concurrency says which runs this one waits for. It is evaluated when the run is admitted. Unset: one run at a time
	// per node pool, or the operator's own setting.
	// +optional
	Concurrency *Concurrency `json:"concurrency,omitempty"`

	// suspend keeps a run from being admitted, for queueing systems. It means what it means for a Job: one that has begun
	// stops, everything that it created is removed, its target with the data included, and it starts over when suspend is
	// false again. It is no pause. May be changed at any time. Default false.
	// +optional
	Suspend *bool `json:"suspend,omitempty"`

	// cancel ends the run: it does not succeed, and what was measured until then is kept. Once true it cannot be reset.
	// Default false.
	// +optional
	Cancel *bool `json:"cancel,omitempty"`

	// retryLimit is how often the run starts over after something broke that is no fault of what is measured: a load pod
	// was evicted, preempted or deleted, a node does not answer, or the target or a member of it was lost. Everything that
	// the attempt made is removed, whatever cleanupPolicy says, and the run gets in line again. Nothing else is repeated:
	// no error, no lack of memory, no deadline, no abort, and never what was measured to its end. So it is not the
	// backoffLimit of a Job, which counts failures of every kind. May be changed at any time. Default 0, limits 0 to 10.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10
	RetryLimit *int32 `json:"retryLimit,omitempty"`

	// cleanupPolicy says what happens to an inline target and the pods at the end: Delete, KeepOnFailure or Keep. The run
	// and its results stay with each of them, and what is kept goes with the run. May be changed at any time. Default
	// Delete.
	// +optional
	CleanupPolicy *CleanupPolicy `json:"cleanupPolicy,omitempty"`

	// keepSeconds limits how long cleanupPolicy keeps the target and the pods after the end. The run and its results stay.
	// May be changed at any time. Limits 0 to 2147483647. Unset: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	KeepSeconds *int32 `json:"keepSeconds,omitempty"`

	// ttlSecondsAfterFinished is the time after its end at which the run itself is deleted, and with it its result, its
	// report and whatever cleanupPolicy kept, as that of a Job. The annotation mongobench.dev/pin: "true" prevents it.
	// May be changed at any time. Not allowed in the template of a suite, which has revisionHistoryLimit. Limits 0 to
	// 2147483647. Unset: the run stays until it is deleted.
	// +optional
	// +kubebuilder:validation:Minimum=0
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
}

// Deadlines are the times within which the stages of a run must end; a stage that misses its deadline fails the run
// with the cause that was observed.
type Deadlines struct {
	// schedulingSeconds is the time within which every load pod must be running. Default 300, limits 10 to 86400. An
	// inline target has its own provisioningSeconds.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=86400
	SchedulingSeconds *int32 `json:"schedulingSeconds,omitempty"`

	// queueingSeconds is the time within which a load Job that something else suspends must be let go. The run holds its
	// place among the runs of its node pool meanwhile. A run that waits for Kueue as a whole has no deadline.
	// Default 3600, limits 10 to 604800.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=604800
	QueueingSeconds *int32 `json:"queueingSeconds,omitempty"`

	// loadingSeconds is the time within which the dataset must be loaded and verified. Default 3600, limits 1 to
	// 604800.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=604800
	LoadingSeconds *int32 `json:"loadingSeconds,omitempty"`

	// measuringSeconds is the time within which all steps must end, counted from the end of loading. Unset: the sum of all
	// warm-ups and durations, plus 3600 for each step with an operationCount, the trials of searches, 30 for the queue of
	// each open loop, and a margin of 300.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2592000
	MeasuringSeconds *int32 `json:"measuringSeconds,omitempty"`

	// storingSeconds is the time within which what was measured must be merged and stored, counted from the end of
	// the last step. A report that a quota, a policy or an API server does not take is kept by the load pods and
	// tried again until then; the run keeps its place in the queue meanwhile. Default 86400, limits 60 to 604800.
	// +optional
	// +kubebuilder:validation:Minimum=60
	// +kubebuilder:validation:Maximum=604800
	StoringSeconds *int32 `json:"storingSeconds,omitempty"`
}

// BenchmarkRun is one measurement: a target, a dataset, a workload, and in its status the result.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=mbr,categories=mongobench
// +kubebuilder:printcolumn:name="Target",type=string,JSONPath=`.status.targetName`
// +kubebuilder:printcolumn:name="Stage",type=string,JSONPath=`.status.conditions[?(@.type=="Progressing")].reason`
// +kubebuilder:printcolumn:name="Succeeded",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Complete")].reason`,priority=1
// +kubebuilder:printcolumn:name="Trusted",type=string,JSONPath=`.status.conditions[?(@.type=="Trusted")].status`
// +kubebuilder:printcolumn:name="Steps",type=integer,JSONPath=`.status.summary.steps`,priority=1
// +kubebuilder:printcolumn:name="Step",type=string,JSONPath=`.status.summary.step`
// +kubebuilder:printcolumn:name="Ops/s",type=integer,JSONPath=`.status.summary.operationsPerSecond`
// +kubebuilder:printcolumn:name="p99",type=string,JSONPath=`.status.summary.p99`
// +kubebuilder:printcolumn:name="Limited by",type=string,JSONPath=`.status.summary.limitedBy`,priority=1
// +kubebuilder:printcolumn:name="Operations",type=integer,JSONPath=`.status.summary.operations`,priority=1
// +kubebuilder:printcolumn:name="Errors",type=integer,JSONPath=`.status.summary.errors`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 52",message="name must be no more than 52 characters, so that the names of its pods fit into 63"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || self.metadata.name >= 'a' && !self.metadata.name.contains('.')",message="name must be lower case letters, digits and dashes, begin with a letter and not end with a dash: Services, Jobs and pods are named after it",optionalOldSelf=true
type BenchmarkRun struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object's metadata. The name has at most 52 characters: lower case letters, digits and
	// dashes, of which the first is a letter and the last no dash.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	// spec declares the measurement.
	// +required
	// +kubebuilder:validation:XValidation:rule="has(self.preset) == has(oldSelf.preset) && (!has(self.preset) || self.preset == oldSelf.preset)",message="preset cannot be changed; create another BenchmarkRun",fieldPath=".preset"
	// +kubebuilder:validation:XValidation:rule="has(self.target) == has(oldSelf.target) && (!has(self.target) || self.target == oldSelf.target)",message="target cannot be changed; create another BenchmarkRun",fieldPath=".target"
	// +kubebuilder:validation:XValidation:rule="has(self.targetRef) == has(oldSelf.targetRef) && (!has(self.targetRef) || self.targetRef == oldSelf.targetRef)",message="targetRef cannot be changed; create another BenchmarkRun",fieldPath=".targetRef"
	// +kubebuilder:validation:XValidation:rule="has(self.seed) == has(oldSelf.seed) && (!has(self.seed) || self.seed == oldSelf.seed)",message="seed cannot be changed; create another BenchmarkRun",fieldPath=".seed"
	// +kubebuilder:validation:XValidation:rule="has(self.operationSeed) == has(oldSelf.operationSeed) && (!has(self.operationSeed) || self.operationSeed == oldSelf.operationSeed)",message="operationSeed cannot be changed; create another BenchmarkRun",fieldPath=".operationSeed"
	// +kubebuilder:validation:XValidation:rule="has(self.loadGenerator) == has(oldSelf.loadGenerator) && (!has(self.loadGenerator) || self.loadGenerator == oldSelf.loadGenerator)",message="loadGenerator cannot be changed; create another BenchmarkRun",fieldPath=".loadGenerator"
	// +kubebuilder:validation:XValidation:rule="has(self.priceList) == has(oldSelf.priceList) && (!has(self.priceList) || self.priceList == oldSelf.priceList)",message="priceList cannot be changed; create another BenchmarkRun",fieldPath=".priceList"
	// +kubebuilder:validation:XValidation:rule="has(self.dataset) == has(oldSelf.dataset) && (!has(self.dataset) || self.dataset == oldSelf.dataset)",message="dataset cannot be changed; create another BenchmarkRun",fieldPath=".dataset"
	// +kubebuilder:validation:XValidation:rule="has(self.workload) == has(oldSelf.workload) && (!has(self.workload) || self.workload == oldSelf.workload)",message="workload cannot be changed; create another BenchmarkRun",fieldPath=".workload"
	// +kubebuilder:validation:XValidation:rule="!has(oldSelf.cancel) || !oldSelf.cancel || (has(self.cancel) && self.cancel)",message="cancel cannot be taken back; create another BenchmarkRun",fieldPath=".cancel"
	Spec BenchmarkRunSpec `json:"spec,omitzero"`

	// status is what the operator observed, and the result.
	// +optional
	Status BenchmarkRunStatus `json:"status,omitempty,omitzero"`
}

// BenchmarkRunList is a list of BenchmarkRuns.
//
// +kubebuilder:object:root=true
type BenchmarkRunList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BenchmarkRun `json:"items"`
}

// DatabaseUse says whether a run has its database for itself.
// +kubebuilder:validation:Enum=Exclusive;Shared
type DatabaseUse string

const (
	// DatabaseExclusive keeps a run waiting while another one is measured in the same database of the same target.
	DatabaseExclusive DatabaseUse = "Exclusive"
	// DatabaseShared lets runs that all say so be measured in one database at once.
	DatabaseShared DatabaseUse = "Shared"
)

// Concurrency says which runs wait for one another. The namespaces that the operator watches take turns, and runs of
// one namespace and group are admitted in order of creation. It is for the runs of one namespace: those of other
// namespaces that may use the same nodes are waited for as the operator's own setting says, and so are targets that are
// deployed.
type Concurrency struct {
	// group that the run waits in. Unset: the node pool, which is the nodeSelector of the target's pods, the operator's
	// defaults included. Selectors that one node may satisfy, since they do not ask for different values of one label, are
	// one pool.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$`
	Group *string `json:"group,omitempty"`

	// database says whether the run shares its database: Exclusive or Shared. With Exclusive no other run is loaded or
	// measured in it at the same time: one of the same target, by targetRef, waits, and any other one that comes upon the
	// database fails before it writes. Runs that are all Shared are measured at the same time if they have the same
	// dataset: one of them loads it, and one that would have to load it again fails. Default Exclusive.
	// +optional
	Database *DatabaseUse `json:"database,omitempty"`

	// max is the number of runs of the group that may be admitted at once, including this one. Default 1, or the
	// operator's own setting. Limits 1 to 1000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Max *int32 `json:"max,omitempty"`
}
