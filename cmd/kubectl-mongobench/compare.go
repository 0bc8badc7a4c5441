package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/junit"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

// sideBySide are runs that are compared, and what came of it.
type sideBySide struct {
	comparison.Result
	// runs of all sides, in their order.
	runs []*benchv1alpha1.BenchmarkRun
	// sources are their reports, of a form that needs them.
	sources []page.Source
}

// comparedForms are the forms of a comparison of runs.
var comparedForms = forms[sideBySide]{
	formText: func(to sheet, compared sideBySide) error {
		if err := show.Comparison(to, to.Paint, compared.Result); err != nil {
			return err
		}
		_, err := fmt.Fprintf(to, "\n%s\n", show.Verdicts(compared.Lines))
		return err
	},
	"json": func(to sheet, compared sideBySide) error { return writeJSON(to, compared.Result) },
	"csv":  func(to sheet, compared sideBySide) error { return comparison.WriteComparison(to, compared.Result) },
	formMD: func(to sheet, compared sideBySide) error {
		return show.ComparisonMarkdown(to, show.Verdicts(compared.Lines), compared.Result)
	},
	formHTML: func(to sheet, compared sideBySide) error {
		return page.WriteCompared(to, compared.sources, compared.Result)
	},
	formJUnit: func(to sheet, compared sideBySide) error {
		return junit.Compared(to, "compare", compared.Result)
	},
}

func (t *tool) compareCommand() *cobra.Command {
	var asked asked
	command := t.inCluster("compare RUN[,RUN...] RUN[,RUN...]...", "Compare runs with the first one, side by side",
		cobra.MinimumNArgs(2), []cluster.Kind{cluster.Run},
		func(ctx context.Context, c *cluster.Cluster, arguments []string) error {
			return write(t, asked, comparedForms, "a comparison", func() (sideBySide, error) {
				found, err := compared(ctx, c, arguments)
				if err == nil && asked.form == formHTML {
					err = found.read(ctx, c)
				}
				return found, err
			})
		})
	command.Long = `Compare runs with the first one, side by side.

Names joined by commas are repetitions and count as one side. A verdict needs at least four per side; with fewer the
comparison says Inconclusive, and how many are missing.`
	addForms(command, &asked, comparedForms, "one of")
	addFile(command, &asked)
	return command
}

// compared reads the runs of each side, and compares each side with the first one.
func compared(ctx context.Context, c *cluster.Cluster, names []string) (sideBySide, error) {
	found := sideBySide{Result: comparison.Result{Version: comparison.ResultVersion}}
	for _, name := range names {
		if err := found.add(ctx, c, name); err != nil {
			return sideBySide{}, err
		}
	}
	pairs := make([]comparison.Pair, 0, len(names)-1)
	for _, side := range found.Sides[1:] {
		pairs = append(pairs, comparison.Pair{Baseline: found.Sides[0], Candidate: side})
	}
	found.Lines = comparison.Compare(pairs, comparison.Settings{})
	return found, nil
}

// add reads the runs of one side. A run that is given twice is no second sample.
func (s *sideBySide) add(ctx context.Context, c *cluster.Cluster, names string) error {
	side := comparison.Side{Name: names}
	for name := range strings.SplitSeq(names, ",") {
		run, err := c.FindRun(ctx, name)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(s.runs, func(other *benchv1alpha1.BenchmarkRun) bool { return other.Name == run.Name }) {
			return fmt.Errorf("%w: run %s is there twice", cluster.ErrUsage, run.Name)
		}
		s.runs = append(s.runs, run)
		if run.Status.Result == nil {
			return fmt.Errorf("run %s has no result; see kubectl mongobench describe run/%s", run.Name, run.Name)
		}
		if len(side.Samples) == 0 {
			side.Spec = run.Spec
		}
		side.Samples = append(side.Samples, comparison.SampleOf(run))
	}
	if count := len(side.Samples); count > 1 {
		side.Name = fmt.Sprintf("%s and %d more", side.Samples[0].Run, count-1)
	}
	s.Sides = append(s.Sides, side)
	return nil
}

// read reads the reports of all runs.
func (s *sideBySide) read(ctx context.Context, c *cluster.Cluster) error {
	for _, run := range s.runs {
		source, err := sourceOf(ctx, c, run)
		if err != nil {
			return err
		}
		s.sources = append(s.sources, source)
	}
	return nil
}
