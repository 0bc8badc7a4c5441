package main

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// TestSecureMetricsAreForThoseWhoMayReadThem asks with every kind of right, as Prometheus would.
func TestSecureMetricsAreForThoseWhoMayReadThem(t *testing.T) {
	config := startServer(t)
	flags, err := parse([]string{
		"--loadgen-image=loadgen:1", "--metrics-bind-address=" + freeAddress(t),
		"--health-probe-bind-address=" + freeAddress(t), "--metrics-secure",
	}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	reader, stranger := account(t, config, "reader"), account(t, config, "stranger")
	mayRead(t, config, "reader")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	// One without controllers, of which a process may have each once.
	manager, err := newManager(config, flags)
	if err != nil {
		t.Fatal(err)
	}
	go func() { done <- manager.Start(ctx) }()

	g := gomega.NewWithT(t)
	for _, tc := range []struct {
		who, token string
		want       int
	}{
		{"who may read them", reader, http.StatusOK},
		{"who may not", stranger, http.StatusForbidden},
		{"nobody", "", http.StatusUnauthorized},
		{"whom the API server does not know", "forged", http.StatusUnauthorized},
	} {
		// The manager has to come up, and the authorizer to hear of the binding.
		g.Eventually(func() string { return status(t, "https://"+flags.metrics+"/metrics", tc.token) }, "2m", "100ms").
			Should(gomega.Equal(strconv.Itoa(tc.want)), tc.who)
	}
	if said := get(t, "http://"+flags.metrics+"/metrics"); strings.Contains(said, "controller_runtime") {
		t.Error("the metrics are served without TLS as well")
	}
	cancel()
	g.Eventually(done, "30s").Should(gomega.Receive(gomega.BeNil()))
}

// account is a ServiceAccount's token.
func account(t *testing.T, config *rest.Config, name string) string {
	t.Helper()
	accounts := kubernetes.NewForConfigOrDie(config).CoreV1().ServiceAccounts(metav1.NamespaceDefault)
	made := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := accounts.Create(t.Context(), made, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	token, err := accounts.CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return token.Status.Token
}

// mayRead gives a ServiceAccount what the chart's ClusterRole for readers gives.
func mayRead(t *testing.T, config *rest.Config, name string) {
	t.Helper()
	roles := kubernetes.NewForConfigOrDie(config).RbacV1()
	meta := metav1.ObjectMeta{Name: name}
	_, err := roles.ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = roles.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{
			Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: metav1.NamespaceDefault,
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// status is the code that an address answers a token with, or the error.
func status(t *testing.T, url, token string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	// The certificate is the manager's own, signed by itself.
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // As the chart's ServiceMonitor does.
	}}
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	return strconv.Itoa(response.StatusCode)
}

func TestFourFifthsOfTheMemoryAreForGo(t *testing.T) {
	for name, tc := range map[string]struct {
		environment map[string]string
		want        int64
	}{
		"a limit":                       {map[string]string{memoryVariable: "134217700"}, 107374160},
		"a limit and Go's own":          {map[string]string{memoryVariable: "134217728", "GOMEMLIMIT": "1GiB"}, 0},
		"nothing":                       {nil, 0},
		"something else":                {map[string]string{memoryVariable: "128Mi"}, 0},
		"no memory that there could be": {map[string]string{memoryVariable: "-1"}, 0},
	} {
		if got := memoryLimit(func(name string) string { return tc.environment[name] }); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}
