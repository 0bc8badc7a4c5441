package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/resource"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/estimate"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/room"
)

// clusterTime is how long a cluster is asked that an estimate can do without.
const clusterTime = 10 * time.Second

// estimateForms are the forms of an estimate.
var estimateForms = map[string]func(io.Writer, estimate.Estimate) error{
	formText: estimate.Write,
	"json":   func(to io.Writer, found estimate.Estimate) error { return writeJSON(to, found) },
}

// estimating is what estimate is asked for.
type estimating struct {
	*tool
	files resource.FilenameOptions
	form  string
	local bool
}

func (t *tool) estimateCommand() *cobra.Command {
	e := &estimating{tool: t}
	command := &cobra.Command{
		Use:   "estimate -f FILE",
		Short: "Predict what runs and suites will need, before anything starts",
		Args:  cobra.NoArgs,
		Long: `Predict what runs and suites will need, before anything starts: pods, CPU, memory and volumes, the size
of the dataset, and the minimum time.

With a cluster, also say whether that fits on its nodes, and how long the load takes if the target is as fast as that
of the newest finished run in the namespace. Nothing is written to the cluster.`,
		RunE: func(command *cobra.Command, _ []string) error { return e.estimate(command.Context()) },
	}
	flags := command.Flags()
	flags.StringSliceVarP(&e.files.Filenames, "filename", "f", nil,
		"files, folders or URLs to read; - for standard input")
	flags.StringVarP(&e.files.Kustomize, "kustomize", "k", "", "kustomization folder to read")
	flags.BoolVarP(&e.files.Recursive, "recursive", "R", false, "process folders recursively")
	flags.BoolVar(&e.local, "local", false, "do not contact a cluster")
	addForm(command, &e.form, estimateForms, "one of")
	return command
}

func (e *estimating) estimate(ctx context.Context) error {
	write, err := formOf(estimateForms, e.form, "an estimate")
	if err != nil {
		return err
	}
	objects, err := estimate.Read(e.files)
	if err != nil {
		return err
	}
	around := estimate.Surroundings{Declared: objects.Targets}
	fits := func([]estimate.Pods) *estimate.Fit { return nil }
	if !e.local {
		fits = e.ask(ctx, &around)
	}
	found, err := estimate.Of(objects, around)
	if err != nil {
		return err
	}
	for i := range found.Runs {
		found.Runs[i].Fits = fits(found.Runs[i].Pods)
	}
	for i := range found.Suites {
		found.Suites[i].Fits = fits(found.Suites[i].Pods)
	}
	return write(e.Out, found)
}

// ask fills in what a cluster knows, and returns what says whether pods fit on its nodes. An estimate does without what
// cannot be had.
func (e *estimating) ask(ctx context.Context, around *estimate.Surroundings) func([]estimate.Pods) *estimate.Fit {
	unknown := func(err error) func([]estimate.Pods) *estimate.Fit {
		why := "the nodes of the cluster cannot be read: " + err.Error()
		return func([]estimate.Pods) *estimate.Fit { return &estimate.Fit{Answer: estimate.Unknown, Why: why} }
	}
	connected, err := cluster.Connect(e.flags)
	if err != nil {
		return unknown(err)
	}
	ctx, cancel := context.WithTimeout(ctx, clusterTime)
	defer cancel()
	nodes, err := room.Read(ctx, connected.Client)
	var targets benchv1alpha1.BenchmarkTargetList
	if connected.List(ctx, &targets, connected.Namespace) == nil {
		for i := range targets.Items {
			around.Standing = append(around.Standing, targets.Items[i].Name)
		}
	}
	var runs benchv1alpha1.BenchmarkRunList
	if connected.List(ctx, &runs, connected.Namespace) == nil {
		around.Reference = estimate.ReferenceOf(runs.Items)
	}
	if err != nil {
		return unknown(err)
	}
	return func(pods []estimate.Pods) *estimate.Fit {
		fit := estimate.Fits(pods, nodes)
		return &fit
	}
}
