package run_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// TestWhoElseIsOnTheNodesOfMembersIsSeen has a load pod beside a member, in a pool of two nodes, and pods of others.
func TestWhoElseIsOnTheNodesOfMembersIsSeen(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		rules []rbacv1.PolicyRule
		want  benchv1alpha1.NodeSharing
	}{
		"by an operator of all namespaces": {
			[]rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"list"}}},
			benchv1alpha1.NodeSharing{LoadPods: new(int32(1)), OtherNodes: new(int32(1)), Neighbours: new(int32(2))},
		},
		"by an operator that may not read nodes": {
			nil, benchv1alpha1.NodeSharing{LoadPods: new(int32(1)), Neighbours: new(int32(2))},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, func(run *benchv1alpha1.BenchmarkRun) {
				pool := map[string]string{"pool": run.Namespace}
				run.Spec.LoadGenerator.PodSettings = &benchv1alpha1.PodSettings{NodeSelector: pool}
			})
			p.toJob()
			p.startPods(corev1.PodRunning)
			here, elsewhere := p.inPool("8"), p.inPool("8")
			p.inPool("10m") // It is too small for a load pod.
			p.bind("r-load-0", here)
			const member, loader = naming.ComponentMongod, naming.ComponentLoad
			p.on(p.namespace, "r-mongod-0", naming.ForMember("r", naming.ReplicaSet, member), here, corev1.PodRunning)
			p.on(p.namespace, "r-topology", naming.ForTarget("r", member), here, corev1.PodRunning)
			p.on(p.namespace, "other-load-0", naming.ForRun("other", loader), here, corev1.PodRunning)
			p.on(p.namespace, "other-load-1", naming.ForRun("other", loader), here, corev1.PodSucceeded)
			p.on(p.namespace, "other-load-2", naming.ForRun("other", loader), elsewhere, corev1.PodRunning)
			p.on(p.namespace, "strange", map[string]string{naming.RunLabel: "other"}, here, corev1.PodRunning)
			away := environment.Namespace(t)
			p.on(away, "r-mongod-0", naming.ForMember("r", naming.ReplicaSet, member), here, corev1.PodPending)

			p.allSay(runtest.StepLoad, reportv1alpha1.ProgressRunning, 40)
			live := p.reader(tc.rules)
			p.reconcileWith(live)
			if found := p.run().Status.Sharing; found != nil {
				t.Errorf("while it loads, sharing is %+v", found)
			}
			p.allSay(runtest.StepWrite, reportv1alpha1.ProgressRunning, 50)
			p.reconcileWith(live)
			p.reconcileWith(live)
			if diff := cmp.Diff(&tc.want, p.run().Status.Sharing); diff != "" {
				t.Errorf("sharing (-want +got):\n%s", diff)
			}
		})
	}
}

// inPool makes a node of so many cores in the pool of the play.
func (p *play) inPool(cores string) string {
	p.t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		GenerateName: p.namespace + "-", Labels: map[string]string{"pool": p.namespace, corev1.LabelOSStable: "linux"},
	}}
	p.must(environment.Client.Create(p.t.Context(), node))
	node.Spec.Taints = nil // The API server makes it one that is not ready.
	p.must(environment.Client.Update(p.t.Context(), node))
	node.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cores), corev1.ResourceMemory: resource.MustParse("16Gi"),
		corev1.ResourcePods: resource.MustParse("110"),
	}
	p.must(environment.Client.Status().Update(p.t.Context(), node))
	return node.Name
}

// ofSet is what the pods of a StatefulSet have: the operator's cache knows nothing of pods that nobody controls.
func ofSet() []metav1.OwnerReference {
	return []metav1.OwnerReference{
		{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "s", UID: "set", Controller: new(true)},
	}
}

// on has a pod of somebody on a node.
func (p *play) on(namespace, name string, labels map[string]string, node string, phase corev1.PodPhase) {
	p.t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels, OwnerReferences: ofSet()},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
	p.must(environment.Client.Create(p.t.Context(), pod))
	pod.Status.Phase = phase
	p.must(environment.Client.Status().Update(p.t.Context(), pod))
}
