package decide

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/admit"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// evict plays a node under pressure: load pod 0 is evicted, and the time passes in which a better cause would show.
func (w *world) evict() {
	w.Pods[0].Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "node was low on memory"}
	w.pass(causeGrace)
	w.settle()
}

// silence plays the node controller: the node of the first member does not answer.
func (w *world) silence() {
	w.Members = []corev1.Pod{memberPod(0, "a", birth)}
	w.Members[0].Status.Conditions = []corev1.PodCondition{
		{Type: corev1.ContainersReady, Status: corev1.ConditionTrue}, {Type: corev1.PodReady, Status: corev1.ConditionFalse},
	}
}

// attempts are the reasons of the attempts that were given up.
func (w *world) attempts() []string {
	reasons := make([]string, 0, len(w.Run.Status.Attempts))
	for _, attempt := range w.Run.Status.Attempts {
		reasons = append(reasons, attempt.Reason)
	}
	return reasons
}

func (w *world) wantAttempts(want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.attempts(), cmpopts.EquateEmpty()); diff != "" {
		w.t.Errorf("attempts (-want +got):\n%s\n%s", diff, w.describe())
	}
}

// TestCausesThatAreRetried has each cause befall a run that measures and may start over once.
func TestCausesThatAreRetried(t *testing.T) {
	targetSays := func(reason string) func(*world) {
		return func(w *world) {
			w.targetSays(benchv1alpha1.TargetReady, metav1.ConditionFalse, reason, "gone")
			w.pass(causeGrace)
		}
	}
	for name, tc := range map[string]struct {
		play func(*world)
		// want is the reason of the attempt that was given up; empty: the run does not start over.
		want string
		// fails is the reason that the run fails with otherwise.
		fails string
	}{
		"a load pod is evicted": {play: (*world).evict, want: benchv1alpha1.ReasonLoadPodLost},
		"a load pod is deleted": {play: func(w *world) {
			at := metav1.NewTime(w.Now)
			w.Pods[1].DeletionTimestamp, w.Pods[1].DeletionGracePeriodSeconds = &at, new(int64(0))
			w.pass(causeGrace)
		}, want: benchv1alpha1.ReasonLoadPodLost},
		"a load pod is preempted": {play: func(w *world) {
			w.Pods[0].Status = corev1.PodStatus{Phase: corev1.PodFailed, Conditions: []corev1.PodCondition{{
				Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler,
			}}}
			w.pass(causeGrace)
		}, want: benchv1alpha1.ReasonLoadPodLost},
		"Kueue preempts the Job": {
			play: func(w *world) { w.Job.Spec.Suspend = new(true); w.pass(causeGrace) }, want: benchv1alpha1.ReasonLoadPodLost,
		},
		"the target is deleted": {
			play: func(w *world) { w.lose("BenchmarkTarget") }, want: benchv1alpha1.ReasonTargetLost,
		},
		"a member of the target restarts": {
			play: targetSays(benchv1alpha1.ReasonMemberRestarted), want: benchv1alpha1.ReasonTargetLost,
		},
		"the node of a member is silent": {
			play: targetSays(benchv1alpha1.ReasonNodeLost), want: benchv1alpha1.ReasonNodeLost,
		},
		"a load pod fails because of a node that is found silent later": {play: func(w *world) {
			w.endPod(0, corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 1, Message: "connection reset"})
			w.pass(45 * time.Second)
			w.settle()
			targetSays(benchv1alpha1.ReasonNodeLost)(w)
		}, want: benchv1alpha1.ReasonNodeLost},
		"a load pod has failed because of a silent node when an operator that was away looks again": {play: func(w *world) {
			w.silence()
			w.endPod(0, corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 1, Message: "connection reset"})
			w.pass(nodeGrace)
		}, want: benchv1alpha1.ReasonNodeLost},
		"a load pod has failed because of a member that restarts over and over when it looks again": {play: func(w *world) {
			w.Members = []corev1.Pod{memberPod(0, "a", birth)}
			w.Members[0].Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "mongod", State: corev1.ContainerState{
				Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"},
			}}}
			w.endPod(0, corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 1, Message: "connection reset"})
			w.pass(nodeGrace)
		}, want: benchv1alpha1.ReasonTargetLost},

		"a member has too little memory": {
			play: targetSays(benchv1alpha1.ReasonOOMKilled), fails: benchv1alpha1.ReasonOOMKilled,
		},
		"a load pod has too little memory": {
			play:  func(w *world) { w.endPod(0, corev1.PodFailed, killed); w.pass(causeGrace) },
			fails: benchv1alpha1.ReasonOOMKilled,
		},
		"a load pod fails by itself": {play: func(w *world) {
			w.endPod(0, corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 1, Message: "authentication failed"})
			w.pass(nodeGrace)
		}, fails: benchv1alpha1.ReasonLoadPodFailed},
		"a deadline passes": {
			play: func(w *world) { w.pass(1000 * time.Hour) }, fails: benchv1alpha1.ReasonDeadlineExceeded,
		},
		"it is cancelled": {play: (*world).cancel, fails: benchv1alpha1.ReasonCancelled},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Run.Spec.RetryLimit = new(int32(1))
			w.toMeasuring()
			tc.play(w)
			w.settle()
			if tc.want != "" {
				w.wantAttempts(tc.want)
				return
			}
			w.wantAttempts()
			w.settle()
			if got := w.status(succeeded); !strings.HasSuffix(got, " "+tc.fails) {
				t.Errorf("Succeeded is %q, want %s", got, tc.fails)
			}
		})
	}
}

// TestARetriedRunIsLikeOneThatWasNot goes from a loss while measuring to a result.
func TestARetriedRunIsLikeOneThatWasNot(t *testing.T) {
	w := newWorld(t)
	w.Run.Spec.RetryLimit = new(int32(2))
	w.Run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	w.toMeasuring()
	w.reportAll() // What the first attempt measured does not count.
	w.evict()
	w.wantTakenDown()
	w.Turn.Admitted = false
	w.reports = map[string][]byte{}
	w.gone()
	w.settle()
	if got := w.status(admitted); got != "False Queued" {
		t.Errorf("when nothing is left, Admitted is %q", got)
	}
	w.Turn.Admitted = true
	w.toVerdict()
	if got := w.status(succeeded); got != "True Completed" {
		t.Errorf("Succeeded is %q:\n%s", got, w.describe())
	}
	w.wantAttempts(benchv1alpha1.ReasonLoadPodLost)
	given := w.Run.Status.Attempts[0]
	if !given.StartTime.Time.Equal(birth) || given.EndTime.Time.Before(birth.Add(18*time.Second)) {
		t.Errorf("the attempt is said to have been from %s to %s", given.StartTime, given.EndTime)
	}
	w.wantStagesSince(given.EndTime.Time)
}

// wantStagesSince wants every stage but the first to have begun after the attempt before.
func (w *world) wantStagesSince(ended time.Time) {
	w.t.Helper()
	for _, stage := range w.Run.Status.Stages {
		if stage.Name != benchv1alpha1.StageQueued && stage.StartTime.Time.Before(ended) {
			w.t.Errorf("stage %s is of the first attempt", stage.Name)
		}
	}
}

// wantTakenDown wants nothing to be left of an attempt, but for its pods.
func (w *world) wantTakenDown() {
	w.t.Helper()
	if got := w.status(progressing); got != "True Queued" || !admit.Holds(w.Run) {
		w.t.Errorf("while it is taken down, Progressing is %q:\n%s", got, w.describe())
	}
	status := w.Run.Status
	if len(w.Owned) > 0 || status.PlanHash != "" || status.Progress != nil || status.Result != nil || w.stored != nil {
		w.t.Errorf("of the first attempt these are left: %v", remaining(&w.Observation))
	}
}

func TestARunThatIsLostTooOftenFailsAndKeepsWhatItMeasured(t *testing.T) {
	w := newWorld(t)
	w.Run.Spec.RetryLimit = new(int32(1))
	w.toMeasuring()
	w.evict()
	w.gone()
	w.toMeasuring()
	w.evict()
	w.wantAttempts(benchv1alpha1.ReasonLoadPodLost)
	if got := w.status(succeeded); got != "Unknown LoadPodLost" && got != "False LoadPodLost" {
		t.Errorf("Succeeded is %q", got)
	}
}

func TestARunWhoseMeasurementIsCompleteDoesNotStartOver(t *testing.T) {
	w := newWorld(t)
	w.Run.Spec.RetryLimit = new(int32(1))
	w.toCollecting()
	w.reportAll()
	w.lose("BenchmarkTarget")
	w.evict()
	w.pass(collectorGrace) // A Job collects the reports instead of the pod.
	w.settle()
	w.wantAttempts()
	if got := w.status(succeeded); got != "True Completed" {
		t.Errorf("Succeeded is %q", got)
	}
}

func TestSuspensionsDoNotCountAsRetries(t *testing.T) {
	w := newWorld(t)
	w.Run.Spec.RetryLimit = new(int32(1))
	for range 3 {
		w.toMeasuring()
		w.suspend(true)
		w.gone()
		w.settle()
		w.wantAttempts(benchv1alpha1.ReasonSuspended)
		w.suspend(false)
	}
	w.toMeasuring()
	w.evict()
	w.wantAttempts(benchv1alpha1.ReasonLoadPodLost)
}

func TestWhatDoesNotGoAwayHoldsNoPlaceForEver(t *testing.T) {
	stuck := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "r-0"}}
	for name, tc := range map[string]struct {
		stop func(*world)
		want map[string]string
	}{
		"of a run that starts over by itself": {
			(*world).evict, map[string]string{succeeded: "False LoadPodLost", admitted: "False Queued"},
		},
		"of a run that is suspended": {
			func(w *world) { w.suspend(true); w.settle() },
			map[string]string{succeeded: "Unknown NotEnded", admitted: "False Suspended"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Run.Spec.RetryLimit = new(int32(1))
			w.toMeasuring()
			w.TargetPods = []corev1.Pod{stuck}
			tc.stop(w)
			w.Pods = nil
			w.pass(removalTime - causeGrace - time.Second)
			w.settle()
			if !admit.Stopping(w.Run) {
				t.Fatalf("it does not wait:\n%s", w.describe())
			}
			w.pass(causeGrace + time.Second)
			w.settle()
			for of, want := range tc.want {
				if got := w.status(of); got != want {
					t.Errorf("%s is %q, want %q", of, got, want)
				}
			}
		})
	}
}

// TestALossWhileLoadingStartsOverOnlyWhenTheJobGivesUp: until then the load goes on where it was.
func TestALossWhileLoadingStartsOverOnlyWhenTheJobGivesUp(t *testing.T) {
	w := newWorld(t)
	w.Run.Spec.RetryLimit = new(int32(1))
	w.toLoading()
	w.evict()
	w.wantAttempts()
	for range 3 {
		w.replacePod()
		w.pass(time.Minute)
		w.evict()
	}
	w.jobSays(batchv1.JobFailureTarget, batchv1.JobReasonFailedIndexes, "Job has failed indexes")
	w.settle()
	w.wantAttempts(benchv1alpha1.ReasonLoadPodLost)
	w.gone()
	w.toLoading()
	w.allSay(runtest.StepWrite, reportv1alpha1.ProgressRunning, 10)
	w.settle()
	if got := w.status(progressing); got != "True Measuring" {
		t.Errorf("the second attempt is in %q", got)
	}
}
