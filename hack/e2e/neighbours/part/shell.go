package part

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// tokenSeconds is longer than any scenario.
const tokenSeconds = int64(2 * 60 * 60)

// Admin is the kubeconfig of the cluster's administrator, whose namespace is the given one.
func Admin(t *testing.T, cluster *harness.Cluster, namespace string) string {
	t.Helper()
	return kubeconfig(t, cluster.Config, namespace)
}

// Account is the kubeconfig of a service account, which has the rights of its own roles and no others.
func Account(t *testing.T, cluster *harness.Cluster, namespace, name string) string {
	t.Helper()
	request := &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(tokenSeconds)},
	}
	made, err := cluster.Typed.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), name, request,
		metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("asking for a token of service account %s: %v", name, err)
	}
	config := rest.AnonymousClientConfig(cluster.Config)
	config.BearerToken = made.Status.Token
	return kubeconfig(t, config, namespace)
}

func kubeconfig(t *testing.T, config *rest.Config, namespace string) string {
	t.Helper()
	if err := rest.LoadTLSFiles(config); err != nil {
		t.Fatal(err)
	}
	const name = "cluster"
	made := clientcmdapi.NewConfig()
	made.Clusters[name] = &clientcmdapi.Cluster{
		Server: config.Host, CertificateAuthorityData: config.CAData, TLSServerName: config.ServerName,
	}
	made.AuthInfos[name] = &clientcmdapi.AuthInfo{
		ClientCertificateData: config.CertData, ClientKeyData: config.KeyData, Token: config.BearerToken,
	}
	made.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: namespace}
	made.CurrentContext = name
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*made, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// User is the shell of a page's reader who administers the cluster: in the repository's folder, with kubectl and helm,
// and with one namespace for all that names none.
func User(t *testing.T, cluster *harness.Cluster, namespace string) Shell {
	t.Helper()
	path := strings.Join([]string{tools(t), harness.KubectlFolder(t), os.Getenv("PATH")}, string(os.PathListSeparator))
	return Shell{
		Folder:      Root(t),
		Environment: []string{"PATH=" + path, "KUBECONFIG=" + Admin(t, cluster, namespace), "BASH_ENV=" + strict(t)},
	}
}

// strict makes a shell end with the first command that fails.
func strict(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "strict")
	if err := os.WriteFile(path, []byte("set -euo pipefail\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Apply applies a manifest as its reader does.
func (s Shell) Apply(t *testing.T, manifest string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "manifest.yaml")
	if err := os.WriteFile(path, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Run(t, "kubectl apply -f "+path)
}

// Established waits until the API server serves kinds, by the names of their definitions. kubectl wait does not bear
// one that has no status yet.
func (s Shell) Established(t *testing.T, names ...string) {
	t.Helper()
	err := harness.Poll(t.Context(), soon, func(context.Context) (bool, string, error) {
		//nolint:contextcheck // It has the test's own.
		_, failure := s.Try(t, "kubectl wait --for=condition=Established --timeout=1m crd/"+strings.Join(names, " crd/"))
		return failure == "", failure, nil
	})
	if err != nil {
		t.Fatalf("waiting for kinds: %v", err)
	}
}

// tools is a folder with the pinned programs that a page calls by their names.
func tools(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"helm"} {
		if err := os.Symlink(Program(t, name, ""), filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
