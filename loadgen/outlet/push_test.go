package outlet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/metrics"
	"github.com/mongobench/mongobench-operator/loadgen/outlet"
)

// counted are the figures of a step that has counted 3000 reads and 7 failures.
func counted(t *testing.T) (*prometheus.Registry, *metrics.Metrics) {
	t.Helper()
	figures := metrics.New()
	registry := prometheus.NewRegistry()
	registry.MustRegister(figures)
	figures.Begin(planv1.Step{Name: "mixed", Kind: planv1.StepMeasure})
	recording := measure.NewRecording([]reportv1.Operation{{Name: "read", Kind: "FindOne"}}, false, time.Minute)
	recording.Publish()
	recorder := recording.Recorder()
	figures.Record(measure.Recorded{Recording: recording, Threads: 4})
	for i := range 3000 {
		recorder.Success(0, measure.Sample{At: time.Millisecond, Service: time.Duration(i) * time.Microsecond})
	}
	for range 7 {
		recorder.Failure(0, measure.Sample{At: time.Millisecond, Service: time.Second}, "timeout", io.ErrUnexpectedEOF)
	}
	if _, err := recording.Operations(); err != nil {
		t.Fatal(err)
	}
	return registry, figures
}

// TestPrometheusTakesBoth sends the same figures by both protocols to a Prometheus, and asks it for them.
func TestPrometheusTakesBoth(t *testing.T) {
	address := startPrometheus(t)
	registry, figures := counted(t)
	for protocol, path := range map[outlet.Protocol]string{
		outlet.OTLP: "/api/v1/otlp/v1/metrics", outlet.RemoteWrite: "/api/v1/write",
	} {
		t.Run(string(protocol), func(t *testing.T) {
			push, err := outlet.NewPush(outlet.Receiver{
				Protocol: protocol, URL: "http://" + address + path, Interval: time.Hour,
				Labels: map[string]string{"run": string(protocol), "pod": "0"},
			}, registry)
			if err != nil {
				t.Fatal(err)
			}
			figures.End()
			push.End()
			found := push.Finish()
			if found.Lost > 0 || found.Written < 1 || found.Error != "" {
				t.Fatalf("%+v", found)
			}
			labels := fmt.Sprintf(`{run=%q,pod="0",step="mixed",operation="read"}`, protocol)
			for query, want := range map[string]float64{
				"mongobench_loadgen_operations_total" + labels:                                       3000,
				"sum(mongobench_loadgen_errors_total" + labels + ")":                                 7,
				"mongobench_loadgen_latency_seconds_count" + labels:                                  3000,
				`mongobench_loadgen_latency_seconds_bucket{le="0.001",` + labels[1:]:                 1001,
				`mongobench_loadgen_latency_seconds_bucket{le="+Inf",` + labels[1:]:                  3000,
				fmt.Sprintf(`mongobench_loadgen_threads{run=%q,step="mixed"}`, protocol):             4,
				"round(1000*mongobench_loadgen_latency_seconds_sum" + labels + ")":                   4499,
				fmt.Sprintf(`count(count by (__name__) ({run=%q,step="mixed"})) > bool 5`, protocol): 1,
			} {
				if got := ask(t, address, query); got != want {
					t.Errorf("%s is %g, want %g", query, got, want)
				}
			}
		})
	}
}

// startPrometheus is the address of one that takes what is sent to it.
func startPrometheus(t *testing.T) string {
	t.Helper()
	tool, err := exec.CommandContext(t.Context(), "../../hack/tools/tool.sh", "prometheus", "prometheus").Output()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	folder := t.TempDir()
	file := filepath.Join(folder, "prometheus.yml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, strings.TrimSpace(string(tool)), "--config.file="+file,
		"--storage.tsdb.path="+filepath.Join(folder, "data"), "--web.listen-address="+address,
		"--web.enable-remote-write-receiver", "--web.enable-otlp-receiver")
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = command.Wait()
	})
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/-/ready", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return address
			}
		}
		<-time.After(50 * time.Millisecond)
	}
	said, _ := os.ReadFile(log.Name())
	t.Fatalf("Prometheus is not ready: %s", said)
	return ""
}

// ask is the value of a query with one result; -1 when there is none.
func ask(t *testing.T, address, query string) float64 {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		"http://"+address+"/api/v1/query?query="+url.QueryEscape(query), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var found struct {
		Data struct {
			Result []struct {
				Value [2]any `json:"value"`
			} `json:"result"`
		} `json:"data"`
		Error string `json:"error"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&found); err != nil || found.Error != "" {
		t.Fatalf("%s: %v %s", query, err, found.Error)
	}
	if len(found.Data.Result) != 1 {
		return -1
	}
	text, _ := found.Data.Result[0].Value[1].(string)
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestHeadersAreSentAndNotToWhereAReceiverPoints also shows that what is secret about a URL is not told.
func TestHeadersAreSentAndNotToWhereAReceiverPoints(t *testing.T) {
	registry, _ := counted(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirection was followed")
	}))
	t.Cleanup(elsewhere.Close)
	var asked []string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Authorization"))
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(receiver.Close)
	push, err := outlet.NewPush(outlet.Receiver{
		Protocol: outlet.OTLP, URL: receiver.URL + "/v1?key=secret", Interval: time.Hour,
		Headers: http.Header{"authorization": {"Bearer secret"}},
	}, registry)
	if err != nil {
		t.Fatal(err)
	}
	found := push.Finish()
	if found.Lost != 1 || !strings.Contains(found.Error, "307") || found.Name != "OTLP to "+receiver.URL {
		t.Errorf("%+v", found)
	}
	if len(asked) != 1 || asked[0] != "Bearer secret" {
		t.Errorf("asked with %q", asked)
	}
}

func TestAReceiverThatFailsIsToldOfWithoutSecrets(t *testing.T) {
	registry, _ := counted(t)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no\nroom", http.StatusInsufficientStorage)
	}))
	t.Cleanup(receiver.Close)
	for name, tc := range map[string]struct{ url, want string }{
		"it has no room": {receiver.URL + "/v1?key=secret", "no room"},
		"nobody listens": {"http://127.0.0.1:1/?key=secret", "refused"},
		"no address":     {"http://secret.invalid%zz", "its URL cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			push, err := outlet.NewPush(outlet.Receiver{
				Protocol: outlet.RemoteWrite, URL: tc.url, Interval: time.Hour,
			}, registry)
			if err != nil {
				t.Fatal(err)
			}
			found := push.Finish()
			if found.Lost != 1 || !strings.Contains(found.Error, tc.want) || strings.Contains(found.Name+found.Error, "secret") {
				t.Errorf("%+v", found)
			}
		})
	}
}
