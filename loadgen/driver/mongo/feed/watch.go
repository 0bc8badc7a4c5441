package feed

import (
	"context"
	"fmt"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/crud"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// Watch opens a change stream with the changes from now on. The driver itself resumes it after what is worth it;
// anything else ends it, and the next one starts afresh.
func Watch(ctx context.Context, collection *driver.Collection, r *workload.Request) (*driver.ChangeStream, error) {
	stages, err := crud.StagesOf(r.Pipeline)
	if err != nil {
		return nil, err
	}
	settings := options.ChangeStream().SetMaxAwaitTime(AwaitOf(r))
	if r.BatchSize > 0 {
		settings.SetBatchSize(r.BatchSize)
	}
	stream, err := collection.Watch(ctx, stages, settings)
	if err != nil {
		return nil, fmt.Errorf("opening the change stream: %w", err)
	}
	return stream, nil
}
