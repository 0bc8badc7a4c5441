//go:build e2e

package flux

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
)

const namespace = "flux-system"

// both are what either controller is installed by: of its module the definitions of its kinds, and its rights.
const both = `namespace: flux-system
resources:
  [namespace.yaml, kustomize-controller/crd, kustomize-controller/rbac, source-controller/crd, source-controller/rbac]
`

// install starts Flux's two controllers as processes of this machine, with the rights that Flux gives them in a
// cluster.
func install(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "kustomization.yaml"), both)
	write(t, filepath.Join(folder, "namespace.yaml"), "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+namespace+"}\n")
	for _, name := range []string{"kustomize-controller", "source-controller"} {
		source := part.Source(t, "flux", "github.com/fluxcd/"+name)
		for _, of := range []string{"crd", "rbac"} {
			if err := os.CopyFS(filepath.Join(folder, name, of), os.DirFS(filepath.Join(source, "config", of))); err != nil {
				t.Fatal(err)
			}
		}
	}
	reader := part.User(t, cluster, namespace)
	reader.Run(t, "kubectl apply --server-side -k "+folder)
	t.Cleanup(func() { reader.Run(t, "kubectl delete --timeout=5m -k "+folder) })
	reader.Established(t, "kustomizations.kustomize.toolkit.fluxcd.io", "gitrepositories.source.toolkit.fluxcd.io")

	storage := part.Free(t)
	start(t, "source-controller", "--storage-path="+t.TempDir(), "--storage-addr="+storage, "--storage-adv-addr="+storage)
	start(t, "kustomize-controller", "--requeue-dependency=2s")
	// Only while the controllers run do their objects go.
	t.Cleanup(func() { reader.Run(t, "kubectl delete kustomization,gitrepository --all --timeout=5m") })
}

func start(t *testing.T, name string, arguments ...string) {
	t.Helper()
	command := part.Command(t, part.Program(t, "flux", name),
		append([]string{"--watch-all-namespaces", "--metrics-addr=0", "--health-addr=0"}, arguments...)...)
	command.Env = append(os.Environ(), "KUBECONFIG="+part.Account(t, cluster, namespace, "default"),
		"RUNTIME_NAMESPACE="+namespace)
	part.Start(t, command)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
