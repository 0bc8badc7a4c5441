package harness

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// repository is the root of the working tree, from a folder of tests.
	repository = "../.."
	chart      = repository + "/charts/mongobench-operator"
	// monitoringNamespace and prometheusPod are as monitoring.yaml and the Prometheus Operator name them.
	monitoringNamespace = "monitoring"
	prometheusPod       = "prometheus-e2e-0"
	prometheusPort      = "9090"
	// monitoringTime is how long it may take until all of it stands.
	monitoringTime = 3 * time.Minute
	// fieldOwner of what is applied.
	fieldOwner = client.FieldOwner("mongobench-e2e")
)

//go:embed monitoring.yaml
var monitoringManifest []byte

// monitoredValues turn on what the chart has for Prometheus, as docs/reference/metrics.md does it, with the labels that
// the Prometheus of monitoring.yaml selects by. Scrapes are frequent and a run is stuck soon, so that no test waits
// long.
var monitoredValues = []string{
	"metrics.serviceMonitor.enabled=true", "metrics.podMonitor.enabled=true", "metrics.prometheusRule.enabled=true",
	"metrics.serviceMonitor.labels.release=monitoring", "metrics.podMonitor.labels.release=monitoring",
	"metrics.prometheusRule.labels.release=monitoring", "metrics.serviceMonitor.interval=2s",
	"metrics.podMonitor.interval=2s", "metrics.prometheusRule.stuckMinutes=1",
}

// monitoredKinds are those that the operator needs for a Prometheus. It has more, which are large.
var monitoredKinds = []string{"Prometheus", "ServiceMonitor", "PodMonitor", "Probe", "PrometheusRule"}

// monitoring is made once for all tests that want it.
type monitoring struct {
	once sync.Once
	err  error
}

// Prometheus is a real Prometheus that the Prometheus Operator runs, for what the chart tells it to scrape and to alert
// on. It stands from the first test that asks for it until the cluster is taken down.
func (c *Cluster) Prometheus(t *testing.T) *Prometheus {
	t.Helper()
	c.monitoring.once.Do(func() {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), monitoringTime)
		defer cancel()
		c.monitoring.err = c.monitor(ctx)
		c.Summary.Figure("Prometheus Operator: the chart's objects are scraped after %.1f s", time.Since(began).Seconds())
	})
	if c.monitoring.err != nil {
		t.Fatalf("setting up the Prometheus Operator, whose images `make e2e` loads (E2E_IMAGES): %v", c.monitoring.err)
	}
	prometheus, err := c.askPrometheus()
	if err != nil {
		t.Fatalf("connecting to Prometheus: %v", err)
	}
	return prometheus
}

// monitor sets all of it up, the Prometheus last: it then begins with what there is to scrape, and need not wait until
// the kubelet renews its configuration.
func (c *Cluster) monitor(ctx context.Context) error {
	definitions, err := output(ctx, "prometheus-operator", "crds")
	if err != nil {
		return err
	}
	if err := c.apply(ctx, definitions, func(definition *unstructured.Unstructured) bool {
		kind, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
		return slices.Contains(monitoredKinds, kind)
	}); err != nil {
		return err
	}
	if err := Poll(ctx, monitoringTime, c.monitoredKindsAreServed); err != nil {
		return fmt.Errorf("waiting for the kinds of the Prometheus Operator: %w", err)
	}
	helm := []string{"upgrade", "mongobench", chart, "--namespace", SystemNamespace, "--reuse-values"}
	for _, value := range monitoredValues {
		helm = append(helm, "--set", value)
	}
	if _, err := output(ctx, "helm", helm...); err != nil {
		return err
	}
	if err := c.apply(ctx, monitoringManifest, nil); err != nil {
		return err
	}
	return c.awaitPrometheus(ctx)
}

// monitoredKindsAreServed says whether the API server knows the kinds by now.
func (c *Cluster) monitoredKindsAreServed(context.Context) (served bool, said string, err error) {
	resources, err := c.Typed.Discovery().ServerResourcesForGroupVersion("monitoring.coreos.com/v1")
	if err != nil {
		return false, err.Error(), client.IgnoreNotFound(err)
	}
	missing := sets.New(monitoredKinds...)
	for i := range resources.APIResources {
		missing.Delete(resources.APIResources[i].Kind)
	}
	return len(missing) == 0, fmt.Sprint("none of the kinds ", sets.List(missing)), nil
}

// awaitPrometheus waits until Prometheus answers.
func (c *Cluster) awaitPrometheus(ctx context.Context) error {
	err := Poll(ctx, monitoringTime, func(ctx context.Context) (bool, string, error) {
		pods := &corev1.PodList{}
		err := c.List(ctx, pods, client.InNamespace(monitoringNamespace))
		said := make([]string, 0, len(pods.Items))
		for i := range pods.Items {
			if pod := &pods.Items[i]; pod.Name == prometheusPod && PodIsReady(pod) {
				return true, "", nil
			}
			said = append(said, describePod(&pods.Items[i]))
		}
		return false, "pods " + strings.Join(said, "; "), err
	})
	if err != nil {
		return fmt.Errorf("waiting for pod %s of namespace %s to be ready: %w", prometheusPod, monitoringNamespace, err)
	}
	return nil
}

// apply applies the objects of a YAML text that are wanted; nil wants all.
func (c *Cluster) apply(ctx context.Context, text []byte, wanted func(*unstructured.Unstructured) bool) error {
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), len(text))
	for {
		object := &unstructured.Unstructured{}
		err := documents.Decode(&object.Object)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading objects to apply: %w", err)
		case len(object.Object) == 0 || wanted != nil && !wanted(object):
			continue
		}
		err = c.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), fieldOwner, client.ForceOwnership)
		if err != nil {
			return fmt.Errorf("applying %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
}

// output runs a tool that hack/tools pins, and returns what it writes.
func output(ctx context.Context, tool string, arguments ...string) ([]byte, error) {
	path, err := run(ctx, filepath.Join(repository, "hack", "tools", "tool.sh"), tool)
	if err != nil {
		return nil, err
	}
	return run(ctx, strings.TrimSpace(string(path)), arguments...)
}

func run(ctx context.Context, program string, arguments ...string) ([]byte, error) {
	var stderr bytes.Buffer
	command := exec.CommandContext(ctx, program, arguments...)
	command.Stderr = &stderr
	written, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("running %s %s: %w: %s", program, strings.Join(arguments, " "), err, &stderr)
	}
	return written, nil
}

// Prometheus is the HTTP API of the Prometheus in the cluster.
type Prometheus struct{ promv1.API }

// askPrometheus reaches it by way of the API server.
func (c *Cluster) askPrometheus() (*Prometheus, error) {
	through, err := rest.HTTPClientFor(c.Config)
	if err != nil {
		return nil, err
	}
	address := c.Typed.CoreV1().RESTClient().Get().Namespace(monitoringNamespace).Resource("pods").
		Name("http:" + prometheusPod + ":" + prometheusPort).SubResource("proxy").URL()
	asked, err := api.NewClient(api.Config{Address: address.String(), Client: through})
	return &Prometheus{promv1.NewAPI(asked)}, err
}

// Instant asks for the value of a query now.
func (p *Prometheus) Instant(ctx context.Context, query string) (model.Vector, error) {
	answer, _, _, err := p.Query(ctx, query, time.Time{})
	return answered[model.Vector](query, answer, err)
}

// Range asks for the values of a query over the last time, one a step.
func (p *Prometheus) Range(ctx context.Context, query string, over, step time.Duration) (model.Matrix, error) {
	now := time.Now()
	answer, _, _, err := p.QueryRange(ctx, query, promv1.Range{Start: now.Add(-over), End: now, Step: step})
	return answered[model.Matrix](query, answer, err)
}

func answered[V model.Value](query string, answer model.Value, err error) (series V, _ error) {
	series, isThat := answer.(V)
	if err == nil && !isThat {
		err = fmt.Errorf("its answer is a %T", answer)
	}
	if err != nil {
		return series, fmt.Errorf("asking Prometheus for %q: %w", query, err)
	}
	return series, nil
}
