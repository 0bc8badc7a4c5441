package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// reportFiles writes a form of a report that the load generator wrote as JSON, or one page of several.
func (t *tool) reportFiles(paths []string, name, out string) error {
	form, err := formOf(runForms, name, "a run")
	if err != nil {
		return err
	}
	if len(paths) > 1 && name != formHTML {
		return fmt.Errorf("%w: -o %s is of one report, and -f names %d; html lays several over each other", cluster.ErrUsage,
			name, len(paths))
	}
	sources := make([]page.Source, 0, len(paths))
	for _, path := range paths {
		source, err := readReport(path)
		if err != nil {
			return err
		}
		sources = append(sources, source)
	}
	return t.into(out, func(t *tool) error {
		if len(sources) > 1 {
			return page.Write(t.Out, sources)
		}
		return form(t.Out, sources[0])
	})
}

// readReport reads the report.json that loadgen run writes. The run is called as the file, or as its folder where that
// says more.
func readReport(path string) (page.Source, error) {
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
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if absolute, err := filepath.Abs(path); err == nil && name == "report" {
		name = filepath.Base(filepath.Dir(absolute))
	}
	return page.Source{Name: name, Report: document.Report}, nil
}

// fingerprintOf is what the operator knows of a run's surroundings and the report does not.
func fingerprintOf(run *benchv1alpha1.BenchmarkRun) []output.Fact {
	var facts []output.Fact
	add := func(name string, values ...string) {
		if joined := strings.Join(values, ", "); joined != "" {
			facts = append(facts, output.Fact{Name: name, Text: joined})
		}
	}
	add("Target", run.Status.TargetName)
	if fingerprint := run.Status.Fingerprint; fingerprint != nil {
		add("Server images", fingerprint.ServerImages...)
		add("Generator image", fingerprint.GeneratorImage)
		add("Storage class", fingerprint.StorageClass)
		add("Nodes", fingerprint.NodeTypes...)
		add("Node kernels", fingerprint.Kernels...)
		add("Dataset hash", fingerprint.DatasetHash)
		add("Workload hash", fingerprint.WorkloadHash)
	}
	return facts
}
