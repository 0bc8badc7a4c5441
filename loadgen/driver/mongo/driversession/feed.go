package driversession

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/feed"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// openFeed opens the reader of an operation.
func (s *Session) openFeed(ctx context.Context, r *workload.Request) (feed.Feed, error) {
	if r.Kind != operation.Tail {
		return s.openChangeStream(ctx, r)
	}
	return s.openTail(ctx, r)
}

// openChangeStream begins with the changes from now on.
func (s *Session) openChangeStream(ctx context.Context, r *workload.Request) (feed.Feed, error) {
	own := options.Collection().SetReadPreference(s.build.Terms(r).Preference)
	if r.Declared != nil && r.Declared.ReadConcern != "" {
		own.SetReadConcern(&readconcern.ReadConcern{Level: command.ServerName(r.Declared.ReadConcern)})
	}
	stream, err := feed.Watch(ctx, s.database.Collection(r.Collection, own), r)
	if err != nil {
		return nil, err
	}
	if r.Kind == operation.ChangeStream {
		s.feeds.Clock = feed.ClockOf(ctx, s.database)
	}
	return stream, nil
}

// openTail begins behind the documents that are there.
func (s *Session) openTail(ctx context.Context, r *workload.Request) (feed.Feed, error) {
	s.retry.beginRead(&s.build.Command, false)
	read := s.build.Terms(r).Read
	count := bson.D{{Key: "count", Value: r.Collection}, {Key: "query", Value: r.Filter}}
	reply, err := s.database.RunCommand(ctx, count, read).Raw()
	if err != nil {
		return nil, fmt.Errorf("counting what is there already: %w", err)
	}
	there, _ := reply.Lookup("n").AsInt64OK()
	cursor, err := s.database.RunCommandCursor(ctx, s.build.Tail(r, there), read)
	if err != nil {
		return nil, fmt.Errorf("opening the tailing cursor: %w", err)
	}
	cursor.SetMaxAwaitTime(feed.AwaitOf(r))
	cursor.SetBatchSize(r.BatchSize)
	return cursor, nil
}
