//go:build e2e

package mongodbcommunity

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
)

const (
	module = "github.com/mongodb/mongodb-kubernetes-operator"
	// images are where a local cluster has them: the file `images` names them.
	images = "mongobench.local/mongodbcommunity"
)

// overlay is the operator's own manifest with other images. Its agent's image holds what three of its images hold.
const overlay = `resources: [crd, rbac, manager]
images: [{name: quay.io/mongodb/mongodb-kubernetes-operator, newName: ` + images + `/manager, newTag: pinned}]
patches:
  - patch: |
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: mongodb-kubernetes-operator}
      spec:
        template:
          spec:
            containers:
              - name: mongodb-kubernetes-operator
                imagePullPolicy: IfNotPresent
                command: [/bin/manager]
                resources: {requests: {cpu: 50m}}
                env:
                  - {name: AGENT_IMAGE, value: ` + images + `/agent:pinned}
                  - {name: VERSION_UPGRADE_HOOK_IMAGE, value: ` + images + `/agent:pinned}
                  - {name: READINESS_PROBE_IMAGE, value: ` + images + `/agent:pinned}
                  - {name: MONGODB_REPO_URL, value: ` + images + `}
                  - {name: MONGODB_IMAGE, value: mongod}
`

// install installs the operator in the namespace that it watches, as its users do, for as long as the test lasts.
func install(t *testing.T, n *harness.Namespace) {
	t.Helper()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "kustomization.yaml"), "namespace: "+n.Name+"\n"+overlay)
	config := filepath.Join(part.Source(t, "mongodbcommunity", module), "config")
	for _, name := range []string{"crd", "rbac", "manager"} {
		if err := os.CopyFS(filepath.Join(folder, name), os.DirFS(filepath.Join(config, name))); err != nil {
			t.Fatal(err)
		}
	}
	reader := part.User(t, cluster, n.Name)
	reader.Run(t, strings.ReplaceAll(part.Block(t, page, "sh", "pod-security"), "benchmarks", n.Name))
	policy := filepath.Join(part.Root(t), "hack", "e2e", "neighbours", "mongodbcommunity", "never-pull.yaml")
	reader.Run(t, "kubectl apply -f "+policy)
	t.Cleanup(func() { reader.Run(t, "kubectl delete -f "+policy) })
	reader.Run(t, "kubectl apply --server-side -k "+folder)
	t.Cleanup(func() { reader.Run(t, "kubectl delete --ignore-not-found --wait -k "+folder) })
	reader.Run(t, "kubectl rollout status deployment/mongodb-kubernetes-operator --timeout=5m")
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
