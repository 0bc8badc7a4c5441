package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

const (
	// SystemNamespace is where the operator is installed.
	SystemNamespace = "mongobench-system"
	metricsPort     = 8080
	// residentMemory is the metric of every Go program with Prometheus' process collector.
	residentMemory = "process_resident_memory_bytes"
	// requestTimeout bounds each request to the API server.
	requestTimeout = 30 * time.Second
	// requests a second that the tests may make; the client's own limit of 5 would measure itself.
	queriesPerSecond = 100
)

// Cluster is the cluster under test, as its administrator sees it.
type Cluster struct {
	client.WithWatch

	// Typed reaches what a generic client does not: logs, proxies, port forwards.
	Typed *kubernetes.Clientset
	// Config is how to connect.
	Config *rest.Config
	// Summary collects what is told at the end.
	Summary *Summary

	monitoring monitoring
}

// Connect connects to the cluster that KUBECONFIG names.
func Connect() (*Cluster, error) {
	settings, err := config.GetConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the cluster: %w; run the tests by `make e2e`, or set KUBECONFIG", err)
	}
	settings.Timeout = requestTimeout
	settings.QPS, settings.Burst = queriesPerSecond, 2*queriesPerSecond
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme),
		benchv1alpha1.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("making the API known: %w", err)
	}
	cluster := &Cluster{Config: settings, Summary: &Summary{}}
	if cluster.WithWatch, err = client.NewWithWatch(settings, client.Options{Scheme: scheme}); err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	if cluster.Typed, err = kubernetes.NewForConfig(settings); err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return cluster, nil
}

// ManagerPod is the pod of the operator.
func (c *Cluster) ManagerPod(ctx context.Context) (*corev1.Pod, error) {
	pods := &corev1.PodList{}
	err := c.List(ctx, pods, client.InNamespace(SystemNamespace),
		client.MatchingLabels{"app.kubernetes.io/name": "mongobench-operator"})
	if err != nil {
		return nil, fmt.Errorf("finding the operator: %w", err)
	}
	for i := range pods.Items {
		if pods.Items[i].DeletionTimestamp == nil {
			return &pods.Items[i], nil
		}
	}
	return nil, errors.New("finding the operator: no pod of it in namespace " + SystemNamespace)
}

// ManagerMemory is the resident memory of the manager now, in bytes, by its own metrics through the API server.
func (c *Cluster) ManagerMemory(ctx context.Context) (int64, error) {
	pod, err := c.ManagerPod(ctx)
	if err != nil {
		return 0, err
	}
	said, err := c.askManager(ctx, pod.Name, true)
	if err == nil && said.code != http.StatusOK {
		err = fmt.Errorf("it answers %d: %s", said.code, said.body)
	}
	if err != nil {
		return 0, fmt.Errorf("reading the metrics of pod %s: %w", pod.Name, err)
	}
	value, err := Metric(said.body, residentMemory)
	return int64(value), err
}

// Metric finds a metric without labels in Prometheus' text.
func Metric(text, name string) (float64, error) {
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(line, name+" "); found {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("there is no metric %s", name)
}

// sampleManager notes the manager's memory after a scenario. A manager that just restarts has none to tell; that there
// is a sample at all is checked at the end.
func (c *Cluster) sampleManager(ctx context.Context, t *testing.T) {
	t.Helper()
	memory, err := c.ManagerMemory(ctx)
	if err != nil {
		t.Logf("no sample of the manager's memory: %v", err)
		return
	}
	c.Summary.Memory(memory)
}

// MaxManagerBytes is what the manager may need at most: the limit that the project states.
const MaxManagerBytes = 60_000_000

// Summary is what is told at the end of all scenarios.
type Summary struct {
	lock      sync.Mutex
	scenarios []scenario
	figures   []string
	memory    int64
	samples   int
	// allowed is what the manager may need, unless it is MaxManagerBytes.
	allowed int64
}

// Allow lets the manager need more than usual, in bytes, on a cluster that is larger.
func (s *Summary) Allow(bytes int64) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.allowed = bytes
}

type scenario struct {
	name   string
	took   time.Duration
	failed bool
}

// Scenario notes how long a scenario took.
func (s *Summary) Scenario(name string, took time.Duration, failed bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.scenarios = append(s.scenarios, scenario{name: strings.TrimPrefix(name, "Test"), took: took, failed: failed})
}

// Figure notes something that was measured on the way.
func (s *Summary) Figure(format string, values ...any) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.figures = append(s.figures, fmt.Sprintf(format, values...))
}

// Memory notes a sample of the manager's memory.
func (s *Summary) Memory(bytes int64) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.samples++
	s.memory = max(s.memory, bytes)
}

// Verdict is an error when the manager needed too much memory, or how much is not known.
func (s *Summary) Verdict() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case len(s.scenarios) == 0:
		return nil
	case s.samples == 0:
		return fmt.Errorf("the memory of the manager could not be read after any of %d scenarios", len(s.scenarios))
	case s.memory >= max(s.allowed, MaxManagerBytes):
		return fmt.Errorf("the manager needed %s of memory, and its limit is %s", megabytes(s.memory),
			megabytes(max(s.allowed, MaxManagerBytes)))
	}
	return nil
}

// Write prints the table.
func (s *Summary) Write(to io.Writer) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.scenarios) == 0 {
		return nil
	}
	table := present.NewTable([]string{"", ""}, "")
	row := func(name, verdict string, took time.Duration) {
		table.Add(name, verdict, fmt.Sprintf("%6.1f s", took.Seconds()))
	}
	var all time.Duration
	for _, one := range s.scenarios {
		all += one.took
		verdict := "ok"
		if one.failed {
			verdict = "FAILED"
		}
		row(one.name, verdict, one.took)
	}
	row("all scenarios", "", all)
	if err := table.Write(to, false); err != nil {
		return err
	}
	figures := slices.Clone(s.figures)
	if s.samples > 0 {
		figures = append(figures, fmt.Sprintf("manager: at most %s resident, in %d samples", megabytes(s.memory), s.samples))
	}
	_, err := io.WriteString(to, strings.Join(append(figures, ""), "\n"))
	return err
}

func megabytes(bytes int64) string {
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
