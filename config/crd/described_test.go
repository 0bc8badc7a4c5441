package crd_test

import (
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/mongobench/mongobench-operator/internal/testing/golden"
)

// TestDescribedOnce wants the fields of a run to be described in the definition of runs only, and not again in that of
// suites, which have a run's spec as their template. With -update, it takes the descriptions out of what was generated:
// twice they are a fifth of what a Helm release has room for in its Secret, and more than 1 MB of this repository.
func TestDescribedOnce(t *testing.T) {
	const file = "mongobench.dev_benchmarksuites.yaml"
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var definition map[string]any
	if err := yaml.Unmarshal(content, &definition); err != nil {
		t.Fatal(err)
	}
	describeOnce(t, definition)
	content, err = yaml.Marshal(definition)
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, file, "---\n"+string(content))
}

// describeOnce takes the descriptions out of the spec of a run in the definition of suites, and says where they are.
func describeOnce(t *testing.T, definition map[string]any) {
	t.Helper()
	versions, _, err := unstructured.NestedSlice(definition, "spec", "versions")
	if err != nil {
		t.Fatal(err)
	}
	for _, served := range versions {
		template := strings.Split("schema openAPIV3Schema properties spec properties template properties spec", " ")
		run, found, err := unstructured.NestedMap(served.(map[string]any), template...)
		if err != nil || !found {
			t.Fatalf("there is no template of runs; error %v", err)
		}
		undescribe(run)
		run["description"] = "spec of a BenchmarkRun; kubectl explain benchmarkrun.spec describes its fields."
		if err := unstructured.SetNestedMap(served.(map[string]any), run, template...); err != nil {
			t.Fatal(err)
		}
	}
	if err := unstructured.SetNestedSlice(definition, versions, "spec", "versions"); err != nil {
		t.Fatal(err)
	}
}

// undescribe takes the description of a schema and of all below it out.
func undescribe(schema map[string]any) {
	delete(schema, "description")
	for _, keyword := range []string{"properties", "items", "additionalProperties"} {
		below, _ := schema[keyword].(map[string]any)
		if keyword != "properties" && below != nil {
			undescribe(below)
			continue
		}
		for _, property := range below {
			undescribe(property.(map[string]any))
		}
	}
}
