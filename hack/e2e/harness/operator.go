package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	// release is what Helm calls the operator of the cluster, in the namespace SystemNamespace.
	release = "mongobench"
	// helmTime is how long Helm may wait for the operator to be ready.
	helmTime = 5 * time.Minute
)

// HelmFolder is a folder with the program helm, as hack/tools pins it.
func HelmFolder(t *testing.T) string {
	t.Helper()
	path, err := run(t.Context(), filepath.Join(repository, "hack", "tools", "tool.sh"), "helm")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Symlink(strings.TrimSpace(string(path)), filepath.Join(folder, "helm")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// helm runs helm in the operator's namespace, also once a test is over.
func helm(t *testing.T, arguments ...string) (said string, err error) {
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
	values, err := helm(t, "get", "values", release, "--output", "yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(file, []byte(values), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := helm(t, "upgrade", "--install", release, chart, "--values", file, "--take-ownership", "--wait",
			"--timeout", helmTime.String())
		if err != nil {
			t.Errorf("giving the operator back: %v", err)
		}
		c.sampleManager(context.WithoutCancel(t.Context()), t) // There was none when the scenario ended.
	})
	if _, err := helm(t, "uninstall", release, "--wait"); err != nil {
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

// ReleaseBytes is how much of a Secret a revision of the operator's release takes.
func (c *Cluster) ReleaseBytes(ctx context.Context, revision int) (int, error) {
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: SystemNamespace, Name: fmt.Sprintf("sh.helm.release.v1.%s.v%d", release, revision)}
	if err := c.Get(ctx, key, secret); err != nil {
		return 0, fmt.Errorf("reading revision %d of the release: %w", revision, err)
	}
	return len(secret.Data["release"]), nil
}
