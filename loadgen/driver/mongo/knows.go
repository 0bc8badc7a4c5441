package mongo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// release is the version of the servers of a target. They are asked for it only where it matters, and once for all
// sessions.
type release struct {
	mutex   sync.Mutex
	version string
}

// knows refuses a step with an operation that the servers are too old for.
func (r *release) knows(ctx context.Context, client *driver.Client, step planv1.Step) error {
	for declared, later := range laterIn(step) {
		version, err := r.of(ctx, client)
		if err != nil {
			return err
		}
		if mongod.ParseRelease(version).AtLeast(mongod.ParseRelease(later.Version)) {
			continue
		}
		return fmt.Errorf("operation %q: %s of a %s needs MongoDB %s or later, and the server is of version %s",
			declared.Name, later.Setting, later.Of, later.Version, version)
	}
	if step.Session == benchv1alpha1.SessionSnapshot {
		return r.snapshots(ctx, client)
	}
	return nil
}

// snapshots refuses a server that keeps none.
func (r *release) snapshots(ctx context.Context, client *driver.Client) error {
	version, err := r.of(ctx, client)
	if err != nil {
		return err
	}
	if !mongod.ParseRelease(version).AtLeast(mongod.Release{Major: 5}) {
		return fmt.Errorf("session: Snapshot needs MongoDB 5.0 or later, and the server is of version %s", version)
	}
	hello, err := lookup.Admin(ctx, client)(lookup.IsMaster)
	if err != nil {
		return fmt.Errorf("asking the server whether it keeps snapshots: %w", errorclass.WithoutSecrets(err))
	}
	if lookup.Text(hello, "setName") == "" && !lookup.IsMongos(hello) {
		return errors.New("session: Snapshot needs a replica set, and the server is a standalone")
	}
	return nil
}

// laterIn are all that the operations of a step ask for and that not every server knows.
func laterIn(step planv1.Step) iter.Seq2[*planv1.Operation, operation.Later] {
	return func(yield func(*planv1.Operation, operation.Later) bool) {
		for i := range step.Operations {
			for later := range operation.LaterIn(&step.Operations[i]) {
				if !yield(&step.Operations[i], later) {
					return
				}
			}
		}
	}
}

// of is the version.
func (r *release) of(ctx context.Context, client *driver.Client) (string, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.version == "" {
		build, err := lookup.Admin(ctx, client)(lookup.BuildInfo)
		if err != nil {
			return "", fmt.Errorf("asking the server for its version: %w", errorclass.WithoutSecrets(err))
		}
		r.version = lookup.Text(build, "version")
	}
	return r.version, nil
}
