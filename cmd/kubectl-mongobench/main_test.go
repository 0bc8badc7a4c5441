package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	// root is the folder of the repository.
	root = "../.."
	// patience is how long a test waits for what another part of it does.
	patience = 5 * time.Minute
	// quick is how often a test's command looks at the cluster.
	quick = 10 * time.Millisecond
)

// environment is a real API server with the kinds of this repository, in which nothing works but the tests.
var environment struct {
	client     client.Client
	kubeconfig string
}

func TestMain(m *testing.M) { os.Exit(inEnvironment(m)) }

func inEnvironment(m *testing.M) int {
	log.SetLogger(logr.Discard())
	server := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join(root, "config", "crd")},
		ErrorIfCRDPathMissing: true,
		BinaryAssetsDirectory: assets(),
	}
	config, err := server.Start()
	if err != nil {
		fmt.Fprintf(os.Stderr, "starting the API server of %s (`go -C hack/cluster run . build` builds it): %v\n",
			assets(), err)
		return 1
	}
	defer func() { _ = server.Stop() }()
	folder, err := os.MkdirTemp("", "kubectl-mongobench")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	environment.kubeconfig = filepath.Join(folder, "kubeconfig")
	if err := os.WriteFile(environment.kubeconfig, server.KubeConfig, 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, benchv1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	config.QPS, config.Burst = -1, -1
	environment.client, err = client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		fmt.Fprintln(os.Stderr, "making a client:", err)
		return 1
	}
	return m.Run()
}

// assets is the folder with the programs etcd and kube-apiserver, as for the tests of the controllers.
func assets() string {
	if folder := os.Getenv("KUBEBUILDER_ASSETS"); folder != "" {
		return folder
	}
	cache := os.Getenv("MONGOBENCH_CACHE")
	if cache == "" {
		home, _ := os.UserHomeDir()
		cache = filepath.Join(home, ".cache", "mongobench")
	}
	return filepath.Join(cache, "kubernetes", "v1.36.3", "bin")
}

// namespace makes one of the test's own.
func namespace(t *testing.T) string {
	t.Helper()
	made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := environment.client.Create(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	return made.Name
}

// buffer is written by a command while a test reads it.
type buffer struct {
	lock sync.Mutex
	text strings.Builder
}

func (b *buffer) Write(content []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.text.Write(content)
}

func (b *buffer) String() string {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.text.String()
}

// call is a call of the program with what it wrote.
type call struct {
	out, errOut *buffer
	code        chan int
}

// start calls the program in a namespace of the cluster. Its output goes to a buffer, unless another place is given.
func start(ctx context.Context, to io.Writer, namespace string, arguments ...string) *call {
	c := &call{out: &buffer{}, errOut: &buffer{}, code: make(chan int, 1)}
	if to == nil {
		to = c.out
	}
	called := newTool(genericiooptions.IOStreams{In: strings.NewReader(""), Out: to, ErrOut: c.errOut})
	called.period = quick
	arguments = append([]string{"--kubeconfig", environment.kubeconfig, "-n", namespace}, arguments...)
	go func() { c.code <- called.execute(ctx, arguments) }()
	return c
}

// run calls the program and waits for its end.
func run(t *testing.T, namespace string, arguments ...string) (out, errOut string, code int) {
	t.Helper()
	called := start(t.Context(), nil, namespace, arguments...)
	code = called.wait(t)
	return called.out.String(), called.errOut.String(), code
}

func (c *call) wait(t *testing.T) int {
	t.Helper()
	select {
	case code := <-c.code:
		return code
	case <-time.After(patience):
		t.Fatalf("the program has not ended; it wrote\n%s%s", c.out, c.errOut)
		return 0
	}
}

// until waits for words in what a call writes.
func until(t *testing.T, written fmt.Stringer, words string) {
	t.Helper()
	deadline := time.After(patience)
	for !strings.Contains(written.String(), words) {
		select {
		case <-deadline:
			t.Fatalf("there is no %q in\n%s", words, written)
		case <-time.After(quick):
		}
	}
}

func wantIn(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("there is no %q in\n%s", word, text)
		}
	}
}
