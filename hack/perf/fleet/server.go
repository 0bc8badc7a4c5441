package fleet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
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
