package decide

import (
	"strconv"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

var killed = corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"}

// replacePod plays the Job controller: load pod 0, which has failed, stays, and another one of its index runs.
func (w *world) replacePod() {
	const pod = 0
	made := *w.Pods[pod].DeepCopy()
	made.DeletionTimestamp, made.Status = nil, corev1.PodStatus{Phase: corev1.PodRunning}
	made.Name, made.UID = made.Name+"-again", types.UID(made.Name+"-again")
	made.CreationTimestamp = metav1.NewTime(w.Now)
	lost, _ := strconv.Atoi(made.Annotations[batchv1.JobIndexFailureCountAnnotation])
	made.Annotations[batchv1.JobIndexFailureCountAnnotation] = strconv.Itoa(lost + 1)
	w.Pods = append(w.Pods, w.Pods[pod])
	w.Pods[pod] = made
}

// loseWhileLoading has load pod 0 be killed while both load, and passes the time in which a better cause would show.
func loseWhileLoading(w *world) {
	w.toLoading()
	w.endPod(0, corev1.PodFailed, killed)
	w.pass(causeGrace)
	w.settle()
}

// loseNodeWhileLoading has the node of load pod 0 fall silent while both load.
func loseNodeWhileLoading(w *world) {
	w.toLoading()
	targettest.NodeLost(&w.Pods[0])
	w.Pods[0].Status.Conditions[0].LastTransitionTime = metav1.NewTime(w.Now)
	w.pass(causeGrace)
	w.settle()
}

func replacingScenarios() map[string]scenario {
	loading := map[string]string{succeeded: "Unknown NotEnded", progressing: "True Loading"}
	return map[string]scenario{
		"a load pod that is lost while loading is waited for": {
			play: loseWhileLoading,
			want: loading,
		},
		"a load pod that is deleted while loading is waited for": {
			play: func(w *world) {
				w.toLoading()
				at := metav1.NewTime(w.Now)
				w.Pods[1].DeletionTimestamp, w.Pods[1].DeletionGracePeriodSeconds = &at, new(int64(0))
				w.pass(causeGrace)
			},
			want: loading,
		},
		"a load pod that is evicted before it has said anything is waited for": {
			play: func(w *world) {
				w.toJob()
				w.startPods()
				w.Pods[1].Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "node was low on memory"}
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "Unknown NotEnded", progressing: "True Provisioning"},
		},
		"a load pod that ends with an error while loading fails the run": {
			play: func(w *world) {
				w.toLoading()
				w.endPod(0, corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 1, Message: "duplicate key"})
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "False LoadPodFailed"},
			says: "duplicate key",
		},
		"a load pod that is lost again and again fails the run for the last time": {
			play: func(w *world) {
				loseWhileLoading(w)
				for range 3 {
					w.replacePod()
					w.pass(time.Minute)
					w.endPod(0, corev1.PodFailed, killed)
				}
				w.jobSays(batchv1.JobFailureTarget, batchv1.JobReasonFailedIndexes, "Job has failed indexes")
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "False OOMKilled", dataLoaded: "False LoadFailed"},
			says: "killed for lack of memory; it had taken the place of others that were lost, 3 in all",
		},
		"a load pod that was replaced while loading is not blamed later": {
			play: func(w *world) {
				loseWhileLoading(w)
				w.replacePod()
				w.pass(time.Minute)
				w.allSay(runtest.StepWrite, reportv1alpha1.ProgressRunning, 50)
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "Unknown NotEnded", progressing: "True Measuring"},
		},
		"a load pod that was replaced while measuring fails the run": {
			play: func(w *world) {
				w.toMeasuring()
				w.pass(time.Second)
				w.endPod(0, corev1.PodFailed, killed)
				w.replacePod()
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "False OOMKilled", dataLoaded: "True Loaded"},
		},
		"a load pod whose node is silent is waited for": {
			play: func(w *world) { loseNodeWhileLoading(w); w.pass(silentTime - time.Minute) },
			want: loading,
		},
		"a load pod whose node stays silent fails the run": {
			play: func(w *world) { loseNodeWhileLoading(w); w.pass(silentTime) },
			want: map[string]string{succeeded: "False LoadPodLost", dataLoaded: "False LoadFailed"},
			says: "its node node-1 does not answer",
		},
		"a load that does not end in time names the pod that is missing": {
			play: func(w *world) { loseWhileLoading(w); w.pass(time.Hour) },
			want: map[string]string{succeeded: "False DeadlineExceeded"},
			says: "killed for lack of memory, and is replaced (1 of at most 3 times)",
		},
	}
}

// TestNoStepBeginsWithoutALoadPodThatIsLost: what it said last looks as if it were ready.
func TestNoStepBeginsWithoutALoadPodThatIsLost(t *testing.T) {
	w := newWorld(t)
	w.toLoading()
	key := planv1alpha1.GateKey(runtest.StepRead)
	opened := func() bool {
		w.settle()
		if got := w.status(succeeded); got != "Unknown NotEnded" {
			t.Fatalf("Succeeded is %q:\n%s", got, w.describe())
		}
		_, open := w.gate()[key]
		return open
	}
	w.endPod(0, corev1.PodFailed, killed)
	w.allSay(runtest.StepRead, reportv1alpha1.ProgressWaiting, 0)
	if opened() {
		t.Fatal("the measuring begins although load pod 0 is lost")
	}
	w.Pods = w.Pods[1:]
	if opened() {
		t.Fatal("the measuring begins although nothing is left of load pod 0")
	}
	w.startPods()
	w.replacePod()
	if opened() {
		t.Fatal("the measuring begins although the new load pod 0 has not said anything")
	}
	said := runtest.Progress(runtest.StepRead, reportv1alpha1.ProgressWaiting, 0)
	said.Pod = string(w.Pods[0].UID)
	w.podSays(0, said)
	if !opened() {
		t.Errorf("the measuring does not begin although all are ready:\n%s", w.describe())
	}
}
