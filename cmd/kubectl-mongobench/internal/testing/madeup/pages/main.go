package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/testing/madeup"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/result"
)

func main() {
	folder := flag.String("folder", "", "folder of the pages; it is made if need be")
	report := flag.String("report", "hack/page/testdata/standalone.json", "report of a real run, as -o json writes it")
	flag.Parse()
	if *folder == "" {
		fmt.Fprintln(os.Stderr, "pages: say with -folder where to")
		os.Exit(2)
	}
	if err := write(*folder, *report); err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}

// shapes of the reports that are made up.
var (
	long    = madeup.RunShape{Seconds: 1800, Operations: 8, Servers: 12, Seed: 1}
	first   = madeup.RunShape{Seconds: 60, Operations: 2, Servers: 1, Seed: 2}
	second  = madeup.RunShape{Seconds: 60, Operations: 2, Servers: 1, Slowdown: 1.4, Seed: 3}
	suiteOf = madeup.SuiteShape{
		Name: "shards-and-engines", Shards: []int32{1, 2, 4, 8, 12}, Repetitions: 20, Revisions: 30, Seed: 4,
	}
)

const (
	// duetGroups is how many groups of windows a duet has at most, and duetLoss the share of its throughput that the
	// candidate has lost.
	duetGroups, duetLoss = 300, 0.06
)

func write(folder, report string) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return fmt.Errorf("making the folder: %w", err)
	}
	recorded, err := read(report)
	if err != nil {
		return err
	}
	for name, write := range map[string]func(to io.Writer) error{
		"small.html": func(to io.Writer) error {
			return page.Write(to, []page.Source{{Name: "recorded", Report: recorded}})
		},
		"long.html":     func(to io.Writer) error { return writeRuns(to, long) },
		"overlaid.html": func(to io.Writer) error { return writeRuns(to, first, second) },
		"duet.html": func(to io.Writer) error {
			compared, err := madeup.Duet(first, duetGroups, duetLoss)
			if err != nil {
				return err
			}
			return page.Write(to, []page.Source{{Name: "made-up-duet", Report: compared}})
		},
		"suite.html": suite(madeup.Suite(suiteOf)),
		"search.html": suite(madeup.Searched(madeup.SuiteShape{
			Name: "smallest", Shards: []int32{1, 2, 4}, Repetitions: 3, Revisions: 2, Seed: 5,
		})),
		"growth.html": suite(madeup.Growth(10_000_000, 20_000_000, 200_000_000)),
	} {
		if err := writeFile(filepath.Join(folder, name), write); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}

// suite writes the page of a suite that is made up.
func suite(stored cluster.Stored, err error) func(to io.Writer) error {
	return func(to io.Writer) error {
		if err != nil {
			return err
		}
		return page.WriteSuite(to, stored)
	}
}

// writeRuns writes the page of runs that are made up; of several it has a comparison.
func writeRuns(to io.Writer, shapes ...madeup.RunShape) error {
	made, err := sources(shapes...)
	if err != nil {
		return err
	}
	if len(made) == 1 {
		return page.Write(to, made)
	}
	compared, err := compare(made)
	if err != nil {
		return err
	}
	return page.WriteCompared(to, made, compared)
}

// compare compares the runs with the first one.
func compare(runs []page.Source) (comparison.Result, error) {
	var compared comparison.Result
	for _, run := range runs {
		summary, err := result.Summarise(run.Report)
		if err != nil {
			return compared, err
		}
		sample := comparison.Sample{Run: run.Name}
		for _, step := range summary.Steps {
			add := func(metric benchv1alpha1.Metric, operation string, value int64) {
				key := comparison.Key{Metric: metric, Step: step.Name, Operation: operation}
				sample.Figures = append(sample.Figures, comparison.Figure{Key: key, Value: float64(value)})
			}
			add(benchv1alpha1.MetricOperationsPerSecond, "", step.Overall.OperationsPerSecond)
			for _, operation := range step.Operations {
				add(benchv1alpha1.MetricP99Micros, operation.Name, operation.P99Micros)
			}
		}
		compared.Sides = append(compared.Sides, comparison.Side{Name: run.Name, Samples: []comparison.Sample{sample}})
	}
	var pairs []comparison.Pair
	for _, side := range compared.Sides[1:] {
		pairs = append(pairs, comparison.Pair{Baseline: compared.Sides[0], Candidate: side})
	}
	compared.Lines = comparison.Compare(pairs, comparison.Settings{})
	return compared, nil
}

func sources(shapes ...madeup.RunShape) ([]page.Source, error) {
	made := make([]page.Source, 0, len(shapes))
	for i, shape := range shapes {
		report, err := madeup.Run(shape)
		if err != nil {
			return nil, err
		}
		made = append(made, page.Source{Name: fmt.Sprintf("made-up-%d", i+1), Report: report})
	}
	return made, nil
}

// read reads what loadgen run -o json writes.
func read(path string) (reportv1.Report, error) {
	encoded, err := os.ReadFile(path)
	if err != nil {
		return reportv1.Report{}, fmt.Errorf("reading a report: %w", err)
	}
	var recorded struct {
		Report reportv1.Report `json:"report"`
	}
	if err := json.Unmarshal(encoded, &recorded); err != nil {
		return reportv1.Report{}, fmt.Errorf("reading %s: %w", path, err)
	}
	return recorded.Report, nil
}

func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	buffered := bufio.NewWriter(file)
	if err := errors.Join(write(buffered), buffered.Flush(), file.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Printf("pages: %s, %d KiB\n", path, info.Size()>>10)
	return nil
}
