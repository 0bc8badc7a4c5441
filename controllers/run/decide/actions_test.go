package decide

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/partition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// deletePods deletes members as was decided, as the API server would.
func (w *world) deletePods(pods []*corev1.Pod) bool {
	for _, deleted := range pods {
		for i := range w.Members {
			if w.Members[i].UID == deleted.UID {
				w.Members[i].DeletionTimestamp = new(metav1.NewTime(w.Now))
			}
		}
	}
	return len(pods) > 0
}

// memberPod is the pod of a member of the run's own target.
func memberPod(index int, uid string, born time.Time) corev1.Pod {
	return corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: naming.MemberPod("r", naming.ReplicaSet, index), Namespace: "bench", UID: types.UID(uid),
		CreationTimestamp: metav1.NewTime(born), Labels: map[string]string{naming.MemberLabel: "r"},
	}}
}

// disturb brings a run into a step in which one action is asked for, now, for the second of three members.
func (w *world) disturb(action benchv1alpha1.ActionType) {
	w.Run.Spec.Workload.Steps[1].Actions = []benchv1alpha1.Action{
		{Name: "fault", Type: action, DurationSeconds: new(int32(8))},
	}
	for i := range 3 {
		w.Members = append(w.Members, memberPod(i, string(rune('a'+i)), birth))
	}
	w.toMeasuring()
	w.ask()
}

// ask has load pod 0 ask for the action.
func (w *world) ask() {
	progress := runtest.Progress(runtest.StepWrite, reportv1alpha1.ProgressRunning, 50)
	progress.Requests = []reportv1alpha1.ActionRequest{{
		Step: runtest.StepWrite, Member: naming.MemberHost("r", "bench", naming.ReplicaSet, 1), At: w.Now,
	}}
	w.podSays(0, progress)
}

// end has the load pods end with what they asked for.
func (w *world) end() {
	progress := w.progress0()
	progress.State = reportv1alpha1.ProgressDone
	w.podSays(0, progress)
	w.podSays(1, runtest.Progress(runtest.StepWrite, reportv1alpha1.ProgressDone, 100))
	w.reportAll()
	w.settle()
}

func (w *world) progress0() reportv1alpha1.Progress {
	progress, err := reportv1alpha1.DecodeProgress([]byte(w.says[naming.PodConfigMap("r", 0)]))
	if err != nil {
		w.t.Fatal(err)
	}
	return progress
}

// policies are the names of the NetworkPolicies that the run owns, and cut those of the members that they cut off.
func (w *world) policies() (names, cut []string) {
	for _, object := range cuts(&w.Observation) {
		names = append(names, object.GetName())
	}
	return names, cutOff(&w.Observation)
}

// deleted are the UIDs of the members whose pods are being deleted.
func (w *world) deleted() []string {
	var uids []string
	for _, pod := range w.Members {
		if pod.DeletionTimestamp != nil {
			uids = append(uids, string(pod.UID))
		}
	}
	return uids
}

// actionScenarios are what may become of actions.
func actionScenarios() map[string]scenario {
	goes := func(w *world, wait time.Duration) {
		w.settle()
		w.pass(wait)
		w.targetSays(benchv1alpha1.TargetReady, isFalse, benchv1alpha1.ReasonMemberRestarting, "pod r-mongod-1 is away")
	}
	return map[string]scenario{
		"an action that could not be carried out is a doubt": {
			play: func(w *world) {
				w.disturb(benchv1alpha1.ActionDeletePod)
				w.Members = nil
				w.end()
			},
			want: map[string]string{succeeded: "True Completed", trustworthy: "False ActionFailed"},
		},
		"an action that was carried out is none": {
			play: func(w *world) { w.disturb(benchv1alpha1.ActionDeletePod); w.settle(); w.end() },
			want: map[string]string{succeeded: "True Completed", trustworthy: "True NoConcern"},
		},
		"a member that goes away because of an action is no lost target": {
			play: func(w *world) {
				w.disturb(benchv1alpha1.ActionDeletePod)
				goes(w, time.Second)
				w.settle()
				w.pass(time.Minute)
			},
			want: map[string]string{succeeded: "Unknown NotEnded", ready: "False MemberRestarting"},
		},
		"a member that comes back from one is no lost target": {
			play: func(w *world) {
				w.disturb(benchv1alpha1.ActionPartition)
				goes(w, time.Second)
				w.pass(time.Minute)
				w.targetSays(benchv1alpha1.TargetReady, isTrue, benchv1alpha1.ReasonReady, "3 members")
			},
			want: map[string]string{succeeded: "Unknown NotEnded", ready: "True TargetReady"},
		},
		"a member that goes away before any action is a lost target": {
			play: func(w *world) {
				w.Run.Spec.Workload.Steps[1].Actions = []benchv1alpha1.Action{
					{Name: "fault", Type: benchv1alpha1.ActionDeletePod, AfterSeconds: new(int32(5))},
				}
				w.toMeasuring()
				goes(w, time.Second)
				w.pass(causeGrace)
			},
			want: map[string]string{succeeded: "False TargetLost"},
			says: "MemberRestarting: pod r-mongod-1 is away",
		},
	}
}

// trustworthy is the condition Trusted; the name trusted is a function's.
const trustworthy = benchv1alpha1.RunTrusted

func TestAPodIsDeletedOnceAndOnlyTheOneThatWasThere(t *testing.T) {
	w := newWorld(t)
	w.disturb(benchv1alpha1.ActionDeletePod)
	if w.Target.Spec.MemberRestarts() != benchv1alpha1.MemberRestartsTolerate {
		t.Error("the run's own target does not tolerate what the run does to it")
	}
	// What is done is noted first: a pass that sees no note deletes nothing.
	w.observe()
	if first := Decide(w.Observation); len(first.Deletions) > 0 {
		t.Fatalf("deletions before the pod is noted: %+v", first.Deletions)
	}
	w.settle()
	if got := w.deleted(); !slices.Equal(got, []string{"b"}) {
		t.Fatalf("deleted %v, want b", got)
	}
	// Its successor was born, by its node's clock, before the request.
	w.Members[1] = memberPod(1, "successor", birth)
	w.pass(time.Second)
	w.settle()
	if got := w.deleted(); len(got) > 0 {
		t.Errorf("deleted %v as well", got)
	}
	if key := planv1alpha1.ActionKey(runtest.StepWrite, 0); w.ConfigMaps["r-gate"].Data[key] != "b" {
		t.Errorf("the gate has %v", w.ConfigMaps["r-gate"].Data)
	}
}

func TestWhatIsNotDeleted(t *testing.T) {
	for name, change := range map[string]func(*world){
		"a pod that was made after the request": func(w *world) {
			w.Members[1].CreationTimestamp = metav1.NewTime(w.Now.Add(time.Second))
		},
		"a pod that is going already":   func(w *world) { w.Members[1].DeletionTimestamp = new(metav1.NewTime(w.Now)) },
		"a pod that is no member's":     func(w *world) { w.Members = w.Members[:1] },
		"a pod, long after the request": func(w *world) { w.pass(act.Patience + 9*time.Second) },
		"a pod, after the steps":        func(w *world) { w.end() },
		"anything that is not in the plan": func(w *world) {
			progress := w.progress0()
			progress.Requests[0].Action = 1
			w.podSays(0, progress)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.disturb(benchv1alpha1.ActionDeletePod)
			change(w)
			for range 5 {
				w.observe()
				decision := Decide(w.Observation)
				if len(decision.Deletions) > 0 {
					t.Fatalf("deletions %+v", decision.Deletions)
				}
				w.Run.Status = decision.Status
				if !decision.Leave {
					w.apply(decision)
				}
			}
		})
	}
}

func TestAnActionThatCameTooLateIsTold(t *testing.T) {
	w := newWorld(t)
	w.disturb(benchv1alpha1.ActionDeletePod)
	w.Members = nil
	w.pass(act.Patience + 9*time.Second)
	w.settle()
	const want = `action "fault" of step "write" was left alone: the target has no pod of member r-mongod-1.r-members.`
	if got := w.describe(); !strings.Contains(got, want) {
		t.Errorf("want %q in\n%s", want, got)
	}
}

func TestAPartitionLastsForItsTime(t *testing.T) {
	w := newWorld(t)
	w.disturb(benchv1alpha1.ActionPartition)
	decision := w.settle()
	names, cut := w.policies()
	if diff := cmp.Diff([][]string{{"r-partition"}, {"r-mongod-1"}}, [][]string{names, cut}); diff != "" {
		t.Fatalf("policies and members that are cut off (-want +got):\n%s", diff)
	}
	if decision.Wait > progressPeriod {
		t.Errorf("looks again after %s", decision.Wait)
	}
	w.pass(7500 * time.Millisecond)
	if decision := w.settle(); decision.Wait != 500*time.Millisecond {
		t.Errorf("looks again after %s, and the partition ends in 500ms", decision.Wait)
	}
	w.pass(500 * time.Millisecond)
	w.settle()
	if names, cut := w.policies(); len(names)+len(cut) > 0 {
		t.Errorf("left are %v and %v", names, cut)
	}
	w.end()
	if got := w.status(trustworthy); got != "True NoConcern" {
		t.Errorf("Trusted is %s:\n%s", got, w.describe())
	}
}

func TestAPartitionEndsWithItsRun(t *testing.T) {
	for name, end := range map[string]func(*world){
		"that fails": func(w *world) { w.lose("Job") },
		"that fails, and keeps what it made": func(w *world) {
			w.Run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
			w.lose("Job")
		},
		"that is deleted":             func(w *world) { w.Run.DeletionTimestamp = new(metav1.NewTime(w.Now)) },
		"whose load pods are through": func(w *world) { w.end() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.disturb(benchv1alpha1.ActionPartition)
			w.settle()
			end(w)
			w.settle()
			if _, cut := w.policies(); len(cut) > 0 {
				t.Errorf("%v are cut off still", cut)
			}
		})
	}
}

func TestAMemberThatTookThePlaceOfAnotherIsNotCutOff(t *testing.T) {
	w := newWorld(t)
	w.disturb(benchv1alpha1.ActionPartition)
	w.settle()
	w.Members[1] = memberPod(1, "successor", w.Now)
	w.settle()
	if names, cut := w.policies(); len(names)+len(cut) > 0 {
		t.Errorf("left are %v and %v", names, cut)
	}
}

func TestActionsOnATargetThatDoesNotTolerateThemAreRefused(t *testing.T) {
	w := newWorld(t)
	refer(w)
	shareTarget(w)
	w.Run.Spec.Workload.Steps[1].Actions = []benchv1alpha1.Action{{Name: "fault", Type: benchv1alpha1.ActionDeletePod}}
	w.settle()
	if got := w.status(benchv1alpha1.RunAccepted); got != "False Invalid" ||
		!strings.Contains(w.describe(), "set its memberRestarts to Tolerate") {
		t.Errorf("Accepted is %s:\n%s", got, w.describe())
	}
}

func TestTheResultOfAnAction(t *testing.T) {
	w := newWorld(t)
	w.disturb(benchv1alpha1.ActionDeletePod)
	w.settle()
	w.end()
	want := []benchv1alpha1.ActionResult{{
		Name: "fault", AtMillis: new(int64(0)), OutageMillis: new(int64(2345)),
	}}
	if diff := cmp.Diff(want, w.Run.Status.Result.Steps[1].Actions); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestThePolicyThatCutsMembersOff(t *testing.T) {
	policy := partition.Policy(runtest.Run("bench", "r"), "shared", []string{"shared-mongod-1"})
	compareGolden(t, "partition", []*networkingv1.NetworkPolicy{policy})
}
