package v1alpha1

// Condition types of a BenchmarkRun.
const (
	// RunAccepted says whether the specification makes sense as a whole.
	RunAccepted = "Accepted"
	// RunAdmitted says whether it is the run's turn to start.
	RunAdmitted = "Admitted"
	// RunTargetReady says whether the target can be measured.
	RunTargetReady = "TargetReady"
	// RunDataLoaded says whether the dataset is loaded and counted.
	RunDataLoaded = "DataLoaded"
	// RunProgressing says whether the run is under way; its reason is the stage.
	RunProgressing = "Progressing"
	// RunSucceeded says how the run ended: True, False, and Unknown until then.
	RunSucceeded = "Succeeded"
	// RunComplete says whether the run has ended, with success or without: False until then, and True from the moment at
	// which Succeeded is True or False. It has the reason and the message of Succeeded then. It is never taken back.
	RunComplete = "Complete"
	// RunTrusted says whether to believe the numbers: True, False, and Unknown until there are any.
	RunTrusted = "Trusted"
	// RunObjectivesKept says whether every objective of the run's steps was kept: True or False once they were measured. A
	// run without objectives does not have it.
	RunObjectivesKept = "ObjectivesKept"
)

// Reasons of the condition Accepted of a run and of a target.
const (
	// ReasonValid: all checks passed.
	ReasonValid = "Valid"
	// ReasonInvalid: a field is wrong; the message starts with its path.
	ReasonInvalid = "Invalid"
)

// Reasons of the condition Admitted of a run and of a target's Ready.
const (
	// ReasonQueued: others come first; the message says how many of the namespace, and which of these hold places.
	ReasonQueued = "Queued"
)

// Reasons of the condition Admitted.
const (
	// ReasonAdmitted: it is the run's turn.
	ReasonAdmitted = "Admitted"
	// ReasonQuotaPending: Kueue has no room for the run yet, or has taken it back; the message is Kueue's.
	ReasonQuotaPending = "QuotaPending"
	// ReasonSuspended: spec.suspend is true.
	ReasonSuspended = "Suspended"
)

// Reasons of the condition Progressing: the stages of a run, in order, and Finished.
const (
	// StageQueued: the run waits for its turn.
	StageQueued = "Queued"
	// StageProvisioning: the target and the load pods are being started.
	StageProvisioning = "Provisioning"
	// StageLoading: the dataset is being written and counted.
	StageLoading = "Loading"
	// StageWarmingUp: a step is running but not yet counted.
	StageWarmingUp = "WarmingUp"
	// StageMeasuring: a step is running and counted.
	StageMeasuring = "Measuring"
	// StageCollecting: the operator waits for the reports of the load pods, and merges them.
	StageCollecting = "Collecting"
	// StageCleaningUp: the run has ended, and what it created is being removed.
	StageCleaningUp = "CleaningUp"
	// ReasonFinished: nothing is left to do. The condition is False.
	ReasonFinished = "Finished"
)

// StepStages are the stages in which load pods are at a step of the plan.
var StepStages = []string{StageLoading, StageWarmingUp, StageMeasuring}

// Reasons of the condition TargetReady. While the target is not ready, the reason is that of its own condition Ready.
const (
	// ReasonTargetNotFound: targetRef names no BenchmarkTarget; the run waits for it until its deadline.
	ReasonTargetNotFound = "TargetNotFound"
	// ReasonTargetReady: the target is ready.
	ReasonTargetReady = "TargetReady"
)

// Reasons of the condition DataLoaded.
const (
	// ReasonLoadPending: the load has not started.
	ReasonLoadPending = "LoadPending"
	// ReasonLoading: the load is in progress.
	ReasonLoading = "Loading"
	// ReasonLoaded: every document was written, and the server's count agrees.
	ReasonLoaded = "Loaded"
	// ReasonReused: the dataset was already in the target, unmodified, and the server's count agrees.
	ReasonReused = "Reused"
	// ReasonLoadFailed: the run ended before the dataset was in place; Succeeded has the cause.
	ReasonLoadFailed = "LoadFailed"
)

// Reasons of the condition Succeeded. It is Unknown with the reason of a failure while the load pods of a run that ends
// hand in what they have measured. The condition Complete has them too, once the run has ended.
const (
	// ReasonCompleted: every step was measured.
	ReasonCompleted = "Completed"
	// ReasonCancelled: spec.cancel ended it.
	ReasonCancelled = "Cancelled"
	// ReasonTargetFailed: the target never became ready; the message has its cause.
	ReasonTargetFailed = "TargetFailed"
	// ReasonTargetLost: the target, or one of its members, disappeared or restarted during the run, for a reason without a
	// name of its own.
	ReasonTargetLost = "TargetLost"
	// ReasonLoadPodFailed: a load pod ended with an error; the message is its last output.
	ReasonLoadPodFailed = "LoadPodFailed"
	// ReasonVersionSkew: the load generator's image is of another release than the operator, and does not know what it is
	// asked to do.
	ReasonVersionSkew = "VersionSkew"
	// ReasonLoadPodLost: a load pod was evicted or deleted, or its node disappeared, after the loading or too often.
	ReasonLoadPodLost = "LoadPodLost"
	// ReasonGatewayFailed: a pod of the gateway between load pods and target ended by itself; the message is its last
	// output.
	ReasonGatewayFailed = "GatewayFailed"
	// ReasonGatewayLost: a pod of the gateway was evicted or deleted, or its node disappeared.
	ReasonGatewayLost = "GatewayLost"
	// ReasonAborted: a threshold of abortOn ended a step; the message says which one.
	ReasonAborted = "Aborted"
	// ReasonReportMissing: a load pod succeeded but left no readable report.
	ReasonReportMissing = "ReportMissing"
)

// Reasons of the conditions Succeeded and Complete of a run before its end.
const (
	// ReasonNotEnded: the run waits for its turn, is suspended, or is under way; Progressing has the stage.
	ReasonNotEnded = "NotEnded"
)

// Reasons that a run and a target share, for the condition Succeeded of the one and Ready of the other.
const (
	// ReasonUnschedulable: no node accepts a pod; the message is the scheduler's.
	ReasonUnschedulable = "Unschedulable"
	// ReasonImagePull: an image cannot be pulled.
	ReasonImagePull = "ImagePull"
	// ReasonOOMKilled: a container exceeded its memory limit.
	ReasonOOMKilled = "OOMKilled"
	// ReasonQuotaExceeded: a ResourceQuota or LimitRange refused a pod.
	ReasonQuotaExceeded = "QuotaExceeded"
	// ReasonForbidden: an admission policy, such as Pod Security, refused a pod.
	ReasonForbidden = "Forbidden"
	// ReasonConfigError: a pod cannot start because it mounts something that does not exist.
	ReasonConfigError = "ConfigError"
	// ReasonNodeLost: the node of a pod does not respond.
	ReasonNodeLost = "NodeLost"
	// ReasonCrashed: a container keeps ending with an error.
	ReasonCrashed = "Crashed"
	// ReasonDeadlineExceeded: a stage took too long, and no other cause was observed.
	ReasonDeadlineExceeded = "DeadlineExceeded"
)

// SharedReasons are those that a run and a target share.
var SharedReasons = []string{
	ReasonUnschedulable, ReasonImagePull, ReasonOOMKilled, ReasonQuotaExceeded, ReasonForbidden, ReasonConfigError,
	ReasonNodeLost, ReasonCrashed, ReasonDeadlineExceeded,
}

// RetriedReasons are those with which a run starts over as often as its retryLimit says: they tell of what was taken
// away, and not of what failed.
var RetriedReasons = []string{ReasonLoadPodLost, ReasonGatewayLost, ReasonNodeLost, ReasonTargetLost}

// Reasons of the condition ObjectivesKept.
const (
	// ReasonKept: every objective was kept.
	ReasonKept = "Kept"
	// ReasonMissed: an objective was missed, or had no operations to be judged by; the message says which ones.
	ReasonMissed = "Missed"
)

// Reasons of the condition Trusted.
const (
	// ReasonNotMeasured: there are no numbers yet, or none at all.
	ReasonNotMeasured = "NotMeasured"
	// ReasonNoConcern: none of the checks found a reason for doubt.
	ReasonNoConcern = "NoConcern"
	// ReasonPartial: the run did not come to its end, so the figures are of only a part of what was to be measured.
	ReasonPartial = "Partial"
	// ReasonElection: while a step was measured a replica set elected a primary, or lost a member, and no action of the
	// step asked for it.
	ReasonElection = "Election"
	// ReasonGeneratorSaturated: a load pod used nearly all of its available CPU, or its CPU limit stopped it for part of
	// the time, so the load generator, not the server, may have been the limit.
	ReasonGeneratorSaturated = "GeneratorSaturated"
	// ReasonGeneratorLate: the load generator noticed replies, or sent operations, so late that its own delay is a part of
	// the reported percentiles that matters, or of when an open loop's operations were sent.
	ReasonGeneratorLate = "GeneratorLate"
	// ReasonGatewaySaturated: the gateway between load pods and database used nearly all of its CPU, was stopped by its
	// limit, had requests wait for its pool, or was lost, so it, not the database, may have been the limit.
	ReasonGatewaySaturated = "GatewaySaturated"
	// ReasonTooFewThreads: the latencies of an open loop are to a part that matters the wait for a free thread.
	ReasonTooFewThreads = "TooFewThreads"
	// ReasonServerThrottled: the CPU limit of a server cut into its bursts, although it used well below that limit on the
	// whole, so that the highest percentiles are waits for the limit.
	ReasonServerThrottled = "ServerThrottled"
	// ReasonStartSkew: load pods started a step too far apart.
	ReasonStartSkew = "StartSkew"
	// ReasonClockStepped: the clock of a load pod's machine was set while a step went on.
	ReasonClockStepped = "ClockStepped"
	// ReasonOperationErrors: an operation never succeeded, or more than one in a hundred of it failed, or more than its
	// highest percentile leaves: one in a thousand where p99.9 is shown.
	ReasonOperationErrors = "OperationErrors"
	// ReasonUnexpectedDocuments: operations came upon more or fewer documents than expected, such as reads by key that
	// found nothing.
	ReasonUnexpectedDocuments = "UnexpectedDocuments"
	// ReasonChecksFailed: a check of a part of a flow did not hold.
	ReasonChecksFailed = "ChecksFailed"
	// ReasonLowRecall: an approximate operation had less of the exact answers than recall.minPercent wants, or the two
	// could not be compared.
	ReasonLowRecall = "LowRecall"
	// ReasonScheduleNotKept: operations of an open loop were dropped, or sent only after the end of their step.
	ReasonScheduleNotKept = "ScheduleNotKept"
	// ReasonSearchLimited: a search did not find the limit of the target: the load generator or its threads were the limit
	// before, or the time was over.
	ReasonSearchLimited = "SearchLimited"
	// ReasonConnectionPoolWaits: part of the service time was spent waiting for a connection from a pool that has one for
	// each thread.
	ReasonConnectionPoolWaits = "ConnectionPoolWaits"
	// ReasonConnectionsLost: the server closed idle connections that were to be open during a step.
	ReasonConnectionsLost = "ConnectionsLost"
	// ReasonCoarsePercentiles: the report was too large, so the percentiles in it are off by up to 4 %.
	ReasonCoarsePercentiles = "CoarsePercentiles"
	// ReasonWritesUnaccounted: some unacknowledged writes did not arrive, or it is unknown whether they did.
	ReasonWritesUnaccounted = "WritesUnaccounted"
	// ReasonImbalance: the shares of a collection on the shards differ by more than its maxImbalancePercent allows.
	ReasonImbalance = "Imbalance"
	// ReasonActionFailed: an action of a step could not be carried out, so the step does not show its effect.
	ReasonActionFailed = "ActionFailed"
	// ReasonPacedMix: in a closed loop, operations that are at most one in a hundred took half of the threads' time or
	// more, so that the throughput of the others is set by them.
	ReasonPacedMix = "PacedMix"
	// ReasonNotSteady: the throughput of a step varied or drifted until its end.
	ReasonNotSteady = "NotSteady"
	// ReasonSharedNode: load pods shared nodes with members although others would have taken them, or members shared
	// theirs with pods of other runs or targets while they were measured.
	ReasonSharedNode = "SharedNode"
)
