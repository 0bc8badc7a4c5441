package decide

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/admit"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/quota"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

const admitted = benchv1alpha1.RunAdmitted

// wait puts the run behind others.
func (w *world) wait() {
	w.Turn = queue.Turn{
		Group: `group "a"`, Ahead: 2, Exact: true, Measured: []types.NamespacedName{{Namespace: "x", Name: "y"}},
	}
}

func (w *world) suspend(suspended bool) { w.Run.Spec.Suspend = &suspended }

func (w *world) cancel() { w.Run.Spec.Cancel = new(true) }

// gone takes away what a run leaves behind for a while: its pods.
func (w *world) gone() { w.settle(); w.Pods, w.says = nil, map[string]string{} }

// queueScenarios are what comes before the turn of a run, and what takes it away.
func queueScenarios() map[string]scenario {
	return map[string]scenario{
		"a run that others come before is queued, and looks at nothing": {
			play: (*world).wait,
			want: map[string]string{
				accepted: "True Valid", admitted: "False Queued", progressing: "True Queued", ready: "Unknown Queued",
				dataLoaded: "False LoadPending", succeeded: "Unknown NotEnded", trust: "Unknown NotMeasured",
			},
		},
		"a run whose turn it is has been admitted": {
			play: func(*world) {},
			want: map[string]string{admitted: "True Admitted", progressing: "True Provisioning"},
		},
		"a run that was admitted stays so, whatever the queue says": {
			play: func(w *world) { w.settle(); w.wait() },
			want: map[string]string{admitted: "True Admitted", progressing: "True Provisioning"},
		},
		"no deadline passes while a run is queued": {
			play: func(w *world) { refer(w); w.wait(); w.settle(); w.pass(240 * time.Hour) },
			want: map[string]string{admitted: "False Queued", succeeded: "Unknown NotEnded"},
		},
		"a deadline counts from the admission": {
			play: func(w *world) {
				refer(w)
				w.wait()
				w.settle()
				w.pass(240 * time.Hour)
				w.Turn = queue.Turn{Admitted: true}
				w.settle()
				w.pass(299 * time.Second)
			},
			want: map[string]string{ready: "False TargetNotFound", succeeded: "Unknown NotEnded"},
		},
		"a run that makes no sense is rejected before it is queued": {
			play: func(w *world) { w.wait(); w.Run.Spec.Workload.Steps[0].Name = "load" },
			want: map[string]string{accepted: "False Invalid", admitted: "", progressing: "False Finished"},
		},
		"a queued run whose target turns out not to let it write is rejected": {
			play: func(w *world) {
				refer(w)
				w.wait()
				w.settle()
				shareTarget(w)
				w.Target.Spec.MongoDB.Databases = []string{"orders"}
			},
			want: map[string]string{accepted: "False Invalid", admitted: "False Queued", progressing: "False Finished"},
		},
		"a run that an operator without a queue began goes on": {
			play: func(w *world) { w.toMeasuring(); w.forgetAdmission(); w.wait() },
			want: map[string]string{admitted: "True Admitted", progressing: "True Measuring"},
		},
		"a run that is suspended before its turn is not admitted": {
			play: func(w *world) { w.suspend(true) },
			want: map[string]string{
				accepted: "True Valid", admitted: "False Suspended", progressing: "True Queued", succeeded: "Unknown NotEnded",
			},
		},
		"a run that is suspended holds its place until its pods are gone": {
			play: func(w *world) { w.toMeasuring(); w.suspend(true) },
			want: map[string]string{admitted: "True Admitted", progressing: "True Queued", dataLoaded: "False LoadPending"},
		},
		"a run that is suspended and of which nothing is left gives its place back": {
			play: func(w *world) { w.toMeasuring(); w.suspend(true); w.gone() },
			want: map[string]string{admitted: "False Suspended", progressing: "True Queued", succeeded: "Unknown NotEnded"},
		},
		"a run that is resumed before everything is gone goes to the queue all the same": {
			play: func(w *world) {
				w.toMeasuring()
				w.suspend(true)
				w.settle()
				w.suspend(false)
				w.gone()
				w.wait()
			},
			want: map[string]string{admitted: "False Queued", progressing: "True Queued"},
		},
		"a run that is resumed begins again": {
			play: func(w *world) {
				w.toMeasuring()
				w.suspend(true)
				w.gone()
				w.settle()
				w.suspend(false)
				w.toVerdict()
			},
			want: map[string]string{admitted: "True Admitted", succeeded: "True Completed", dataLoaded: "True Loaded"},
		},
		"a run that is suspended when its pods are done is finished": {
			play: func(w *world) { w.toCollecting(); w.suspend(true); w.reportAll() },
			want: map[string]string{admitted: "True Admitted", succeeded: "True Completed"},
		},
		"a run that is cancelled while it is measured, and whose pods leave nothing, ends without a result": {
			play: func(w *world) { w.toMeasuring(); w.cancel() },
			want: map[string]string{
				admitted: "True Admitted", progressing: "False Finished", succeeded: "False Cancelled",
				trust: "Unknown NotMeasured",
			},
			says: "spec.cancel",
		},
		"a run that is cancelled is kept as its cleanupPolicy says": {
			play: func(w *world) {
				w.Run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeepOnFailure)
				w.toMeasuring()
				w.cancel()
			},
			want: map[string]string{progressing: "False Finished", succeeded: "False Cancelled"},
		},
		"a run that is cancelled before its turn ends at once": {
			play: func(w *world) { w.wait(); w.settle(); w.cancel() },
			want: map[string]string{admitted: "False Queued", progressing: "False Finished", succeeded: "False Cancelled"},
		},
		"a run that is cancelled while it is suspended ends at once": {
			play: func(w *world) { w.toMeasuring(); w.suspend(true); w.gone(); w.settle(); w.cancel() },
			want: map[string]string{admitted: "False Suspended", progressing: "False Finished", succeeded: "False Cancelled"},
		},
	}
}

// forgetAdmission makes the status one of an operator that knew no queue.
func (w *world) forgetAdmission() {
	w.Run.Status.Conditions = slices.DeleteFunc(w.Run.Status.Conditions, func(c metav1.Condition) bool {
		return c.Type == admitted
	})
}

// TestNothingIsMadeBeforeTheAdmissionIsWritten: a manager that ends between the two must not leave objects of a run
// that the next one takes for queued.
func TestNothingIsMadeBeforeTheAdmissionIsWritten(t *testing.T) {
	w := newWorld(t)
	first := Decide(w.Observation)
	if !first.Leave || len(first.Desired) > 0 || !condition.IsTrue(first.Status.Conditions, admitted) {
		t.Errorf("the first decision makes %d objects, conditions %v", len(first.Desired), first.Status.Conditions)
	}
	w.Run.Status = first.Status
	if second := Decide(w.Observation); second.Leave || len(second.Desired) == 0 {
		t.Error("the second decision makes nothing")
	}
}

// TestNothingIsRemovedBeforeTheSuspensionIsWritten: else a run that is resumed at once would miss what it made.
func TestNothingIsRemovedBeforeTheSuspensionIsWritten(t *testing.T) {
	w := newWorld(t)
	w.toMeasuring()
	w.suspend(true)
	first := Decide(w.Observation)
	if !first.Leave || first.Status.PlanHash != "" || first.Status.Progress != nil || first.Status.Server != nil {
		t.Errorf("the first decision leaves %t, with the status %+v", first.Leave, first.Status)
	}
	if stages := first.Status.Stages; len(stages) != 1 || stages[0].Name != benchv1alpha1.StageQueued {
		t.Errorf("stages: %v", stages)
	}
	w.Run.Status = first.Status
	if second := Decide(w.Observation); second.Leave || len(second.Desired) > 0 {
		t.Errorf("the second decision leaves %t, and wants %d objects", second.Leave, len(second.Desired))
	}
}

func TestASuspendedRunSaysWhatBecameOfIt(t *testing.T) {
	cases := map[string]struct {
		play func(*world)
		want string
	}{
		"one that had not begun":         {func(w *world) { w.suspend(true) }, "gets in line when it is not"},
		"one of which something is left": {func(w *world) { w.toMeasuring(); w.suspend(true) }, "being removed"},
		"one that had begun":             {func(w *world) { w.toMeasuring(); w.suspend(true); w.gone() }, "starts over"},
		"one that had begun, a while ago": {
			func(w *world) { w.toMeasuring(); w.suspend(true); w.gone(); w.settle() }, "starts over",
		},
		"one that ended before it resumed": {func(w *world) { w.suspend(true); w.settle(); w.cancel() }, "ended before"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tc.play(w)
			w.settle()
			if said := condition.Find(w.Run.Status.Conditions, admitted).Message; !strings.Contains(said, tc.want) {
				t.Errorf("Admitted says %q, want %q in it", said, tc.want)
			}
		})
	}
}

func TestPlaceInWords(t *testing.T) {
	names := func(count int) []types.NamespacedName {
		all := make([]types.NamespacedName, 0, count)
		for i := range count {
			all = append(all, types.NamespacedName{Namespace: "n", Name: strconv.Itoa(i)})
		}
		return all
	}
	cases := map[string]struct {
		turn queue.Turn
		want string
	}{
		"not asked": {queue.Turn{}, "the run is about to get in line"},
		"the first": {
			queue.Turn{Group: "g", Exact: true, Measured: names(1)},
			"the next of its namespace in line for g, where namespaces take turns; measured now: n/0",
		},
		"the second": {
			queue.Turn{Group: "g", Ahead: 1, Exact: true, Measured: names(3)},
			"1 of its namespace comes first in line for g, where namespaces take turns; measured now: n/0, n/1, n/2",
		},
		"one among many": {
			queue.Turn{Group: "g", Ahead: 4, Exact: true, Measured: names(5)},
			"4 of its namespace come first in line for g, where namespaces take turns; measured now: n/0, n/1, n/2, and 2 more",
		},
		"one far behind": {
			queue.Turn{Group: "g", Ahead: 10},
			"no more than 10 of its namespace come first in line for g, where namespaces take turns",
		},
		"others measure": {
			queue.Turn{Group: "g", Exact: true, Others: true},
			"the next of its namespace in line for g, where namespaces take turns; other namespaces hold places now",
		},
		"others measure too": {
			queue.Turn{Group: "g", Exact: true, Others: true, Measured: names(1), Deployed: names(1)},
			"the next of its namespace in line for g, where namespaces take turns; measured now: n/0; deployed now: n/0; " +
				"other namespaces hold places now",
		},
		"no run is ahead": {
			queue.Turn{Group: "g", Exact: true}, "the next of its namespace in line for g, where namespaces take turns",
		},
		"its turn already": {queue.Turn{Group: "g", Admitted: true}, "the run is about to get in line"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, admit.WaitsFor(tc.turn, &benchv1alpha1.BenchmarkRun{}, "")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// suspendJob plays Kueue, which suspends the Job when it is made, and lets it go.
func (w *world) suspendJob(suspended bool) {
	w.Job.Spec.Suspend = &suspended
	if !suspended {
		w.Job.Status.StartTime = new(metav1.NewTime(w.Now))
	}
}

// almost is not quite the default of queueingSeconds.
const almost = time.Hour - time.Second

// kueueHas plays Kueue, which says something of the run's Workload.
func (w *world) kueueHas(conditions ...string) {
	list := make([]any, 0, len(conditions))
	for _, said := range conditions {
		words := strings.SplitN(said, " ", 3)
		list = append(list, map[string]any{"type": words[0], "status": words[1], "message": words[2]})
	}
	w.Quota.Workload = &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "r-workload"}, "spec": map[string]any{"queueName": "team"},
		"status": map[string]any{"conditions": list},
	}}
}

// quotaScenarios are a run that Kueue admits as a whole.
func quotaScenarios() map[string]scenario {
	asks := func(w *world) {
		w.Run.Labels = map[string]string{naming.QueueLabel: "team"}
		w.Quota.Asked = true
		turn := w.Turn
		w.Turn = Turn{}
		if decision := w.settle(); decision.Quota != quota.Ask || len(w.Owned) > 0 {
			w.t.Errorf("to be done: %q, and there are %v", decision.Quota, remaining(&w.Observation))
		}
		w.kueueHas("QuotaReserved False no room for 3 pods")
		w.settle()
		w.Turn = turn
	}
	hasRoom := func(w *world) {
		asks(w)
		w.kueueHas("QuotaReserved True reserved", "Admitted True admitted")
		w.toLoading()
	}
	return map[string]scenario{
		"a run that Kueue has no room for waits before anything is made": {
			play: func(w *world) { asks(w); w.Turn = Turn{}; w.settle() },
			want: map[string]string{admitted: "False QuotaPending", progressing: "True Queued"},
		},
		"a run that Kueue has room for goes on": {
			play: hasRoom, want: map[string]string{admitted: "True Admitted", progressing: "True Loading"},
		},
		"a run that Kueue evicts is taken down, and gives the room back when all is gone": {
			play: func(w *world) {
				hasRoom(w)
				w.kueueHas("QuotaReserved True reserved", "Admitted True admitted", "Evicted True preempted")
				w.settle()
				w.Pods, w.TargetPods = nil, nil
				w.observe()
				if decision := Decide(w.Observation); decision.Quota != quota.Vacate {
					w.t.Errorf("to be done: %q, and there are %v", decision.Quota, remaining(&w.Observation))
				}
				w.kueueHas("QuotaReserved False preempted", "Admitted False preempted", "Evicted True preempted")
				w.Turn = Turn{}
				w.settle()
			},
			want: map[string]string{admitted: "False QuotaPending", succeeded: "Unknown NotEnded"},
		},
		"a run that is suspended gives its place in Kueue's line up": {
			play: func(w *world) {
				asks(w)
				w.Run.Spec.Suspend = new(true)
				w.Turn = Turn{}
				if decision := w.settle(); decision.Quota != quota.Remove {
					w.t.Errorf("to be done: %q", decision.Quota)
				}
			},
			want: map[string]string{admitted: "False Suspended"},
		},
	}
}

// kueueScenarios are a load Job that others may suspend.
func kueueScenarios() map[string]scenario {
	queued := func(w *world) {
		w.Run.Labels = map[string]string{naming.QueueLabel: "team"}
		w.toJob()
		w.suspendJob(true)
	}
	return map[string]scenario{
		"a load Job that is suspended is waited for": {
			play: func(w *world) { queued(w); w.pass(almost) },
			want: map[string]string{progressing: "True Provisioning", succeeded: "Unknown NotEnded"},
		},
		"a load Job that is not let go in time fails the run, which holds no place any more": {
			play: func(w *world) { queued(w); w.pass(time.Hour) },
			want: map[string]string{succeeded: "False DeadlineExceeded"},
			says: `spec.deadlines.queueingSeconds is over (2026-11-21T04:00:00Z): the load Job is suspended; Kueue admits it ` +
				`from queue "team"`,
		},
		"a load Job may be suspended for as long as the run says": {
			play: func(w *world) {
				w.Run.Spec.Deadlines = &benchv1alpha1.Deadlines{QueueingSeconds: new(int32(7200))}
				queued(w)
				w.pass(2*time.Hour - time.Second)
			},
			want: map[string]string{succeeded: "Unknown NotEnded"},
		},
		"a load Job that is suspended again is waited for as long again": {
			play: func(w *world) {
				queued(w)
				w.pass(almost)
				w.suspendJob(false)
				w.pass(time.Minute)
				w.suspendJob(true)
				w.Job.Status.StartTime = nil
				w.jobSays(batchv1.JobSuspended, "JobSuspended", "")
				w.pass(almost)
			},
			want: map[string]string{succeeded: "Unknown NotEnded"},
		},
		"a load Job that was let go and whose controller has not seen it is no fault": {
			play: func(w *world) { queued(w); w.pass(almost); w.Job.Spec.Suspend = new(false) },
			want: map[string]string{progressing: "True Provisioning", succeeded: "Unknown NotEnded"},
		},
		"the deadline counts from when the load Job was let go": {
			play: func(w *world) { queued(w); w.pass(almost); w.suspendJob(false); w.pass(299 * time.Second) },
			want: map[string]string{succeeded: "Unknown NotEnded"},
		},
		"load pods that do not begin after that fail the run": {
			play: func(w *world) { queued(w); w.pass(almost); w.suspendJob(false); w.pass(300 * time.Second) },
			want: map[string]string{succeeded: "False DeadlineExceeded"},
			says: "schedulingSeconds",
		},
		"a load Job that is suspended before its pods began loses nothing": {
			play: func(w *world) {
				queued(w)
				w.suspendJob(false)
				w.startPods()
				w.settle()
				w.suspendJob(true)
				w.Pods[0].DeletionTimestamp = new(metav1.NewTime(w.Now))
				w.pass(almost)
			},
			want: map[string]string{progressing: "True Provisioning", succeeded: "Unknown NotEnded"},
		},
		"a load Job that is suspended while it measures has lost its pods": {
			play: func(w *world) { w.toMeasuring(); w.suspendJob(true); w.Pods = nil },
			want: map[string]string{succeeded: "False LoadPodLost"},
			says: "was suspended",
		},
		"a run whose load Job waits in another queue may be cancelled": {
			play: func(w *world) { queued(w); w.cancel() },
			want: map[string]string{succeeded: "False Cancelled"},
		},
	}
}

func TestASuspendedJobIsNamed(t *testing.T) {
	cases := map[string]struct {
		labels map[string]string
		want   string
	}{
		"by its queue":     {map[string]string{naming.QueueLabel: "team"}, `Kueue admits it from queue "team"`},
		"without any name": {nil, "not by this operator"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Run.Labels = tc.labels
			w.toJob()
			w.suspendJob(true)
			w.refusals = []corev1.Event{{Message: "exceeded quota"}}
			w.pass(time.Minute)
			decision := w.settle()
			if said := condition.Find(w.Run.Status.Conditions, progressing).Message; !strings.Contains(said, tc.want) {
				t.Errorf("Progressing says %q, want %q in it", said, tc.want)
			}
			if decision.Wait != 59*time.Minute {
				t.Errorf("looks again after %s", decision.Wait)
			}
		})
	}
}

// TestWhatIsKnownOfADatasetSurvivesASuspension: a shared target keeps what the run has written.
func TestWhatIsKnownOfADatasetSurvivesASuspension(t *testing.T) {
	for name, end := range map[string]func(*world){
		"suspended": func(w *world) { w.suspend(true) },
		"cancelled": (*world).cancel,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			refer(w)
			shareTarget(w)
			w.toLoading()
			w.loadPodsSay(runtest.StepLoad, reportv1alpha1.DatasetLoading, false)
			end(w)
			datasets := notedIn(w.Target, Decide(w.Observation))
			if len(datasets) != 1 || datasets[0].State != benchv1alpha1.DatasetLoading {
				t.Errorf("the target is told %v", datasets)
			}
		})
	}
}
