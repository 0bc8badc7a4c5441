package driversession

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// defaultAwait is how long a reader waits for news unless it says so.
const defaultAwait = time.Second

// feed is a change stream or a tailing cursor.
type feed interface {
	TryNext(ctx context.Context) bool
	RemainingBatchLength() int
	Err() error
	ID() int64
	Close(ctx context.Context) error
}

// await waits for the next news of a ChangeStream or Tail, and takes all that came together. The time of such an
// operation is how long its reader waited, from the request on.
//
// Two kinds of operations have no time, and say so as unacknowledged writes do: one in which no news came, since its
// time would be the given limit and nothing about the server; and one that had to open the reader first.
func (s *Session) await(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	current := s.feeds[r.Operation]
	if current == nil {
		reply.Unacknowledged = true
		opened, err := s.openFeed(ctx, r)
		if err != nil {
			return err
		}
		s.feeds[r.Operation], current = opened, opened
	}
	if current.TryNext(ctx) {
		reply.Documents = 1
		for current.RemainingBatchLength() > 0 && current.TryNext(ctx) {
			reply.Documents++
		}
		return nil
	}
	reply.Unacknowledged = true
	err := current.Err()
	if err == nil && current.ID() != 0 {
		return nil
	}
	s.dropFeed(ctx, r.Operation)
	if err != nil {
		return err
	}
	// The server has ended it without an error, as it ends a tailing cursor of an empty collection. It is reopened
	// after the time that it should have waited.
	return alarm.Timer{}.Until(ctx, time.Now().Add(awaitOf(r)))
}

// dropFeed closes a reader. The next operation opens another.
func (s *Session) dropFeed(ctx context.Context, operation int) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = s.feeds[operation].Close(ctx)
	s.feeds[operation] = nil
}

// openFeed opens the reader of an operation.
func (s *Session) openFeed(ctx context.Context, r *workload.Request) (feed, error) {
	if r.Kind == operation.ChangeStream {
		return s.openChangeStream(ctx, r)
	}
	return s.openTail(ctx, r)
}

// openChangeStream begins with the changes from now on. The driver itself resumes it after what is worth it; anything
// else ends it, and the next one starts afresh.
func (s *Session) openChangeStream(ctx context.Context, r *workload.Request) (feed, error) {
	stages, err := stagesOf(r.Pipeline)
	if err != nil {
		return nil, err
	}
	own := options.Collection().SetReadPreference(s.build.Terms(r).Preference)
	if r.Declared != nil && r.Declared.ReadConcern != "" {
		own.SetReadConcern(&readconcern.ReadConcern{Level: command.ServerName(r.Declared.ReadConcern)})
	}
	settings := options.ChangeStream().SetMaxAwaitTime(awaitOf(r))
	if r.BatchSize > 0 {
		settings.SetBatchSize(r.BatchSize)
	}
	stream, err := s.database.Collection(r.Collection, own).Watch(ctx, stages, settings)
	if err != nil {
		return nil, fmt.Errorf("opening the change stream: %w", err)
	}
	return stream, nil
}

// openTail begins behind the documents that are there.
func (s *Session) openTail(ctx context.Context, r *workload.Request) (feed, error) {
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
	cursor.SetMaxAwaitTime(awaitOf(r))
	cursor.SetBatchSize(r.BatchSize)
	return cursor, nil
}

// stagesOf are the stages of a pipeline, one by one.
func stagesOf(pipeline bson.Raw) ([]bson.Raw, error) {
	stages := []bson.Raw{}
	if len(pipeline) == 0 {
		return stages, nil
	}
	values, err := bson.RawArray(pipeline).Values()
	if err != nil {
		return nil, fmt.Errorf("reading the pipeline: %w", err)
	}
	for _, value := range values {
		stage, ok := value.DocumentOK()
		if !ok {
			return nil, fmt.Errorf("a stage of the pipeline is no document but %s", value.Type)
		}
		stages = append(stages, stage)
	}
	return stages, nil
}

func awaitOf(r *workload.Request) time.Duration {
	if r.MaxAwaitMillis <= 0 {
		return defaultAwait
	}
	return time.Duration(r.MaxAwaitMillis) * time.Millisecond
}

var (
	_ feed = (*driver.ChangeStream)(nil)
	_ feed = (*driver.Cursor)(nil)
)
