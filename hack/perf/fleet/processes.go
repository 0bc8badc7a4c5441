package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/process"
)

// server is an API server and etcd, with the kinds of this repository, and what it noted of the manager.
type server struct {
	environment *envtest.Environment
	config      *rest.Config
	scheme      *runtime.Scheme
	audit       auditLog
	// kubeconfig is the file by which the manager reaches it.
	kubeconfig string
}

// startServer starts an empty API server that keeps its files in a folder. stop ends it.
func startServer(assets, definitions, folder string) (*server, error) {
	ctrl.SetLogger(logr.Discard())
	policy := filepath.Join(folder, "audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return nil, fmt.Errorf("writing the audit policy: %w", err)
	}
	s := &server{
		environment: &envtest.Environment{
			CRDDirectoryPaths: []string{definitions}, ErrorIfCRDPathMissing: true, BinaryAssetsDirectory: assets,
		},
		audit:      auditLog{path: filepath.Join(folder, "audit.log")},
		kubeconfig: filepath.Join(folder, "kubeconfig"),
		scheme:     runtime.NewScheme(),
	}
	s.environment.ControlPlane.GetAPIServer().Configure().
		Set("audit-policy-file", policy).
		Set("audit-log-path", s.audit.path).
		Set("audit-log-mode", "batch"). // No request waits for its own line.
		Set("audit-log-maxsize", "10000")
	if err := s.start(); err != nil {
		s.stop()
		return nil, fmt.Errorf("starting the API server of %s (make test fetches it): %w", assets, err)
	}
	// The node is not what is measured; nothing is gained by holding it back.
	s.config.QPS, s.config.Burst = -1, -1
	if err := s.prepare(); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// garbagePercent of what the API server uses may be garbage: its collector shares the processors with the manager here,
// which it does not in a cluster.
const garbagePercent = "400"

func (s *server) start() error {
	if err := os.Setenv("GOGC", garbagePercent); err != nil { // The only way to it: the processes get what we have.
		return err
	}
	var err error
	s.config, err = s.environment.Start()
	return errors.Join(err, os.Unsetenv("GOGC"))
}

func (s *server) prepare() error {
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, benchv1alpha1.AddToScheme} {
		if err := add(s.scheme); err != nil {
			return fmt.Errorf("registering kinds: %w", err)
		}
	}
	user, err := s.environment.AddUser(envtest.User{Name: managerUser, Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return fmt.Errorf("making the manager's user: %w", err)
	}
	kubeconfig, err := user.KubeConfig()
	if err != nil {
		return fmt.Errorf("making the manager's kubeconfig: %w", err)
	}
	return os.WriteFile(s.kubeconfig, kubeconfig, 0o600)
}

func (s *server) stop() { _ = s.environment.Stop() }

const (
	// startPatience and endPatience are how long the manager may take to fill its cache, and to end.
	startPatience = time.Minute
	endPatience   = 15 * time.Second
	askPatience   = 10 * time.Second
	poll          = 100 * time.Millisecond
)

// manager is the running program.
type manager struct {
	*process.Process

	address string
}

// startManager starts the program, and returns when it has seen the cluster.
func startManager(ctx context.Context, program, kubeconfig string) (*manager, error) {
	addresses, err := process.FreeAddresses(ctx, 2)
	if err != nil {
		return nil, err
	}
	started, err := process.Start("the manager", process.Command{
		Path: program,
		Arguments: []string{
			"--loadgen-image=example.com/loadgen:1",
			"--metrics-bind-address=" + addresses[0], "--health-probe-bind-address=" + addresses[1],
		},
		Environment: []string{"KUBECONFIG=" + kubeconfig},
	})
	if err != nil {
		return nil, err
	}
	err = await(ctx, startPatience, "the manager to be ready", func() (bool, error) {
		_, err := get(ctx, "http://"+addresses[1]+"/readyz")
		return err == nil, started.Ended()
	})
	if err != nil {
		started.Stop(endPatience)
		return nil, err
	}
	return &manager{Process: started, address: addresses[0]}, nil
}

func (m *manager) stop() { m.Stop(endPatience) }

func (m *manager) metrics(ctx context.Context) (metrics, error) {
	text, err := get(ctx, "http://"+m.address+"/metrics")
	if err != nil {
		return nil, fmt.Errorf("asking the manager for its metrics: %w", cmp.Or(m.Ended(), err))
	}
	return parseMetrics(text)
}

// get is the body that an address answers with.
func get(ctx context.Context, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s", url, response.Status)
	}
	return string(body), err
}

// await looks again and again until something is so.
func await(ctx context.Context, patience time.Duration, what string, is func() (bool, error)) error {
	err := wait.PollUntilContextTimeout(ctx, poll, patience, true, func(context.Context) (bool, error) { return is() })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return fmt.Errorf("waited %s for %s", patience, what)
	}
	return err
}
