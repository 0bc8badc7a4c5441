package up

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/pki"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// server is the API server, as the admin sees it from the host. It is asked the few questions that `up` waits on, and
// knows no more of an object than the one condition that is waited for.
type server struct {
	url    string
	client *http.Client
}

// connect prepares to ask; it does not need the server to answer yet.
func connect(c plan.Cluster) (*server, error) {
	pair, err := tls.LoadX509KeyPair(c.Key("admin.crt"), c.Key("admin.key"))
	if err != nil {
		return nil, fmt.Errorf("reading the admin's certificate: %w", err)
	}
	authority, err := os.ReadFile(c.Key(pki.ClusterAuthority + ".crt"))
	if err != nil {
		return nil, fmt.Errorf("reading the cluster's authority: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, errors.New("reading the cluster's authority: no certificate in it")
	}
	return &server{url: c.HostURL(), client: &http.Client{
		Timeout: 5 * time.Second,
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13},
		},
	}}, nil
}

// ready answers nil once the API server serves.
func (s *server) ready(ctx context.Context) error {
	_, err := s.get(ctx, "/readyz")
	return err
}

// nodesReady answers nil once that many nodes are ready.
func (s *server) nodesReady(ctx context.Context, count int) error {
	var nodes struct{ Items []object }
	if err := s.read(ctx, "/api/v1/nodes", &nodes); err != nil {
		return err
	}
	ready := 0
	problem := "not registered yet"
	for _, node := range nodes.Items {
		if err := node.check("Ready"); err != nil {
			problem = err.Error()
			continue
		}
		ready++
	}
	if ready < count {
		return fmt.Errorf("%d of %d nodes ready; %s", ready, count, problem)
	}
	return nil
}

// dnsAvailable answers nil once the DNS server serves.
func (s *server) dnsAvailable(ctx context.Context) error {
	var deployment object
	if err := s.read(ctx, "/apis/apps/v1/namespaces/kube-system/deployments/coredns", &deployment); err != nil {
		return err
	}
	return deployment.check("Available")
}

// object is the part of a Kubernetes object that all questions are about.
type object struct {
	Metadata struct{ Name string }
	Status   struct{ Conditions []condition }
}

type condition struct{ Type, Status, Reason, Message string }

// check answers nil when the condition is true.
func (o object) check(kind string) error {
	for _, c := range o.Status.Conditions {
		if c.Type != kind {
			continue
		}
		if c.Status == "True" {
			return nil
		}
		return fmt.Errorf("%s is not %s: %s: %s", o.Metadata.Name, kind, c.Reason, c.Message)
	}
	return fmt.Errorf("%s has no condition %s yet", o.Metadata.Name, kind)
}

func (s *server) read(ctx context.Context, path string, into any) error {
	body, err := s.get(ctx, path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}

func (s *server) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, fmt.Errorf("asking for %s: %w", path, err)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("asking for %s: %w", path, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if response.StatusCode != http.StatusOK {
		line, _, _ := strings.Cut(string(body), "\n")
		return nil, fmt.Errorf("asking for %s: %s: %s", path, response.Status, line)
	}
	return body, nil
}
