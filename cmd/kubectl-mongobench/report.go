package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/picture"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// formText is the form for people, and what is written unless another is asked for.
const formText = "text"

// formHTML is a page, and formMD what a pull request shows.
const (
	formHTML = "html"
	formMD   = "md"
)

// runForms are the forms of a run's report: those of the load generator, and a page.
var runForms = map[string]func(to io.Writer, run page.Source) error{
	formText: func(to io.Writer, run page.Source) error { return output.Text(to, run.Report) },
	"json":   func(to io.Writer, run page.Source) error { return output.JSON(to, run.Report) },
	"csv":    func(to io.Writer, run page.Source) error { return output.CSV(to, run.Report) },
	formMD:   func(to io.Writer, run page.Source) error { return output.Markdown(to, "Run "+run.Name, run.Report) },
	formHTML: func(to io.Writer, run page.Source) error { return page.Write(to, []page.Source{run}) },
	formSVG:  func(to io.Writer, run page.Source) error { return drawRun(to, run, picture.Picture.WriteSVG) },
	formPNG:  func(to io.Writer, run page.Source) error { return drawRun(to, run, picture.Picture.WritePNG) },
}

// suiteForms are the forms of a suite's result.
var suiteForms = map[string]func(t *tool, stored cluster.Stored) error{
	formText: func(t *tool, stored cluster.Stored) error {
		if _, err := fmt.Fprintf(t.Out, "suite %s, revision %s\n\n", stored.Suite, stored.Revision); err != nil {
			return err
		}
		return show.Comparison(t.Out, t.paint(), stored.Result)
	},
	"json":      func(t *tool, stored cluster.Stored) error { return writeJSON(t.Out, stored.Result) },
	"csv":       func(t *tool, stored cluster.Stored) error { return comparison.WriteCSV(t.Out, stored.Result) },
	"benchstat": func(t *tool, stored cluster.Stored) error { return comparison.WriteBenchstat(t.Out, stored.Result) },
	"otava":     func(t *tool, stored cluster.Stored) error { return writeTable(t.Out, stored, comparison.OtavaKey) },
	formHTML:    func(t *tool, stored cluster.Stored) error { return page.WriteSuite(t.Out, stored) },
	formSVG:     func(t *tool, stored cluster.Stored) error { return drawSuite(t.Out, stored, picture.Picture.WriteSVG) },
	formPNG:     func(t *tool, stored cluster.Stored) error { return drawSuite(t.Out, stored, picture.Picture.WritePNG) },
	formMD: func(t *tool, stored cluster.Stored) error {
		return show.ComparisonMarkdown(t.Out, "Suite "+stored.Suite+", revision "+stored.Revision, stored.Result)
	},
}

func (t *tool) reportCommand() *cobra.Command {
	var form, out string
	var files []string
	command := t.inCluster("report RUN|SUITE", "Print the whole result of a run or suite", nil,
		func(ctx context.Context, c *cluster.Cluster, arguments []string) error {
			found, err := c.Find(ctx, arguments[0], cluster.Run, cluster.Suite)
			if err != nil {
				return err
			}
			if suite, ok := found.(*benchv1alpha1.BenchmarkSuite); ok {
				return t.reportSuite(ctx, c, suite, form, out)
			}
			run, _ := found.(*benchv1alpha1.BenchmarkRun)
			return t.reportRun(ctx, c, run, form, out)
		})
	fromCluster := command.RunE
	command.RunE = func(command *cobra.Command, arguments []string) error {
		if len(files) > 0 {
			return t.reportFiles(files, form, out)
		}
		return fromCluster(command, arguments)
	}
	command.Args = func(command *cobra.Command, arguments []string) error {
		if len(files) > 0 {
			return cobra.NoArgs(command, arguments)
		}
		return cobra.ExactArgs(1)(command, arguments)
	}
	command.Long = `Print the whole result of a run or suite.

With -f, read a report.json written by loadgen run, without contacting a cluster; several files make one page that
overlays the runs.`
	command.ValidArgsFunction = t.names(cluster.Run, cluster.Suite)
	command.Flags().StringArrayVarP(&files, "filename", "f", nil, "JSON report written by loadgen; may be repeated")
	addForm(command, &form, suiteForms,
		"for a run "+strings.Join(slices.Sorted(maps.Keys(runForms)), ", ")+"; for a suite")
	addOut(command, &out)
	return command
}

// addOut adds the flag that says where to write.
func addOut(command *cobra.Command, into *string) {
	command.Flags().StringVar(into, "out", "", "file to write to; default: standard output")
}

// into has a form written into a file, or to the output when there is none.
func (t *tool) into(out string, write func(t *tool) error) error {
	if out == "" {
		return write(t)
	}
	return writeFile(out, func(to io.Writer) error {
		there := *t
		there.Out = to
		return write(&there)
	})
}

// addForm adds the flag -o, with the forms that there are.
func addForm[F any](command *cobra.Command, into *string, forms map[string]F, what string) {
	names := slices.Sorted(maps.Keys(forms))
	command.Flags().StringVarP(into, "output", "o", formText, what+" "+strings.Join(names, ", "))
	// It fails for a flag that is not there, only.
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// formOf is the form of a name.
func formOf[F any](forms map[string]F, name, of string) (F, error) {
	form, ok := forms[name]
	if !ok {
		names := strings.Join(slices.Sorted(maps.Keys(forms)), ", ")
		return form, fmt.Errorf("%w: -o %s: %s can be written as %s", cluster.ErrUsage, name, of, names)
	}
	return form, nil
}

func (t *tool) reportRun(
	ctx context.Context, c *cluster.Cluster, run *benchv1alpha1.BenchmarkRun, name, out string,
) error {
	form, err := formOf(runForms, name, "a run")
	if err != nil {
		return err
	}
	source, err := sourceOf(ctx, c, run)
	if err != nil {
		return err
	}
	return t.into(out, func(t *tool) error { return form(t.Out, source) })
}

// sourceOf reads the report of a run.
func sourceOf(ctx context.Context, c *cluster.Cluster, run *benchv1alpha1.BenchmarkRun) (page.Source, error) {
	report, err := c.Report(ctx, run)
	if err != nil {
		return page.Source{}, err
	}
	return page.Source{Name: run.Name, Report: report, Facts: fingerprintOf(run)}, nil
}

func (t *tool) reportSuite(
	ctx context.Context, c *cluster.Cluster, suite *benchv1alpha1.BenchmarkSuite, name, out string,
) error {
	form, err := formOf(suiteForms, name, "a suite")
	if err != nil {
		return err
	}
	stored, err := c.Result(ctx, suite)
	if err != nil {
		return err
	}
	return t.into(out, func(t *tool) error { return form(t, stored) })
}
