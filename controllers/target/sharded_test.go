package target_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

func sharded(namespace string) *benchv1alpha1.BenchmarkTarget {
	return targettest.Sharded(namespace, "cluster")
}

func TestShardedClusterBecomesReadyThroughRestartsOfTheManager(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharded)
	waiting := w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonPodsStarting)
	const none = "0 of 4 members are ready (shard0: 0 of 1, shard1: 0 of 1, config: 0 of 1, mongos: 0 of 1)"
	if waiting.Message != none {
		t.Errorf("message %q", waiting.Message)
	}
	names := []string{"cluster-config", "cluster-mongos", "cluster-shard0", "cluster-shard1"}
	for i, set := range w.statefulSets() {
		if i >= len(names) || set.Name != names[i] {
			t.Errorf("StatefulSet %d is %s", i, set.Name)
		}
	}
	uids, _ := w.owned()
	w.restart()
	w.runMembers()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonTopologyPending)
	w.restart()
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	if uri, want := *w.target.Status.Connection.URI,
		"mongodb://cluster-mongos-0.cluster-members."+w.namespace+".svc:27017/"; uri != want {
		t.Errorf("uri %s, want %s", uri, want)
	}
	if afterwards, _ := w.owned(); !cmp.Equal(uids, afterwards) {
		t.Error("the restarted managers made other objects:", cmp.Diff(uids, afterwards))
	}
}

func TestShardsWithoutRouterAreEachSpokenTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(namespace string) *benchv1alpha1.BenchmarkTarget {
		target := sharded(namespace)
		router, spread := benchv1alpha1.RouterClient, benchv1alpha1.SpreadRequired
		target.Spec.MongoDB.Sharded = &benchv1alpha1.ShardedSpec{
			Router: &router, Shards: new(int32(3)), MembersPerShard: new(int32(2)),
		}
		target.Spec.MongoDB.Placement = &benchv1alpha1.PlacementSpec{MembersPerNode: new(int32(2)), Spread: &spread}
		return target
	})
	w.runMembers()
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	if found := w.target.Status.Connection; found.URI != nil || len(found.ShardURIs) != 3 {
		t.Errorf("connection %+v", found)
	}
}

func TestImageOfMongosThatCannotBePulledIsNamedInTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharded)
	w.makePods(func(members []corev1.Pod, topology *corev1.Pod) {
		for i := range members {
			if members[i].Labels[naming.SetLabel] == naming.MongosSet {
				targettest.Waiting(&members[i], "ImagePullBackOff", "example.com/mongo:6.0.5: not found")
				continue
			}
			targettest.Ready(&members[i], time.Now())
		}
		targettest.Ready(topology, time.Now())
	})
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonImagePull)
	w.skip(pastDeadline)
	stalled := w.expectStalled(benchv1alpha1.ReasonImagePull)
	if !strings.Contains(stalled.Message, "within 60 s") || !strings.Contains(stalled.Message, "pod cluster-mongos-0") {
		t.Errorf("message %q", stalled.Message)
	}
}

func TestToleratedMemberGoesAndComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(namespace string) *benchv1alpha1.BenchmarkTarget {
		target := replicaSet(namespace)
		tolerate := benchv1alpha1.MemberRestartsTolerate
		target.Spec.MongoDB.MemberRestarts = &tolerate
		return target
	})
	w.runMembers()
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	pod := &corev1.Pod{}
	w.get(naming.MemberPod("set", naming.ReplicaSet, 1), pod)
	if err := environment.Client.Delete(t.Context(), pod, client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
	gone := w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonMemberRestarting)
	if !strings.Contains(gone.Message, "pod set-mongod-1 ") {
		t.Errorf("message %q", gone.Message)
	}
	again := targettest.MemberPod(w.target, naming.ReplicaSet, 1)
	targettest.Ready(&again, time.Now())
	w.makePod(w.statefulSet(), &again)
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	w.expect(benchv1alpha1.TargetStalled, metav1.ConditionFalse, benchv1alpha1.ReasonNotStalled)
	w.expectEvent(benchv1alpha1.ReasonMemberRestarting)
}

// makeNode makes a node, which the API server declares not ready, and declares it ready.
func makeNode(t *testing.T, name, cpu string) {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		"pool": name, corev1.LabelOSStable: string(corev1.Linux),
	}}}
	if err := environment.Client.Create(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.Client.Delete(context.WithoutCancel(t.Context()), node); err != nil {
			t.Error(err)
		}
	})
	node.Spec.Taints = nil
	if err := environment.Client.Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	node.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("64Gi"),
		corev1.ResourcePods: resource.MustParse("110"),
	}
	if err := environment.Client.Status().Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
}

// The tests of nodes are not parallel to others: nodes belong to all namespaces.
func TestNodesAreAskedBeforeAnythingIsMade(t *testing.T) {
	makeNode(t, "small", "3")
	onNodes := func(namespace string) *benchv1alpha1.BenchmarkTarget {
		target := replicaSet(namespace)
		target.Spec.MongoDB.PodSettings = &benchv1alpha1.PodSettings{NodeSelector: map[string]string{"pool": "small"}}
		return target
	}
	w := newWorld(t, onNodes)
	held := w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonDoesNotFit)
	const arithmetic = "1 of 3 members fit (each takes 2 CPU and 4096 MiB of memory, with 1536 MiB of cache): " +
		"small: 1 (3 CPU and 65536 MiB free)"
	if !strings.HasPrefix(held.Message, arithmetic) {
		t.Errorf("message %q", held.Message)
	}
	// An autoscaler makes nodes for pods that it sees.
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonPodsStarting)
	if uids, _ := w.owned(); len(uids) == 0 {
		t.Error("nothing was made while no node had room")
	}
	w.makePods(func(members []corev1.Pod, _ *corev1.Pod) {
		for i := range members {
			targettest.Unschedulable(&members[i])
		}
	})
	waits := w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonUnschedulable)
	if !strings.Contains(waits.Message, "3 Insufficient memory.; counted by what pods ask for: "+arithmetic) {
		t.Errorf("message %q", waits.Message)
	}
	w.expect(benchv1alpha1.TargetStalled, metav1.ConditionFalse, benchv1alpha1.ReasonNotStalled)
}

func TestFullNodesAreWaitedFor(t *testing.T) {
	makeNode(t, "large", "8")
	namespace := environment.Namespace(t)
	tenant := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "tenant"},
		Spec: corev1.PodSpec{NodeName: "large", Containers: []corev1.Container{{
			Name: "busy", Image: "image",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("3")}},
		}}},
	}
	if err := environment.Client.Create(t.Context(), tenant); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, replicaSet)
	full := w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonDoesNotFit)
	if !strings.Contains(full.Message, "large: 2 (5 CPU") {
		t.Errorf("message %q", full.Message)
	}
	w.expect(benchv1alpha1.TargetStalled, metav1.ConditionFalse, benchv1alpha1.ReasonNotStalled)
	if err := environment.Client.Delete(t.Context(), tenant, client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonPodsStarting)
	w.runMembers()
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
}
