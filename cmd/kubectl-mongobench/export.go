package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

// exported are the files that can be made from a result: the result itself, and the tables that may not have found room
// beside it.
var exported = forms[comparison.Result]{
	"result.json":            writeJSON[comparison.Result],
	comparison.ComparisonKey: func(to sheet, result comparison.Result) error { return comparison.WriteComparison(to, result) },
	comparison.SamplesKey:    func(to sheet, result comparison.Result) error { return comparison.WriteCSV(to, result) },
	comparison.BenchstatKey:  func(to sheet, result comparison.Result) error { return comparison.WriteBenchstat(to, result) },
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
			names, err := export(stored, folder)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(t.Out, "%s are in %s\n", strings.Join(names, ", "), folder)
			return err
		})
	command.Flags().StringVarP(&folder, "directory", "d", "", "folder for the tables; created if missing")
	return command
}

// export writes every table of a result, and the result, and returns the names of the files.
func export(stored cluster.Stored, folder string) ([]string, error) {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return nil, fmt.Errorf("making the folder: %w", err)
	}
	files := maps.Clone(exported)
	for name := range stored.Files.Text {
		files[name] = func(to sheet, _ comparison.Result) error { return writeTable(to, stored, name) }
	}
	names := files.names()
	for _, name := range names {
		// A ConfigMap's keys have no slashes; whoever wrote another one does not get to write elsewhere.
		if filepath.Base(name) != name {
			return nil, fmt.Errorf("the key %q is no name of a file", name)
		}
		err := writeFile(filepath.Join(folder, name), func(to sheet) error { return files[name](to, stored.Result) })
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return names, nil
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
