package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/process"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

const (
	calibrationFile = "calibration.yaml"
	// calibrationRuns is how many runs a round records, and runPatience how long one may take.
	calibrationRuns = 40
	runPatience     = 2 * time.Minute
	// recordedFile is where the tests of package comparison read what was recorded.
	recordedFile = "internal/comparison/testdata/recorded.json"
)

// measureCalibration makes the same run over and over against one server, and keeps what each came to: material for how
// often a comparison finds a difference where there is none, which the tests of package comparison count.
func measureCalibration(ctx context.Context, o options, install installer, out io.Writer) error {
	loadgen, err := install.build(ctx, ".", "./cmd/loadgen", filepath.Join(install.scratch, "loadgen"))
	if err != nil {
		return err
	}
	content, err := runFiles.ReadFile("runs/" + calibrationFile)
	if err != nil {
		return err
	}
	file := filepath.Join(install.scratch, calibrationFile)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return err
	}
	server, err := startServer(ctx, o.cache)
	if err != nil {
		return err
	}
	defer server.stop()
	samples := make([]comparison.Sample, 0, o.rounds*calibrationRuns)
	for i := range cap(samples) {
		_, _ = fmt.Fprintf(install.log, "bench: run %d of %d\n", i+1, cap(samples))
		sample, err := recordRun(ctx, loadgen, file, server.address, install.scratch)
		if err != nil {
			return err
		}
		sample.Run, sample.Repetition = fmt.Sprintf("run-%d", i+1), i+1
		samples = append(samples, sample)
	}
	encoded, err := json.MarshalIndent(samples, "", " ")
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "\n%d runs are in %s; "+
		"go test -v -run Calibration ./internal/comparison counts what is found\n",
		len(samples), recordedFile)
	return os.WriteFile(recordedFile, append(encoded, '\n'), 0o600)
}

// recordRun makes one run and returns its figures.
func recordRun(ctx context.Context, loadgen, file, address, scratch string) (comparison.Sample, error) {
	folder, err := os.MkdirTemp(scratch, "run-")
	if err != nil {
		return comparison.Sample{}, err
	}
	p, err := process.Start("loadgen", process.Command{Path: loadgen, Arguments: []string{
		"run", "-f", file, "--uri", "mongodb://" + address, "-o", folder,
	}})
	if err != nil {
		return comparison.Sample{}, err
	}
	if err := p.Await(ctx, runPatience); err != nil {
		p.Kill()
		return comparison.Sample{}, err
	}
	content, err := os.ReadFile(filepath.Join(folder, "report.json"))
	if err != nil {
		return comparison.Sample{}, err
	}
	return sampleOfReport(content)
}

// sampleOfReport takes the figures from a report that the load generator wrote by hand; a run on a cluster has the same
// in its status.
func sampleOfReport(content []byte) (comparison.Sample, error) {
	var written struct {
		Summary reportv1.Summary `json:"summary"`
	}
	if err := json.Unmarshal(content, &written); err != nil {
		return comparison.Sample{}, fmt.Errorf("reading the report: %w", err)
	}
	if len(written.Summary.Steps) == 0 {
		return comparison.Sample{}, errors.New("the report has no step that was measured")
	}
	sample := comparison.Sample{Variant: "default", SpecHash: "calibration"}
	for _, step := range written.Summary.Steps {
		sample.Figures = append(sample.Figures, figureOf(step.Name, "", benchv1alpha1.MetricOperationsPerSecond,
			step.Overall.OperationsPerSecond))
		for _, operation := range step.Operations {
			sample.Figures = append(sample.Figures,
				figureOf(step.Name, operation.Name, benchv1alpha1.MetricP50Micros, operation.P50Micros),
				figureOf(step.Name, operation.Name, benchv1alpha1.MetricP99Micros, operation.P99Micros))
		}
	}
	return sample, nil
}

func figureOf(step, operation string, metric benchv1alpha1.Metric, value int64) comparison.Figure {
	return comparison.Figure{
		Key:   comparison.Key{Metric: metric, Step: step, Operation: operation},
		Value: value,
	}
}
