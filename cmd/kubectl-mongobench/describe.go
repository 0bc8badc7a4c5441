package main

import (
	"context"

	"github.com/spf13/cobra"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
)

func (t *tool) describeCommand() *cobra.Command {
	command := t.inCluster("describe RUN|SUITE", "Show conditions, stages and results", cobra.ExactArgs(1),
		t.describe)
	command.ValidArgsFunction = t.names(cluster.Run, cluster.Suite)
	return command
}

func (t *tool) describe(ctx context.Context, c *cluster.Cluster, arguments []string) error {
	found, err := c.Find(ctx, arguments[0], cluster.Run, cluster.Suite)
	if err != nil {
		return err
	}
	switch object := found.(type) {
	case *benchv1alpha1.BenchmarkSuite:
		return show.Suite(t.Out, t.paint(), object)
	case *benchv1alpha1.BenchmarkRun:
		return show.Run(t.Out, t.paint(), object)
	default:
		return nil
	}
}
