package appsession

import (
	"context"
	"fmt"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// within is the context of an operation: of a transaction under way, or of the session that the worker has for it.
func (s *Session) within(ctx context.Context, r *workload.Request) (context.Context, error) {
	session := s.causal
	switch {
	case s.inside:
		session = s.transactions
	case s.snapshots && r.Kind.Row().Snapshots():
		if s.snapshot == nil {
			var err error
			if s.snapshot, err = s.opener.Client.StartSession(options.Session().SetSnapshot(true)); err != nil {
				return nil, fmt.Errorf("starting the session of a snapshot: %w", err)
			}
		}
		session = s.snapshot
	}
	if session == nil {
		return ctx, nil
	}
	return driver.NewSessionContext(ctx, session), nil
}

// NewSnapshot ends the session of the snapshot, which has its time for good. The driver uses its number again.
func (s *Session) NewSnapshot() {
	if s.snapshot != nil {
		s.snapshot.EndSession(context.Background())
		s.snapshot = nil
	}
}
