package feed

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/crud"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// Stream is a change stream. The driver itself resumes it after what is worth it, with one gap: it does not where the
// pool has no connection, because it was cleared after the failure that the stream is resumed from. It depends on which
// of the driver's goroutines is faster, so the stream is reopened here, where it ended.
type Stream struct {
	*driver.ChangeStream
	reopen func(ctx context.Context, after bson.Raw) (*driver.ChangeStream, error)
}

// poolCleared is the label of an operation that got no connection since its pool was cleared; outside of transactions
// no other error has it.
const poolCleared = "TransientTransactionError"

// The pool is opened again when the driver next hears of the server, which it asks every ten seconds at least.
const reopenTime, reopenPeriod = 20 * time.Second, 50 * time.Millisecond

// Watch opens a change stream with the changes from now on. What ends it is told, and the next one starts afresh.
func Watch(ctx context.Context, collection *driver.Collection, r *workload.Request) (*Stream, error) {
	stages, err := crud.StagesOf(r.Pipeline)
	if err != nil {
		return nil, err
	}
	open := func(ctx context.Context, after bson.Raw) (*driver.ChangeStream, error) {
		settings := options.ChangeStream().SetMaxAwaitTime(AwaitOf(r))
		if r.BatchSize > 0 {
			settings.SetBatchSize(r.BatchSize)
		}
		if after != nil {
			settings.SetResumeAfter(after)
		}
		return collection.Watch(ctx, stages, settings)
	}
	stream, err := open(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("opening the change stream: %w", err)
	}
	return &Stream{stream, open}, nil
}

// TryNext waits for the next change; false: there was none, or Err says why.
func (s *Stream) TryNext(ctx context.Context) bool {
	if s.ChangeStream.TryNext(ctx) {
		return true
	}
	err, token := s.Err(), s.ResumeToken()
	if err == nil || token == nil || !errorclass.HasLabel(err, poolCleared) {
		return false
	}
	again, err := s.reopen(ctx, token)
	for deadline := time.Now().Add(reopenTime); err != nil; again, err = s.reopen(ctx, token) {
		if !errorclass.HasLabel(err, poolCleared) || time.Now().After(deadline) {
			return false // Err is still the first.
		}
		if err := (alarm.Timer{}).Until(ctx, time.Now().Add(reopenPeriod)); err != nil {
			return false
		}
	}
	_ = s.Close(ctx)
	s.ChangeStream = again
	return again.TryNext(ctx)
}
