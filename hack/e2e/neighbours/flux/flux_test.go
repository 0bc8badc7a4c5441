//go:build e2e

package flux

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
)

const (
	page = "flux"
	// within is how long Flux may take for what a suite does not hold up.
	within = 5 * time.Minute
	// faster has the variant that the example calls many do something else.
	faster = "threads: 16"
)

// TestFlux keeps a suite in a repository: it is measured, waited for, changed, broken, mended and removed there.
func TestFlux(t *testing.T) {
	install(t)
	n, repository := cluster.Namespace(t), part.NewGit(t)
	reader := part.User(t, cluster, namespace)
	first := repository.Commit(t, "a suite", files(t, n))
	reader.Apply(t, part.Gitops(t, "flux/benchmarks.yaml",
		"https://git.example/your/benchmarks.git", repository.URL, "targetNamespace: benchmarks", "targetNamespace: "+n.Name,
		"interval: 1m", "interval: 5s"))
	reader.Apply(t, strings.ReplaceAll(part.Block(t, page, "yaml", "dependsOn"),
		"targetNamespace: app", "targetNamespace: "+n.Name))

	applied(t, first)
	suite := part.Nightly(t, n)
	part.WantComplete(t, suite)
	part.CameAfter(t, n, "deployed", suite)
	before := part.Runs(t, n)
	undoes(t, reader, n)

	changed := repository.Commit(t, "another number of threads", files(t, n, faster, "threads: 3"))
	applied(t, changed)
	part.WantComplete(t, part.Nightly(t, n))
	after := part.Runs(t, n)
	part.OnlyMore(t, before, after, 1)

	repository.Commit(t, "threads that cannot be", files(t, n, faster, "threads: -1"))
	cluster.Summary.Figure("Flux, a suite that is refused: %s", fails(t))

	mended := repository.Commit(t, "as it was", files(t, n, faster, "threads: 3"))
	applied(t, mended)
	part.OnlyMore(t, after, part.Runs(t, n), 0)

	applied(t, repository.Commit(t, "no suite", withApp(part.Empty())))
	n.WaitLeft(t, within, "ConfigMap left", "ConfigMap deployed")
	reader.Run(t, "kubectl delete kustomization --all")
	n.WaitLeft(t, within)
}

// files are those of a commit: the suite, of which some texts are replaced, and what depends on it.
func files(t *testing.T, n *harness.Namespace, changes ...string) map[string]string {
	t.Helper()
	return withApp(part.Example(t, n.Name, changes...))
}

func withApp(files map[string]string) map[string]string {
	files["app/deployed.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: deployed}\n"
	return files
}

// get reads an object of Flux's namespace.
func get(ctx context.Context, kind, name string) (*unstructured.Unstructured, error) {
	found := &unstructured.Unstructured{}
	found.SetAPIVersion("kustomize.toolkit.fluxcd.io/v1")
	found.SetKind(kind)
	return found, cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, found)
}

// readyOf is what the Kustomization says of itself.
func readyOf(ctx context.Context) (ready metav1.Condition, revision string, err error) {
	found, err := get(ctx, "Kustomization", "benchmarks")
	if err != nil {
		return ready, "", err
	}
	var read struct {
		Status struct {
			Conditions          []metav1.Condition `json:"conditions"`
			LastAppliedRevision string             `json:"lastAppliedRevision"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.Object, &read); err != nil {
		return ready, "", err
	}
	if said := apimeta.FindStatusCondition(read.Status.Conditions, "Ready"); said != nil {
		ready = *said
	}
	return ready, read.Status.LastAppliedRevision, nil
}

// applied waits until Flux has applied a commit, and all that it checks of it is healthy.
func applied(t *testing.T, commit string) {
	t.Helper()
	began := time.Now()
	err := harness.Poll(t.Context(), harness.SuiteTime, func(ctx context.Context) (bool, string, error) {
		ready, revision, err := readyOf(ctx)
		is := strings.HasSuffix(revision, commit) && ready.Status == metav1.ConditionTrue
		return is, fmt.Sprintf("revision %q, Ready=%s: %s", revision, ready.Status, ready.Message), err
	})
	if err != nil {
		t.Fatalf("waiting for commit %s: %v", commit, err)
	}
	t.Logf("commit %s is ready after %s", commit[:12], time.Since(began).Round(time.Second))
}

// fails waits until Flux gives a commit up, and returns what it says.
func fails(t *testing.T) string {
	t.Helper()
	var said string
	err := harness.Poll(t.Context(), within, func(ctx context.Context) (bool, string, error) {
		ready, _, err := readyOf(ctx)
		said = ready.Reason + ": " + ready.Message
		is := ready.Reason == "HealthCheckFailed" && strings.Contains(said, "BenchmarkSuite")
		return is, said, err
	})
	if err != nil {
		t.Fatalf("waiting for a health check that fails: %v", err)
	}
	return said
}

// undoes suspends the suite by hand, which Git does not say, and has Flux look.
func undoes(t *testing.T, reader part.Shell, n *harness.Namespace) {
	t.Helper()
	reader.Run(t, "kubectl -n "+n.Name+` patch benchmarksuite nightly --type=merge -p '{"spec": {"suspend": true}}'`)
	reader.Run(t, part.Block(t, page, "sh", "requestedAt"))
	err := harness.Poll(t.Context(), within, func(context.Context) (bool, string, error) {
		suspended := part.Nightly(t, n).Spec.Suspend //nolint:contextcheck // It has the test's own.
		return suspended == nil, "suspend is set", nil
	})
	if err != nil {
		t.Errorf("waiting for Flux to undo a change by hand: %v", err)
	}
}
