package chart

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"
)

// loadPods are all that a run with two of them makes.
const loadPods = "../../controllers/run/decide/testdata/two-pods.golden.yaml"

// TestPodMonitorFindsLoadPods holds it against the Job that the operator makes.
func TestPodMonitorFindsLoadPods(t *testing.T) {
	monitor := &monitoringv1.PodMonitor{}
	decode(t, "kind: PodMonitor", monitor)
	if !monitor.Spec.NamespaceSelector.Any || monitor.Labels["release"] != "prometheus" {
		t.Errorf("namespaces %+v, labels %v; want any namespace, and the label that was asked for",
			monitor.Spec.NamespaceSelector, monitor.Labels)
	}
	pods := loadPodTemplate(t)
	for label, want := range monitor.Spec.Selector.MatchLabels {
		if got := pods.Metadata.Labels[label]; got != want {
			t.Errorf("the label %s of load pods is %q, and %q is looked for", label, got, want)
		}
	}
	if len(monitor.Spec.PodMetricsEndpoints) != 1 {
		t.Fatalf("%d endpoints, want one", len(monitor.Spec.PodMetricsEndpoints))
	}
	endpoint := monitor.Spec.PodMetricsEndpoints[0]
	ports := make([]string, 0, len(pods.Spec.Containers[0].Ports))
	for _, port := range pods.Spec.Containers[0].Ports {
		ports = append(ports, port.Name)
	}
	if endpoint.Port == nil || !slices.Contains(ports, *endpoint.Port) {
		t.Errorf("port %v is scraped, and load pods have %v", endpoint.Port, ports)
	}
	checkRunLabel(t, endpoint.RelabelConfigs, slices.Sorted(maps.Keys(pods.Metadata.Labels)))
}

// checkRunLabel looks for the series' label run, which is made of the pods' label.
func checkRunLabel(t *testing.T, relabelled []monitoringv1.RelabelConfig, labels []string) {
	t.Helper()
	if len(relabelled) != 1 || relabelled[0].TargetLabel != "run" || len(relabelled[0].SourceLabels) != 1 {
		t.Fatalf("labels are made by %+v, want run alone", relabelled)
	}
	known, clean := make([]string, 0, len(labels)), strings.NewReplacer(".", "_", "/", "_", "-", "_")
	for _, label := range labels {
		known = append(known, "__meta_kubernetes_pod_label_"+clean.Replace(label))
	}
	source := string(relabelled[0].SourceLabels[0])
	if !slices.Contains(known, source) || !strings.HasSuffix(source, "_run") {
		t.Errorf("run is made of %s, and load pods have %v", source, known)
	}
}

func TestPodMonitorLooksNowhereElse(t *testing.T) {
	got, err := render(load(t), chartutil.Values{
		"watchNamespaces": []any{"a", "b"},
		"metrics":         map[string]any{"podMonitor": map[string]any{"enabled": true, "nativeHistograms": true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	monitor := &monitoringv1.PodMonitor{}
	for text := range strings.SplitSeq(got, "# mongobench-operator/templates/") {
		if _, text, _ = strings.Cut(text, "\n"); strings.Contains(text, "kind: PodMonitor\n") {
			if err := yaml.UnmarshalStrict([]byte(text), monitor); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := monitoringv1.NamespaceSelector{MatchNames: []string{"a", "b"}}
	if diff := cmp.Diff(want, monitor.Spec.NamespaceSelector); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
	const carrier = monitoringv1.PrometheusProto
	if native := monitor.Spec.ScrapeNativeHistograms; native == nil || !*native ||
		len(monitor.Spec.ScrapeProtocols) == 0 || monitor.Spec.ScrapeProtocols[0] != carrier {
		t.Errorf("native histograms: %v, by %v; only %s carries them", native, monitor.Spec.ScrapeProtocols, carrier)
	}
}

// job is what a Job says of its pods.
type job struct {
	Spec struct{ Template podTemplate }
}

type podTemplate struct {
	Metadata struct{ Labels map[string]string }
	Spec     struct {
		Containers []struct{ Ports []struct{ Name string } }
	}
}

// loadPodTemplate is that of the load pods.
func loadPodTemplate(t *testing.T) podTemplate {
	t.Helper()
	content, err := os.ReadFile(loadPods)
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.SplitSeq(string(content), "---\n") {
		if strings.HasPrefix(text, "# Job\n") {
			var found job
			if err := yaml.Unmarshal([]byte(text), &found); err != nil {
				t.Fatal(err)
			}
			return found.Spec.Template
		}
	}
	t.Fatalf("there is no Job in %s", loadPods)
	return podTemplate{}
}
