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
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// following is what is followed, and how.
type following struct {
	*tool
	cluster *cluster.Cluster
	kind    cluster.Kind
	key     client.ObjectKey
	// timeout is how long; 0 for as long as it takes.
	timeout time.Duration
	// see is told every state but the last.
	see func(state follow.State, elapsed time.Duration)
}

// name as people may type it again.
func (f *following) name() string { return string(f.kind) + "/" + f.key.Name }

// untilEnd looks at a run or suite until it has ended, and returns it as it was then. An API server that does not
// answer is asked again.
func (f *following) untilEnd(ctx context.Context) (client.Object, follow.State, error) {
	began := f.now()
	ticker := time.NewTicker(f.period)
	defer ticker.Stop()
	for {
		object, state, err := f.look(ctx)
		switch {
		case apierrors.IsNotFound(err):
			return nil, state, fmt.Errorf("%s is not there any more: somebody deleted it", f.name())
		case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
			return nil, state, fmt.Errorf("reading %s: %w", f.name(), err)
		case err != nil:
			state = follow.State{Stage: "Unknown", Detail: fmt.Sprintf("reading %s: %v", f.name(), err), Percent: -1}
		case state.Ending != follow.Open:
			return object, state, nil
		}
		elapsed := f.now().Sub(began)
		if f.timeout > 0 && elapsed >= f.timeout {
			return nil, state, fmt.Errorf("%w: after %s %s has not ended: %s %s", errTimedOut, f.timeout, f.name(),
				state.Stage, state.Detail)
		}
		f.see(state, elapsed)
		select {
		case <-ctx.Done():
			return nil, state, fmt.Errorf("%w; %s goes on in namespace %s: kubectl mongobench watch %s", errInterrupted,
				f.name(), f.key.Namespace, f.name())
		case <-ticker.C:
		}
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

// follow shows a run or suite until its end, and then what it came to.
func (t *tool) follow(ctx context.Context, c *cluster.Cluster, object client.Object, timeout time.Duration) error {
	screen := t.screen()
	following := &following{
		tool: t, cluster: c, kind: cluster.KindOf(object), key: client.ObjectKeyFromObject(object), timeout: timeout,
		see: screen.Show,
	}
	ended, state, err := following.untilEnd(ctx)
	screen.Clear()
	if err != nil {
		return err
	}
	if err := t.showEnd(ended, following.name()+": "+state.Message); err != nil {
		return err
	}
	return told(state.Ending, true)
}

// showEnd writes what something came to, and last how it ended.
func (t *tool) showEnd(ended client.Object, message string) error {
	var err error
	switch object := ended.(type) {
	case *benchv1alpha1.BenchmarkRun:
		err = show.RunEnd(t.Out, t.paint(), object)
	case *benchv1alpha1.BenchmarkSuite:
		err = show.SuiteEnd(t.Out, t.paint(), object)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(t.Out, message)
	return err
}
