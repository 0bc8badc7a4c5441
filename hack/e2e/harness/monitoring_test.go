package harness

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// TestPrometheusIsAskedByWayOfTheAPIServer plays an API server that passes calls on to Prometheus.
func TestPrometheusIsAskedByWayOfTheAPIServer(t *testing.T) {
	const proxy = "/api/v1/namespaces/monitoring/pods/http:prometheus-e2e-0:9090/proxy/api/v1/"
	answers := map[string]string{
		proxy + "alerts": `{"alerts": [{"labels": {"alertname": "Stuck"}, "annotations": {"summary": "it is"},
			"state": "firing", "activeAt": "2026-01-01T00:00:00Z", "value": "1e+00"}]}`,
		proxy + "query": `{"resultType": "vector", "result": [
			{"metric": {"run": "a"}, "value": [1435781451.781, "0.5"]}]}`,
		proxy + "query_range": `{"resultType": "matrix", "result": [
			{"metric": {"run": "a"}, "values": [[1435781430.781, "1"], [1435781445.781, "2"]]}]}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"status": "success", "data": %s}`, answers[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	config := &rest.Config{Host: server.URL}
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	prometheus, err := (&Cluster{Typed: typed, Config: config}).askPrometheus()
	if err != nil {
		t.Fatal(err)
	}
	alerts, err := prometheus.Alerts(t.Context())
	wantAlerts := []promv1.Alert{{
		Labels:      model.LabelSet{"alertname": "Stuck"},
		Annotations: model.LabelSet{"summary": "it is"}, State: "firing",
		ActiveAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Value: "1e+00",
	}}
	if diff := cmp.Diff(wantAlerts, alerts.Alerts); diff != "" || err != nil {
		t.Errorf("alerts: %v (-want +got):\n%s", err, diff)
	}
	now, err := prometheus.Instant(t.Context(), "up")
	wantNow := model.Vector{{Metric: model.Metric{"run": "a"}, Value: 0.5, Timestamp: 1435781451781}}
	if diff := cmp.Diff(wantNow, now); diff != "" || err != nil {
		t.Errorf("query: %v (-want +got):\n%s", err, diff)
	}
	last, err := prometheus.Range(t.Context(), "up", time.Minute, time.Second)
	wantLast := model.Matrix{{Metric: model.Metric{"run": "a"}, Values: []model.SamplePair{
		{Timestamp: 1435781430781, Value: 1}, {Timestamp: 1435781445781, Value: 2},
	}}}
	if diff := cmp.Diff(wantLast, last); diff != "" || err != nil {
		t.Errorf("range: %v (-want +got):\n%s", err, diff)
	}
	answers = nil
	if _, err := prometheus.Instant(t.Context(), "up"); err == nil {
		t.Error("an answer that is no JSON gave no error")
	}
}
