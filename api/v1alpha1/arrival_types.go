package v1alpha1

// ArrivalProcess is the process by which operations arrive.
// +kubebuilder:validation:Enum=Constant;Poisson;Trace
type ArrivalProcess string

const (
	// ArrivalConstant has equal times between operations.
	ArrivalConstant ArrivalProcess = "Constant"
	// ArrivalPoisson draws the times between operations from an exponential distribution, like many independent clients:
	// with bursts and gaps.
	ArrivalPoisson ArrivalProcess = "Poisson"
	// ArrivalTrace takes the times between operations from a list.
	ArrivalTrace ArrivalProcess = "Trace"
)

// Arrival says when operations are due, whatever happened to earlier ones (open loop). The schedule starts with the
// measure window; a warm-up before it uses the schedule's initial rate.
//
// +kubebuilder:validation:XValidation:rule="has(self.process) && self.process == 'Trace' ? has(self.gapsMicros) : !has(self.gapsMicros)",message="gapsMicros is required with process Trace and forbidden with any other",fieldPath=".gapsMicros"
// +kubebuilder:validation:XValidation:rule="has(self.process) && self.process == 'Trace' ? !(has(self.operationsPerSecond) || has(self.stages) || has(self.formula)) : (has(self.formula) ? !(has(self.operationsPerSecond) || has(self.stages)) : has(self.operationsPerSecond) != has(self.stages))",message="exactly one of operationsPerSecond, stages and formula must be set, and none of them with process Trace",fieldPath=".operationsPerSecond"
type Arrival struct {
	// process by which operations arrive: Constant, Poisson or Trace. Default Constant.
	// +optional
	Process *ArrivalProcess `json:"process,omitempty"`

	// operationsPerSecond over all load pods, for the whole step: short for a single stage. Limits 1 to 100000000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000
	OperationsPerSecond *int64 `json:"operationsPerSecond,omitempty"`

	// stages follow one another; the final rate continues until the step ends.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Stages []ArrivalStage `json:"stages,omitempty"`

	// formula is the rate over all load pods, in operations per second, as a function of t, the seconds since the start of
	// the schedule: "100 + 50 * sin(2 * pi * t / 60)", or "100 + 900 * (t % 60 < 5)" for spikes. It has numbers, pi, t,
	// the operators + - * / % < <= > >= == != && || !, brackets, and the functions abs, ceil, cos, exp, floor, log, max,
	// min, pow, sin and sqrt; a comparison is 1 or 0. It is read ten times a second, and the rate goes evenly in between;
	// what is below 0 is 0. At most 512 characters.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Formula *string `json:"formula,omitempty"`

	// gapsMicros are the times between successive operations, over all load pods, repeated. Required with process Trace.
	// Limits 0 to 3600000000 each; their sum must be more than 0.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4096
	// +kubebuilder:validation:items:Minimum=0
	// +kubebuilder:validation:items:Maximum=3600000000
	GapsMicros []int64 `json:"gapsMicros,omitempty"`

	// maxQueued is how many operations, over all load pods, may be due but not yet sent. Operations beyond that are
	// dropped and counted, and the result is not trusted. Default 10000, limits 1 to 10000000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	MaxQueued *int64 `json:"maxQueued,omitempty"`

	// skipAfterMicros has an operation that was due longer ago than this skipped: it is never sent, as by a client whose
	// user has given up, and counted. Skipped operations are not in the latencies, and the result is not trusted. Limits 1
	// to 3600000000. Unset: none is skipped.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600000000
	SkipAfterMicros *int64 `json:"skipAfterMicros,omitempty"`
}

// ArrivalStage is a period with a constant rate, or with a rate that changes linearly.
type ArrivalStage struct {
	// seconds that the stage lasts. Limits 1 to 604800.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=604800
	Seconds int32 `json:"seconds,omitempty"`

	// operationsPerSecond over all load pods; for a ramp, the rate at its end. Limits 1 to 100000000.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000
	OperationsPerSecond int64 `json:"operationsPerSecond,omitempty"`

	// fromOperationsPerSecond makes the stage a ramp, and is the rate at its start. Limits 0 to 100000000. Unset: the rate
	// is constant.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100000000
	FromOperationsPerSecond *int64 `json:"fromOperationsPerSecond,omitempty"`
}

// Percentile is a percentile of the response time.
// +kubebuilder:validation:Enum=P50;P90;P95;P99;P999
type Percentile string

// The percentiles that an objective may use; P999 is the 99.9th.
const (
	PercentileP50  Percentile = "P50"
	PercentileP90  Percentile = "P90"
	PercentileP95  Percentile = "P95"
	PercentileP99  Percentile = "P99"
	PercentileP999 Percentile = "P999"
)

// Search looks for the highest rate at which a percentile of the response time stays within a limit. It begins at
// minOperationsPerSecond, at most doubles what was kept, and then narrows the range. No single trial decides: every
// rate that matters is tried again, until the limit is within the range with a confidence of 95 % for each of its ends.
// The lower end is then confirmed for the step's durationSeconds.
//
// An operation is slow if it takes longer than the limit, fails, or is not sent. At P99 one in a hundred may be slow,
// at P999 one in a thousand; and never more than one in a hundred may fail.
//
// +kubebuilder:validation:XValidation:rule="(has(self.minOperationsPerSecond) ? self.minOperationsPerSecond : 1) < self.maxOperationsPerSecond",message="minOperationsPerSecond must be less than maxOperationsPerSecond",fieldPath=".minOperationsPerSecond"
// +kubebuilder:validation:XValidation:rule="!has(self.process) || self.process != 'Trace'",message="process of a search is Poisson or Constant",fieldPath=".process"
type Search struct {
	// percentile of the response time, over all operations, that the objective limits: P50, P90, P95, P99 or P999. Default
	// P99.
	// +optional
	Percentile *Percentile `json:"percentile,omitempty"`

	// limitMicros is the objective: the maximum value of the percentile. Limits 1 to 3600000000.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600000000
	LimitMicros int64 `json:"limitMicros,omitempty"`

	// process by which operations arrive: Poisson, with the bursts of independent clients, or Constant, at equal
	// intervals, which a target carries more of. Default Poisson.
	// +optional
	Process *ArrivalProcess `json:"process,omitempty"`

	// minOperationsPerSecond is the lowest rate to try, and the first. Default 1, limits 1 to 100000000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000
	MinOperationsPerSecond *int64 `json:"minOperationsPerSecond,omitempty"`

	// maxOperationsPerSecond is the highest rate to try. Limits 2 to 100000000.
	// +required
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=100000000
	MaxOperationsPerSecond int64 `json:"maxOperationsPerSecond,omitempty"`

	// trialSeconds is how long a rate must hold in a trial: at least this, and at least 20 times the limit. A trial that
	// clearly fails ends earlier; one whose answer is not clear continues, up to 4 times as long. With several load pods
	// every trial takes just this time. Default 10, limits 1 to 3600.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	TrialSeconds *int32 `json:"trialSeconds,omitempty"`

	// tolerancePercent ends the search once the ends of the range are within this distance of each other. Default 5,
	// limits 1 to 50.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	TolerancePercent *int32 `json:"tolerancePercent,omitempty"`

	// maxSeconds is the time after which the search ends even if the range is wider than that; its result is not trusted
	// then (SearchLimited). The warm-up is not included. Default 80 times trialSeconds (or 1600 times the limit if that is
	// longer) plus 4 times durationSeconds, limits 1 to 604800.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=604800
	MaxSeconds *int32 `json:"maxSeconds,omitempty"`
}
