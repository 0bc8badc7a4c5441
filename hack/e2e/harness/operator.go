package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	// Release is what Helm calls the operator of the cluster, in the namespace SystemNamespace.
	Release = "mongobench"
	// Chart is the chart of the working tree, from a folder of tests.
	Chart = chart
	// helmTime is how long Helm may wait for the operator to be ready.
	helmTime = 5 * time.Minute
)

// Helm runs the helm that hack/tools pins, in the operator's namespace.
func Helm(t *testing.T, arguments ...string) (said string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), helmTime)
	defer cancel()
	written, err := output(ctx, "helm", append(arguments, "--namespace", SystemNamespace)...)
	return string(written), err
}

// Released is the folder with the files of an earlier release, which are in the cache once its images were built.
func Released(t *testing.T, version string) string {
	t.Helper()
	cache := os.Getenv("MONGOBENCH_CACHE")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(home, ".cache", "mongobench")
	}
	folder := filepath.Join(cache, "releases", version)
	if _, err := os.Stat(folder); err != nil {
		t.Fatalf("release %s, whose images `make e2e` builds and loads (E2E_IMAGES): %v", version, err)
	}
	return folder
}

// TakeOperator uninstalls the operator, and removes the definitions of its kinds with all of their objects, until the
// test is over.
func (c *Cluster) TakeOperator(t *testing.T) {
	t.Helper()
	values, err := Helm(t, "get", "values", Release, "--output", "yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(file, []byte(values), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := Helm(t, "upgrade", "--install", Release, Chart, "--values", file, "--take-ownership", "--wait",
			"--timeout", helmTime.String())
		if err != nil {
			t.Errorf("giving the operator back: %v", err)
		}
	})
	if _, err := Helm(t, "uninstall", Release, "--wait"); err != nil {
		t.Fatal(err)
	}
	c.RemoveDefinitions(t)
}

// Definitions are those of our kinds, by their names.
func (c *Cluster) Definitions(ctx context.Context) (map[string]*apiextensionsv1.CustomResourceDefinition, error) {
	var list apiextensionsv1.CustomResourceDefinitionList
	if err := c.List(ctx, &list); err != nil {
		return nil, fmt.Errorf("listing definitions: %w", err)
	}
	found := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for i := range list.Items {
		if list.Items[i].Spec.Group == benchv1alpha1.GroupVersion.Group {
			found[list.Items[i].Name] = &list.Items[i]
		}
	}
	return found, nil
}

// RemoveDefinitions removes them and all of their objects.
func (c *Cluster) RemoveDefinitions(t *testing.T) {
	t.Helper()
	found, err := c.Definitions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, definition := range found {
		if err := c.Delete(t.Context(), definition); client.IgnoreNotFound(err) != nil {
			t.Fatalf("removing definition %s: %v", definition.Name, err)
		}
	}
	err = Poll(t.Context(), goneTime, func(ctx context.Context) (bool, string, error) {
		left, err := c.Definitions(ctx)
		return len(left) == 0, fmt.Sprintf("%d definitions are there", len(left)), err
	})
	if err != nil {
		t.Fatalf("removing the definitions: %v", err)
	}
}

// ManagerImage is that of the operator that is installed; empty when none is.
func (c *Cluster) ManagerImage(t *testing.T) string {
	t.Helper()
	var deployments appsv1.DeploymentList
	if err := c.List(t.Context(), &deployments, client.InNamespace(SystemNamespace)); err != nil {
		t.Fatal(err)
	}
	for i := range deployments.Items {
		if strings.Contains(deployments.Items[i].Name, Release) {
			return deployments.Items[i].Spec.Template.Spec.Containers[0].Image
		}
	}
	return ""
}

// ReleaseBytes is how much of a Secret a revision of the operator's release takes.
func (c *Cluster) ReleaseBytes(t *testing.T, revision int) int {
	t.Helper()
	key := client.ObjectKey{Namespace: SystemNamespace, Name: fmt.Sprintf("sh.helm.release.v1.%s.v%d", Release, revision)}
	secret := &corev1.Secret{}
	if err := c.Get(t.Context(), key, secret); err != nil {
		t.Fatalf("reading revision %d of the release: %v", revision, err)
	}
	return len(secret.Data["release"])
}
