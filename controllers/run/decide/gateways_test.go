package decide

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/progress"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/quota"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// goesThrough has the load of a run go through a gateway of two pods.
func goesThrough(w *world) {
	generator := w.Run.Spec.LoadGenerator
	generator.Through = new(benchv1alpha1.WayGateway)
	generator.Gateway = &benchv1alpha1.Gateway{
		Pods: new(int32(2)), PoolSize: new(int32(8)), Resources: targettest.Limits("300m", "128Mi"),
	}
}

// startGateway has the pods of the gateway run; those that serve are ready.
func (w *world) startGateway(serving int) {
	w.t.Helper()
	if w.GatewayJob == nil {
		w.t.Fatal("there is no Job of a gateway")
	}
	w.GatewayPods = nil
	for i := range 2 {
		ready := corev1.ConditionFalse
		if i < serving {
			ready = corev1.ConditionTrue
		}
		w.GatewayPods = append(w.GatewayPods, corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("r-gateway-%d", i), Labels: w.GatewayJob.Spec.Template.Labels,
				Annotations: map[string]string{batchv1.JobCompletionIndexAnnotation: strconv.Itoa(i)},
			},
			Status: corev1.PodStatus{
				Phase: corev1.PodRunning, PodIP: fmt.Sprintf("10.0.0.%d", 7+i),
				Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready, Reason: "Started"}},
			},
		})
	}
}

// toGateway makes the gateway, and toServing has it serve.
func (w *world) toGateway() {
	goesThrough(w)
	w.settle()
	w.targetReady()
	w.settle()
}

func (w *world) toServing() {
	w.toGateway()
	w.startGateway(2)
	w.settle()
}

// measureThrough goes on until the second step is measured.
func (w *world) measureThrough() {
	w.toServing()
	w.startPods()
	w.settle()
	w.pass(3 * time.Second)
	w.allSay(runtest.StepLoad, reportv1alpha1.ProgressRunning, 40)
	w.settle()
	w.allSay(runtest.StepWrite, reportv1alpha1.ProgressRunning, 50)
	w.settle()
}

// endGateway ends a pod of the gateway.
func (w *world) endGateway(phase corev1.PodPhase, ended corev1.ContainerStateTerminated) {
	ended.FinishedAt = metav1.NewTime(w.Now)
	w.GatewayPods[1].Status.Phase = phase
	w.GatewayPods[1].Status.ContainerStatuses = []corev1.ContainerStatus{
		{Name: naming.GatewayContainer, State: corev1.ContainerState{Terminated: &ended}},
	}
}

// gatewayScenarios are what may happen to the gateway of a run.
func gatewayScenarios() map[string]scenario {
	after := func(play, happens func(*world)) func(*world) {
		return func(w *world) { play(w); happens(w); w.settle(); w.pass(causeGrace) }
	}
	deleted := func(w *world) { w.GatewayPods[0].DeletionTimestamp = new(metav1.NewTime(w.Now)) }
	return map[string]scenario{
		"a load waits for its gateway": {
			play: func(w *world) { w.toGateway(); w.startGateway(1) },
			want: map[string]string{progressing: "True Provisioning", succeeded: "Unknown NotEnded"},
		},
		"a gateway that cannot reach the target fails the run with its own words": {
			play: after(func(w *world) { w.toGateway(); w.startGateway(0) }, func(w *world) {
				w.endGateway(corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 1, Message: "no server answers"})
			}),
			want: map[string]string{succeeded: "False GatewayFailed", dataLoaded: "False LoadFailed"},
			says: "gateway pod r-gateway-1: no server answers",
		},
		"a gateway that ends while the load runs fails the run": {
			play: after((*world).measureThrough, func(w *world) {
				w.endGateway(corev1.PodSucceeded, corev1.ContainerStateTerminated{})
			}),
			want: map[string]string{succeeded: "False GatewayFailed"},
			says: "gateway pod r-gateway-1 ended without an error",
		},
		"a gateway without memory fails the run for that": {
			play: after((*world).measureThrough, func(w *world) {
				w.endGateway(corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"})
			}),
			want: map[string]string{succeeded: "False OOMKilled"},
		},
		"a gateway of another release fails the run for that": {
			play: after(func(w *world) { w.toGateway(); w.startGateway(0) }, func(w *world) {
				w.endGateway(corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 4, Message: "unknown field"})
			}),
			want: map[string]string{succeeded: "False VersionSkew"},
		},
		"a pod of the gateway that is deleted while the load runs is lost": {
			play: after((*world).measureThrough, deleted),
			want: map[string]string{succeeded: "False GatewayLost"},
			says: "gateway pod r-gateway-0 was deleted",
		},
		"the pod that failed is blamed, not one that its Job deleted for it": {
			play: after((*world).measureThrough, func(w *world) {
				deleted(w)
				w.endGateway(corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 2, Message: "panic"})
			}),
			want: map[string]string{succeeded: "False GatewayFailed"},
			says: "gateway pod r-gateway-1: panic",
		},
		"a pod of the gateway that is gone is missed": {
			play: after((*world).measureThrough, func(w *world) { w.GatewayPods = w.GatewayPods[1:] }),
			want: map[string]string{succeeded: "False GatewayLost"},
			says: "the gateway has 1 of 2 pods",
		},
		"a Job of the gateway that is deleted ends the run": {
			play: after((*world).measureThrough, func(w *world) {
				w.Owned = slices.DeleteFunc(w.Owned, func(o desired.Object) bool { return o.GetName() == "r-gateway" })
				w.assign()
			}),
			want: map[string]string{succeeded: "False GatewayLost"},
			says: "the Job of the gateway was deleted",
		},
		"a gateway that no node takes fails the run once its time is over": {
			play: func(w *world) {
				w.toGateway()
				w.startGateway(0)
				w.GatewayPods[0].Status.Conditions = []corev1.PodCondition{{
					Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/3 nodes are available",
				}}
				w.settle()
				w.pass(301 * time.Second)
			},
			want: map[string]string{succeeded: "False Unschedulable"},
			says: "0/3 nodes are available",
		},
		"a gateway whose pods a quota refuses fails the run for that": {
			play: func(w *world) {
				w.toGateway()
				w.pass(podCreation)
				w.refusals = []corev1.Event{{Message: "exceeded quota: small"}}
				w.settle()
				w.pass(301 * time.Second)
			},
			want: map[string]string{succeeded: "False QuotaExceeded"},
		},
		"a gateway that a queue holds back is waited for": {
			play: func(w *world) {
				w.Run.Labels = map[string]string{naming.QueueLabel: "team"}
				w.toGateway()
				w.GatewayJob.Spec.Suspend = new(true)
				w.pass(1000 * time.Second)
			},
			want: map[string]string{progressing: "True Provisioning"},
		},
	}
}

// TestALoadIsToldWhereItsGatewayServes: there are no load pods before, and what they are told does not change.
func TestALoadIsToldWhereItsGatewayServes(t *testing.T) {
	w := newWorld(t)
	w.toGateway()
	w.startGateway(1)
	w.settle()
	if w.Job != nil {
		t.Fatal("load pods were made before the gateway served")
	}
	if said := condition.Find(w.Run.Status.Conditions, progressing).Message; said != "the gateway does not serve yet" {
		t.Errorf("the run says %q", said)
	}
	w.startGateway(2)
	w.settle()
	if w.Job == nil {
		t.Fatal("no load pods were made")
	}
	arguments := strings.Join(w.Job.Spec.Template.Spec.Containers[0].Args, " ")
	const want = "--gateway http://10.0.0.7:7080 --gateway http://10.0.0.8:7080 " +
		"--gateway-secret-file /etc/mongobench/credentials/password"
	if !strings.Contains(arguments, want) {
		t.Errorf("the load pods are told %s, want %s", arguments, want)
	}
	// A gateway without a free moment does not answer its node either; that is for the result to say.
	w.startGateway(1)
	w.settle()
	if got := w.status(succeeded); got != "Unknown NotEnded" {
		t.Errorf("of a gateway that does not answer Succeeded is %s", got)
	}
}

// TestAGatewayGoesWithTheLoad counts what there is of a gateway.
func TestAGatewayGoesWithTheLoad(t *testing.T) {
	there := func(w *world) (found []string) {
		for _, object := range w.Owned {
			if object.GetName() == "r-gateway" {
				found = append(found, kindOf(object))
			}
		}
		return found
	}
	all := []string{"NetworkPolicy", "Job", "PodDisruptionBudget"}
	for name, tc := range map[string]struct {
		play func(*world)
		want []string
	}{
		"of a run that goes straight to its target": {(*world).toJob, nil},
		"before the target is ready":                {func(w *world) { goesThrough(w); w.settle() }, nil},
		"before it serves":                          {(*world).toGateway, all[:2]},
		"while it is measured":                      {(*world).measureThrough, all},
		"after the verdict": {
			func(w *world) {
				w.measureThrough()
				w.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
				w.reportAll()
				w.settle()
				w.settle()
			}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tc.play(w)
			if diff := cmp.Diff(tc.want, there(w)); diff != "" {
				t.Errorf("of the gateway there is (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAGatewayAnswersWhileReportsAreHandedIn: load pods that are told to end have requests under way.
func TestAGatewayAnswersWhileReportsAreHandedIn(t *testing.T) {
	w := newWorld(t)
	w.measureThrough()
	w.Run.Spec.Cancel = new(true)
	w.Run.Status = Decide(w.Observation).Status
	var jobs []string
	for _, object := range Decide(w.Observation).Desired {
		if job, is := object.(*batchv1.Job); is {
			jobs = append(jobs, job.Name)
		}
	}
	if diff := cmp.Diff([]string{"r-gateway"}, jobs); diff != "" {
		t.Errorf("Jobs that stay (-want +got):\n%s", diff)
	}
}

// TestThePolicyOfAGatewayCutsNobodyOff: the other policies of a run do, and are looked at for whom.
func TestThePolicyOfAGatewayCutsNobodyOff(t *testing.T) {
	w := newWorld(t)
	w.measureThrough()
	if got := len(owned[*networkingv1.NetworkPolicy](&w.Observation)); got != 1 {
		t.Fatalf("%d policies, want that of the gateway", got)
	}
	if cut := cuts(&w.Observation); len(cut) > 0 {
		t.Errorf("cut off by %s", cut[0].GetName())
	}
}

// TestAGatewayOfAnotherSizeIsAnotherWorkload: what was measured through it is not held against the other.
func TestAGatewayOfAnotherSizeIsAnotherWorkload(t *testing.T) {
	hash := func(change func(*benchv1alpha1.LoadGenerator)) string {
		w := newWorld(t)
		goesThrough(w)
		change(w.Run.Spec.LoadGenerator)
		return collect.WorkloadHash(spec.Compile(w.Run.Spec))
	}
	same := hash(func(*benchv1alpha1.LoadGenerator) {})
	for name, tc := range map[string]struct {
		change func(*benchv1alpha1.LoadGenerator)
		other  bool
	}{
		"none":        {func(l *benchv1alpha1.LoadGenerator) { l.Through, l.Gateway = nil, nil }, true},
		"more pods":   {func(l *benchv1alpha1.LoadGenerator) { l.Gateway.Pods = new(int32(3)) }, true},
		"more CPU":    {func(l *benchv1alpha1.LoadGenerator) { l.Gateway.Resources = targettest.Limits("1", "128Mi") }, true},
		"a pool":      {func(l *benchv1alpha1.LoadGenerator) { l.Gateway.PoolSize = new(int32(9)) }, true},
		"other nodes": {func(l *benchv1alpha1.LoadGenerator) { l.Gateway.PodSettings = &benchv1alpha1.PodSettings{} }, false},
	} {
		if got := hash(tc.change); (got != same) != tc.other {
			t.Errorf("%s: another workload is %t, want %t", name, got != same, tc.other)
		}
	}
}

// TestKueueIsAskedForTheGateway as for the load pods, and says where it has room.
func TestKueueIsAskedForTheGateway(t *testing.T) {
	w := newWorld(t)
	goesThrough(w)
	asked := quota.State{Version: "v1beta2", Flavors: map[string]quota.Flavor{
		"apps": {NodeLabels: map[string]string{"pool": "apps"}},
	}}
	var err error
	if asked.Workload, err = asked.Make(w.Run, w.Settings.Pods); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int64{}
	sets, _, _ := unstructured.NestedSlice(asked.Workload.Object, "spec", "podSets")
	for _, one := range sets {
		set, _ := one.(map[string]any)
		name, _ := set["name"].(string)
		counts[name], _ = set["count"].(int64)
	}
	if counts["load"] != 2 || counts["gateway"] != 2 {
		t.Errorf("pods asked for: %v", counts)
	}
	asked.Workload.Object["status"] = map[string]any{"admission": map[string]any{"podSetAssignments": []any{
		map[string]any{"name": "gateway", "flavors": map[string]any{"cpu": "apps"}},
	}}}
	if got := asked.PlaceGateway(benchv1alpha1.PodSettings{}).NodeSelector["pool"]; got != "apps" {
		t.Errorf("the gateway goes to nodes of pool %q", got)
	}
}

// TestAGatewayBesideAMemberSharesItsNode, as a load pod there does.
func TestAGatewayBesideAMemberSharesItsNode(t *testing.T) {
	w := newWorld(t)
	w.measureThrough()
	w.Members = []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "r-mongod-0"}, Spec: corev1.PodSpec{NodeName: "a"}}}
	w.Pods[0].Spec.NodeName, w.GatewayPods[0].Spec.NodeName = "b", "a"
	w.settle()
	if sharing := w.Run.Status.Sharing; sharing == nil || *sharing.LoadPods != 1 {
		t.Errorf("sharing is %+v, want one pod", sharing)
	}
	s := &state{load: &progress.Load{Plan: spec.Compile(w.Run.Spec)}}
	if got := s.gateway().described(); got != "4 pods of load and gateway" {
		t.Errorf("they are called %q", got)
	}
}

// TestARunThatLostItsGatewayStartsOver, with another one.
func TestARunThatLostItsGatewayStartsOver(t *testing.T) {
	w := newWorld(t)
	w.Run.Spec.RetryLimit = new(int32(1))
	w.measureThrough()
	w.GatewayPods[0].DeletionTimestamp = new(metav1.NewTime(w.Now))
	w.settle()
	w.pass(causeGrace)
	w.settle()
	w.wantAttempts(benchv1alpha1.ReasonGatewayLost)
	if w.GatewayJob != nil {
		t.Error("the gateway of the first attempt is kept")
	}
}
