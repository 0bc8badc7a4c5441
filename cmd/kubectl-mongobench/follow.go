package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/follow"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// following is what is followed, and how.
type following struct {
	*tool
	cluster *cluster.Cluster
	kind    cluster.Kind
	key     client.ObjectKey
	limits
	// see is told every state but the last.
	see func(state follow.State, elapsed time.Duration)
}

// name as people may type it again.
func (f *following) name() string { return string(f.kind) + "/" + f.key.Name }

// until looks at a run or suite until its state is enough, and returns it as it was then. An API server that does not
// answer is asked again.
func (f *following) until(ctx context.Context, enough func(follow.State) bool) (client.Object, follow.State, error) {
	began := f.now()
	last, moved := follow.State{}, began
	ticker := time.NewTicker(f.period)
	defer ticker.Stop()
	for {
		object, state, err := f.look(ctx)
		switch {
		case apierrors.IsNotFound(err):
			return nil, state, fmt.Errorf("%s is gone: it was deleted while it was followed", f.name())
		case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
			return nil, state, fmt.Errorf("reading %s: %w", f.name(), err)
		case err != nil:
			state = follow.State{Stage: "Unknown", Detail: fmt.Sprintf("reading %s: %v", f.name(), err), Percent: -1}
		case enough(state):
			return object, state, nil
		}
		now := f.now()
		if state != last {
			last, moved = state, now
		}
		if err := f.impatient(state, now.Sub(began), now.Sub(moved)); err != nil {
			return nil, state, err
		}
		f.see(state, now.Sub(began))
		select {
		case <-ctx.Done():
			return nil, state, fmt.Errorf("%w; %s goes on in namespace %s: kubectl mongobench watch %s", errInterrupted,
				f.name(), f.key.Namespace, f.name())
		case <-ticker.C:
		}
	}
}

// impatient says that the end took too long, or that nothing has changed for too long.
func (f *following) impatient(state follow.State, elapsed, still time.Duration) error {
	switch {
	case f.timeout > 0 && elapsed >= f.timeout:
		return fmt.Errorf("%w: after %s %s has not ended: %s %s", errTimedOut, f.timeout, f.name(), state.Stage,
			state.Detail)
	case f.stall > 0 && still >= f.stall:
		return fmt.Errorf("%w: nothing has changed for %s; %s stands at: %s %s; see the operator's log (kubectl logs "+
			"--namespace mongobench-system deployment/mongobench-operator)", errTimedOut, f.stall, f.name(), state.Stage,
			state.Detail)
	default:
		return nil
	}
}

func (f *following) look(ctx context.Context) (client.Object, follow.State, error) {
	object := f.kind.New()
	if err := f.cluster.Client.Get(ctx, f.key, object); err != nil {
		return nil, follow.State{}, err
	}
	switch found := object.(type) {
	case *benchv1alpha1.BenchmarkRun:
		return object, follow.OfRun(found), nil
	case *benchv1alpha1.BenchmarkSuite:
		var runs benchv1alpha1.BenchmarkRunList
		err := f.cluster.Client.List(ctx, &runs, client.InNamespace(f.key.Namespace),
			client.MatchingLabels{suite.Label: f.key.Name})
		return object, follow.OfSuite(found, runs.Items), err
	default:
		return nil, follow.State{}, fmt.Errorf("%w: %s has no end", cluster.ErrUsage, f.name())
	}
}
