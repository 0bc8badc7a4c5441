package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// TestTheAPIServerIsWaitedFor has an API server that is not itself at first.
func TestTheAPIServerIsWaitedFor(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		kinds := []string{`{"kind":"BenchmarkRun"}`, `{"kind":"BenchmarkTarget"}`, `{"kind":"BenchmarkSuite"}`}
		switch asked.Add(1) {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		case 2:
			w.WriteHeader(http.StatusForbidden)
			return
		case 3: // The definitions are being made.
			w.WriteHeader(http.StatusNotFound)
			return
		case 4:
			kinds = kinds[:1]
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"groupVersion":"mongobench.dev/v1alpha1","resources":[` + strings.Join(kinds, ",") + `]}`))
	}))
	defer server.Close()
	if err := reach(t.Context(), &rest.Config{Host: server.URL}, time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := asked.Load(); got != 5 {
		t.Errorf("it was asked %d times, want 5", got)
	}
}

// TestTheAPIServerIsNotWaitedForInVain has it never answer, refuse, or not matter any more.
func TestTheAPIServerIsNotWaitedForInVain(t *testing.T) {
	answers := func(code int) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
		t.Cleanup(server.Close)
		return server
	}
	gone := answers(http.StatusOK)
	gone.Close()
	if err := reach(t.Context(), &rest.Config{Host: gone.URL}, time.Millisecond); err == nil ||
		!strings.Contains(err.Error(), gone.URL+" was of no use within 1ms: ") {
		t.Errorf("of a server that is not there: %v", err)
	}
	strict := answers(http.StatusUnauthorized)
	if err := reach(t.Context(), &rest.Config{Host: strict.URL}, time.Hour); err == nil ||
		!strings.Contains(err.Error(), "asking the API server at "+strict.URL) {
		t.Errorf("of a server that knows nobody: %v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := reach(over, &rest.Config{Host: gone.URL}, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("of a manager that was told to end: %v", err)
	}
	if err := unlessTold(over, runManager(over, &rest.Config{Host: gone.URL}, options{})); err != nil {
		t.Errorf("a manager that was told to end while it waited failed: %v", err)
	}
}
