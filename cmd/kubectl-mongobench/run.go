package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
)

// running is what run is asked for.
type running struct {
	*tool
	files   resource.FilenameOptions
	force   bool
	timeout time.Duration
}

func (t *tool) runCommand() *cobra.Command {
	r := &running{tool: t}
	command := t.inCluster("run -f FILE", "Applies runs and suites, and follows them until their end", cobra.NoArgs, r.run)
	flags := command.Flags()
	flags.StringSliceVarP(&r.files.Filenames, "filename", "f", nil,
		"files, folders or addresses to apply; - for standard input")
	flags.StringVarP(&r.files.Kustomize, "kustomize", "k", "", "folder of a kustomization to apply")
	flags.BoolVarP(&r.files.Recursive, "recursive", "R", false, "also the folders in a folder")
	flags.BoolVar(&r.force, "force-conflicts", false, "take over fields that others have written")
	addTimeout(command, &r.timeout, 0)
	return command
}

func (r *running) run(ctx context.Context, c *cluster.Cluster, _ []string) error {
	objects, err := c.Read(r.files)
	if err != nil {
		return err
	}
	var measured []*unstructured.Unstructured
	for _, object := range objects {
		if _, yes := cluster.Measured(object); yes {
			measured = append(measured, object)
		}
	}
	if len(measured) == 0 {
		return fmt.Errorf("%w: there is no BenchmarkRun and no BenchmarkSuite in it", cluster.ErrUsage)
	}
	if err := c.Apply(ctx, objects, r.force); err != nil {
		return err
	}
	var failures error
	for _, object := range measured {
		kind, _ := cluster.Measured(object)
		_, _ = fmt.Fprintf(r.Out, "%s/%s applied in namespace %s\n", kind, object.GetName(), object.GetNamespace())
		err := r.follow(ctx, c, object, r.timeout)
		if err != nil && !errors.Is(err, errTold) {
			return errors.Join(failures, err)
		}
		failures = errors.Join(failures, err)
	}
	return failures
}

func (t *tool) watchCommand() *cobra.Command {
	var timeout time.Duration
	command := t.inCluster("watch RUN|SUITE", "Follows a run or suite until its end", cobra.ExactArgs(1),
		func(ctx context.Context, c *cluster.Cluster, arguments []string) error {
			found, err := c.Find(ctx, arguments[0], cluster.Run, cluster.Suite)
			if err != nil {
				return err
			}
			return t.follow(ctx, c, found, timeout)
		})
	command.ValidArgsFunction = t.names(cluster.Run, cluster.Suite)
	addTimeout(command, &timeout, 0)
	return command
}
