package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"sigs.k8s.io/yaml"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/process"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/spec/presets"
)

// runFiles are the runs that the load generator is measured with; each can be run by hand too.
//
//go:embed runs/*.yaml
var runFiles embed.FS

const (
	pointsFile     = "points.yaml"
	timeseriesFile = "timeseries.yaml"
	flowFile       = "flow.yaml"
	mixFile        = "mix.yaml"
	// margin is how much longer than a window the load generator measures, so that the window lies within: it is seen
	// working a little late, and warmed up once more.
	margin = 2 * time.Second
)

// writeRun writes the run of a mode, which is one of the files with other numbers, into a folder.
func writeRun(folder string, m mode, window time.Duration) error {
	run, err := readRun(m.run)
	if err != nil {
		return err
	}
	if err := adapt(run, m, window); err != nil {
		return fmt.Errorf("adapting %s: %w", m.run, err)
	}
	if m.replayed {
		if err := replayReads(run, folder, window+2*margin); err != nil {
			return fmt.Errorf("recording the reads of %s: %w", m.run, err)
		}
	}
	content, err := yaml.Marshal(run)
	if err != nil {
		return fmt.Errorf("writing %s: %w", m.run, err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("making a folder for %s: %w", m.run, err)
	}
	return os.WriteFile(filepath.Join(folder, m.run), content, 0o600)
}

func readRun(name string) (*benchv1alpha1.BenchmarkRun, error) {
	content, err := runFiles.ReadFile(path.Join("runs", name))
	if err != nil {
		return nil, err
	}
	run := &benchv1alpha1.BenchmarkRun{}
	if err := yaml.UnmarshalStrict(content, run); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return run, nil
}

// adapt sets the numbers of a mode.
func adapt(run *benchv1alpha1.BenchmarkRun, m mode, window time.Duration) error {
	run.Spec.LoadGenerator.Client = new(benchv1alpha1.Client(m.client))
	if m.batch == 0 && !m.allProcessors {
		// The server has the other processors of a small machine. The floor is the better of one and two.
		run.Spec.LoadGenerator.Processors = new(int32(1))
	}
	if preset := run.Spec.Preset; preset != nil {
		maps.Copy(preset.Parameters, map[string]string{
			"threadcount": strconv.Itoa(m.threads), "target": strconv.Itoa(m.rate),
			"maxexecutiontime": strconv.Itoa(int((window + margin) / time.Second)),
			"readproportion":   share(m.reads), "updateproportion": share(100 - m.reads),
		})
	}
	spec, problems := presets.Expand(run.Spec)
	if len(problems) > 0 {
		return problems.ToAggregate()
	}
	run.Spec = spec
	if m.batch == 0 && m.threads > 0 && m.run != pointsFile {
		step := &run.Spec.Workload.Steps[0]
		step.Threads, step.DurationSeconds = new(int32(m.threads)), new(int32((window+margin)/time.Second))
	}
	if m.database != "" {
		run.Spec.Dataset.Database = &m.database
	}
	if m.batch > 0 {
		run.Spec.Dataset.Load.Threads = new(int32(m.threads))
		run.Spec.Dataset.Load.BatchDocuments = new(int32(m.batch))
		run.Spec.Dataset.Collections[0].DocumentCount = new(int64(endless))
	}
	return nil
}

// ownCost reads what the load generator says of itself in its report: CPU time in microseconds an operation.
func ownCost(content []byte) (micros float64, err error) {
	var result struct {
		Report reportv1.Report `json:"report"`
	}
	if err := json.Unmarshal(content, &result); err != nil {
		return 0, fmt.Errorf("reading the report: %w", err)
	}
	for _, step := range result.Report.Steps {
		if step.Kind != reportv1.KindMeasure {
			continue
		}
		var operations int64
		for _, operation := range step.Operations {
			if operation.Kind != string(benchv1alpha1.OperationFlow) { // Its parts are what is sent.
				operations += operation.Count
			}
			if operation.Errors > 0 {
				return 0, fmt.Errorf("%d operations of %s failed: %v", operation.Errors, operation.Name, operation.ErrorClasses)
			}
		}
		micros = float64(step.Generator.CPUMicros) / float64(operations)
	}
	return micros, nil
}

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
	if err := os.WriteFile(recordedFile, append(encoded, '\n'), 0o600); err != nil {
		return err
	}
	return measureDuets(ctx, o, install, out)
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
		Value: float64(value),
	}
}
