package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"sigs.k8s.io/yaml"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/presets"
)

// runFiles are the runs that the load generator is measured with; each can be run by hand too.
//
//go:embed runs/*.yaml
var runFiles embed.FS

const (
	pointsFile     = "points.yaml"
	timeseriesFile = "timeseries.yaml"
	// margin is how much longer than a window the load generator measures, so that the window lies within: it is seen
	// working a little late, and warmed up once more.
	margin = 2 * time.Second
)

// writeRun writes the run of a mode, which is one of the files with other numbers, and returns where.
func writeRun(folder string, m mode, window time.Duration) (string, error) {
	run, err := readRun(m.run)
	if err != nil {
		return "", err
	}
	if err := adapt(run, m, window); err != nil {
		return "", fmt.Errorf("adapting %s: %w", m.run, err)
	}
	content, err := yaml.Marshal(run)
	if err != nil {
		return "", fmt.Errorf("writing %s: %w", m.run, err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("making a folder for %s: %w", m.run, err)
	}
	file := filepath.Join(folder, m.run)
	return file, os.WriteFile(file, content, 0o600)
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
			operations += operation.Count
			if operation.Errors > 0 {
				return 0, fmt.Errorf("%d operations of %s failed: %v", operation.Errors, operation.Name, operation.ErrorClasses)
			}
		}
		micros = float64(step.Generator.CPUMicros) / float64(operations)
	}
	return micros, nil
}
