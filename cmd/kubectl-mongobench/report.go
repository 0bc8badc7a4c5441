package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/junit"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/picture"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// runForms are the forms of a run's report: those of the load generator, a page and pictures.
var runForms = forms[page.Source]{
	formText: func(to sheet, run page.Source) error { return output.Text(to, run.Report) },
	"json":   func(to sheet, run page.Source) error { return output.JSON(to, run.Report) },
	"csv":    func(to sheet, run page.Source) error { return output.CSV(to, run.Report) },
	formMD:   func(to sheet, run page.Source) error { return output.Markdown(to, "Run "+run.Name, run.Report) },
	formHTML: func(to sheet, run page.Source) error { return page.Write(to, []page.Source{run}) },
	formFTDC: func(to sheet, run page.Source) error { return output.FTDC(to, run.Report) },
	formSVG:  drawn(pictureOf, picture.Picture.WriteSVG),
	formPNG:  drawn(pictureOf, picture.Picture.WritePNG),

	formJUnit: func(to sheet, run page.Source) error { return junit.Run(to, run) },
}

// overlaid is the form of several runs' reports.
var overlaid = forms[[]page.Source]{
	formHTML: func(to sheet, runs []page.Source) error { return page.Write(to, runs) },
}

// suiteForms are the forms of a suite's result.
var suiteForms = forms[cluster.Stored]{
	formText: func(to sheet, stored cluster.Stored) error {
		if _, err := fmt.Fprintf(to, "suite %s, revision %s\n\n", stored.Suite, stored.Revision); err != nil {
			return err
		}
		return show.Comparison(to, to.Paint, stored.Result)
	},
	"json":      func(to sheet, stored cluster.Stored) error { return writeJSON(to, stored.Result) },
	"csv":       func(to sheet, stored cluster.Stored) error { return comparison.WriteCSV(to, stored.Result) },
	"benchstat": func(to sheet, stored cluster.Stored) error { return comparison.WriteBenchstat(to, stored.Result) },
	"otava":     func(to sheet, stored cluster.Stored) error { return writeTable(to, stored, comparison.OtavaKey) },
	formHTML:    func(to sheet, stored cluster.Stored) error { return page.WriteSuite(to, stored) },
	formSVG:     drawn(picture.Suite, picture.Picture.WriteSVG),
	formPNG:     drawn(picture.Suite, picture.Picture.WritePNG),
	formMD: func(to sheet, stored cluster.Stored) error {
		return show.ComparisonMarkdown(to, "Suite "+stored.Suite+", revision "+stored.Revision, stored.Result)
	},
	formJUnit: func(to sheet, stored cluster.Stored) error { return junit.Suite(to, stored) },
}

func pictureOf(run page.Source) (picture.Picture, error) { return picture.Run(run.Name, run.Report) }

// drawn is a form that is a picture.
func drawn[T any](
	draw func(T) (picture.Picture, error), write func(picture.Picture, io.Writer) error,
) func(sheet, T) error {
	return func(to sheet, what T) error {
		made, err := draw(what)
		if err != nil {
			return err
		}
		return write(made, to)
	}
}

func (t *tool) reportCommand() *cobra.Command {
	var asked asked
	var files []string
	command := t.inCluster("report RUN|SUITE", "Print the whole result of a run or suite", nil, runsAndSuites,
		func(ctx context.Context, c *cluster.Cluster, arguments []string) error {
			found, err := c.Find(ctx, arguments[0], runsAndSuites...)
			if err != nil {
				return err
			}
			if suite, ok := found.(*benchv1alpha1.BenchmarkSuite); ok {
				return write(t, asked, suiteForms, "a suite", func() (cluster.Stored, error) {
					return storedFor(ctx, c, suite, asked.form)
				})
			}
			run, _ := found.(*benchv1alpha1.BenchmarkRun)
			return write(t, asked, runForms, "a run", func() (page.Source, error) {
				return sourceFor(ctx, c, run, asked.form)
			})
		})
	fromCluster := command.RunE
	command.RunE = func(command *cobra.Command, arguments []string) error {
		if len(files) > 0 {
			return t.reportFiles(files, asked)
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
	command.Flags().StringArrayVarP(&files, "filename", "f", nil, "JSON report written by loadgen; may be repeated")
	addForms(command, &asked, suiteForms, "for a run "+strings.Join(runForms.names(), ", ")+"; for a suite")
	addFile(command, &asked)
	return command
}

// sourceOf reads the report of a run.
func sourceOf(ctx context.Context, c *cluster.Cluster, run *benchv1alpha1.BenchmarkRun) (page.Source, error) {
	report, err := c.Report(ctx, run)
	if err != nil {
		return page.Source{}, err
	}
	// A report that is stored has none: whatever it says of costs is not the operator's.
	report.Cost = nil
	if run.Status.Result != nil {
		report.Cost = figure.CostOf(run.Status.Result.Cost)
	}
	return page.Source{Name: run.Name, Report: report, Facts: fingerprintOf(run), Object: run}, nil
}

// sourceFor reads what a form of a run needs. That of one that ended without a result is known only to the form that
// says why.
func sourceFor(ctx context.Context, c *cluster.Cluster, run *benchv1alpha1.BenchmarkRun, form string) (
	page.Source, error,
) {
	if form == formJUnit && run.Status.Result == nil && show.StateOfRun(run).Ended() {
		return page.Source{Name: run.Name, Object: run}, nil
	}
	return sourceOf(ctx, c, run)
}

// storedFor reads what a form of a suite needs: the verdicts, for the form that is about these, also where there is no
// result, and with the runs, of which the result has none that failed.
func storedFor(ctx context.Context, c *cluster.Cluster, suite *benchv1alpha1.BenchmarkSuite, form string) (
	stored cluster.Stored, err error,
) {
	if form == formJUnit && suite.Status.Result == nil && show.StateOfSuite(suite, nil).Ended() {
		stored = cluster.Stored{Object: suite}
		stored.Suite, stored.Revision = suite.Name, suite.Status.Revision
	} else if stored, err = c.Result(ctx, suite); err != nil {
		return cluster.Stored{}, err
	}
	if form == formJUnit {
		stored.Runs, err = c.ReadRuns(ctx, suite)
	}
	return stored, err
}

// fingerprintOf is what the operator knows of a run's surroundings and the report does not.
func fingerprintOf(run *benchv1alpha1.BenchmarkRun) present.Facts {
	var facts present.Facts
	facts.Add("Target", run.Status.TargetName)
	if fingerprint := run.Status.Fingerprint; fingerprint != nil {
		facts.Add("Server images", strings.Join(fingerprint.ServerImages, ", "))
		facts.Add("Generator image", fingerprint.GeneratorImage)
		facts.Add("Storage class", fingerprint.StorageClass)
		facts.Add("Nodes", strings.Join(fingerprint.NodeTypes, ", "))
		facts.Add("Node kernels", strings.Join(fingerprint.Kernels, ", "))
		facts.Add("Dataset hash", fingerprint.DatasetHash)
		facts.Add("Workload hash", fingerprint.WorkloadHash)
	}
	return facts
}

// reportFiles writes a form of a report that the load generator wrote as JSON, or one page of several.
func (t *tool) reportFiles(paths []string, asked asked) error {
	if len(paths) == 1 {
		return write(t, asked, runForms, "a run", func() (page.Source, error) { return t.readReport(paths[0]) })
	}
	if asked.form != formHTML {
		return fmt.Errorf("%w: -o %s is of one report, and -f names %d; html lays several over each other", cluster.ErrUsage,
			asked.form, len(paths))
	}
	return write(t, asked, overlaid, "several runs", func() ([]page.Source, error) {
		sources := make([]page.Source, 0, len(paths))
		for _, path := range paths {
			source, err := t.readReport(path)
			if err != nil {
				return nil, err
			}
			sources = append(sources, source)
		}
		return sources, nil
	})
}

// readReport reads the report.json that loadgen run writes. The run is called as the file, or as its folder where that
// says more.
func (t *tool) readReport(path string) (page.Source, error) {
	encoded, err := os.ReadFile(path)
	if err != nil {
		return page.Source{}, fmt.Errorf("reading a report: %w", err)
	}
	var document struct {
		Report reportv1.Report `json:"report"`
	}
	if err := json.Unmarshal(encoded, &document); err != nil {
		return page.Source{}, fmt.Errorf("reading a report: %s: %w", path, err)
	}
	if document.Report.Version != reportv1.Version {
		return page.Source{}, fmt.Errorf("reading a report: %s holds %q, want %q: it has to be a report.json that "+
			"loadgen run -o wrote", path, document.Report.Version, reportv1.Version)
	}
	if text := cluster.LeftOut(path, reportv1.UnknownInFile(encoded)); text != "" {
		t.note(text)
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if absolute, err := filepath.Abs(path); err == nil && name == "report" {
		name = filepath.Base(filepath.Dir(absolute))
	}
	return page.Source{Name: name, Report: document.Report}, nil
}

func (t *tool) exportCommand() *cobra.Command {
	var folder string
	command := t.inCluster("export SUITE -d FOLDER", "Write all tables of a suite's result to a folder",
		cobra.ExactArgs(1), []cluster.Kind{cluster.Suite},
		func(ctx context.Context, c *cluster.Cluster, arguments []string) error {
			if folder == "" {
				return fmt.Errorf("%w: give a folder with -d", cluster.ErrUsage)
			}
			suite, err := c.FindSuite(ctx, arguments[0])
			if err != nil {
				return err
			}
			stored, err := c.Result(ctx, suite)
			if err != nil {
				return err
			}
			files, err := tablesOf(stored)
			if err != nil {
				return err
			}
			saved, err := save(folder, files, stored)
			if err != nil {
				return err
			}
			_, err = io.WriteString(t.Out, saved)
			return err
		})
	command.Flags().StringVarP(&folder, "directory", "d", "", "folder for the tables; created if missing")
	return command
}

// tablesOf are the result itself, the tables that may not have found room beside it, and those that have, by the names
// of their files.
func tablesOf(stored cluster.Stored) (forms[cluster.Stored], error) {
	files := forms[cluster.Stored]{
		"result.json": suiteForms["json"], comparison.SamplesKey: suiteForms["csv"],
		comparison.BenchstatKey: suiteForms["benchstat"],
		comparison.ComparisonKey: func(to sheet, stored cluster.Stored) error {
			return comparison.WriteComparison(to, stored.Result)
		},
	}
	for name := range stored.Files.Text {
		// A ConfigMap's keys have no slashes; whoever wrote another one does not get to write elsewhere.
		if filepath.Base(name) != name {
			return nil, fmt.Errorf("the key %q is no name of a file", name)
		}
		files[name] = func(to sheet, stored cluster.Stored) error { return writeTable(to, stored, name) }
	}
	return files, nil
}

// endings of files, of the forms that are called otherwise.
var endings = map[string]string{formText: "txt", formJUnit: "xml", formFTDC: "ftdc.tar"}

// addReports adds the files of forms to others.
func addReports[T any](files, forms forms[T], names ...string) {
	for _, name := range names {
		files["report."+cmp.Or(endings[name], name)] = forms[name]
	}
}

// save writes files into a folder, and says which are there. What has nothing to draw has no picture.
func save[T any](folder string, files forms[T], what T) (string, error) {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return "", fmt.Errorf("making the folder of the results: %w", err)
	}
	var names []string
	for _, name := range files.names() {
		path := filepath.Join(folder, name)
		switch err := writeFile(path, func(to sheet) error { return files[name](to, what) }); {
		case errors.Is(err, picture.ErrNothing):
			_ = os.Remove(path)
		case err != nil:
			return "", fmt.Errorf("writing %s: %w", path, err)
		default:
			names = append(names, name)
		}
	}
	return fmt.Sprintf("%s are in %s\n", strings.Join(names, ", "), folder), nil
}

// writeTable writes a table as the operator stored it.
func writeTable(to io.Writer, stored cluster.Stored, key string) error {
	table, ok := stored.Files.Text[key]
	if !ok {
		return fmt.Errorf("there was no room for %s beside the result of suite %s", key, stored.Suite)
	}
	_, err := io.WriteString(to, table)
	return err
}
