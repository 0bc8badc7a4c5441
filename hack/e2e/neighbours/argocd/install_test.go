//go:build e2e

package argocd

import (
	"crypto/rand"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
)

const (
	namespace  = "argocd"
	module     = "github.com/argoproj/argo-cd/v2"
	controller = "argocd-application-controller"
)

// workloads are what of Argo CD's manifest is not applied: its programs are processes of this machine.
var workloads = []string{"Deployment", "NetworkPolicy", "Service", "StatefulSet"}

// install starts Argo CD as core-install.yaml of its own describes it, but for the controller of ApplicationSets, with
// the health checks that config/gitops has for it.
func install(t *testing.T) {
	t.Helper()
	reader, manifest := part.User(t, cluster, namespace), filepath.Join(t.TempDir(), "core-install.yaml")
	if err := os.WriteFile(manifest, []byte(withoutWorkloads(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	reader.Run(t, "kubectl create namespace "+namespace)
	t.Cleanup(func() {
		reader.Run(t, "kubectl delete --wait --ignore-not-found -f "+manifest+"; kubectl delete namespace "+namespace)
	})
	reader.Run(t, "kubectl apply --server-side -f "+manifest)
	reader.Established(t, "applications.argoproj.io", "appprojects.argoproj.io")
	reader.Apply(t, part.Block(t, page, "yaml", "AppProject"))
	// Its API server would have made it.
	reader.Run(t, `kubectl patch secret argocd-secret -p '{"stringData": {"server.secretkey": "`+rand.Text()+`"}}'`)
	reader.Run(t, part.Block(t, page, "sh", "patch configmap argocd-cm"))

	redis, repositories := part.Free(t), part.Free(t)
	server := filepath.Join(part.Packages(t, "redis-server"), "bin", "redis-server")
	part.Start(t, part.Command(t, server, "--bind", "127.0.0.1", "--port", portOf(t, redis),
		"--save", "", "--appendonly", "no", "--dir", t.TempDir()))
	start(t, "argocd-repo-server", "--address=127.0.0.1", "--port="+portOf(t, repositories), "--disable-tls",
		"--metrics-address=127.0.0.1", "--metrics-port="+portOf(t, part.Free(t)), "--redis="+redis,
		"--revision-cache-expiration=1s")
	start(t, controller, "--namespace="+namespace, "--repo-server="+repositories, "--repo-server-plaintext",
		"--redis="+redis, "--app-resync=3", "--metrics-port="+portOf(t, part.Free(t)))
}

func portOf(t *testing.T, address string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// withoutWorkloads is what of Argo CD's manifest is not a program.
func withoutWorkloads(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(part.Source(t, "argocd", module), "manifests", "core-install.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for document := range strings.SplitSeq(string(content), "\n---\n") {
		var object struct {
			Kind string `json:"kind"`
		}
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(workloads, object.Kind) {
			kept = append(kept, document)
		}
	}
	return strings.Join(kept, "\n---\n")
}

// start starts one of Argo CD's programs, which are one file. It has the controller's account, and finds kustomize.
func start(t *testing.T, name string, arguments ...string) {
	t.Helper()
	home := t.TempDir()
	if err := os.Symlink(part.Program(t, "argocd", "v5"), filepath.Join(home, "kustomize")); err != nil {
		t.Fatal(err)
	}
	command := part.Command(t, part.Program(t, "argocd", ""), arguments...)
	command.Env = append(os.Environ(), "ARGOCD_BINARY_NAME="+name, "HOME="+home, "TMPDIR="+home,
		"PATH="+home+string(os.PathListSeparator)+os.Getenv("PATH"), "ARGOCD_GPG_ENABLED=false",
		// Its own cluster is that of the kubeconfig, as in a pod it is that of the pod.
		"KUBECONFIG="+part.Account(t, cluster, namespace, controller), "ARGOCD_FAKE_IN_CLUSTER=true")
	part.Start(t, command)
}
