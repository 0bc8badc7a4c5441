package samples_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	runspec "github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/golden"
)

// TestThePlansAreThoseOfBefore holds the studies to the plans that they had before their spelling changed: the golden
// file was written when targets had a topology, and documents were strings.
func TestThePlansAreThoseOfBefore(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("studies", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for document := range bytes.SplitSeq(content, []byte("\n---\n")) {
			for name, spec := range runsOf(t, document) {
				lines = append(lines, fmt.Sprintf("%s %s %s", filepath.Base(file), name, hash(t, spec)))
			}
		}
	}
	slices.Sort(lines)
	golden.Compare(t, filepath.Join("testdata", "plans.txt"), strings.Join(lines, "\n")+"\n")
}

// runsOf are the runs that a document stands for, by name.
func runsOf(t *testing.T, document []byte) map[string]benchv1alpha1.BenchmarkRunSpec {
	t.Helper()
	run := benchv1alpha1.BenchmarkRun{}
	if err := yaml.Unmarshal(document, &run); err != nil {
		t.Fatal(err)
	}
	switch run.Kind {
	case "BenchmarkRun":
		return map[string]benchv1alpha1.BenchmarkRunSpec{run.Name: run.Spec}
	case "BenchmarkSuite":
		declared := benchv1alpha1.BenchmarkSuite{}
		if err := yaml.UnmarshalStrict(document, &declared); err != nil {
			t.Fatal(err)
		}
		compiled, errs := suite.Compile(&declared)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		found := map[string]benchv1alpha1.BenchmarkRunSpec{}
		for _, variant := range compiled.Variants {
			found[declared.Name+"/"+variant.Name] = variant.Spec
		}
		return found
	default:
		return nil
	}
}

func hash(t *testing.T, spec benchv1alpha1.BenchmarkRunSpec) string {
	t.Helper()
	encoded, err := planv1.Encode(runspec.Compile(spec))
	if err != nil {
		t.Fatal(err)
	}
	return planv1.Hash(encoded)
}
