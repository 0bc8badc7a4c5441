package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/metrics"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

// scraped is how Prometheus is let see what goes on.
type scraped struct {
	// address to listen at; empty: nobody listens, and nothing is made ready for it.
	address string

	metrics *metrics.Metrics
	server  *metrics.Server
}

func (s *scraped) register(command *cobra.Command) {
	command.Flags().StringVar(&s.address, "metrics-bind-address", "", "address, such as 127.0.0.1:8080 or :8080, "+
		"at which GET "+metrics.Path+" shows Prometheus\nthe progress of the step, without authentication; "+
		"empty: do not listen")
}

// serve has the engine tell what it is at, and answers scrapes until the returned function is called.
func (s *scraped) serve(ctx context.Context, follower *engine.Engine) (stop func(), err error) {
	if s.address == "" {
		return func() {}, nil
	}
	s.metrics = metrics.New()
	if s.server, err = metrics.Listen(ctx, s.address, s.metrics); err != nil {
		return nil, err
	}
	follower.Watcher = s.metrics
	follower.Log.Info("Metrics are served", "address", s.server.Address())
	return func() { _ = s.server.Close() }, nil
}

// observe shows the servers too, as an observer sees them.
func (s *scraped) observe(observer *observe.Observer) {
	if s.metrics != nil {
		s.metrics.Observe(observer.Latest)
	}
}
