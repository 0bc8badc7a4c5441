package up

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/machine"
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

// nodeReadySince answers nil once a node has said, after a time, that it is ready: for a while a node that is gone is
// taken for what it was.
func (s *server) nodeReadySince(ctx context.Context, name string, since time.Time) error {
	var node object
	if err := s.read(ctx, "/api/v1/nodes/"+name, &node); err != nil {
		return err
	}
	for _, c := range node.Status.Conditions {
		if c.Type == "Ready" && c.LastHeartbeatTime.Before(since.Truncate(time.Second)) {
			return fmt.Errorf("%s has not been heard of since %s", name, c.LastHeartbeatTime)
		}
	}
	return node.check("Ready")
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

type condition struct {
	Type, Status, Reason, Message string
	// LastHeartbeatTime is when a node said so, to the second; other objects have none.
	LastHeartbeatTime time.Time
}

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

const (
	// patience is for one component, on a machine whose cores are all busy with something else.
	patience = 120 * time.Second
	// pollInterval is short, since the waits add up to the time that `up` takes.
	pollInterval = 50 * time.Millisecond
)

// await asks until the answer is nil. It gives up at once when a process of the cluster ends.
func (b *bringUp) await(ctx context.Context, what string, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		if died := check(b.cluster); died != nil {
			return fmt.Errorf("waiting for %s: %w", what, died)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: not ready after %s: %w; logs are in %s",
				what, patience, err, b.cluster.State)
		case <-time.After(pollInterval):
		}
	}
}

// explain adds to an error which process has ended, when one has: that is most likely the cause.
func (b *bringUp) explain(err error) error {
	return errors.Join(err, check(b.cluster))
}

// check answers with an error when any process of the cluster has ended.
func check(c plan.Cluster) error {
	var failures error
	for _, name := range c.Machines() {
		failures = errors.Join(failures, machine.Check(c.Machine(name)))
	}
	return failures
}

// containerdAnswers answers nil once every node's containerd takes connections.
func (b *bringUp) containerdAnswers(ctx context.Context) error {
	for _, n := range b.cluster.Nodes() {
		var dialer net.Dialer
		connection, err := dialer.DialContext(ctx, "unix", b.cluster.ContainerdSocket(n))
		if err != nil {
			return fmt.Errorf("connecting to containerd of %s: %w", n.Name(), err)
		}
		_ = connection.Close()
	}
	return nil
}

// Health answers nil when every process runs, the API server serves, and all nodes and the DNS server are ready.
func Health(ctx context.Context, c plan.Cluster) error {
	if err := check(c); err != nil {
		return err
	}
	server, err := connect(c)
	if err != nil {
		return err
	}
	if err := server.ready(ctx); err != nil {
		return err
	}
	if err := server.nodesReady(ctx, c.NodeCount); err != nil {
		return err
	}
	return server.dnsAvailable(ctx)
}

// mayLowerOOMScore tells whether this root has CAP_SYS_RESOURCE. In a sandbox it may not.
func mayLowerOOMScore() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData // The kernel writes the capabilities from 0 to 31 into the first.
	err := unix.Capget(&header, &sets[0])
	return err == nil && sets[0].Effective&(1<<unix.CAP_SYS_RESOURCE) != 0
}
