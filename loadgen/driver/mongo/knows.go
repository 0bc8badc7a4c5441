package mongo

import (
	"context"
	"fmt"
	"iter"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// knows refuses a step with an operation that the servers are too old for. They are asked for their version only where
// it matters, and once for all sessions.
func (t *Target) knows(ctx context.Context, step planv1.Step) error {
	for declared, later := range laterIn(step) {
		version, err := t.version(ctx)
		if err != nil {
			return err
		}
		if mongod.ParseRelease(version).AtLeast(mongod.ParseRelease(later.Version)) {
			continue
		}
		return fmt.Errorf("operation %q: %s of a %s needs MongoDB %s or later, and the server is of version %s",
			declared.Name, later.Setting, later.Of, later.Version, version)
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

// version is that of the servers.
func (t *Target) version(ctx context.Context) (string, error) {
	t.known.Lock()
	defer t.known.Unlock()
	if t.known.version == "" {
		build, err := lookup.Admin(ctx, t.client)(lookup.BuildInfo)
		if err != nil {
			return "", fmt.Errorf("asking the server for its version: %w", errorclass.WithoutSecrets(err))
		}
		t.known.version = lookup.Text(build, "version")
	}
	return t.known.version, nil
}
