package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

// madeAnew are the tables that can be made from a result, should they not have found room beside it.
var madeAnew = map[string]func(io.Writer, comparison.Result) error{
	comparison.ComparisonKey: comparison.WriteComparison,
	comparison.SamplesKey:    comparison.WriteCSV,
	comparison.BenchstatKey:  comparison.WriteBenchstat,
}

// resultFile is the result as plain JSON.
const resultFile = "result.json"

func (t *tool) exportCommand() *cobra.Command {
	var folder string
	command := t.inCluster("export SUITE -d FOLDER", "Write all tables of a suite's result to a folder",
		cobra.ExactArgs(1), func(ctx context.Context, c *cluster.Cluster, arguments []string) error {
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
	command.ValidArgsFunction = t.names(cluster.Suite)
	command.Flags().StringVarP(&folder, "directory", "d", "", "folder for the tables; created if missing")
	return command
}

// export writes every table of a result, and the result, and returns the names of the files.
func export(stored cluster.Stored, folder string) ([]string, error) {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return nil, fmt.Errorf("making the folder: %w", err)
	}
	writers := map[string]func(io.Writer) error{
		resultFile: func(to io.Writer) error { return writeJSON(to, stored.Result) },
	}
	for name, write := range madeAnew {
		writers[name] = func(to io.Writer) error { return write(to, stored.Result) }
	}
	for name := range stored.Files.Text {
		writers[name] = func(to io.Writer) error { return writeTable(to, stored, name) }
	}
	names := slices.Sorted(maps.Keys(writers))
	for _, name := range names {
		// A ConfigMap's keys have no slashes; whoever wrote another one does not get to write elsewhere.
		if filepath.Base(name) != name {
			return nil, fmt.Errorf("the key %q is no name of a file", name)
		}
		if err := writeFile(filepath.Join(folder, name), writers[name]); err != nil {
			return nil, fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return names, nil
}

func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	err = write(file)
	return errors.Join(err, file.Close())
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

func writeJSON(to io.Writer, value any) error {
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
