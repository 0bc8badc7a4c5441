package harness

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// said is an answer of the manager's.
type said struct {
	code int
	body string
}

// StrangersMetrics is the code that the manager answers who asks for its metrics without saying who he is.
func (c *Cluster) StrangersMetrics(ctx context.Context) (int, error) {
	pod, err := c.ManagerPod(ctx)
	if err != nil {
		return 0, err
	}
	said, err := c.askManager(ctx, pod.Name, false)
	return said.code, err
}

// askManager asks for the metrics, by name as the ServiceAccount that may read them (hack/make/local-images.yaml). The
// API server would not pass a token on, so it is a port of this machine that is asked.
func (c *Cluster) askManager(ctx context.Context, pod string, byName bool) (said, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	address, end, err := c.forward(SystemNamespace, pod, metricsPort)
	if err != nil {
		return said{}, fmt.Errorf("forwarding the port of the metrics: %w", err)
	}
	defer end()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+"/metrics", nil)
	if err != nil {
		return said{}, err
	}
	if byName {
		token, err := c.Typed.CoreV1().ServiceAccounts(SystemNamespace).CreateToken(ctx, "default",
			&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		if err != nil {
			return said{}, fmt.Errorf("asking for a token: %w", err)
		}
		request.Header.Set("Authorization", "Bearer "+token.Status.Token)
	}
	// The certificate is signed by the manager itself.
	asking := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // There is no authority to ask.
	}}
	defer asking.CloseIdleConnections()
	response, err := asking.Do(request)
	if err != nil {
		return said{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return said{code: response.StatusCode, body: string(body)}, err
}
