package decide

import (
	"errors"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// refer makes a run measure a target of another's.
func refer(w *world) {
	w.Run.Spec.Target = nil
	w.Run.Spec.TargetRef = &benchv1alpha1.NameReference{Name: "shared"}
}

func shareTarget(w *world) {
	w.Target = &benchv1alpha1.BenchmarkTarget{
		ObjectMeta: metav1.ObjectMeta{Name: "shared", Namespace: "bench", CreationTimestamp: metav1.NewTime(birth)},
		Spec:       *runtest.Run("", "").Spec.Target,
	}
}

// targetScenarios are what the target may do to a run.
func targetScenarios() map[string]scenario {
	stalled := func(reason, message string) func(*world) {
		return func(w *world) {
			w.settle()
			w.targetSays(benchv1alpha1.TargetReady, isFalse, reason, message)
			w.targetSays(benchv1alpha1.TargetStalled, isTrue, reason, message)
		}
	}
	lost := func(reason, message string) func(*world) {
		return func(w *world) {
			w.toMeasuring()
			w.targetSays(benchv1alpha1.TargetReady, isFalse, reason, message)
		}
	}
	all := map[string]scenario{
		"a target that is on its way is waited for, with its reason": {
			play: func(w *world) {
				w.settle()
				w.targetSays(benchv1alpha1.TargetReady, isFalse, benchv1alpha1.ReasonTopologyPending, "initiating")
			},
			want: map[string]string{ready: "False TopologyPending", progressing: "True Provisioning"},
		},
		"a target that is given up fails the run": {
			play: stalled(benchv1alpha1.ReasonTopologyFailed, "no primary"),
			want: map[string]string{
				succeeded: "False TargetFailed", ready: "False TopologyFailed", dataLoaded: "False LoadFailed",
			},
			says: `target "r": TopologyFailed: no primary`,
		},
		"a target that is not accepted fails the run": {
			play: func(w *world) {
				w.settle()
				w.targetSays(benchv1alpha1.TargetAccepted, isFalse, benchv1alpha1.ReasonInvalid, "spec.version: too old")
			},
			want: map[string]string{succeeded: "False TargetFailed"},
			says: "spec.version: too old",
		},
		"a referred target that does not exist is waited for": {
			play: func(w *world) { refer(w); w.settle(); w.pass(299 * time.Second) },
			want: map[string]string{ready: "False TargetNotFound", succeeded: "Unknown NotEnded"},
		},
		"a referred target that never exists fails the run": {
			play: func(w *world) { refer(w); w.settle(); w.pass(300 * time.Second) },
			want: map[string]string{ready: "False TargetNotFound", succeeded: "False TargetNotFound"},
			says: `no BenchmarkTarget "shared" exists`,
		},
		"a referred target is used": {
			play: func(w *world) { refer(w); shareTarget(w); w.toLoading() },
			want: map[string]string{progressing: "True Loading"},
		},
		"a database that the referred target does not open is refused": {
			play: func(w *world) {
				refer(w)
				shareTarget(w)
				w.Target.Spec.MongoDB.Databases = []string{"orders", "people"}
			},
			want: map[string]string{accepted: "False Invalid", succeeded: "False Invalid"},
			says: "spec.dataset.database",
		},
		"a target that no controller reconciles is not waited for endlessly": {
			play: func(w *world) { refer(w); shareTarget(w); w.settle(); w.pass(661 * time.Second) },
			want: map[string]string{succeeded: "False DeadlineExceeded"},
			says: "provisioningSeconds",
		},
		"a name that a foreign target has is refused": {
			play: func(w *world) { shareTarget(w); w.Target.Name = "r" },
			want: map[string]string{accepted: "False Invalid", succeeded: "False Invalid"},
			says: "metadata.name",
		},
		"the target of an earlier run of the same name is waited for": {
			play: func(w *world) {
				shareTarget(w)
				w.Target.Name = "r"
				w.Target.OwnerReferences = []metav1.OwnerReference{
					{Kind: "BenchmarkRun", Name: "r", UID: "run-0", Controller: new(true)},
				}
			},
			want: map[string]string{accepted: "True Valid", progressing: "True Provisioning"},
		},
		"a member that is killed for lack of memory fails the run for that": {
			play: lost(benchv1alpha1.ReasonOOMKilled, "pod r-mongod-0 was killed"),
			want: map[string]string{succeeded: "False OOMKilled", ready: "False OOMKilled", dataLoaded: "True Loaded"},
			says: `target "r": pod r-mongod-0 was killed`,
		},
		"a member that restarts loses the target": {
			play: lost(benchv1alpha1.ReasonMemberRestarted, "r-mongod-0 restarted"),
			want: map[string]string{succeeded: "False TargetLost", ready: "False MemberRestarted"},
			says: "MemberRestarted: r-mongod-0 restarted",
		},
		"a target that is not ready for no cause yet is given some seconds to name it": {
			play: func(w *world) { lost(benchv1alpha1.ReasonPodsStarting, "2 of 3")(w); w.pass(causeGrace - time.Second) },
			want: map[string]string{succeeded: "Unknown NotEnded"},
		},
		"a target that names no cause is lost": {
			play: func(w *world) { lost(benchv1alpha1.ReasonPodsStarting, "2 of 3")(w); w.pass(causeGrace) },
			want: map[string]string{succeeded: "False TargetLost"},
			says: "PodsStarting: 2 of 3",
		},
		"a target that came back is not the same": {
			play: func(w *world) {
				w.toMeasuring()
				w.targetSays(benchv1alpha1.TargetReady, isFalse, benchv1alpha1.ReasonPodsStarting, "2 of 3")
				w.targetSays(benchv1alpha1.TargetReady, isTrue, benchv1alpha1.ReasonReady, "3 members")
			},
			want: map[string]string{succeeded: "False TargetLost"},
		},
		"a target that is deleted while it is used is lost": {
			play: func(w *world) { w.toMeasuring(); w.lose("BenchmarkTarget") },
			want: map[string]string{succeeded: "False TargetLost"},
			says: "was deleted",
		},
		"the target's cause goes before the load pod's": {
			play: func(w *world) {
				w.toMeasuring()
				w.endPod(0, corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 1, Message: "connection closed"})
				w.pass(2 * time.Second)
				w.settle()
				w.targetSays(benchv1alpha1.TargetReady, isFalse, benchv1alpha1.ReasonOOMKilled, "killed")
			},
			want: map[string]string{succeeded: "False OOMKilled"},
			says: "target",
		},
	}
	for _, reason := range benchv1alpha1.SharedReasons {
		all["a target that is given up for "+reason+" fails the run for that"] = scenario{
			play: stalled(reason, "the cause"),
			want: map[string]string{succeeded: "False " + reason},
			says: `target "r": the cause`,
		}
	}
	return all
}

// podScenarios are what may happen to load pods.
func podScenarios() map[string]scenario {
	failed := corev1.ContainerStateTerminated{ExitCode: 1, Message: "authentication failed"}
	return map[string]scenario{
		"a load pod that fails waits for a better cause": {
			play: func(w *world) {
				w.toMeasuring()
				w.endPod(1, corev1.PodFailed, failed)
				w.pass(causeGrace - time.Second)
			},
			want: map[string]string{succeeded: "Unknown NotEnded"},
		},
		"the last words of a load pod that fails are those of the run": {
			play: func(w *world) { w.toMeasuring(); w.endPod(1, corev1.PodFailed, failed); w.pass(causeGrace) },
			want: map[string]string{succeeded: "False LoadPodFailed", ready: "True TargetReady"},
			says: "load pod r-load-1: authentication failed",
		},
		"a load generator of another release is told from one that fails": {
			play: func(w *world) {
				w.toJob()
				w.startPods()
				w.endPod(1, corev1.PodFailed, corev1.ContainerStateTerminated{
					ExitCode: planv1alpha1.ExitOtherRelease, Message: `unknown field "haste"`,
				})
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "False VersionSkew", trust: "Unknown NotMeasured"},
			says: `load pod r-load-1: unknown field "haste"`,
		},
		"a load pod that is lost is told by the one in its place": {
			play: func(w *world) {
				w.toMeasuring()
				w.endPod(1, corev1.PodFailed, corev1.ContainerStateTerminated{
					ExitCode: planv1alpha1.ExitReplacedTooLate, Message: "the load pod that this one replaces was lost",
				})
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "False LoadPodLost"},
			says: "r-load-1",
		},
		"a load pod that is lost is told from the one in its place": {
			play: func(w *world) {
				w.toMeasuring()
				deleted := metav1.NewTime(w.Now.Add(9 * time.Second))
				w.Pods[0].DeletionTimestamp, w.Pods[0].DeletionGracePeriodSeconds = &deleted, new(int64(10))
				w.endPod(1, corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: planv1alpha1.ExitReplacedTooLate})
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "False LoadPodLost"},
			says: "r-load-0",
		},
		"the load pod that failed is told from those that the Job controller deleted": {
			play: func(w *world) {
				w.toMeasuring()
				deleted := metav1.NewTime(w.Now.Add(9 * time.Second))
				w.Pods[0].DeletionTimestamp, w.Pods[0].DeletionGracePeriodSeconds = &deleted, new(int64(10))
				w.endPod(0, corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 143})
				w.endPod(1, corev1.PodFailed, failed)
				w.jobSays(batchv1.JobFailed, batchv1.JobReasonBackoffLimitExceeded, "")
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "False LoadPodFailed"},
			says: "r-load-1",
		},
		"a load pod that is killed for lack of memory fails the run for that": {
			play: func(w *world) {
				w.toMeasuring()
				w.endPod(0, corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"})
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "False OOMKilled", dataLoaded: "True Loaded"},
			says: "r-load-0",
		},
		"a load pod that is evicted is lost": {
			play: func(w *world) {
				w.toMeasuring()
				w.Pods[0].Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "node was low on memory"}
			},
			want: map[string]string{succeeded: "False LoadPodLost"},
			says: "low on memory",
		},
		"a load pod that is deleted is lost": {
			play: func(w *world) {
				w.toMeasuring()
				at := metav1.NewTime(w.Now)
				w.Pods[1].DeletionTimestamp, w.Pods[1].DeletionGracePeriodSeconds = &at, new(int64(0))
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "False LoadPodLost"},
			says: "r-load-1 was deleted",
		},
		"load pods of which nothing is left but their Job are lost": {
			play: func(w *world) {
				w.toMeasuring()
				w.Pods = nil
				w.jobSays(batchv1.JobFailed, batchv1.JobReasonBackoffLimitExceeded, "limit reached")
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "False LoadPodLost"},
			says: "load pod 0, pod 1 are gone, and their Job failed: BackoffLimitExceeded: limit reached",
		},
		"a Job that vanishes is never made again": {
			play: func(w *world) { w.toLoading(); w.lose("Job"); w.Pods = nil },
			want: map[string]string{succeeded: "False LoadPodLost"},
			says: "not started again",
		},
		"a Job that runs into its own deadline is late": {
			play: func(w *world) {
				w.toMeasuring()
				w.Pods = nil
				w.jobSays(batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded, "")
			},
			want: map[string]string{succeeded: "False DeadlineExceeded"},
		},
		"a load pod's image that is no name fails the run without waiting": {
			play: func(w *world) { w.toJob(); w.startPods(); waiting(w, 0, "InvalidImageName", "couldn't parse") },
			want: map[string]string{succeeded: "False ImagePull"},
		},
		"a pod that fails after its report is no failure": {
			play: func(w *world) {
				w.toMeasuring()
				w.podSays(0, runtest.Progress(runtest.StepWrite, reportv1alpha1.ProgressDone, 100))
				w.endPod(0, corev1.PodFailed, failed)
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "Unknown NotEnded"},
		},
	}
}

func waiting(w *world, pod int, reason, message string) {
	w.Pods[pod].Status.Phase = corev1.PodPending
	why := &corev1.ContainerStateWaiting{Reason: reason, Message: message}
	w.Pods[pod].Status.ContainerStatuses = []corev1.ContainerStatus{
		{Name: "load", State: corev1.ContainerState{Waiting: why}},
	}
}

// deadlineScenarios are stages that do not end in time.
func deadlineScenarios() map[string]scenario {
	unschedulable := func(w *world) {
		w.toJob()
		w.startPods()
		w.Pods[1].Status = corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/3 nodes are available",
		}}}
	}
	refused := func(message string) func(*world) {
		return func(w *world) {
			w.toJob()
			w.refusals = []corev1.Event{{Message: message}}
			w.pass(300 * time.Second)
		}
	}
	return map[string]scenario{
		"an unschedulable load pod is waited for": {
			play: func(w *world) { unschedulable(w); w.pass(299 * time.Second) },
			want: map[string]string{succeeded: "Unknown NotEnded"},
		},
		"an unschedulable load pod past the deadline fails the run for that": {
			play: func(w *world) { unschedulable(w); w.pass(300 * time.Second) },
			want: map[string]string{succeeded: "False Unschedulable"},
			says: "0/3 nodes are available",
		},
		"an image that cannot be pulled fails the run past the deadline": {
			play: func(w *world) {
				w.toJob()
				w.startPods()
				waiting(w, 0, "ImagePullBackOff", "no such image")
				w.pass(300 * time.Second)
			},
			want: map[string]string{succeeded: "False ImagePull"},
			says: "no such image",
		},
		"a quota that refuses load pods fails the run past the deadline": {
			play: refused("pods is forbidden: exceeded quota: small"),
			want: map[string]string{succeeded: "False QuotaExceeded"},
		},
		"a policy that refuses load pods fails the run past the deadline": {
			play: refused("violates PodSecurity"),
			want: map[string]string{succeeded: "False Forbidden"},
		},
		"load pods that run and say nothing fail the run past the deadline": {
			play: func(w *world) {
				w.toJob()
				w.startPods()
				w.podSays(0, runtest.Progress(runtest.StepPrepare, reportv1alpha1.ProgressRunning, 0))
				w.pass(300 * time.Second)
			},
			want: map[string]string{succeeded: "False DeadlineExceeded"},
			says: "pod 1",
		},
		"a Job that cannot be made fails the run with the trouble": {
			play: func(w *world) {
				w.settle()
				w.targetReady()
				w.Run.Status = Troubled(w.Run, Decide(w.Observation).Status, errors.New("exceeded quota: jobs"))
				w.pass(661 * time.Second)
			},
			want: map[string]string{succeeded: "False DeadlineExceeded", ready: "True TargetReady"},
			says: "the Job of the load pods is being made; exceeded quota: jobs",
		},
		"a load that takes too long fails the run with what was seen": {
			play: func(w *world) { w.toLoading(); w.pass(3600 * time.Second) },
			want: map[string]string{succeeded: "False DeadlineExceeded", dataLoaded: "False LoadFailed"},
			says: `step "load" was at 40 %, with 8000 per second`,
		},
		"measuring that takes too long fails the run, and names the pod that lags": {
			play: func(w *world) {
				w.toMeasuring()
				w.podSays(1, runtest.Progress(runtest.StepRead, reportv1alpha1.ProgressRunning, 10))
				w.pass(325 * time.Second)
			},
			want: map[string]string{succeeded: "False DeadlineExceeded", dataLoaded: "True Loaded"},
			says: "the last were pod 1",
		},
		"measuring has the time that the steps add up to": {
			play: func(w *world) { w.toMeasuring(); w.pass(324 * time.Second) },
			want: map[string]string{succeeded: "Unknown NotEnded"},
		},
		"measuring has the time that the run gives": {
			play: func(w *world) {
				w.Run.Spec.Deadlines = &benchv1alpha1.Deadlines{MeasuringSeconds: new(int32(60))}
				w.toMeasuring()
				w.pass(60 * time.Second)
			},
			want: map[string]string{succeeded: "False DeadlineExceeded"},
			says: "spec.deadlines.measuringSeconds",
		},
	}
}
