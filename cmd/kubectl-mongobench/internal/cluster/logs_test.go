package cluster_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// pod of a run or target, labelled as the operator does.
func pod(name string, labels map[string]string, containers ...string) *corev1.Pod {
	made := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "here", Labels: labels}}
	for _, container := range containers {
		made.Spec.Containers = append(made.Spec.Containers, corev1.Container{Name: container})
	}
	return made
}

// connected is a cluster with the pods of the run a, which measures the target b, and others.
func connected() *cluster.Cluster {
	return &cluster.Cluster{Pods: fake.NewClientset(
		pod("b-mongod-0", naming.ForMember("b", "b", naming.ComponentMongod), "mongod", "other"),
		pod("b-topology", naming.ForTarget("b", naming.ComponentTopology), "topology"),
		pod("a-load-0", naming.ForRun("a", naming.ComponentLoad), "load"),
		pod("a-gateway-0", naming.ForRun("a", naming.ComponentGateway), "gateway"),
		pod("c-load-0", naming.ForRun("c", naming.ComponentLoad), "load"),
	)}
}

func run(target string) *benchv1alpha1.BenchmarkRun {
	made := &benchv1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "here", Name: "a"}}
	made.Status.TargetName = target
	return made
}

func TestLogsHaveTheRoleAndThePodBeforeEachLine(t *testing.T) {
	for _, follow := range []bool{false, true} {
		c := connected()
		pods, err := c.RunPods(t.Context(), run("b"), []cluster.Role{cluster.Load, cluster.Topology, cluster.Members})
		if err != nil {
			t.Fatal(err)
		}
		var written strings.Builder
		if err := c.Logs(t.Context(), pods, cluster.LogOptions{Follow: follow, Tail: 3}, &written); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"[load a-load-0] fake logs", "[topology b-topology] fake logs", "[members b-mongod-0 mongod] fake logs",
			"[members b-mongod-0 other] fake logs",
		}
		got := strings.Split(strings.TrimSuffix(written.String(), "\n"), "\n")
		if follow {
			// They come in no particular order.
			got, want = sorted(got), sorted(want)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("follow %t (-want +got):\n%s", follow, diff)
		}
	}
}

func TestPodsOfARun(t *testing.T) {
	cases := map[string]struct {
		target string
		roles  []cluster.Role
		want   []string
	}{
		"one role":                     {"b", []cluster.Role{cluster.Members}, []string{"b-mongod-0"}},
		"the gateway":                  {"b", []cluster.Role{cluster.Gateway}, []string{"a-gateway-0"}},
		"a run that has no target yet": {"", []cluster.Role{cluster.Members, cluster.Load}, []string{"a-load-0"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pods, err := connected().RunPods(t.Context(), run(tc.target), tc.roles)
			if err != nil {
				t.Fatal(err)
			}
			names := make([]string, 0, len(pods))
			for _, pod := range pods {
				names = append(names, pod.Name)
			}
			if diff := cmp.Diff(tc.want, names); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}
