package run_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// disturbed is a run in a step in which one action is due.
func disturbed(t *testing.T, action benchv1alpha1.ActionType) *play {
	t.Helper()
	p := newPlay(t, func(run *benchv1alpha1.BenchmarkRun) {
		run.Spec.Workload.Steps[1].Actions = []benchv1alpha1.Action{{Name: "fault", Type: action}}
	})
	p.startMember("r-mongod-0")
	p.startMember("r-mongod-1")
	p.toMeasuring()
	return p
}

// startMember plays the StatefulSet: a member's pod, which no node runs.
func (p *play) startMember(name string) types.UID {
	p.t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.namespace, Name: name,
			Labels: map[string]string{
				naming.ManagedByLabel: naming.ManagedBy, naming.TargetLabel: "r", naming.MemberLabel: "r",
				appsv1.StatefulSetPodNameLabel: name,
			},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: naming.MongodContainer, Image: "mongod:test"}}},
	}
	p.must(environment.Client.Create(p.t.Context(), pod))
	return pod.UID
}

// ask has load pod 0 ask for the action on the second member, at an instant.
func (p *play) ask(at time.Time) {
	p.t.Helper()
	progress := runtest.Progress(runtest.StepWrite, reportv1alpha1.ProgressRunning, 50)
	progress.Requests = []reportv1alpha1.ActionRequest{{
		Step: runtest.StepWrite, Member: "r-mongod-1.r-members." + p.namespace + ".svc:27017", At: at.UTC(),
	}}
	p.podSays(0, progress)
}

// member is a member's pod, nil when there is none.
func (p *play) member(name string) *corev1.Pod {
	p.t.Helper()
	pod := &corev1.Pod{}
	err := environment.Client.Get(p.t.Context(), client.ObjectKey{Namespace: p.namespace, Name: name}, pod)
	if apierrors.IsNotFound(err) {
		return nil
	}
	p.must(err)
	return pod
}

func TestAMembersPodIsDeletedOnce(t *testing.T) {
	t.Parallel()
	p := disturbed(t, benchv1alpha1.ActionDeletePod)
	p.ask(time.Now().Add(time.Second))
	// A manager that is killed at any write finds its way; each reconcile here is that of a new one.
	p.writes.Refuse = func(write string) error {
		if strings.Contains(write, "delete *v1.Pod") {
			return apierrors.NewInternalError(refusal(write))
		}
		return nil
	}
	for range 3 {
		_, _ = p.reconcile()
	}
	if p.member("r-mongod-1") == nil {
		t.Fatal("the pod is gone, though its deletion was refused")
	}
	p.writes.Refuse = nil
	p.settle()
	if p.member("r-mongod-1") != nil || p.member("r-mongod-0") == nil {
		t.Fatalf("members %v and %v; want the first only", p.member("r-mongod-0"), p.member("r-mongod-1"))
	}
	successor := p.startMember("r-mongod-1")
	p.targetSays(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonMemberRestarting, "r-mongod-1")
	p.idle()
	if pod := p.member("r-mongod-1"); pod == nil || pod.UID != successor {
		t.Errorf("the pod that came after is %v", pod)
	}
	p.want(benchv1alpha1.RunTargetReady, "False MemberRestarting")
	p.want(benchv1alpha1.RunSucceeded, "Unknown NotEnded")
	deletions := slices.DeleteFunc(slices.Clone(p.writes.Done), func(write string) bool {
		return !strings.HasPrefix(write, "delete *v1.Pod")
	})
	if len(deletions) != 1 {
		t.Errorf("deletions: %v", deletions)
	}
}

// refusal is an error with a text.
type refusal string

func (r refusal) Error() string { return string(r) }

// cutOff says whether the run's policy cuts a member off.
func (p *play) cutOff(name string) bool {
	p.t.Helper()
	var policies networkingv1.NetworkPolicyList
	p.must(environment.Client.List(p.t.Context(), &policies, client.InNamespace(p.namespace)))
	return slices.ContainsFunc(policies.Items, func(policy networkingv1.NetworkPolicy) bool {
		selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
		p.must(err)
		return selector.Matches(labels.Set(p.member(name).Labels))
	})
}

func TestAMemberIsCutOffForATime(t *testing.T) {
	t.Parallel()
	p := disturbed(t, benchv1alpha1.ActionPartition)
	p.ask(p.now)
	p.settle()
	if !p.cutOff("r-mongod-1") || p.cutOff("r-mongod-0") {
		t.Errorf("cut off are the second %t and the first %t; want the second only",
			p.cutOff("r-mongod-1"), p.cutOff("r-mongod-0"))
	}
	p.idle()
	p.pass(time.Duration(benchv1alpha1.DefaultActionSeconds) * time.Second)
	p.idle()
	if p.cutOff("r-mongod-1") {
		t.Error("it is cut off still")
	}
	for _, write := range p.writes.Done {
		if strings.Contains(write, "v1.Pod ") {
			t.Errorf("a pod was written: %s", write)
		}
	}
}

func TestAMemberOfARunThatIsGoneIsCutOffNoMore(t *testing.T) {
	t.Parallel()
	p := disturbed(t, benchv1alpha1.ActionPartition)
	p.ask(p.now)
	p.settle()
	p.must(environment.Client.Delete(t.Context(), p.run()))
	_, err := p.reconcile()
	p.must(err)
	if p.cutOff("r-mongod-1") {
		t.Error("it is cut off still")
	}
}
