package testenv

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// kubernetesVersion is the one that hack/cluster builds; its folder in the cache has etcd and kube-apiserver.
const kubernetesVersion = "v1.36.3"

// Environment is a running API server.
type Environment struct {
	// Config reaches it as an administrator.
	Config *rest.Config
	// Client reads and writes without a cache.
	Client client.WithWatch
	// Scheme knows the kinds of Kubernetes and of this repository.
	Scheme *kruntime.Scheme
}

// Run starts an environment, runs the tests of a package in it, stops it, and returns the exit code. It is called from
// TestMain.
func Run(m *testing.M, into *Environment) int {
	ctrl.SetLogger(logr.Discard())
	server := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join(root(), "config", "crd")},
		ErrorIfCRDPathMissing: true,
		BinaryAssetsDirectory: Assets(),
	}
	config, err := start(server)
	if err != nil {
		fmt.Fprintf(os.Stderr, "starting the API server of %s (`go -C hack/cluster run . build` builds it): %v\n",
			Assets(), err)
		return 1
	}
	defer func() {
		if err := server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the API server:", err)
		}
	}()
	// The tests' own client and the managers share this; nothing is gained by holding either back.
	config.QPS, config.Burst = -1, -1
	into.Config = config
	into.Scheme = Scheme()
	into.Client, err = client.NewWithWatch(config, client.Options{Scheme: into.Scheme})
	if err != nil {
		fmt.Fprintln(os.Stderr, "making a client:", err)
		return 1
	}
	return m.Run()
}

// start starts the API server and etcd with a heap that may grow to five times what is in use before garbage is
// collected: the tests of a controller then take a sixth less of the processors. Only they have it, by the environment.
func start(server *envtest.Environment) (*rest.Config, error) {
	const variable = "GOGC"
	if _, set := os.LookupEnv(variable); !set {
		if err := os.Setenv(variable, "400"); err != nil {
			return nil, err
		}
		defer func() { _ = os.Unsetenv(variable) }()
	}
	return server.Start()
}

// Scheme knows the kinds of Kubernetes and of this repository.
func Scheme() *kruntime.Scheme {
	scheme := kruntime.NewScheme()
	for _, add := range []func(*kruntime.Scheme) error{clientgoscheme.AddToScheme, benchv1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(fmt.Sprintf("registering kinds: %v", err))
		}
	}
	return scheme
}

// Namespace makes a namespace of the test's own, so that tests do not see each other's objects.
func (e *Environment) Namespace(t *testing.T) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := e.Client.Create(t.Context(), namespace); err != nil {
		t.Fatalf("creating a namespace: %v", err)
	}
	return namespace.Name
}

// Start runs a manager and returns how to stop it, which a test may do early to play a restart. It has stopped when
// the returned function returns, and at the end of the test in any case.
func Start(t *testing.T, manager ctrl.Manager) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- manager.Start(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("manager: %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// Assets is the folder with the programs etcd and kube-apiserver.
func Assets() string {
	if folder := os.Getenv("KUBEBUILDER_ASSETS"); folder != "" {
		return folder
	}
	cache := os.Getenv("MONGOBENCH_CACHE")
	if cache == "" {
		home, _ := os.UserHomeDir()
		cache = filepath.Join(home, ".cache", "mongobench")
	}
	return filepath.Join(cache, "kubernetes", kubernetesVersion, "bin")
}

// root is the folder of the repository: the nearest one above the test that has the CRDs.
func root() string {
	folder, _ := os.Getwd()
	for {
		if _, err := os.Stat(filepath.Join(folder, "config", "crd")); err == nil || folder == filepath.Dir(folder) {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}

// Manager is a manager of one namespace that caches as the real one does: what carries the operator's label, and the
// kinds of this repository. It serves nothing, and takes part in no election.
func (e *Environment) Manager(t *testing.T, namespace string) ctrl.Manager {
	t.Helper()
	everything := cache.ByObject{Label: labels.Everything()}
	manager, err := ctrl.NewManager(e.Config, ctrl.Options{
		Scheme:                 e.Scheme,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		// Each test has a manager of its own in the same process.
		// Without the priority queue, as the real one.
		Controller: config.Controller{SkipNameValidation: new(true), UsePriorityQueue: new(false)},
		Cache: cache.Options{
			DefaultNamespaces:           map[string]cache.Config{namespace: {}},
			DefaultLabelSelector:        labels.SelectorFromSet(labels.Set{naming.ManagedByLabel: naming.ManagedBy}),
			DefaultTransform:            cache.TransformStripManagedFields(),
			ReaderFailOnMissingInformer: true,
			ByObject: map[client.Object]cache.ByObject{
				&benchv1alpha1.BenchmarkRun{}: everything, &benchv1alpha1.BenchmarkTarget{}: everything,
				&benchv1alpha1.BenchmarkSuite{}: everything,
			},
		},
	})
	if err != nil {
		t.Fatalf("making a manager: %v", err)
	}
	return manager
}
