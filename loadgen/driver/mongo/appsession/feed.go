package appsession

import (
	"context"
	"fmt"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/feed"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// openFeed opens the reader of an operation: a change stream from now on, or a cursor behind the documents that are
// there.
func (s *Session) openFeed(ctx context.Context, r *workload.Request) (feed.Feed, error) {
	if r.Kind != operation.Tail {
		return s.openChangeStream(ctx, r)
	}
	return s.openTail(ctx, r)
}

func (s *Session) openChangeStream(ctx context.Context, r *workload.Request) (feed.Feed, error) {
	stream, err := feed.Watch(ctx, s.collection(r), r)
	if err != nil {
		return nil, err
	}
	if r.Kind == operation.ChangeStream {
		s.feeds.Clock = feed.ClockOf(ctx, s.database)
	}
	return stream, nil
}

func (s *Session) openTail(ctx context.Context, r *workload.Request) (*driver.Cursor, error) {
	there, err := s.collection(r).CountDocuments(ctx, r.Filter)
	if err != nil {
		return nil, fmt.Errorf("counting what is there already: %w", err)
	}
	settings := options.Find().SetCursorType(options.TailableAwait).SetSkip(there).SetMaxAwaitTime(feed.AwaitOf(r))
	if r.BatchSize > 0 {
		settings.SetBatchSize(r.BatchSize)
	}
	if len(r.Projection) > 0 {
		settings.SetProjection(r.Projection)
	}
	cursor, err := s.collection(r).Find(ctx, r.Filter, settings)
	if err != nil {
		return nil, fmt.Errorf("opening the tailing cursor: %w", err)
	}
	return cursor, nil
}
