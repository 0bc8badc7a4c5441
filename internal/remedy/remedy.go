package remedy

import benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"

// Of is what to do about a reason; empty when nothing has failed.
func Of(reason string) string { return remedies[reason] }

var remedies = map[string]string{
	benchv1alpha1.ReasonInvalid: "correct the field that the message begins with, and apply the file again",
	benchv1alpha1.ReasonTargetNotFound: "create the BenchmarkTarget that `spec.targetRef` names, or declare one in " +
		"`spec.target`",
	benchv1alpha1.ReasonTargetFailed: "fix what the message says about the target, or raise its `provisioningSeconds`",
	benchv1alpha1.ReasonCancelled:    "`spec.cancel` was set; create another BenchmarkRun",
	benchv1alpha1.ReasonTargetLost: "find out what deleted or restarted the pods of the target " +
		"(`kubectl get events`)",
	benchv1alpha1.ReasonLoadPodFailed: "the message is the load generator's own; set `cleanupPolicy: KeepOnFailure` " +
		"to keep the pod and its log",
	benchv1alpha1.ReasonLoadPodLost: "find out what deleted or evicted the load pod, or stopped its node " +
		"(`kubectl get events`); while loading, each load pod is replaced three times before the run fails",
	benchv1alpha1.ReasonAborted: "the message names the threshold; find out why the target missed it, or change " +
		"`abortOn` of the step",
	benchv1alpha1.ReasonReportMissing: "set `cleanupPolicy: KeepOnFailure` and read the log of the load pod",
	benchv1alpha1.ReasonUnschedulable: "lower `spec.target.resources` or `spec.loadGenerator.resources`, or add a node",
	benchv1alpha1.ReasonImagePull: "check the name of the image and the pull secrets; on a local cluster, load the " +
		"image (`make images`)",
	benchv1alpha1.ReasonOOMKilled: "raise the memory limit of the container that the message names: " +
		"`spec.target.resources.memory` or `spec.loadGenerator.resources.memory`",
	benchv1alpha1.ReasonQuotaExceeded: "raise the ResourceQuota or LimitRange of the namespace, or ask for less",
	benchv1alpha1.ReasonForbidden:     "change the admission policy that the message names",
	benchv1alpha1.ReasonConfigError: "create the object that the message says is missing, or remove the one that is in " +
		"the way",
	benchv1alpha1.ReasonNodeLost: "find out what happened to the node (`kubectl get nodes`)",
	benchv1alpha1.ReasonCrashed:  "set `cleanupPolicy: KeepOnFailure` and read the log of the container",
	benchv1alpha1.ReasonDeadlineExceeded: "the message says what the stage was doing; raise the deadline that it " +
		"names if that was only slow",
}
