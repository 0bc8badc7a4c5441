package reason

import benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"

// ofRuns are those of a run but for its doubts, and those that it shares with a target.
var ofRuns = []Reason{
	{
		Name: benchv1alpha1.ReasonValid, Of: []Condition{runAccepted, targetAccepted, suiteAccepted},
		Meaning: "all checks passed",
	},
	{
		Name: benchv1alpha1.ReasonInvalid, Of: []Condition{runAccepted, runSucceeded, targetAccepted, suiteAccepted},
		Meaning: "a field is wrong; the message starts with its path",
		Remedy:  "correct the field that the message begins with, and apply the file again",
	},
	{
		Name: benchv1alpha1.ReasonQueued, Of: []Condition{runAdmitted, runTargetReady, targetReady},
		Meaning: "others come first; the message says how many of the namespace, and which of these hold places",
	},
	{
		Name: benchv1alpha1.ReasonAdmitted, Of: []Condition{runAdmitted},
		Meaning: "it is the run's turn",
	},
	{
		Name: benchv1alpha1.ReasonQuotaPending, Of: []Condition{runAdmitted},
		Meaning: "Kueue has no room for the run yet, or has taken it back; the message is Kueue's",
		Remedy:  "see the run's Workload and its queue: `kubectl get workloads,localqueues`",
	},
	{
		Name: benchv1alpha1.ReasonSuspended, Of: []Condition{runAdmitted},
		Meaning: "spec.suspend is true",
	},
	{
		Name: benchv1alpha1.StageQueued, Of: []Condition{runProgressing},
		Meaning: "the run waits for its turn",
	},
	{
		Name: benchv1alpha1.StageProvisioning, Of: []Condition{runProgressing},
		Meaning: "the target and the load pods are being started",
	},
	{
		Name: benchv1alpha1.StageLoading, Of: []Condition{runProgressing},
		Meaning: "the dataset is being written and counted",
	},
	{
		Name: benchv1alpha1.StageWarmingUp, Of: []Condition{runProgressing},
		Meaning: "a step is running but not yet counted",
	},
	{
		Name: benchv1alpha1.StageMeasuring, Of: []Condition{runProgressing},
		Meaning: "a step is running and counted",
	},
	{
		Name: benchv1alpha1.StageCollecting, Of: []Condition{runProgressing},
		Meaning: "the operator waits for the reports of the load pods, and merges them",
	},
	{
		Name: benchv1alpha1.StageCleaningUp, Of: []Condition{runProgressing},
		Meaning: "the run has ended, and what it created is being removed",
	},
	{
		Name: benchv1alpha1.ReasonFinished, Of: []Condition{runProgressing},
		Meaning: "nothing is left to do. The condition is False",
	},
	{
		Name: benchv1alpha1.ReasonTargetNotFound, Of: []Condition{runTargetReady, runSucceeded},
		Meaning: "targetRef names no BenchmarkTarget; the run waits for it until its deadline",
		Remedy:  "create the BenchmarkTarget that `spec.targetRef` names, or declare one in `spec.target`",
	},
	{
		Name: benchv1alpha1.ReasonTargetReady, Of: []Condition{runTargetReady},
		Meaning: "the target is ready",
	},
	{
		Name: benchv1alpha1.ReasonLoadPending, Of: []Condition{runDataLoaded},
		Meaning: "the load has not started",
	},
	{
		Name: benchv1alpha1.ReasonLoading, Of: []Condition{runDataLoaded},
		Meaning: "the load is in progress",
	},
	{
		Name: benchv1alpha1.ReasonLoaded, Of: []Condition{runDataLoaded},
		Meaning: "every document was written, and the server's count agrees",
	},
	{
		Name: benchv1alpha1.ReasonReused, Of: []Condition{runDataLoaded},
		Meaning: "the dataset was already in the target, unmodified, and the server's count agrees",
	},
	{
		Name: benchv1alpha1.ReasonLoadFailed, Of: []Condition{runDataLoaded},
		Meaning: "the run ended before the dataset was in place; Succeeded has the cause",
	},
	{
		Name: benchv1alpha1.ReasonKept, Of: []Condition{runKept},
		Meaning: "every objective was kept",
	},
	{
		Name: benchv1alpha1.ReasonMissed, Of: []Condition{runKept},
		Meaning: "an objective was missed, or had no operations to be judged by; the message says which ones",
		Remedy:  "see the step's tables and what limits it; or ask for less in the step's `objectives`",
	},
	{
		Name: benchv1alpha1.ReasonCompleted, Of: []Condition{runSucceeded},
		Meaning: "every step was measured",
	},
	{
		Name: benchv1alpha1.ReasonCancelled, Of: []Condition{runSucceeded},
		Meaning: "spec.cancel ended it",
		Remedy:  "`spec.cancel` was set; create another BenchmarkRun",
	},
	{
		Name: benchv1alpha1.ReasonTargetFailed, Of: []Condition{runSucceeded},
		Meaning: "the target never became ready; the message has its cause",
		Remedy:  "fix what the message says about the target, or raise its `provisioningSeconds`",
	},
	{
		Name: benchv1alpha1.ReasonTargetLost, Of: []Condition{runSucceeded},
		Meaning: "the target, or one of its members, disappeared or restarted during the run, for a reason without a " +
			"name of its own",
		Remedy: "find out what deleted or restarted the pods of the target (`kubectl get events`)",
	},
	{
		Name: benchv1alpha1.ReasonLoadPodFailed, Of: []Condition{runSucceeded},
		Meaning: "a load pod ended with an error; the message is its last output",
		Remedy: "the message is the load generator's own; set `cleanupPolicy: KeepOnFailure` to keep the pod and its " +
			"log",
	},
	{
		Name: benchv1alpha1.ReasonVersionSkew, Of: []Condition{runSucceeded},
		Meaning: "the load generator's image is of another release than the operator, and does not know what it is asked " +
			"to do",
		Remedy: "leave `spec.loadGenerator.image` out, or name the image of the operator's release",
	},
	{
		Name: benchv1alpha1.ReasonLoadPodLost, Of: []Condition{runSucceeded},
		Meaning: "a load pod was evicted or deleted, or its node disappeared, after the loading or too often",
		Remedy: "find out what deleted or evicted the load pod, or stopped its node (`kubectl get events`); while " +
			"loading, each load pod is replaced three times before the run fails",
	},
	{
		Name: benchv1alpha1.ReasonGatewayFailed, Of: []Condition{runSucceeded},
		Meaning: "a pod of the gateway between load pods and target ended by itself; the message is its last output",
		Remedy:  "the message is the gateway's own; set `cleanupPolicy: KeepOnFailure` to keep the pod and its log",
	},
	{
		Name: benchv1alpha1.ReasonGatewayLost, Of: []Condition{runSucceeded},
		Meaning: "a pod of the gateway was evicted or deleted, or its node disappeared",
		Remedy: "find out what deleted or evicted the pod, or stopped its node (`kubectl get events`); `retryLimit` lets " +
			"the run start over by itself",
	},
	{
		Name: benchv1alpha1.ReasonAborted, Of: []Condition{runSucceeded},
		Meaning: "a threshold of abortOn ended a step; the message says which one",
		Remedy:  "the message names the threshold; find out why the target missed it, or change `abortOn` of the step",
	},
	{
		Name: benchv1alpha1.ReasonReportMissing, Of: []Condition{runSucceeded},
		Meaning: "a load pod succeeded but left no readable report",
		Remedy:  "set `cleanupPolicy: KeepOnFailure` and read the log of the load pod",
	},
	{
		Name: benchv1alpha1.ReasonNotEnded, Of: []Condition{runSucceeded, runComplete},
		Meaning: "the run waits for its turn, is suspended, or is under way; Progressing has the stage",
	},
	{
		Name: benchv1alpha1.ReasonUnschedulable, Of: []Condition{runSucceeded, targetReady},
		Meaning: "no node accepts a pod; the message is the scheduler's",
		Remedy:  "lower `resources` of the target or `spec.loadGenerator.resources`, or add a node",
	},
	{
		Name: benchv1alpha1.ReasonImagePull, Of: []Condition{runSucceeded, targetReady},
		Meaning: "an image cannot be pulled",
		Remedy:  "check the name of the image and the pull secrets; on a local cluster, load the image (`make images`)",
	},
	{
		Name: benchv1alpha1.ReasonOOMKilled, Of: []Condition{runSucceeded, targetReady},
		Meaning: "a container exceeded its memory limit",
		Remedy: "raise the memory limit of the container that the message names: `resources.limits.memory` of the target " +
			"or of `spec.loadGenerator`",
	},
	{
		Name: benchv1alpha1.ReasonQuotaExceeded, Of: []Condition{runSucceeded, targetReady},
		Meaning: "a ResourceQuota or LimitRange refused a pod",
		Remedy:  "raise the ResourceQuota or LimitRange of the namespace, or ask for less",
	},
	{
		Name: benchv1alpha1.ReasonForbidden, Of: []Condition{runSucceeded, targetReady},
		Meaning: "an admission policy, such as Pod Security, refused a pod",
		Remedy:  "change the admission policy that the message names",
	},
	{
		Name: benchv1alpha1.ReasonConfigError, Of: []Condition{runSucceeded, targetReady},
		Meaning: "a pod cannot start because it mounts something that does not exist",
		Remedy:  "create the object that the message says is missing, or remove the one that is in the way",
	},
	{
		Name: benchv1alpha1.ReasonNodeLost, Of: []Condition{runSucceeded, targetReady},
		Meaning: "the node of a pod does not respond",
		Remedy:  "find out what happened to the node (`kubectl get nodes`)",
	},
	{
		Name: benchv1alpha1.ReasonCrashed, Of: []Condition{runSucceeded, targetReady},
		Meaning: "a container keeps ending with an error",
		Remedy:  "set `cleanupPolicy: KeepOnFailure` and read the log of the container",
	},
	{
		Name: benchv1alpha1.ReasonDeadlineExceeded, Of: []Condition{runSucceeded, targetReady},
		Meaning: "a stage took too long, and no other cause was observed",
		Remedy:  "the message says what the stage was doing; raise the deadline that it names if that was only slow",
	},
}
