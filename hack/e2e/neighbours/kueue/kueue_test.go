//go:build e2e

package kueue

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

const (
	module    = "sigs.k8s.io/kueue"
	page      = "kueue"
	namespace = "kueue-system"
	image     = "mongobench.local/kueue/kueue"
	// patience is for what Kueue does within a second or two once it runs.
	patience = 3 * time.Minute
	// pool is the label of the nodes of the page's flavor.
	pool, poolName = "example.com/pool", "benchmarks"
)

// TestKueue has three runs want room that is there for one at a time: the first has to make way for an urgent one.
func TestKueue(t *testing.T) {
	install(t)
	n := cluster.Namespace(t)
	reader := part.User(t, cluster, n.Name)
	// Kueue's own webhooks have to answer by now, which its readiness does not say.
	applyUntilTaken(t, reader, part.Block(t, page, "yaml", "kind: ClusterQueue"))
	t.Cleanup(func() {
		reader.Run(t, "kubectl delete clusterqueue,resourceflavor "+poolName+"; kubectl delete workloadpriorityclass urgent")
	})
	node := label(t, reader)
	reader.Apply(t, part.Block(t, page, "yaml", "kind: LocalQueue"))

	first, second, stray := queued("first", 60), queued("second", 4), queued("stray", 4)
	stray.Labels[naming.QueueLabel] = "nowhere"
	n.Apply(t, first)
	n.WaitRun(t, first, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))
	wantOn(t, n, node)
	n.Apply(t, second, stray)
	for _, run := range []*benchv1alpha1.BenchmarkRun{second, stray} {
		held := n.WaitRun(t, run, "held by Kueue", pending)
		said := apimeta.FindStatusCondition(held.Status.Conditions, benchv1alpha1.RunAdmitted).Message
		cluster.Summary.Figure("%s waits: %s", run.Name, said)
	}
	wantNothing(t, n, "second", "stray")

	reader.Apply(t, part.Block(t, page, "yaml", "kind: BenchmarkRun"))
	n.WaitRun(t, first, "evicted", func(run *benchv1alpha1.BenchmarkRun) bool {
		return pending(run) && len(run.Status.Attempts) == 1
	})
	wantNothing(t, n, "first")
	for command := range strings.SplitSeq(strings.TrimSpace(part.Block(t, page, "sh", "custom-columns")), "\n") {
		cluster.Summary.Figure("%s", reader.Run(t, command))
	}
	urgent := &benchv1alpha1.BenchmarkRun{}
	n.Fetch(t, "urgent", urgent)
	n.WaitSuccess(t, urgent)
	again := n.WaitSuccess(t, first)
	if attempts := again.Status.Attempts; len(attempts) != 1 || attempts[0].Reason != benchv1alpha1.ReasonSuspended {
		t.Errorf("the evicted run has attempts %+v", attempts)
	}
	n.WaitSuccess(t, second)
	wantNoWorkloads(t, n, "stray-workload")
}

// queued is a small run in the page's queue.
func queued(name string, seconds int32) *benchv1alpha1.BenchmarkRun {
	run := harness.Run(name, harness.Standalone("6.0.5"))
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Mixed("mixed", seconds)}
	harness.FlatOut(run)
	run.Labels = map[string]string{naming.QueueLabel: poolName}
	return run
}

func pending(run *benchv1alpha1.BenchmarkRun) bool {
	said := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunAdmitted)
	return said != nil && said.Reason == benchv1alpha1.ReasonQuotaPending && !strings.Contains(said.Message, "being asked")
}

// label makes one node that of the page's flavor, and returns its name.
func label(t *testing.T, reader part.Shell) string {
	t.Helper()
	nodes := &corev1.NodeList{}
	if err := cluster.List(t.Context(), nodes); err != nil {
		t.Fatal(err)
	}
	node := nodes.Items[len(nodes.Items)-1].Name
	reader.Run(t, "kubectl label node "+node+" "+pool+"="+poolName)
	t.Cleanup(func() { reader.Run(t, "kubectl label node "+node+" "+pool+"-") })
	return node
}

// wantOn wants members and load pods on the flavor's node, which they did not ask for.
func wantOn(t *testing.T, n *harness.Namespace, node string) {
	t.Helper()
	pods := &corev1.PodList{}
	n.FetchAll(t, pods)
	running := 0
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Status.Phase == corev1.PodRunning {
			running++
		}
		if pod.Spec.NodeSelector[pool] != poolName || pod.Spec.NodeName != node {
			t.Errorf("pod %s is on %s with selector %v, want %s", pod.Name, pod.Spec.NodeName, pod.Spec.NodeSelector, node)
		}
	}
	if running != 2 {
		t.Errorf("%d pods run, want a member and a load pod", running)
	}
}

// wantNothing wants that nothing was made of runs but the runs and what they ask by.
func wantNothing(t *testing.T, n *harness.Namespace, runs ...string) {
	t.Helper()
	objects, err := n.Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name := range objects {
		for _, run := range runs {
			if _, its, _ := strings.Cut(name, " "); its == run || strings.HasPrefix(its, run+"-") {
				t.Errorf("of run %s there is %s", run, name)
			}
		}
	}
}

// wantNoWorkloads wants that runs which have ended have given their room back.
func wantNoWorkloads(t *testing.T, n *harness.Namespace, but string) {
	t.Helper()
	err := harness.Poll(t.Context(), patience, func(ctx context.Context) (bool, string, error) {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(schema.GroupVersionKind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "WorkloadList"})
		err := n.List(ctx, list, client.InNamespace(n.Name))
		var left []string
		for i := range list.Items {
			if name := list.Items[i].GetName(); name != but {
				left = append(left, name)
			}
		}
		return len(left) == 0, strings.Join(left, ", "), err
	})
	if err != nil {
		t.Errorf("workloads of runs that have ended: %v", err)
	}
}

// install installs Kueue as its users do, with its own chart, for as long as the test lasts.
func install(t *testing.T) {
	t.Helper()
	chart := filepath.Join(part.Source(t, "kueue", module), "charts", "kueue")
	reader := part.User(t, cluster, namespace)
	manifest := reader.Run(t, "helm template kueue "+chart+" --namespace "+namespace+" --set "+strings.Join([]string{
		"controllerManager.manager.image.repository=" + image, "controllerManager.manager.image.tag=pinned",
		"controllerManager.manager.image.pullPolicy=Never", "controllerManager.manager.resources.requests.cpu=50m",
	}, ","))
	// Its own image has the program in another place.
	manifest = strings.Replace(manifest, "- /manager\n", "- /bin/kueue\n", 1)
	path := filepath.Join(t.TempDir(), "kueue.yaml")
	if err := os.WriteFile(path, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	reader.Run(t, "kubectl create namespace "+namespace)
	t.Cleanup(func() {
		reader.Run(t, "kubectl delete --ignore-not-found --wait=false -f "+path+"; kubectl delete namespace "+namespace)
	})
	reader.Run(t, "kubectl apply --server-side -f "+path+" >/dev/null")
	reader.Run(t, "kubectl rollout status deployment/kueue-controller-manager --timeout=10m")
}

// applyUntilTaken applies a manifest as soon as the webhooks that look at it answer.
func applyUntilTaken(t *testing.T, reader part.Shell, manifest string) {
	t.Helper()
	try := part.Shell{Folder: reader.Folder, Environment: append(reader.Environment, "MANIFEST="+manifest)}
	err := harness.Poll(t.Context(), patience, func(context.Context) (bool, string, error) {
		_, failure := try.Try(t, `kubectl apply -f - <<<"$MANIFEST"`) //nolint:contextcheck // It has a deadline of its own.
		return failure == "", failure, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
