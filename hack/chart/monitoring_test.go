package chart

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"
)

// monitored are the values that turn on all that Prometheus is told.
var monitored = chartutil.Values{"metrics": map[string]any{
	"serviceMonitor": map[string]any{"enabled": true, "labels": map[string]any{"release": "prometheus"}},
	"podMonitor":     map[string]any{"enabled": true, "labels": map[string]any{"release": "prometheus"}},
	"prometheusRule": map[string]any{"enabled": true, "labels": map[string]any{"release": "prometheus"}},
}}

// TestMonitoringIsOffByDefault: a cluster without the Prometheus Operator refuses its kinds.
func TestMonitoringIsOffByDefault(t *testing.T) {
	got, err := render(load(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got, "monitoring.coreos.com") {
		t.Error("the default values ask for objects of the Prometheus Operator")
	}
}

func TestServiceMonitorFindsTheOperator(t *testing.T) {
	monitor := &monitoringv1.ServiceMonitor{}
	decode(t, "kind: ServiceMonitor", monitor)
	if len(monitor.Spec.Endpoints) != 1 || monitor.Labels["release"] != "prometheus" {
		t.Fatalf("endpoints %v, labels %v", monitor.Spec.Endpoints, monitor.Labels)
	}
	if endpoint := monitor.Spec.Endpoints[0]; endpoint.Port != "metrics" || !endpoint.HonorLabels {
		t.Errorf("port %q, honorLabels %t: results would have the operator's namespace", endpoint.Port, endpoint.HonorLabels)
	}
	service := struct {
		Metadata struct{ Labels map[string]string }
		Spec     struct{ Ports []struct{ Name string } }
	}{}
	if err := yaml.Unmarshal([]byte(object(t, "kind: Service\n")), &service); err != nil {
		t.Fatal(err)
	}
	for label, want := range monitor.Spec.Selector.MatchLabels {
		if got := service.Metadata.Labels[label]; got != want {
			t.Errorf("the Service's label %s is %q, and %q is looked for", label, got, want)
		}
	}
	if diff := cmp.Diff([]struct{ Name string }{{"metrics"}}, service.Spec.Ports); diff != "" {
		t.Errorf("ports of the Service (-want +got):\n%s", diff)
	}
}

func TestServiceMonitorShowsAToken(t *testing.T) {
	monitor := &monitoringv1.ServiceMonitor{}
	decode(t, "kind: ServiceMonitor", monitor)
	endpoint := monitor.Spec.Endpoints[0]
	if endpoint.Scheme == nil || endpoint.Scheme.String() != "https" || endpoint.Authorization == nil ||
		endpoint.Authorization.Credentials.Key != "token" {
		t.Errorf("it is scraped by %v as %v, want https and a token", endpoint.Scheme, endpoint.Authorization)
	}
}

// TestAlerts has promtool check the rules and run their unit tests, in testdata/alerts.promtool.yaml.
func TestAlerts(t *testing.T) {
	rule := &monitoringv1.PrometheusRule{}
	decode(t, "kind: PrometheusRule", rule)
	var alerts []string
	for _, group := range rule.Spec.Groups {
		for _, rule := range group.Rules {
			alerts = append(alerts, rule.Alert)
		}
	}
	want := []string{"MongobenchRegression", "MongobenchRunStuck", "MongobenchResultUntrusted"}
	if diff := cmp.Diff(want, alerts); diff != "" {
		t.Errorf("alerts (-want +got):\n%s", diff)
	}
	rules, err := yaml.Marshal(rule.Spec)
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile("testdata/alerts.promtool.yaml")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, content := range map[string][]byte{"rules.yaml": rules, "tests.yaml": tests} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tool := promtool(t)
	for _, arguments := range [][]string{
		{"check", "rules", "--lint=all", "--lint-fatal", "rules.yaml"}, {"test", "rules", "tests.yaml"},
	} {
		command := exec.CommandContext(t.Context(), tool, arguments...)
		command.Dir = folder
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(arguments, " "), err, output)
		}
	}
}

// promtool is the path of the pinned tool, which is built the first time.
func promtool(t *testing.T) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "../tools/tool.sh", "promtool")
	command.Stderr = os.Stderr
	path, err := command.Output()
	if err != nil {
		t.Fatalf("building promtool: %v", err)
	}
	return strings.TrimSpace(string(path))
}

// decode reads one rendered object, and refuses a field that its kind has not got.
func decode(t *testing.T, kind string, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(object(t, kind+"\n")), into); err != nil {
		t.Fatal(err)
	}
}

// object is the rendered object whose text has this line.
func object(t *testing.T, line string) string {
	t.Helper()
	got, err := render(load(t), monitored)
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.SplitSeq(got, "# mongobench-operator/templates/") {
		if strings.Contains(text, line) {
			_, text, _ = strings.Cut(text, "\n")
			return text
		}
	}
	t.Fatalf("no object has %q", line)
	return ""
}
