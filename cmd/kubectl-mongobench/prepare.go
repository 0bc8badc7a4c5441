package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/resource"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/doctor"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/estimate"
	"github.com/mongobench/mongobench-operator/config/samples"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/version"
)

// clusterTime is how long a cluster is asked that an estimate can do without.
const clusterTime = 10 * time.Second

func (t *tool) newCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "new [PRESET]",
		Short:     "Print a commented file to start from; without a preset, list all of them",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: samples.Names(),
		RunE: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) == 0 {
				return t.presets()
			}
			content, ok := samples.Read(arguments[0])
			if !ok {
				return fmt.Errorf("%w: there is no preset %q; kubectl mongobench new lists them", cluster.ErrUsage, arguments[0])
			}
			_, err := t.Out.Write(content)
			return err
		},
	}
}

// presets writes a line for each preset: its name, and the first sentence of its comment.
func (t *tool) presets() error {
	table := present.NewTable([]string{"", ""})
	for _, name := range samples.Names() {
		content, _ := samples.Read(name)
		table.Add(name, firstSentence(string(content)))
	}
	return table.Write(t.Out, false)
}

// firstSentence of the comment that a file begins with.
func firstSentence(content string) string {
	var words []string
	for line := range strings.Lines(content) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok || comment == "" {
			break
		}
		words = append(words, strings.TrimSpace(comment))
	}
	text, _, _ := strings.Cut(strings.Join(words, " "), ". ")
	return strings.TrimSuffix(text, ".")
}

// examination is what doctor found, as it is written in JSON.
type examination struct {
	Namespace string           `json:"namespace"`
	Findings  []doctor.Finding `json:"findings"`
}

// doctorForms are the forms of what doctor found.
var doctorForms = forms[examination]{
	formText: func(to sheet, found examination) error {
		table := present.NewTable([]string{"", "", ""})
		for _, finding := range found.Findings {
			told := finding.Found
			if finding.Do != "" {
				told += ". To do: " + finding.Do
			}
			table.Add(string(finding.Level), finding.Check, told)
		}
		return table.Write(to, false)
	},
	"json": writeJSON[examination],
}

func (t *tool) doctorCommand() *cobra.Command {
	var asked asked
	command := t.inCluster("doctor", "Check a cluster before you run anything in it", cobra.NoArgs, nil,
		func(ctx context.Context, c *cluster.Cluster, _ []string) error {
			found := examination{Namespace: c.Namespace}
			err := write(t, asked, doctorForms, "what doctor finds", func() (examination, error) {
				seen, err := doctor.Observe(ctx, c.Client, c.Namespace)
				if err == nil {
					found.Findings = doctor.Examine(seen)
				}
				return found, err
			})
			if err == nil && doctor.Failed(found.Findings) {
				return errTold
			}
			return err
		})
	command.Long = `Check a cluster before you run anything in it. Changes nothing.

Each line says ok, warn or fail, what was found, and what to do. What you may not see, and what no finished run has
recorded about a node, is reported as unknown. The exit code is 1 if any check fails.`
	addForms(command, &asked, doctorForms, "one of")
	return command
}

// estimateForms are the forms of an estimate.
var estimateForms = forms[estimate.Estimate]{
	formText: func(to sheet, found estimate.Estimate) error { return estimate.Write(to, found) },
	"json":   writeJSON[estimate.Estimate],
}

// estimating is what estimate is asked for.
type estimating struct {
	*tool
	files resource.FilenameOptions
	local bool
}

func (t *tool) estimateCommand() *cobra.Command {
	e := &estimating{tool: t}
	var asked asked
	command := &cobra.Command{
		Use:   "estimate -f FILE",
		Short: "Predict what runs and suites will need, before anything starts",
		Args:  cobra.NoArgs,
		Long: `Predict what runs and suites will need, before anything starts: pods, CPU, memory and volumes, the size
of the dataset, and the minimum time.

With a cluster, also say whether that fits on its nodes, and how long the load takes if the target is as fast as that
of the newest finished run in the namespace. Nothing is written to the cluster.`,
		RunE: func(command *cobra.Command, _ []string) error {
			return write(t, asked, estimateForms, "an estimate", func() (estimate.Estimate, error) {
				return e.estimate(command.Context())
			})
		},
	}
	addFiles(command, &e.files, "read")
	command.Flags().BoolVar(&e.local, "local", false, "do not contact a cluster")
	addForms(command, &asked, estimateForms, "one of")
	return command
}

func (e *estimating) estimate(ctx context.Context) (estimate.Estimate, error) {
	objects, err := estimate.Read(e.files) //nolint:contextcheck // Checking a file waits for nothing.
	if err != nil {
		return estimate.Estimate{}, err
	}
	around := estimate.Surroundings{Declared: objects.Targets}
	fits := func([]estimate.Pods) *estimate.Fit { return nil }
	if !e.local {
		fits = e.ask(ctx, &around)
	}
	found, err := estimate.Of(objects, around) //nolint:contextcheck // Checking a run waits for nothing.
	for i := range found.Runs {
		found.Runs[i].Fits = fits(found.Runs[i].Pods)
	}
	for i := range found.Suites {
		found.Suites[i].Fits = fits(found.Suites[i].Pods)
	}
	return found, err
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
	nodes, err := estimate.ReadNodes(ctx, connected.Client)
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
	return func(pods []estimate.Pods) *estimate.Fit { return new(estimate.Fits(pods, nodes)) }
}

func (t *tool) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Long: `Print the version of this program, and the commit it was built from. Asks no cluster: doctor names the image of
the operator.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(t.Out, version.Line("kubectl-mongobench"))
			return err
		},
	}
}
