package metrics

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Path is the only one that is answered.
const Path = "/metrics"

// Limits of a request. A slower scraper is disconnected, so that it delays nothing.
const (
	readTimeout  = 5 * time.Second
	writeTimeout = 10 * time.Second
	idleTimeout  = 2 * time.Minute
	maxHeader    = 16 << 10
	// atOnce is how many scrapes are worked at; more are told to come back.
	atOnce = 3
)

// Server answers scrapes.
type Server struct {
	listener net.Listener
	server   *http.Server
	serving  sync.WaitGroup
}

// Listen answers scrapes at an address such as :8080 until Close, or until the process ends.
func Listen(ctx context.Context, address string, collector prometheus.Collector) (*Server, error) {
	handler, err := newHandler(collector)
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening for scrapes of the metrics at %q: %w; give another address, or none", address, err)
	}
	s := &Server{listener: listener, server: &http.Server{
		Handler: handler, ReadTimeout: readTimeout, ReadHeaderTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
	}}
	// It ends with Close, or when the listener is broken: a run goes on without its metrics.
	s.serving.Go(func() { _ = s.server.Serve(listener) })
	return s, nil
}

// Address is where it listens, as host:port.
func (s *Server) Address() string {
	return s.listener.Addr().String()
}

// Close ends it at once, and scrapes that are under way.
func (s *Server) Close() error {
	err := s.server.Close()
	s.serving.Wait()
	return err
}

// newHandler answers GET /metrics with what a collector sends, and nothing else.
func newHandler(collector prometheus.Collector) (http.Handler, error) {
	registry := prometheus.NewRegistry()
	if err := registry.Register(collector); err != nil {
		return nil, fmt.Errorf("registering the metrics: %w", err)
	}
	// Compression would take the CPU of the load for the sake of a network that has little to carry.
	scrape := promhttp.HandlerFor(registry, promhttp.HandlerOpts{DisableCompression: true, MaxRequestsInFlight: atOnce})
	return http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		switch {
		case request.URL.Path != Path:
			http.Error(answer, "there is nothing but "+Path, http.StatusNotFound)
		case request.Method != http.MethodGet:
			answer.Header().Set("Allow", http.MethodGet)
			http.Error(answer, "it can only be read, with GET", http.StatusMethodNotAllowed)
		default:
			scrape.ServeHTTP(answer, request)
		}
	}), nil
}
