package metrics_test

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/metrics"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// served answers scrapes until the test is over.
func served(t *testing.T, m *metrics.Metrics) *metrics.Server {
	t.Helper()
	server, err := metrics.Listen(t.Context(), "127.0.0.1:0", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// reply is what came back.
type reply struct {
	status       int
	format, text string
}

// ask sends a request.
func ask(t *testing.T, method, url, accept string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", accept)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{status: answer.StatusCode, format: answer.Header.Get("Content-Type"), text: string(body)}
}

func TestNothingButMetricsIsAnswered(t *testing.T) {
	server := served(t, metrics.New())
	for request, want := range map[string]int{
		"GET /metrics": http.StatusOK, "GET /metrics?name=x": http.StatusOK, "HEAD /metrics": http.StatusMethodNotAllowed,
		"POST /metrics": http.StatusMethodNotAllowed, "DELETE /metrics": http.StatusMethodNotAllowed,
		"GET /": http.StatusNotFound, "GET /metrics/": http.StatusNotFound, "GET /debug/pprof/": http.StatusNotFound,
		"PUT /other": http.StatusNotFound,
	} {
		method, path, _ := strings.Cut(request, " ")
		got := ask(t, method, "http://"+server.Address()+path, "")
		if got.status != want || strings.Contains(got.text, "mongobench_loadgen_") != (want == http.StatusOK) {
			t.Errorf("%s: %d, want %d: %q", request, got.status, want, got.text)
		}
	}
}

func TestWhoAsksForProtobufGetsIt(t *testing.T) {
	const protobuf = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
	server := served(t, metrics.New())
	got := ask(t, http.MethodGet, "http://"+server.Address()+metrics.Path, protobuf)
	if !strings.HasPrefix(got.format, "application/vnd.google.protobuf") {
		t.Errorf("the answer is %q; native histograms need protobuf", got.format)
	}
}

// TestTextHasTheClassicBuckets: who asks for text gets no native ones.
func TestTextHasTheClassicBuckets(t *testing.T) {
	m := metrics.New()
	m.Begin(planv1.Step{Name: "mixed", Kind: planv1.StepMeasure})
	m.Record(measure.Recorded{Recording: recording(false), Threads: 1})
	body := ask(t, http.MethodGet, "http://"+served(t, m).Address()+metrics.Path, "text/plain").text
	for _, want := range []string{`le="0.001"} 0`, `le="0.0025"} 3`, `le="30"} 3`, `le="+Inf"} 3`} {
		if !strings.Contains(body, `mongobench_loadgen_latency_seconds_bucket{operation="read",step="mixed",`+want) {
			t.Errorf("there is no bucket %s in:\n%s", want, body)
		}
	}
}

func TestAClosedServerIsGone(t *testing.T) {
	server := served(t, metrics.New())
	if _, err := metrics.Listen(t.Context(), server.Address(), metrics.New()); err == nil ||
		!strings.Contains(err.Error(), server.Address()) {
		t.Errorf("listening on an address in use: %v, want an error that names the address", err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Address()); err == nil {
		_ = connection.Close()
		t.Error("something answers after Close")
	}
}

// TestNoSecretIsShown follows a plan against a database whose every other error names a password, and scrapes all the
// time.
func TestNoSecretIsShown(t *testing.T) {
	m := metrics.New()
	address := served(t, m).Address()
	engine := &engine.Engine{
		Plan: planv1.Plan{
			Version: planv1.Version, Pods: 1, Database: "test",
			Collections: []planv1.Collection{{Name: "things", DocumentCount: 10, Fields: []planv1.Field{
				{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorObjectID}},
			}}},
			Steps: []planv1.Step{{
				Name: "inserts", Kind: planv1.StepMeasure, Threads: 2, OperationCount: 1000,
				Operations: []planv1.Operation{{
					Name: "insert", Weight: 1, Request: planv1.Request{Kind: "InsertOne", Collection: "things"},
				}},
			}},
		},
		Target: &drivertest.Target{Latency: time.Millisecond, FailEvery: 2}, Reporter: &drivertest.Reporter{},
		Log: slog.New(slog.DiscardHandler), Watcher: m,
	}
	ended := make(chan error, 1)
	go func() {
		_, err := engine.Run(t.Context())
		ended <- err
	}()
	for running := true; running; {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		default:
		}
		body := ask(t, http.MethodGet, "http://"+address+metrics.Path, "").text
		if strings.Contains(body, "secret") || strings.Contains(body, "mongodb://") {
			t.Fatalf("a connection string is shown:\n%s", body)
		}
		if !running && !strings.Contains(body, `errors_total{class="`+drivertest.Class+`",operation="insert"`) {
			t.Errorf("the errors are not counted:\n%s", body)
		}
	}
	if !strings.Contains(drivertest.ErrScripted.Error(), "secret") {
		t.Error("the errors of this test have no secret in them")
	}
}
