package decide

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// node has 110 pods, and CPU and memory as they are written.
func node(name, cpu, memory string, change ...func(*corev1.Node)) *corev1.Node {
	made := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelOSStable: "linux"}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
			corev1.ResourcePods: resource.MustParse("110"),
		}},
	}
	for _, c := range change {
		c(made)
	}
	return made
}

func tainted(effect corev1.TaintEffect) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "for", Value: "mongo", Effect: effect})
	}
}

// tenant is a foreign pod on node a, with 1Gi.
func tenant(cpu string) *corev1.Pod {
	return &corev1.Pod{Spec: corev1.PodSpec{NodeName: "a", Containers: []corev1.Container{{
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("1Gi"),
		}},
	}}}}
}

// shardsOf are shards that the load generator routes to, each member of 1 CPU and 2Gi.
func shardsOf(shards, members int32, placement benchv1alpha1.PlacementSpec) *benchv1alpha1.BenchmarkTarget {
	target := targettest.Sharded("bench", "many")
	client := benchv1alpha1.RouterClient
	target.Spec.MongoDB.Sharded = &benchv1alpha1.ShardedSpec{Shards: &shards, MembersPerShard: &members, Router: &client}
	target.Spec.MongoDB.Resources = targettest.Limits("1", "2Gi")
	target.Spec.MongoDB.Placement = &placement
	return target
}

// ofVersion is one shard of this version on nodes with a kernel that mongod 8.0 stops on.
func ofVersion(version string, image *string) *benchv1alpha1.BenchmarkTarget {
	target := shardsOf(1, 1, benchv1alpha1.PlacementSpec{})
	target.Spec.MongoDB.Version, target.Spec.MongoDB.Image = version, image
	return target
}

func withKernel(kernel string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Status.NodeInfo.KernelVersion = kernel }
}

// onlyOn is one shard whose pods have these settings.
func onlyOn(settings benchv1alpha1.PodSettings) *benchv1alpha1.BenchmarkTarget {
	target := shardsOf(1, 1, benchv1alpha1.PlacementSpec{})
	target.Spec.MongoDB.PodSettings = &settings
	return target
}

type fitCase struct {
	target *benchv1alpha1.BenchmarkTarget
	nodes  []*corev1.Node
	pods   []*corev1.Pod
	// want is all of what is said; empty is that everything fits.
	want string
}

func three(cpu, memory string) []*corev1.Node {
	return []*corev1.Node{node("c", cpu, memory), node("a", cpu, memory), node("b", cpu, memory)}
}

func evenly() benchv1alpha1.PlacementSpec {
	required := benchv1alpha1.SpreadRequired
	return benchv1alpha1.PlacementSpec{Spread: &required}
}

func fitCases() map[string]fitCase {
	atMost := func(n int32) benchv1alpha1.PlacementSpec { return benchv1alpha1.PlacementSpec{MembersPerNode: &n} }
	return map[string]fitCase{
		"a MariaDB is larger than each node": {
			target: targettest.MariaDB("bench", "rows"), nodes: []*corev1.Node{node("a", "4", "512Mi")},
			want: "0 of 1 members fit (each takes 500m CPU and 1024 MiB of memory, with 512 MiB of cache): " +
				"a: 0 (4 CPU and 512 MiB free)",
		},
		"everything fits exactly": {target: shardsOf(6, 1, benchv1alpha1.PlacementSpec{}), nodes: three("2", "4Gi")},
		"a cluster without nodes leaves it to the scheduler": {
			target: shardsOf(6, 1, benchv1alpha1.PlacementSpec{}),
		},
		"too little CPU": {
			target: shardsOf(7, 1, benchv1alpha1.PlacementSpec{}), nodes: three("2500m", "64Gi"),
			want: "6 of 7 members of shards fit (each takes 1 CPU and 2048 MiB of memory, with 512 MiB of cache): " +
				"a: 2 (2500m CPU and 65536 MiB free); b: 2 (2500m CPU and 65536 MiB free); " +
				"c: 2 (2500m CPU and 65536 MiB free)",
		},
		"too little memory, while another pod is there": {
			target: shardsOf(3, 1, benchv1alpha1.PlacementSpec{}),
			nodes:  []*corev1.Node{node("a", "8", "6Gi")}, pods: []*corev1.Pod{tenant("100m")},
			want: "2 of 3 members of shards fit (each takes 1 CPU and 2048 MiB of memory, with 512 MiB of cache): " +
				"a: 2 (7900m CPU and 5120 MiB free)",
		},
		"a kernel that MongoDB stops on": {
			target: ofVersion("8.0.4", nil), nodes: []*corev1.Node{node("a", "8", "64Gi", withKernel("6.19.2-generic"))},
			want: "a: none, MongoDB 8.0.4 stops at its start on its kernel 6.19.2-generic; use 7.0.14 or later",
		},
		"one node of two with such a kernel": {
			target: ofVersion("8.0.4", nil), nodes: []*corev1.Node{
				node("a", "8", "64Gi", withKernel("6.19.2")), node("b", "8", "64Gi", withKernel("6.18.4")),
			},
		},
		"a release that does not mind the kernel": {
			target: ofVersion("7.0.9", nil), nodes: []*corev1.Node{node("a", "8", "64Gi", withKernel("6.19.2"))},
		},
		"an image of one's own, which may go on": {
			target: ofVersion("8.0.4", new("mine")), nodes: []*corev1.Node{node("a", "8", "64Gi", withKernel("6.19.2"))},
		},
		"a node of another operating system": {
			target: shardsOf(1, 1, benchv1alpha1.PlacementSpec{}),
			nodes: []*corev1.Node{
				node("a", "8", "64Gi", func(n *corev1.Node) { n.Labels[corev1.LabelOSStable] = "windows" }),
			},
			want: "a: none, it has no label kubernetes.io/os=linux",
		},
		"CPUs that are reserved are not given away": {
			target: shardsOf(2, 1, benchv1alpha1.PlacementSpec{ReservedCPUs: new(resource.MustParse("500m"))}),
			nodes:  []*corev1.Node{node("a", "2", "64Gi")},
			want:   "1 of 2 members of shards fit",
		},
		"more shards than the nodes may hold": {
			target: shardsOf(5, 1, atMost(2)), nodes: []*corev1.Node{node("a", "8", "64Gi"), node("b", "1", "64Gi")},
			want: "3 of 5 members of shards fit (each takes 1 CPU and 2048 MiB of memory, with 512 MiB of cache): " +
				"a: 2 (8 CPU and 65536 MiB free, membersPerNode); b: 1 (1 CPU and 65536 MiB free)",
		},
		"a full node holds the others down where shards are evenly spread": {
			target: shardsOf(3, 1, evenly()), nodes: []*corev1.Node{node("a", "8", "64Gi"), node("b", "500m", "64Gi")},
			want: "1 of 3 members of shards fit (each takes 1 CPU and 2048 MiB of memory, with 512 MiB of cache): " +
				"a: 1 (8 CPU and 65536 MiB free, evenly spread); b: 0 (500m CPU and 65536 MiB free)",
		},
		"evenly, and no more than the maximum": {
			target: shardsOf(5, 1, func() benchv1alpha1.PlacementSpec {
				placement := evenly()
				placement.MembersPerNode = new(int32(2))
				return placement
			}()),
			nodes: []*corev1.Node{node("a", "8", "64Gi"), node("b", "8", "64Gi")},
			want:  "2 of 5 members of shards fit",
		},
		"members of one shard need a node each": {
			target: shardsOf(2, 3, evenly()), nodes: []*corev1.Node{node("a", "8", "64Gi"), node("b", "8", "64Gi")},
			want: "4 of 6 members of shards fit (each takes 1 CPU and 2048 MiB of memory, with 512 MiB of cache): " +
				"a: 2 (8 CPU and 65536 MiB free, spread Required); b: 2 (8 CPU and 65536 MiB free, spread Required)",
		},
		"nodes that are not meant": {
			target: onlyOn(benchv1alpha1.PodSettings{NodeSelector: map[string]string{"disk": "nvme"}}),
			nodes: []*corev1.Node{
				node("a", "8", "64Gi"),
				node("b", "8", "64Gi", func(n *corev1.Node) {
					n.Labels["disk"] = "nvme"
					n.Spec.Unschedulable = true
				}),
			},
			want: "0 of 1 members of shards fit (each takes 1 CPU and 2048 MiB of memory, with 512 MiB of cache): " +
				"a: none, it has no label disk=nvme; b: none, its taint node.kubernetes.io/unschedulable:NoSchedule is not " +
				"tolerated",
		},
		"a taint that is not tolerated": {
			target: shardsOf(1, 1, benchv1alpha1.PlacementSpec{}),
			nodes:  []*corev1.Node{node("a", "8", "64Gi", tainted(corev1.TaintEffectNoExecute))},
			want:   "a: none, its taint for=mongo:NoExecute is not tolerated",
		},
		"a taint that is": {
			target: onlyOn(benchv1alpha1.PodSettings{Tolerations: []corev1.Toleration{
				{Key: "for", Value: "mongo", Effect: corev1.TaintEffectNoSchedule},
			}}),
			nodes: []*corev1.Node{
				node("a", "8", "64Gi", tainted(corev1.TaintEffectNoSchedule), tainted(corev1.TaintEffectPreferNoSchedule)),
			},
		},
		"the cache counts where a member asks for less": {
			target: func() *benchv1alpha1.BenchmarkTarget {
				target := shardsOf(2, 1, benchv1alpha1.PlacementSpec{})
				target.Spec.MongoDB.Resources = &corev1.ResourceRequirements{
					Limits: targettest.Limits("1", "17Gi").Limits, Requests: targettest.Requests("", "1Gi").Requests,
				}
				return target
			}(),
			nodes: []*corev1.Node{node("a", "8", "15Gi")},
			want: "1 of 2 members of shards fit (each takes 1 CPU and 8192 MiB of memory, with 8192 MiB of cache): " +
				"a: 1 (8 CPU and 15360 MiB free)",
		},
		"each part of a cluster fits, but not all of them": {
			target: targettest.Sharded("bench", "cluster"), nodes: []*corev1.Node{node("a", "1500m", "64Gi")},
			want: "2 members of shards of 500m CPU and 1024 MiB each, 1 config servers of 250m CPU and 512 MiB each, " +
				"1 mongos of 500m CPU and 512 MiB each need 1750m CPU and 3072 MiB together, and the nodes have " +
				"1500m CPU and 65536 MiB free: a: 1500m CPU and 65536 MiB",
		},
		"many nodes are not all named": {
			target: shardsOf(64, 1, atMost(1)),
			nodes: func() (many []*corev1.Node) {
				for i := range 20 {
					many = append(many, node(fmt.Sprintf("n%02d", i), "8", "64Gi"))
				}
				return many
			}(),
			want: "; and 8 more nodes",
		},
	}
}

func TestWhatDoesNotFitIsSaidInFigures(t *testing.T) {
	for name, tc := range fitCases() {
		t.Run(name, func(t *testing.T) {
			o := observe(tc.target)
			o.Room = &Room{}
			for _, n := range tc.nodes {
				o.Room.AddNode(n)
			}
			for _, pod := range tc.pods {
				o.Room.AddPod(pod)
			}
			got := short(normal(o))
			if (got != "") != (tc.want != "") || !strings.Contains(got, tc.want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, tc.want)
			}
		})
	}
}
