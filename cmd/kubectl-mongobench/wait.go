package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/follow"
)

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
		cobra.ExactArgs(1), w.wait)
	command.ValidArgsFunction = t.names(cluster.Run, cluster.Suite)
	command.Flags().StringVar(&w.until, "for", forComplete, "what to wait for: complete")
	command.Flags().BoolVar(&w.failOnRegression, "fail-on-regression", false, "exit with code 1 if a suite regressed")
	addLimits(command, &w.limits, usualWait)
	return command
}

func (w *waiting) wait(ctx context.Context, c *cluster.Cluster, arguments []string) error {
	if w.until != forComplete {
		return fmt.Errorf("%w: --for=%s: it can be %s only", cluster.ErrUsage, w.until, forComplete)
	}
	found, err := c.Find(ctx, arguments[0], cluster.Run, cluster.Suite)
	if err != nil {
		return err
	}
	following := &following{
		tool: w.tool, cluster: c, kind: cluster.KindOf(found), key: client.ObjectKeyFromObject(found), limits: w.limits,
		see: func(follow.State, time.Duration) {},
	}
	_, state, err := following.until(ctx, follow.State.Ended)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(w.Out, "%s: %s\n", following.name(), state.Message)
	return told(state.Ending, w.failOnRegression)
}
