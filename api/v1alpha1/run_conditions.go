package v1alpha1

// Condition types of a BenchmarkRun.
const (
	// RunAccepted says whether the specification makes sense as a whole.
	RunAccepted = "Accepted"
	// RunAdmitted says whether it is the run's turn.
	RunAdmitted = "Admitted"
	// RunTargetReady says whether the target can be measured.
	RunTargetReady = "TargetReady"
	// RunDataLoaded says whether the dataset is in place, counted.
	RunDataLoaded = "DataLoaded"
	// RunProgressing says whether the run is on its way; its reason is the stage.
	RunProgressing = "Progressing"
	// RunSucceeded says how the run ended: True, False, and Unknown until then.
	RunSucceeded = "Succeeded"
	// RunTrusted says whether the numbers may be believed: True, False, and Unknown until there are any.
	RunTrusted = "Trusted"
)

// Reasons of the condition Accepted of a run and of a target.
const (
	// ReasonValid: every check was passed.
	ReasonValid = "Valid"
	// ReasonInvalid: a field is wrong; the message begins with its path.
	ReasonInvalid = "Invalid"
)

// Reasons of the condition Admitted.
const (
	// ReasonAdmitted: it is the run's turn.
	ReasonAdmitted = "Admitted"
	// ReasonQueued: other runs of its group come first; the message says how many, and which one is measured.
	ReasonQueued = "Queued"
	// ReasonSuspended: spec.suspend is true.
	ReasonSuspended = "Suspended"
)

// Reasons of the condition Progressing: the stages of a run, in their order, and Finished.
const (
	// StageQueued: the run waits for its turn.
	StageQueued = "Queued"
	// StageProvisioning: the target and the load pods are being started.
	StageProvisioning = "Provisioning"
	// StageLoading: the dataset is being written and counted.
	StageLoading = "Loading"
	// StageWarmingUp: a step runs that is not counted yet.
	StageWarmingUp = "WarmingUp"
	// StageMeasuring: a step runs that is counted.
	StageMeasuring = "Measuring"
	// StageCollecting: the reports of the load pods are awaited and merged.
	StageCollecting = "Collecting"
	// StageCleaningUp: the run has ended, and what it started is being removed.
	StageCleaningUp = "CleaningUp"
	// ReasonFinished: nothing is left to do. The condition is False.
	ReasonFinished = "Finished"
)

// StepStages are the stages in which load pods are at a step of the plan.
var StepStages = []string{StageLoading, StageWarmingUp, StageMeasuring}

// Reasons of the condition TargetReady. While the target is not ready the reason is the one of its own condition Ready.
const (
	// ReasonTargetNotFound: targetRef names no BenchmarkTarget; the run waits for it until its deadline.
	ReasonTargetNotFound = "TargetNotFound"
	// ReasonTargetReady: the target is ready.
	ReasonTargetReady = "TargetReady"
)

// Reasons of the condition DataLoaded.
const (
	// ReasonLoadPending: the load has not begun.
	ReasonLoadPending = "LoadPending"
	// ReasonLoading: the load is going on.
	ReasonLoading = "Loading"
	// ReasonLoaded: every document was written, and the server's count agrees.
	ReasonLoaded = "Loaded"
	// ReasonReused: the dataset lay in the target already, unmodified, and the server's count agrees.
	ReasonReused = "Reused"
	// ReasonLoadFailed: the run ended before the dataset was in place; Succeeded has the cause.
	ReasonLoadFailed = "LoadFailed"
)

// Reasons of the condition Succeeded.
const (
	// ReasonRunning: the end is open.
	ReasonRunning = "Running"
	// ReasonCompleted: every step was measured.
	ReasonCompleted = "Completed"
	// ReasonCancelled: spec.cancel ended it.
	ReasonCancelled = "Cancelled"
	// ReasonTargetFailed: the target never became ready; the message has its cause.
	ReasonTargetFailed = "TargetFailed"
	// ReasonTargetLost: the target, or a member of it, went away or restarted while it was used, for a reason that has
	// no name of its own.
	ReasonTargetLost = "TargetLost"
	// ReasonLoadPodFailed: a load pod ended with an error; the message is what it said last.
	ReasonLoadPodFailed = "LoadPodFailed"
	// ReasonLoadPodLost: a load pod was evicted, deleted, or its node went away.
	ReasonLoadPodLost = "LoadPodLost"
	// ReasonReportMissing: a load pod succeeded and left no report that can be read.
	ReasonReportMissing = "ReportMissing"
)

// Reasons that a run and a target share, for the condition Succeeded of the one and Ready of the other.
const (
	// ReasonUnschedulable: no node takes a pod; the message is the scheduler's.
	ReasonUnschedulable = "Unschedulable"
	// ReasonImagePull: an image cannot be pulled.
	ReasonImagePull = "ImagePull"
	// ReasonOOMKilled: a container needed more memory than its limit.
	ReasonOOMKilled = "OOMKilled"
	// ReasonQuotaExceeded: a ResourceQuota or LimitRange refused a pod.
	ReasonQuotaExceeded = "QuotaExceeded"
	// ReasonForbidden: an admission policy, such as Pod Security, refused a pod.
	ReasonForbidden = "Forbidden"
	// ReasonConfigError: a pod cannot start because something that it mounts is missing.
	ReasonConfigError = "ConfigError"
	// ReasonNodeLost: the node of a pod does not answer.
	ReasonNodeLost = "NodeLost"
	// ReasonCrashed: a container ended with an error, over and over.
	ReasonCrashed = "Crashed"
	// ReasonDeadlineExceeded: a stage did not end in time, and no other cause was seen.
	ReasonDeadlineExceeded = "DeadlineExceeded"
)

// SharedReasons are those that a run and a target share.
var SharedReasons = []string{
	ReasonUnschedulable, ReasonImagePull, ReasonOOMKilled, ReasonQuotaExceeded, ReasonForbidden, ReasonConfigError,
	ReasonNodeLost, ReasonCrashed, ReasonDeadlineExceeded,
}

// Reasons of the condition Trusted.
const (
	// ReasonNotMeasured: there are no numbers yet, or none at all.
	ReasonNotMeasured = "NotMeasured"
	// ReasonNoConcern: none of the checks found a reason for doubt.
	ReasonNoConcern = "NoConcern"
	// ReasonGeneratorSaturated: a load pod used nearly all the CPU that it may use, or was kept from running by that limit
	// for a part of the time, so that it, not the server, may have been the limit.
	ReasonGeneratorSaturated = "GeneratorSaturated"
	// ReasonStartSkew: load pods began a step too far apart.
	ReasonStartSkew = "StartSkew"
	// ReasonOperationErrors: more than one operation in a hundred failed.
	ReasonOperationErrors = "OperationErrors"
	// ReasonScheduleNotKept: operations of an open loop were dropped, or sent too late, or the load generator was late by
	// itself.
	ReasonScheduleNotKept = "ScheduleNotKept"
	// ReasonConnectionPoolWaits: a part of the service time was waiting for a connection of the driver's pool.
	ReasonConnectionPoolWaits = "ConnectionPoolWaits"
	// ReasonWritesUnaccounted: of writes that nobody acknowledged some did not come, or nobody knows whether they did.
	ReasonWritesUnaccounted = "WritesUnaccounted"
	// ReasonImbalance: the shards hold more different shares of a collection than its maxImbalancePercent allows.
	ReasonImbalance = "Imbalance"
	// ReasonActionFailed: an action of a step could not be carried out, so that the step does not show what it did.
	ReasonActionFailed = "ActionFailed"
	// ReasonNotSteady: the throughput of a step varied or drifted until its end.
	ReasonNotSteady = "NotSteady"
)
