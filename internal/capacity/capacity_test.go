package capacity_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/mongobench/mongobench-operator/internal/capacity"
)

// requests are of CPU as it is written, and 1Gi.
func requests(cpu string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Requests: corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("1Gi"),
	}}
}

func TestPodsAskForWhatTheirContainersDo(t *testing.T) {
	container := func(cpu string, always bool) corev1.Container {
		made := corev1.Container{Resources: requests(cpu)}
		if always {
			made.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		}
		return made
	}
	for name, tc := range map[string]struct {
		spec     corev1.PodSpec
		cpu, gib int64
	}{
		"containers run at once": {
			corev1.PodSpec{Containers: []corev1.Container{container("1", false), container("2", false)}}, 3000, 2,
		},
		"init containers one after the other": {
			corev1.PodSpec{
				InitContainers: []corev1.Container{container("3", false), container("2", false)},
				Containers:     []corev1.Container{container("1", false)},
			}, 3000, 1,
		},
		"sidecars beside all that comes after them": {
			corev1.PodSpec{
				InitContainers: []corev1.Container{container("1", true), container("2", false)},
				Containers:     []corev1.Container{container("1", false)},
			}, 3000, 2,
		},
		"a pod as a whole, and what its sandbox takes": {
			corev1.PodSpec{
				Containers: []corev1.Container{container("1", false)},
				Resources:  new(requests("4")),
				Overhead:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")},
			}, 4100, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := capacity.Amount{CPUMillis: tc.cpu, MemoryBytes: tc.gib << 30, Pods: 1}
			if got := capacity.Requested(&tc.spec); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestHowManyFit(t *testing.T) {
	has := capacity.Amount{CPUMillis: 4000, MemoryBytes: 8 << 30, Pods: 110}
	for name, tc := range map[string]struct {
		each capacity.Amount
		want int
	}{
		"as the CPU allows":         {capacity.Amount{CPUMillis: 1500, MemoryBytes: 1, Pods: 1}, 2},
		"as the memory allows":      {capacity.Amount{CPUMillis: 1, MemoryBytes: 3 << 30, Pods: 1}, 2},
		"as the pods allow":         {capacity.Amount{Pods: 1}, 110},
		"none that is too large":    {capacity.Amount{CPUMillis: 4001, Pods: 1}, 0},
		"one that takes everything": {has, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := has.Holds(tc.each); got != tc.want {
				t.Errorf("%d fit, want %d", got, tc.want)
			}
			if got := has.Covers(tc.each); got != (tc.want > 0) {
				t.Errorf("there is enough for one: %t", got)
			}
		})
	}
}

func TestAmountsAsPeopleWriteThem(t *testing.T) {
	for amount, want := range map[capacity.Amount]string{
		{CPUMillis: 700, MemoryBytes: 1 << 30}:         "700m CPU and 1024 MiB",
		{CPUMillis: 2000, MemoryBytes: 512 << 20}:      "2 CPU and 512 MiB",
		{CPUMillis: 1_000_000, MemoryBytes: 1<<20 - 1}: "1000 CPU and 0 MiB",
	} {
		if got := amount.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWhomANodeTakes(t *testing.T) {
	tainted := func(effect corev1.TaintEffect) *corev1.Node {
		node := &corev1.Node{}
		node.Labels = map[string]string{"disk": "nvme"}
		node.Spec.Taints = []corev1.Taint{{Key: "for", Value: "mongo", Effect: effect}}
		return node
	}
	drained := &corev1.Node{}
	drained.Spec.Unschedulable = true
	const closed = "its taint for=mongo:NoExecute is not tolerated"
	for name, tc := range map[string]struct {
		node       *corev1.Node
		disk       string
		toleration *corev1.Toleration
		want       string
	}{
		"no label":     {&corev1.Node{}, "nvme", nil, "it has no label disk=nvme"},
		"a taint":      {tainted("NoExecute"), "nvme", nil, closed},
		"a soft taint": {tainted("PreferNoSchedule"), "nvme", nil, ""},
		"a drained node": {
			drained, "", nil, "its taint node.kubernetes.io/unschedulable:NoSchedule is not tolerated",
		},
		"tolerated by value": {tainted("NoExecute"), "", &corev1.Toleration{Key: "for", Value: "mongo"}, ""},
		"another value":      {tainted("NoExecute"), "", &corev1.Toleration{Key: "for", Value: "other"}, closed},
		"another effect": {
			tainted("NoExecute"), "", &corev1.Toleration{Key: "for", Value: "mongo", Effect: "NoSchedule"}, closed,
		},
		"tolerated by key":    {tainted("NoSchedule"), "", &corev1.Toleration{Key: "for", Operator: "Exists"}, ""},
		"an unknown operator": {tainted("NoSchedule"), "", &corev1.Toleration{Key: "for", Operator: "Later"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var selector map[string]string
			if tc.disk != "" {
				selector = map[string]string{"disk": tc.disk}
			}
			var tolerations []corev1.Toleration
			if tc.toleration != nil {
				tolerations = append(tolerations, *tc.toleration)
			}
			if got := capacity.FilterOf(tc.node).Rejects(selector, tolerations); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
