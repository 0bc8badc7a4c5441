package v1alpha1

// Group is one of several groups of threads that send operations at the same time, each with a mix, a loop, a begin and
// an end of its own: the operations of the step whose group it is.
//
// It works from the start of the measure window to its end, unless it says otherwise, and in the warm-up if it begins
// with the window.
//
// +kubebuilder:validation:XValidation:rule="!has(self.arrival) || !(has(self.thinkTime) || has(self.threadStages))",message="thinkTime and threadStages are for a closed loop: they cannot be set together with arrival",fieldPath=".arrival"
// +kubebuilder:validation:XValidation:rule="!has(self.threads) || !has(self.threadStages)",message="threadStages say how many threads there are: threads cannot be set together with them",fieldPath=".threads"
type Group struct {
	// name of the group, unique in the step. Operations name it, and the result has figures for it.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name,omitempty"`

	// threads of the group over all load pods; with fewer than pods, the first pods have one each. In an open loop it is
	// the maximum number of operations in flight. Default as for a step without groups; with threadStages the most that
	// these have. Limits 1 to 4096.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4096
	Threads *int32 `json:"threads,omitempty"`

	// threadStages follow one another and say how many threads work: ramping users of a closed loop. The final number
	// continues until the group ends. Unset: threads, all the time.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	ThreadStages []ThreadStage `json:"threadStages,omitempty"`

	// thinkTime is how long a thread of a closed loop pauses between operations. Unset: it does not.
	// +optional
	ThinkTime *ThinkTime `json:"thinkTime,omitempty"`

	// arrival makes the group an open loop: its schedule begins when the group does. Unset: a closed one.
	// +optional
	Arrival *Arrival `json:"arrival,omitempty"`

	// startAfterSeconds is when the group begins: so long after the start of the measure window, or after the end of the
	// group startAfterGroup. Default 0, limit 604800.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=604800
	StartAfterSeconds *int32 `json:"startAfterSeconds,omitempty"`

	// startAfterGroup is another group that has to end before this one begins; of several load pods each waits for its own
	// part of it. Unset: it waits for none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	StartAfterGroup *string `json:"startAfterGroup,omitempty"`

	// durationSeconds is how long the group works, from its own start. Limits 1 to 604800. Unset: until the step ends.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=604800
	DurationSeconds *int32 `json:"durationSeconds,omitempty"`

	// operationCount is how many operations the group sends, over all load pods, before it ends. Unset: any number.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000000
	OperationCount *int64 `json:"operationCount,omitempty"`

	// stopWithGroup is another group with whose end this one ends too; of several load pods each ends with its own part of
	// it. Unset: it ends by itself.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	StopWithGroup *string `json:"stopWithGroup,omitempty"`
}

// ThreadStage is a period with a constant number of threads, or with one that changes linearly.
type ThreadStage struct {
	// seconds that the stage lasts. Limits 1 to 604800.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=604800
	Seconds int32 `json:"seconds,omitempty"`

	// threads over all load pods; for a ramp, the number at its end. Limits 0 to 4096.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=4096
	Threads *int32 `json:"threads,omitempty"`

	// fromThreads makes the stage a ramp, and is the number at its start. Limits 0 to 4096. Unset: the number is constant.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=4096
	FromThreads *int32 `json:"fromThreads,omitempty"`
}

// ThinkTimeDistribution is how think times are drawn.
// +kubebuilder:validation:Enum=Constant;Uniform;Exponential;Normal
type ThinkTimeDistribution string

const (
	// ThinkTimeConstant is the same after every operation.
	ThinkTimeConstant ThinkTimeDistribution = "Constant"
	// ThinkTimeUniform is anything from micros to maxMicros.
	ThinkTimeUniform ThinkTimeDistribution = "Uniform"
	// ThinkTimeExponential has the mean micros, as between independent events.
	ThinkTimeExponential ThinkTimeDistribution = "Exponential"
	// ThinkTimeNormal has the mean micros and the standard deviation deviationMicros; what would be below 0 is 0.
	ThinkTimeNormal ThinkTimeDistribution = "Normal"
)

// ThinkTimeOrigin is what a pause counts from.
// +kubebuilder:validation:Enum=Reply;Start
type ThinkTimeOrigin string

const (
	// ThinkTimeFromReply pauses after each reply.
	ThinkTimeFromReply ThinkTimeOrigin = "Reply"
	// ThinkTimeFromStart keeps a pace: the next operation is sent so long after the last one was, or at once if that took
	// longer.
	ThinkTimeFromStart ThinkTimeOrigin = "Start"
)

// ThinkTime is how long a thread of a closed loop pauses between two operations. It is drawn anew each time.
//
// +kubebuilder:validation:XValidation:rule="(has(self.distribution) && self.distribution == 'Uniform') == has(self.maxMicros)",message="maxMicros is required with distribution Uniform and forbidden with any other",fieldPath=".maxMicros"
// +kubebuilder:validation:XValidation:rule="!has(self.maxMicros) || self.maxMicros >= self.micros",message="maxMicros must not be below micros",fieldPath=".maxMicros"
// +kubebuilder:validation:XValidation:rule="(has(self.distribution) && self.distribution == 'Normal') == has(self.deviationMicros)",message="deviationMicros is required with distribution Normal and forbidden with any other",fieldPath=".deviationMicros"
type ThinkTime struct {
	// distribution that it is drawn from: Constant, Uniform, Exponential or Normal. Default Constant.
	// +optional
	Distribution *ThinkTimeDistribution `json:"distribution,omitempty"`

	// micros is the mean; with Uniform the least. Limits 0 to 3600000000.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600000000
	Micros *int64 `json:"micros,omitempty"`

	// maxMicros is the most, with Uniform. Limits 0 to 3600000000.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600000000
	MaxMicros *int64 `json:"maxMicros,omitempty"`

	// deviationMicros is the standard deviation, with Normal. Limits 0 to 3600000000.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600000000
	DeviationMicros *int64 `json:"deviationMicros,omitempty"`

	// from is what the pause counts from: Reply, or Start, which keeps a pace. Default Reply.
	// +optional
	From *ThinkTimeOrigin `json:"from,omitempty"`
}
