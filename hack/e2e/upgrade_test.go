//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

const (
	// previous is the release before this tree.
	previous = "0.1.0"
	// loadedThroughout is how many documents are loaded while the operator is upgraded.
	loadedThroughout = 200_000
	// mostReleaseBytes is how much of the 1 MiB of its Secret a release may take.
	mostReleaseBytes = 768 << 10
	// waitForHelm is how long Helm waits for an operator.
	waitForHelm = "180s"
)

// TestUpgrade installs the release before, upgrades it with work of every kind under way, sets it back, upgrades it
// again and uninstalls it: nothing is lost, measured twice or started again, and nothing stays but what docs/upgrading.md
// says.
func TestUpgrade(t *testing.T) {
	folder := harness.Released(t, previous)
	cluster.TakeOperator(t)
	n := cluster.Namespace(t)
	install(t, folder)

	w := startWork(t, n)
	refuseUpgrades(t)
	w.hold(t, "after upgrades that were refused")
	upgrade(t, "--take-ownership")
	w.hold(t, "after the upgrade")
	later := underWay("later", harness.ReplicaSet("6.0.5"))
	later.Spec.Target.MongoDB.ReplicaSet.Members = new(int32(1))
	n.Apply(t, later)
	w.end(t)
	n.WaitRun(t, later, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))
	w.note(t, "later")

	setBack(t)
	w.hold(t, "after going back to "+previous)
	upgrade(t)
	w.hold(t, "after another upgrade")
	n.WaitRun(t, later, "measuring still", harness.InStage(benchv1alpha1.StageMeasuring))
	uninstall(t, n, w)
}

// install installs the release before as its users did.
func install(t *testing.T, folder string) {
	t.Helper()
	helm(t, "install", harness.Release, filepath.Join(folder, "charts", "mongobench-operator"), "--values",
		filepath.Join(folder, "hack", "make", "local-images.yaml"), "--set", "image.tag="+previous, "--set",
		"loadgen.image.tag="+previous, "--wait", "--timeout", waitForHelm)
	if image := cluster.ManagerImage(t); !strings.HasSuffix(image, ":"+previous) {
		t.Fatalf("the operator's image is %s", image)
	}
	// So that it can be seen whether the definitions are renewed.
	for _, definition := range definitions(t) {
		before := definition.DeepCopy()
		definition.Spec.Names.ShortNames = nil
		if err := cluster.Patch(t.Context(), definition, client.MergeFrom(before)); err != nil {
			t.Fatalf("making a definition older: %v", err)
		}
	}
}

func helm(t *testing.T, arguments ...string) {
	t.Helper()
	if _, err := harness.Helm(t, arguments...); err != nil {
		t.Fatal(err)
	}
}

// upgradeArguments are those of docs/upgrading.md, and the images that this tree was built into.
func upgradeArguments(more ...string) []string {
	return append([]string{
		"upgrade", harness.Release, harness.Chart, "--reset-then-reuse-values", "--set", "image.tag=dev", "--set",
		"loadgen.image.tag=dev", "--wait", "--timeout", waitForHelm,
	}, more...)
}

func upgrade(t *testing.T, more ...string) {
	t.Helper()
	began := time.Now()
	helm(t, upgradeArguments(more...)...)
	cluster.Summary.Figure("upgrade from %s: ready after %.1f s", previous, time.Since(began).Seconds())
	if image := cluster.ManagerImage(t); !strings.HasSuffix(image, ":dev") {
		t.Fatalf("the operator's image is %s", image)
	}
	for name, definition := range definitions(t) {
		if len(definition.Spec.Names.ShortNames) == 0 || definition.Labels["app.kubernetes.io/managed-by"] != "Helm" ||
			definition.Annotations["helm.sh/resource-policy"] != "keep" {
			t.Errorf("definition %s was not renewed: %v %v", name, definition.Labels, definition.Annotations)
		}
	}
}

func definitions(t *testing.T) map[string]*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	found, err := cluster.Definitions(t.Context())
	if err != nil || len(found) != 3 {
		t.Fatalf("there are %d definitions, want 3: %v", len(found), err)
	}
	return found
}

// refuseUpgrades forgets each of the flags that the first upgrade needs. Nothing is changed by it, and Helm says why.
func refuseUpgrades(t *testing.T) {
	t.Helper()
	before, err := cluster.ManagerPod(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	reused := slices.Replace(slices.Clone(upgradeArguments("--take-ownership")), 3, 4, "--reuse-values")
	for want, arguments := range map[string][]string{
		"invalid ownership metadata": upgradeArguments(), "--reset-then-reuse-values": reused,
	} {
		if _, err := harness.Helm(t, arguments...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("helm %s: error %v, want one with %q", strings.Join(arguments, " "), err, want)
		}
	}
	after, err := cluster.ManagerPod(t.Context())
	if err != nil || after.UID != before.UID {
		t.Errorf("an upgrade that was refused replaced the operator: %v", err)
	}
}

// setBack goes back by one release.
func setBack(t *testing.T) {
	t.Helper()
	size := cluster.ReleaseBytes(t, 2)
	cluster.Summary.Figure("release of the chart: %d bytes of its Secret", size)
	if size > mostReleaseBytes {
		t.Errorf("the release takes %d bytes of its Secret, and may take %d", size, mostReleaseBytes)
	}
	helm(t, "rollback", harness.Release, "1", "--wait", "--timeout", waitForHelm)
	if image := cluster.ManagerImage(t); !strings.HasSuffix(image, ":"+previous) {
		t.Errorf("the operator's image is %s", image)
	}
	definitions(t)
}

// uninstall uninstalls the operator with a run under way, and then removes what that leaves.
func uninstall(t *testing.T, n *harness.Namespace, w *work) {
	t.Helper()
	helm(t, "uninstall", harness.Release, "--wait", "--timeout", waitForHelm)
	definitions(t)
	w.hold(t, "after the operator was uninstalled")
	wantLeases(t, n.Name, "mongobench-installation")

	cluster.RemoveDefinitions(t)
	took := n.WaitLeft(t, removalDeadline)
	cluster.Summary.Figure("without an operator: all that a run under way had was gone %.1f s after the definitions",
		took.Seconds())
}

// wantLeases wants these Leases to be in a namespace, and no other.
func wantLeases(t *testing.T, namespace string, want ...string) {
	t.Helper()
	var leases coordinationv1.LeaseList
	if err := cluster.List(t.Context(), &leases, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range leases.Items {
		names = append(names, leases.Items[i].Name)
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("Leases in %s (-want +got):\n%s", namespace, diff)
	}
}
