//go:build e2e

package certmanager

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
)

const (
	module    = "github.com/cert-manager/cert-manager"
	namespace = "cert-manager"
	// images are where a local cluster has them: the file `images` names them.
	images = "mongobench.local/certmanager/"
)

// install installs cert-manager as its users do, with its own chart, for as long as the test lasts.
func install(t *testing.T) {
	t.Helper()
	var set strings.Builder
	for key, program := range map[string]string{
		"image": "controller", "webhook.image": "webhook", "cainjector.image": "cainjector",
	} {
		fmt.Fprintf(&set, " --set %s.repository=%s%s,%s.tag=pinned", key, images, program, key)
	}
	reader := part.User(t, cluster, namespace)
	reader.Run(t, "helm install cert-manager "+chart(t)+" --namespace "+namespace+" --create-namespace --wait "+
		"--timeout 10m --set startupapicheck.enabled=false"+set.String())
	t.Cleanup(func() { reader.Run(t, "helm uninstall cert-manager --wait; kubectl delete namespace "+namespace) })
	awaitWebhook(t, reader)
}

// awaitWebhook waits until the API server trusts the webhook: its pods are ready before its authority is known.
func awaitWebhook(t *testing.T, reader part.Shell) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "issuer.yaml")
	if err := os.WriteFile(path, []byte(issuerOf("any")), 0o600); err != nil {
		t.Fatal(err)
	}
	err := harness.Poll(t.Context(), patience, func(context.Context) (bool, string, error) {
		_, failure := reader.Try(t, "kubectl apply --dry-run=server -f "+path) //nolint:contextcheck // It has the test's own.
		return failure == "", failure, nil
	})
	if err != nil {
		t.Fatalf("waiting for the webhook: %v", err)
	}
}

// chart is the chart of the pinned version. A release of cert-manager fills in its name and puts the definitions of the
// kinds among the templates; so does this.
func chart(t *testing.T) string {
	t.Helper()
	source, folder := part.Source(t, "certmanager", module), t.TempDir()
	made := filepath.Join(source, "deploy", "charts", "cert-manager")
	copyFile(t, filepath.Join(made, "Chart.template.yaml"), filepath.Join(folder, "Chart.yaml"))
	copyFile(t, filepath.Join(made, "values.yaml"), filepath.Join(folder, "values.yaml"))
	for _, pattern := range []string{
		filepath.Join(made, "templates", "*"), filepath.Join(source, "deploy", "crds", "*.yaml"),
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("there is nothing like %s: %v", pattern, err)
		}
		for _, file := range files {
			copyFile(t, file, filepath.Join(folder, "templates", filepath.Base(file)))
		}
	}
	return folder
}

// copyFile copies a file of the module, which nobody may write.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o700)
	}
	if err == nil {
		err = os.WriteFile(to, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
