package main

import (
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/api/v1alpha1/validation"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// TestStudiesCanBeFollowed does with each study what loadgen does before it connects.
func TestStudiesCanBeFollowed(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "config", "studies", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("finding the studies: %d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			run := benchv1alpha1.BenchmarkRun{}
			if err := yaml.UnmarshalStrict(readFile(t, file), &run); err != nil {
				t.Fatal(err)
			}
			follow(t, run)
		})
	}
}

// follow compiles a run and has its plan checked.
func follow(t *testing.T, run benchv1alpha1.BenchmarkRun) {
	t.Helper()
	if problems := validation.ValidateRun(&run); len(problems) > 0 {
		t.Fatal(problems.ToAggregate())
	}
	encoded, err := planv1.Encode(planv1.Compile(run.Spec))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := planv1.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	plan.Pods = 1
	if err := loadgen.Check(plan); err != nil {
		t.Error(err)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
