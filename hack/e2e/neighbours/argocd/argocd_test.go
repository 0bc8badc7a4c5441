//go:build e2e

package argocd

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
)

const (
	page = "argocd"
	// within is how long Argo CD may take for what a suite does not hold up.
	within = 5 * time.Minute
	// limit is a field that Git sets, and which changes no run.
	limit = "revisionHistoryLimit: 7"
)

// TestArgoCD keeps a suite in a repository: it is measured, waited for, changed, broken, mended and removed there.
func TestArgoCD(t *testing.T) {
	install(t)
	n, repository := cluster.Namespace(t), part.NewGit(t)
	reader := part.User(t, cluster, namespace)
	first := repository.Commit(t, "a suite", files(t, n))
	reader.Apply(t, part.Gitops(t, "argocd/application.yaml",
		"https://git.example/your/benchmarks.git", repository.URL, "namespace: benchmarks", "namespace: "+n.Name))

	measures(t, n)
	healthy(t, first)
	suite := part.Nightly(t, n)
	part.WantComplete(t, suite)
	part.CameAfter(t, n, "deployed", suite)
	before := part.Runs(t, n)
	heals(t, reader, n)

	changed := repository.Commit(t, "another server", files(t, n,
		"patch: {workload:", `patch: {target: {mongodb: {version: "5.0.4"}}, workload:`))
	healthy(t, changed)
	part.WantComplete(t, part.Nightly(t, n))
	after := part.Runs(t, n)
	part.OnlyMore(t, before, after, 1)

	repository.Commit(t, "threads that cannot be", files(t, n, "threads: 16", "threads: -1"))
	degraded(t)

	healthy(t, repository.Commit(t, "as it was", files(t, n)))
	part.OnlyMore(t, after, part.Runs(t, n), 0)

	healthy(t, repository.Commit(t, "no suite", part.Empty()))
	n.WaitLeft(t, within, "ConfigMap left")
	reader.Run(t, "kubectl delete application --all")
}

// files are those of a commit: the suite, of which some texts are replaced, and what the sync applies after it.
func files(t *testing.T, n *harness.Namespace, changes ...string) map[string]string {
	t.Helper()
	all := part.Example(t, n.Name, append([]string{"repetitions: 1", "repetitions: 1\n  " + limit}, changes...)...)
	maps.Copy(all, map[string]string{
		"example/deployed.yaml":      part.Block(t, page, "yaml", "sync-wave"),
		"example/kustomization.yaml": all["example/kustomization.yaml"] + "  - deployed.yaml\n",
	})
	return all
}

// application is what is read of an Application's status.
type application struct {
	Status struct {
		Sync struct {
			Status   string `json:"status"`
			Revision string `json:"revision"`
		} `json:"sync"`
		Health struct {
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"health"`
		OperationState struct {
			Phase   string `json:"phase"`
			Message string `json:"message"`
		} `json:"operationState"`
		Conditions []struct {
			Message string `json:"message"`
		} `json:"conditions"`
		Resources []struct {
			Kind   string `json:"kind"`
			Health *struct {
				Status  string `json:"status"`
				Message string `json:"message"`
			} `json:"health"`
		} `json:"resources"`
	} `json:"status"`
}

// suiteHealth is what Argo CD says of the suite itself.
func (a application) suiteHealth() (status, message string) {
	for _, resource := range a.Status.Resources {
		if resource.Kind == "BenchmarkSuite" && resource.Health != nil {
			return resource.Health.Status, resource.Health.Message
		}
	}
	return "", ""
}

func (a application) String() string { return fmt.Sprintf("%+v", a.Status) }

// await waits until the application is as wanted.
func await(t *testing.T, limit time.Duration, what string, wanted func(application) bool) application {
	t.Helper()
	var read application
	err := harness.Poll(t.Context(), limit, func(ctx context.Context) (bool, string, error) {
		found := &unstructured.Unstructured{}
		found.SetAPIVersion("argoproj.io/v1alpha1")
		found.SetKind("Application")
		if err := cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "benchmarks"}, found); err != nil {
			return false, "", err
		}
		read = application{}
		err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.Object, &read)
		return err == nil && wanted(read), read.String(), err
	})
	if err != nil {
		t.Fatalf("waiting for an application that is %s: %v", what, err)
	}
	return read
}

// measures waits for the health of a suite that is under way.
func measures(t *testing.T, n *harness.Namespace) {
	t.Helper()
	await(t, within, "progressing", func(a application) bool {
		status, _ := a.suiteHealth()
		return status == "Progressing" && a.Status.OperationState.Phase == "Running"
	})
	if len(part.Runs(t, n)) == 0 {
		t.Log("Argo CD waits for a suite that has made no run yet")
	}
}

// healthy waits until a commit is synced and all of it is healthy.
func healthy(t *testing.T, commit string) {
	t.Helper()
	began := time.Now()
	await(t, harness.SuiteTime, "healthy at "+commit, func(a application) bool {
		return a.Status.Sync.Revision == commit && a.Status.Sync.Status == "Synced" &&
			a.Status.Health.Status == "Healthy" && a.Status.OperationState.Phase == "Succeeded"
	})
	t.Logf("commit %s is healthy after %s", commit[:12], time.Since(began).Round(time.Second))
}

// degraded waits until the suite is, and tells what Argo CD says.
func degraded(t *testing.T) {
	t.Helper()
	read := await(t, within, "degraded", func(a application) bool {
		status, _ := a.suiteHealth()
		return status == "Degraded"
	})
	_, message := read.suiteHealth()
	cluster.Summary.Figure("Argo CD, a suite that is refused: %s", strings.TrimSpace(message))
}

// heals changes by hand what Git sets, which Argo CD takes back, and what Git does not set, which it leaves.
func heals(t *testing.T, reader part.Shell, n *harness.Namespace) {
	t.Helper()
	patch := "kubectl -n " + n.Name + " patch benchmarksuite nightly --type=merge -p "
	reader.Run(t, patch+`'{"spec": {"suspend": true, "revisionHistoryLimit": 3}}'`)
	err := harness.Poll(t.Context(), within, func(context.Context) (bool, string, error) {
		kept := ptr.Deref(part.Nightly(t, n).Spec.RevisionHistoryLimit, 0) //nolint:contextcheck // It has the test's own.
		return strings.HasSuffix(limit, fmt.Sprintf(" %d", kept)), fmt.Sprintf("revisionHistoryLimit is %d", kept), nil
	})
	if err != nil {
		t.Errorf("waiting for Argo CD to undo a change by hand: %v", err)
	}
	if suspended := part.Nightly(t, n).Spec.Suspend; !ptr.Deref(suspended, false) {
		t.Error("a suspend that Git does not speak of was taken back")
	}
	reader.Run(t, patch+`'{"spec": {"suspend": null}}'`)
}
