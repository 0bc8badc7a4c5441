package estimate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/estimate"
)

// TestFilesThatTheAPIServerWouldRefuse: each error names the field.
func TestFilesThatTheAPIServerWouldRefuse(t *testing.T) {
	const run = "apiVersion: mongobench.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: r}\nspec:\n" +
		"  target: {mongodb: {version: \"6.0.5\"}}\n"
	const workload = "  workload: {steps: [{name: read, durationSeconds: 5, operations: [{name: find, kind: FindOne}]}]}\n"
	const dataset = "  dataset: {collections: [{name: c, documentCount: 1}]}\n"
	const suite = "apiVersion: mongobench.dev/v1alpha1\nkind: BenchmarkSuite\nmetadata: {name: s}\nspec:\n"
	const template = suite + "  template:\n    spec:\n      target: {mongodb: {version: \"6.0.5\"}}\n" +
		"    " + dataset + "    " + workload
	tests := map[string]struct{ content, want string }{
		"a name that YAML reads as false": {
			run + "  dataset: {collections: [{name: c, fields: [{name: n, type: Int}]}]}\n" + workload,
			`BenchmarkRun r: spec.dataset.collections[0].fields[0].name: Invalid value: "boolean"`,
		},
		"a field that is not known": {run + dataset + workload + "  sede: 5\n", "spec.sede: Forbidden: is not known"},
		"a rule of two fields": {
			run + dataset + strings.Replace(workload, "durationSeconds", "operationCount: 1, durationSeconds", 1),
			"spec.workload.steps[0].durationSeconds: Invalid value: exactly one of durationSeconds and operationCount",
		},
		"a suite": {suite + "  repetitions: 0\n", "BenchmarkSuite s: [spec.repetitions: Invalid value"},
		"what a patch makes of a run": {
			template + "  matrix: {include: [{name: a, patch: {workload: {steps: [{name: read, operationCount: 5}]}}}]}\n",
			"suite s: variant a: spec.workload.steps[0].durationSeconds: Invalid value: exactly one",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file.yaml")
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			objects, err := estimateFile(path)
			if err == nil {
				_, err = estimate.Of(objects, estimate.Surroundings{})
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}
