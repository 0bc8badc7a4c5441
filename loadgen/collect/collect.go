package collect

import (
	"context"
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Source is where the load pods left their reports.
type Source interface {
	// Report returns the encoded report of a load pod, none if it left none, and the name of where it lies.
	Report(ctx context.Context, pod int) (name string, encoded []byte, err error)
}

// Store keeps merged reports.
type Store interface {
	// Put stores an encoded report and says where it lies; the digest and the size are not its to fill in. It tries until
	// it can, or the context ends.
	Put(ctx context.Context, encoded []byte) (reportv1.Stored, error)
}

// Teller speaks to the operator.
type Teller interface {
	// Tell hands in an encoded Collected. It tries until it can, or the context ends.
	Tell(ctx context.Context, encoded []byte) error
}

// Collector collects the reports of a run.
type Collector struct {
	Source Source
	Store  Store
	Teller Teller
	// Pods is how many reports there are to be, and PlanHash that of the plan which they must be of.
	Pods     int
	PlanHash string
}

// ahead is how many reports are read while one is merged: reading waits for the API server, merging for the processor.
const ahead = 2

// read is a report as it was read.
type read struct {
	name    string
	encoded []byte
	err     error
}

// Collect does what an order asks for. Reports that cannot be merged are told to the operator; an error is that they
// could not be read, or that the operator could not be told.
func (c Collector) Collect(ctx context.Context, order reportv1.CollectOrder) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reports := make(chan read, ahead)
	go func() {
		defer close(reports)
		for pod := range c.Pods {
			name, encoded, err := c.Source.Report(ctx, pod)
			select {
			case reports <- read{name, encoded, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	var collection result.Collection
	for one := range reports {
		if one.err != nil {
			return fmt.Errorf("reading the reports of the load pods: %w", one.err)
		}
		collection.Add(one.name, one.encoded)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("reading the reports of the load pods: %w", context.Cause(ctx))
	}
	collected, err := c.finish(ctx, &collection, order)
	if err != nil {
		return err
	}
	encoded, err := result.EncodeCollected(collected)
	if err != nil {
		return err
	}
	return c.Teller.Tell(ctx, encoded)
}

// finish stores what the reports come to.
func (c Collector) finish(
	ctx context.Context, collection *result.Collection, order reportv1.CollectOrder,
) (reportv1.Collected, error) {
	failed := func(err error) (reportv1.Collected, error) {
		return reportv1.Collected{Version: reportv1.Version, PlanHash: c.PlanHash, Failed: err.Error()}, nil
	}
	report, err := collection.Report(c.PlanHash, order)
	if err != nil {
		return failed(err)
	}
	encoded, err := result.Encode(report)
	if err != nil {
		return failed(fmt.Errorf("encoding the merged report: %w", err))
	}
	// What was stored is what the numbers are read from: encoding may have made it coarser.
	report, err = reportv1.Decode(encoded)
	if err != nil {
		return failed(fmt.Errorf("reading the merged report back: %w", err))
	}
	stored, err := c.Store.Put(ctx, encoded)
	if err != nil {
		return reportv1.Collected{}, fmt.Errorf("storing the merged report: %w", err)
	}
	stored.SHA256, stored.Bytes = result.Digest(encoded), int64(len(encoded))
	collected, err := result.Collected(report, stored)
	if err != nil {
		return failed(err)
	}
	return collected, nil
}
