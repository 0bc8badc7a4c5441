//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

const (
	// previous is the release before this tree.
	previous = "0.1.0"
	// upgradingPage has the commands that this scenario runs.
	upgradingPage = "../../docs/how-to/upgrading.md"
	// ourImages are those that this tree was built into.
	ourImages = " --set image.tag=dev --set loadgen.image.tag=dev"
	// mostReleaseBytes is how much of the 1 MiB of its Secret a release may take.
	mostReleaseBytes = 768 << 10
	// commandTime is how long one command may take.
	commandTime = 5 * time.Minute
)

// TestUpgrade installs the release before, upgrades it with work of every kind under way, sets it back, upgrades it
// again and uninstalls it: nothing is lost, measured twice or started again, and nothing stays but what the page says.
func TestUpgrade(t *testing.T) {
	folder := harness.Released(t, previous)
	cluster.TakeOperator(t)
	n := cluster.Namespace(t)
	a := newAdministrator(t)
	a.must(t, "helm install mongobench "+filepath.Join(folder, "charts", "mongobench-operator")+
		" -n mongobench-system --wait --values "+filepath.Join(folder, "hack", "make", "local-images.yaml")+
		" --set image.tag="+previous+" --set loadgen.image.tag="+previous)
	wantImage(t, previous)
	age(t)
	command := pageCommands(t, upgradingPage, "## Upgrade")[0] + ourImages
	a.refuses(t, strings.Replace(command, " --take-ownership", "", 1), "invalid ownership metadata")
	a.refuses(t, strings.Replace(command, "--reset-then-reuse-values", "--reuse-values", 1), "--reset-then-reuse-values")
	wantImage(t, previous)

	w := startWork(t, n)
	began := time.Now()
	a.must(t, command)
	cluster.Summary.Figure("upgrade from %s: ready after %.1f s, %d bytes of its Secret; runs were %s", previous,
		time.Since(began).Seconds(), releaseBytes(t), w.stages(t))
	wantImage(t, "dev")
	wantRenewed(t)
	w.hold(t, "after the upgrade")
	later := w.more(t)
	w.end(t)
	n.WaitRun(t, later, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))
	w.note(t, "later")

	a.must(t, pageCommands(t, upgradingPage, "## Going back")[0])
	wantImage(t, previous)
	wantRenewed(t)
	w.hold(t, "after going back")
	a.must(t, strings.Replace(command, " --take-ownership", "", 1))
	wantImage(t, "dev")
	w.hold(t, "after another upgrade")
	uninstall(t, a, w, later)
}

// uninstall uninstalls the operator with a run under way, installs it again, which goes on with the run, and then has
// nothing stay.
func uninstall(t *testing.T, a *administrator, w *work, later *benchv1alpha1.BenchmarkRun) {
	t.Helper()
	commands := pageCommands(t, upgradingPage, "## Uninstall")
	a.must(t, commands[1])
	wantRenewed(t)
	w.hold(t, "after the operator was uninstalled")
	wantLeases(t, w.n.Name, "mongobench-installation")
	wantLeases(t, harness.SystemNamespace, "mongobench-operator")
	system := &harness.Namespace{Cluster: cluster, Name: harness.SystemNamespace}
	system.WaitLeft(t, removalDeadline) // Helm does not wait for the pods of what it removes.
	w.remove(t, "finished")

	a.must(t, "helm install mongobench charts/mongobench-operator -n mongobench-system --wait --values "+
		"hack/make/local-images.yaml")
	w.hold(t, "after the operator was installed again")
	change(t, w.n, later, func(run *benchv1alpha1.BenchmarkRun) { run.Spec.Cancel = new(true) })
	ended := w.n.WaitRun(t, later, "cancelled", harness.HasVerdict)
	verdict := apimeta.FindStatusCondition(ended.Status.Conditions, benchv1alpha1.RunSucceeded)
	if verdict.Reason != benchv1alpha1.ReasonCancelled || ended.Status.Result == nil {
		t.Errorf("a run that went on without an operator ended as %s: %s; result %+v", verdict.Reason, verdict.Message,
			ended.Status.Result)
	}

	a.must(t, commands[0])
	w.n.WaitLeft(t, removalDeadline)
	for _, command := range commands[1:] {
		a.must(t, command)
	}
	wantLeases(t, w.n.Name)
	if left, err := cluster.Definitions(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("%d definitions are there, error %v", len(left), err)
	}
}

// administrator has a shell with helm and kubectl, in the folder of the repository.
type administrator struct{ environment []string }

func newAdministrator(t *testing.T) *administrator {
	t.Helper()
	return &administrator{append(os.Environ(), "PATH="+harness.HelmFolder(t)+":"+harness.KubectlFolder(t)+":"+
		os.Getenv("PATH"))}
}

func (a *administrator) run(t *testing.T, command string) (said string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), commandTime)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", command)
	shell.Dir, shell.Env = filepath.Join("..", ".."), a.environment
	output, err := shell.CombinedOutput()
	return string(output), err
}

func (a *administrator) must(t *testing.T, command string) {
	t.Helper()
	if said, err := a.run(t, command); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, said)
	}
}

// refuses wants a command to fail with words that say what to do.
func (a *administrator) refuses(t *testing.T, command, want string) {
	t.Helper()
	if said, err := a.run(t, command); err == nil || !strings.Contains(said, want) {
		t.Errorf("%s: error %v, want one with %q\n%s", command, err, want, said)
	}
}

func wantImage(t *testing.T, tag string) {
	t.Helper()
	pod, err := cluster.ManagerPod(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if image := pod.Spec.Containers[0].Image; !strings.HasSuffix(image, ":"+tag) {
		t.Fatalf("the operator is %s, want %s", image, tag)
	}
}

// age makes the definitions older than they are, so that it can be seen whether they are renewed.
func age(t *testing.T) {
	t.Helper()
	found, err := cluster.Definitions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, definition := range found {
		before := definition.DeepCopy()
		definition.Spec.Names.Categories = nil
		if err := cluster.Patch(t.Context(), definition, client.MergeFrom(before)); err != nil {
			t.Fatalf("making a definition older: %v", err)
		}
	}
}

func wantRenewed(t *testing.T) {
	t.Helper()
	found, err := cluster.Definitions(t.Context())
	if err != nil || len(found) != 3 {
		t.Fatalf("there are %d definitions, want 3: %v", len(found), err)
	}
	for name, definition := range found {
		if len(definition.Spec.Names.Categories) == 0 || definition.Labels["app.kubernetes.io/managed-by"] != "Helm" ||
			definition.Annotations["helm.sh/resource-policy"] != "keep" {
			t.Errorf("definition %s was not renewed: labels %v, annotations %v, categories %v", name, definition.Labels,
				definition.Annotations, definition.Spec.Names.Categories)
		}
	}
}

// releaseBytes is how much the upgraded release takes of its Secret.
func releaseBytes(t *testing.T) int {
	t.Helper()
	size, err := cluster.ReleaseBytes(t.Context(), 2)
	if err != nil || size > mostReleaseBytes {
		t.Errorf("the release takes %d bytes of its Secret, and may take %d: error %v", size, mostReleaseBytes, err)
	}
	return size
}

// wantLeases wants these Leases to be in a namespace, and no other.
func wantLeases(t *testing.T, namespace string, want ...string) {
	t.Helper()
	var leases coordinationv1.LeaseList
	if err := cluster.List(t.Context(), &leases, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(leases.Items))
	for i := range leases.Items {
		names = append(names, leases.Items[i].Name)
	}
	if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(names)); diff != "" {
		t.Errorf("Leases in %s (-want +got):\n%s", namespace, diff)
	}
}
