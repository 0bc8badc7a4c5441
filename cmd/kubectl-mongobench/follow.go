package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
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
	// began is when it was looked at first.
	began time.Time
	// see is told every state but the last.
	see func(state follow.State, elapsed time.Duration)
}

// limits is how long something is followed; 0 is as long as it takes.
type limits struct {
	// timeout is for all of it, and stall for the time without any change.
	timeout, stall time.Duration
}

func addLimits(command *cobra.Command, into *limits, usual time.Duration) {
	command.Flags().DurationVar(&into.timeout, "timeout", usual, "how long to wait for the end; 0 for as long as it takes")
	command.Flags().DurationVar(&into.stall, "stall-timeout", 0, "how long to wait while nothing changes; 0 for ever")
}

// follow has a run or suite followed from now on.
func (t *tool) follow(c *cluster.Cluster, object client.Object, limits limits) *following {
	return &following{
		tool: t, cluster: c, kind: cluster.KindOf(object), key: client.ObjectKeyFromObject(object), limits: limits,
		began: t.now(), see: func(follow.State, time.Duration) {},
	}
}

// name as people may type it again.
func (f *following) name() string { return string(f.kind) + "/" + f.key.Name }

// until looks at a run or suite until its state is enough, and returns it as it was then. An API server that does not
// answer is asked again.
func (f *following) until(ctx context.Context, enough func(follow.State) bool) (
	object client.Object, state follow.State, err error,
) {
	last, moved := follow.State{}, f.now()
	err = f.poll(ctx, func() (bool, error) {
		object, state, err = f.look(ctx)
		switch {
		case apierrors.IsNotFound(err):
			return false, fmt.Errorf("%s is gone: it was deleted while it was followed", f.name())
		case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
			return false, fmt.Errorf("reading %s: %w", f.name(), err)
		case err != nil:
			state = follow.State{Stage: "Unknown", Detail: fmt.Sprintf("reading %s: %v", f.name(), err), Percent: -1}
		case enough(state):
			return true, nil
		}
		now := f.now()
		if state != last {
			last, moved = state, now
		}
		if err := f.impatient(state, now.Sub(f.began), now.Sub(moved)); err != nil {
			return false, err
		}
		f.see(state, now.Sub(f.began))
		return false, nil
	}, fmt.Sprintf("%s goes on in namespace %s: kubectl mongobench watch %s", f.name(), f.key.Namespace, f.name()))
	return object, state, err
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

const (
	// forComplete is the only thing that is waited for: the end, whatever it is.
	forComplete = "complete"
	// usualWait is how long wait waits unless told otherwise.
	usualWait = time.Hour
)

// waiting is what wait is asked for.
type waiting struct {
	*tool
	until            string
	limits           limits
	failOnRegression bool
}

func (t *tool) waitCommand() *cobra.Command {
	w := &waiting{tool: t}
	command := t.inCluster("wait RUN|SUITE", "Wait for the end of a run or suite, and print only how it ended",
		cobra.ExactArgs(1), runsAndSuites, w.wait)
	command.Flags().StringVar(&w.until, "for", forComplete, "what to wait for: complete")
	command.Flags().BoolVar(&w.failOnRegression, "fail-on-regression", false, "exit with code 1 if a suite regressed")
	addLimits(command, &w.limits, usualWait)
	return command
}

func (w *waiting) wait(ctx context.Context, c *cluster.Cluster, arguments []string) error {
	if w.until != forComplete {
		return fmt.Errorf("%w: --for=%s: it can be %s only", cluster.ErrUsage, w.until, forComplete)
	}
	found, err := c.Find(ctx, arguments[0], runsAndSuites...)
	if err != nil {
		return err
	}
	following := w.follow(c, found, w.limits)
	_, state, err := following.until(ctx, follow.State.Ended)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(w.Out, "%s: %s\n", following.name(), state.Message)
	return told(state.Ending, w.failOnRegression)
}
