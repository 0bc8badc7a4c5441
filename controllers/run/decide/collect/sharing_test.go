package collect_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
)

func TestWhichNodesWouldTakeALoadPod(t *testing.T) {
	requiring := func(expressions ...corev1.NodeSelectorRequirement) func(*corev1.Node, *corev1.Pod) {
		return func(_ *corev1.Node, pod *corev1.Pod) {
			pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
					NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: expressions}},
				},
			}}
		}
	}
	const in, exists = corev1.NodeSelectorOpIn, corev1.NodeSelectorOpExists
	for name, tc := range map[string]struct {
		change func(*corev1.Node, *corev1.Pod)
		want   bool
	}{
		"one of its labels and size": {func(*corev1.Node, *corev1.Pod) {}, true},
		"one of another pool":        {func(node *corev1.Node, _ *corev1.Pod) { node.Labels["pool"] = "other" }, false},
		"one that was cordoned":      {func(node *corev1.Node, _ *corev1.Pod) { node.Spec.Unschedulable = true }, false},
		"one that is too small": {func(node *corev1.Node, _ *corev1.Pod) {
			node.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("500m")
		}, false},
		"one with a taint": {func(node *corev1.Node, _ *corev1.Pod) {
			node.Spec.Taints = []corev1.Taint{{Key: "node.kubernetes.io/not-ready", Effect: corev1.TaintEffectNoSchedule}}
		}, false},
		"one that is required": {requiring(
			corev1.NodeSelectorRequirement{Key: "zone", Operator: in, Values: []string{"a", "b"}},
			corev1.NodeSelectorRequirement{Key: "pool", Operator: exists},
		), true},
		"one of two things that are required": {requiring(
			corev1.NodeSelectorRequirement{Key: "zone", Operator: in, Values: []string{"b"}},
			corev1.NodeSelectorRequirement{Key: "disk", Operator: exists},
		), false},
		"a requirement that is not understood": {requiring(
			corev1.NodeSelectorRequirement{Key: "zone", Operator: "Resembles", Values: []string{"b"}},
		), false},
	} {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"pool": "bench", "zone": "b"}},
				Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi"),
					corev1.ResourcePods: resource.MustParse("110"),
				}},
			}
			pod := &corev1.Pod{Spec: corev1.PodSpec{
				NodeSelector: map[string]string{"pool": "bench"},
				Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("900m")},
				}}},
			}}
			tc.change(node, pod)
			if got := collect.Takes(node, pod); got != tc.want {
				t.Errorf("it would take the pod: %t, want %t", got, tc.want)
			}
		})
	}
}
