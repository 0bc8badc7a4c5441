package harness

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// SystemNamespace is where the operator is installed.
	SystemNamespace = "mongobench-system"
	metricsPort     = "8080"
	// residentMemory is the metric of every Go program with Prometheus' process collector.
	residentMemory = "process_resident_memory_bytes"
)

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
	text, err := c.Typed.CoreV1().Pods(SystemNamespace).ProxyGet("http", pod.Name, metricsPort, "/metrics", nil).DoRaw(ctx)
	if err != nil {
		return 0, fmt.Errorf("reading the metrics of pod %s: %w", pod.Name, err)
	}
	value, err := Metric(string(text), residentMemory)
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
