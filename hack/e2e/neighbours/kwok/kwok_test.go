//go:build e2e

package kwok

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

const (
	// nodes of the played cluster, in so many pools and zones.
	nodes, pools, zones = 1000, 100, 10
	// runsPerPool want a pool at the same time.
	runsPerPool = 3
	// played marks the nodes, and keeps pods away that do not know of them.
	played = "kwok.x-k8s.io/node"
	pool   = "example.com/pool"
	zone   = corev1.LabelTopologyZone
	// patience is for hundreds of objects on a machine that does other things too.
	patience = 15 * time.Minute
	// managerBytes is what the manager may need when it keeps so many nodes: 69.8 MB were seen.
	managerBytes = 100_000_000
	// writers write to the API server at the same time.
	writers = 16
)

// TestAThousandNodes places targets on a large cluster, and has runs take turns on its pools.
func TestAThousandNodes(t *testing.T) {
	cluster.Summary.Allow(managerBytes)
	play(t)
	t.Run("placement", placement)
	t.Run("estimate", estimate)
	t.Run("turns", turns)
}

// play makes the nodes, and has kwok play them for as long as the test lasts.
func play(t *testing.T) {
	t.Helper()
	kwok := part.Start(t, part.Command(t, part.Program(t, "kwok", ""), append([]string{
		"--kubeconfig=" + part.Admin(t, cluster, "default"), "--node-lease-duration-seconds=200",
		"--manage-nodes-with-annotation-selector=" + played + "=fake",
	}, stages(t)...)...))
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if err := cluster.DeleteAllOf(ctx, &corev1.Node{}, client.MatchingLabels{played: "fake"}); err != nil {
			t.Errorf("removing the nodes: %v", err)
		}
	})
	began := time.Now()
	each(t, nodes, func(ctx context.Context, i int) error {
		amount := corev1.ResourceList{
			corev1.ResourceCPU: *harness.Quantity("16"), corev1.ResourceMemory: *harness.Quantity("64Gi"),
			corev1.ResourceEphemeralStorage: *harness.Quantity("500Gi"), corev1.ResourcePods: *harness.Quantity("110"),
		}
		return cluster.Create(ctx, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("played-%d", i), Annotations: map[string]string{played: "fake"},
				Labels: map[string]string{
					played: "fake", pool: poolOf(i % pools), zone: fmt.Sprintf("zone-%d", i/pools%zones),
					corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64", corev1.LabelHostname: fmt.Sprintf("played-%d", i),
				},
			},
			Spec:   corev1.NodeSpec{Taints: []corev1.Taint{{Key: played, Value: "fake", Effect: corev1.TaintEffectNoSchedule}}},
			Status: corev1.NodeStatus{Allocatable: amount, Capacity: amount},
		})
	})
	wait(t, "the nodes to be ready", func(ctx context.Context) (bool, string, error) {
		list, ready := &corev1.NodeList{}, 0
		err := cluster.List(ctx, list, client.MatchingLabels{played: "fake"})
		for i := range list.Items {
			for _, said := range list.Items[i].Status.Conditions {
				if said.Type == corev1.NodeReady && said.Status == corev1.ConditionTrue {
					ready++
				}
			}
		}
		if ended := kwok.Err(); ended != nil {
			t.Fatal(ended)
		}
		return ready == nodes, fmt.Sprintf("%d of %d", ready, nodes), err
	})
	cluster.Summary.Figure("%d nodes are ready after %.0f s", nodes, time.Since(began).Seconds())
}

// stages are the flags that name what nodes and pods go through: what kwok's own fast configuration has.
func stages(t *testing.T) []string {
	t.Helper()
	folder := filepath.Join(part.Source(t, "kwok", "sigs.k8s.io/kwok"), "kustomize", "stage")
	wanted := []string{
		"node/fast/node-initialize", "node/heartbeat-with-lease/node-heartbeat-with-lease", "pod/fast/pod-ready",
		"pod/fast/pod-complete", "pod/fast/pod-delete",
	}
	flags := make([]string, 0, len(wanted))
	for _, stage := range wanted {
		flags = append(flags, "--config="+filepath.Join(folder, filepath.FromSlash(stage)+".yaml"))
	}
	return flags
}

func poolOf(i int) string { return fmt.Sprintf("pool-%d", i) }

// each does something many times, several at once.
func each(t *testing.T, count int, do func(ctx context.Context, i int) error) {
	t.Helper()
	numbers := make(chan int)
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for i := range numbers {
				if err := do(t.Context(), i); err != nil && !apierrors.IsAlreadyExists(err) {
					t.Error(err)
				}
			}
		})
	}
	for i := range count {
		numbers <- i
	}
	close(numbers)
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

func wait(t *testing.T, what string, ask func(context.Context) (bool, string, error)) {
	t.Helper()
	if err := harness.Poll(t.Context(), patience, ask); err != nil {
		t.Fatalf("waiting for %s: %v", what, err)
	}
}

// inPool has a target's pods go to a pool.
func inPool(spec *benchv1alpha1.BenchmarkTargetSpec, i int) *benchv1alpha1.BenchmarkTargetSpec {
	*spec.PodsField() = &benchv1alpha1.PodSettings{
		NodeSelector: map[string]string{pool: poolOf(i)},
		Tolerations:  []corev1.Toleration{{Key: played, Operator: corev1.TolerationOpExists}},
	}
	return spec
}

// placement has a target of five shards of three members in each of twenty pools. Their members are to be on nodes of
// their own, spread over the zones.
func placement(t *testing.T) {
	const targets, shards, members = 20, 5, 3
	n, began := cluster.Namespace(t), time.Now()
	each(t, targets, func(ctx context.Context, i int) error {
		spec := inPool(harness.Sharded("6.0.5", shards), i)
		spec.MongoDB.Sharded.MembersPerShard = new(int32(members))
		spec.MongoDB.Placement = &benchv1alpha1.PlacementSpec{Spread: new(benchv1alpha1.SpreadRequired)}
		settings := *spec.PodsField()
		settings.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			TopologyKey: zone, MaxSkew: 1, WhenUnsatisfiable: corev1.DoNotSchedule,
		}}
		target := harness.Target(fmt.Sprintf("t%d", i), spec)
		target.Namespace = n.Name
		return cluster.Create(ctx, target)
	})
	pods := &corev1.PodList{}
	wait(t, "the members to run", func(ctx context.Context) (bool, string, error) {
		err := n.List(ctx, pods, client.InNamespace(n.Name), client.MatchingLabels{"app.kubernetes.io/component": "mongod"})
		running := 0
		for i := range pods.Items {
			if pods.Items[i].Status.Phase == corev1.PodRunning {
				running++
			}
		}
		return running == targets*shards*members, fmt.Sprintf("%d run of %d", running, len(pods.Items)), err
	})
	cluster.Summary.Figure("%d members of %d targets are placed after %.0f s", targets*shards*members, targets,
		time.Since(began).Seconds())
	wellPlaced(t, pods.Items)
}

// wellPlaced looks at where the members of each set are.
func wellPlaced(t *testing.T, pods []corev1.Pod) {
	t.Helper()
	list := &corev1.NodeList{}
	if err := cluster.List(t.Context(), list, client.MatchingLabels{played: "fake"}); err != nil {
		t.Fatal(err)
	}
	labels := map[string]map[string]string{}
	for i := range list.Items {
		labels[list.Items[i].Name] = list.Items[i].Labels
	}
	nodesOf, zonesOf := counts{}, counts{}
	for i := range pods {
		pod := &pods[i]
		at := labels[pod.Spec.NodeName]
		if at == nil || at[pool] != pod.Spec.NodeSelector[pool] {
			t.Errorf("pod %s is on %s, and asked for %v", pod.Name, pod.Spec.NodeName, pod.Spec.NodeSelector)
		}
		nodesOf.add(pod.Name[:strings.LastIndexByte(pod.Name, '-')], pod.Spec.NodeName)
		zonesOf.add(pod.Labels[naming.TargetLabel], at[zone])
	}
	for set, on := range nodesOf {
		if most := slices.Max(slices.Collect(maps.Values(on))); most > 1 {
			t.Errorf("%d members of set %s share a node: %v", most, set, on)
		}
	}
	for target, in := range zonesOf {
		each := slices.Collect(maps.Values(in))
		least, most := slices.Min(each), slices.Max(each)
		if len(each) < zones {
			least = 0
		}
		if most-least > 1 {
			t.Errorf("members of target %s are spread over the zones as %v", target, in)
		}
	}
}

// counts are how many pods of something are at each place.
type counts map[string]map[string]int

func (c counts) add(of, place string) {
	if c[of] == nil {
		c[of] = map[string]int{}
	}
	c[of][place]++
}

// estimate has the plugin say where a run would fit.
func estimate(t *testing.T) {
	plugin := filepath.Join(t.TempDir(), "kubectl-mongobench")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", plugin, "./cmd/kubectl-mongobench")
	build.Dir = part.Root(t)
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the plugin: %v\n%s", err, said)
	}
	n := cluster.Namespace(t)
	run := filepath.Join(t.TempDir(), "run.yaml")
	content := strings.ReplaceAll(part.Block(t, "kwok", "yaml", "kind: BenchmarkRun"), "pool-0", poolOf(pools-1))
	if err := os.WriteFile(run, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	user := part.User(t, cluster, n.Name)
	said := user.Run(t, plugin+" estimate -f "+run)
	cluster.Summary.Figure("estimate on %d nodes took %.1f s", nodes, time.Since(began).Seconds())
	if !regexp.MustCompile(`(?m)^fits +yes`).MatchString(said) {
		t.Errorf("three members that need a quarter of a node each do not fit a pool of ten nodes:\n%s", said)
	}
	if err := os.WriteFile(run, []byte(strings.ReplaceAll(content, `cpu: "4"`, `cpu: "17"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	// Its exit code says so, too.
	if said := user.Run(t, plugin+" estimate -f "+run+" || true"); !regexp.MustCompile(`(?m)^fits +no`).MatchString(said) {
		t.Errorf("three members that need more than a node each fit a pool of ten nodes:\n%s", said)
	}
}

// turns has three runs want each of the pools, which take one at a time.
func turns(t *testing.T) {
	onePerPool(t)
	n, began := cluster.Namespace(t), time.Now()
	each(t, pools*runsPerPool, func(ctx context.Context, i int) error {
		run := harness.Run(fmt.Sprintf("r%d", i), inPool(harness.Standalone("6.0.5"), i%pools))
		run.Namespace = n.Name
		return cluster.Create(ctx, run)
	})
	wait(t, "every pool to have a run", func(ctx context.Context) (bool, string, error) {
		admitted, queued, err := admissions(ctx, n)
		said := fmt.Sprintf("%d pools, %d runs in line", len(admitted), queued)
		return len(admitted) == pools && queued == pools*(runsPerPool-1), said, err
	})
	cluster.Summary.Figure("%d runs on %d pools: each has one, %d are in line, after %.0f s", pools*runsPerPool, pools,
		pools*(runsPerPool-1), time.Since(began).Seconds())
	admitted, _, err := admissions(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	for name, count := range admitted {
		if count != 1 {
			t.Errorf("%d runs have %s", count, name)
		}
	}
}

// admissions counts the runs that have a pool, by its name, and those in line.
func admissions(ctx context.Context, n *harness.Namespace) (admitted map[string]int, queued int, err error) {
	runs := &benchv1alpha1.BenchmarkRunList{}
	err = n.List(ctx, runs, client.InNamespace(n.Name))
	admitted = map[string]int{}
	for i := range runs.Items {
		said := apimeta.FindStatusCondition(runs.Items[i].Status.Conditions, benchv1alpha1.RunAdmitted)
		switch {
		case said == nil:
		case said.Status == metav1.ConditionTrue:
			admitted[runs.Items[i].Spec.Target.Pods().NodeSelector[pool]]++
		default:
			queued++
		}
	}
	return admitted, queued, err
}

// onePerPool has the operator let one run at a time onto the nodes of a pool, which is its default, while the test
// lasts.
func onePerPool(t *testing.T) {
	t.Helper()
	reader := part.User(t, cluster, harness.SystemNamespace)
	set := func(count int) {
		reader.Run(t, fmt.Sprintf("helm upgrade mongobench charts/mongobench-operator --reuse-values --take-ownership "+
			"--set runsPerNodePool=%d --wait --timeout 5m >/dev/null", count))
	}
	set(1)
	t.Cleanup(func() { set(0) })
}
