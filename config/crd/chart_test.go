package crd_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/mongobench/mongobench-operator/config/crd"
	"github.com/mongobench/mongobench-operator/internal/strictjson"
	"github.com/mongobench/mongobench-operator/internal/testing/golden"
)

// TestChart wants the chart to have every definition. There they are JSON with a member to a line, and what a suite has of
// a run is described for runs only: Helm keeps the chart and what it renders in each release's Secret, of 1 MiB at most,
// of which YAML takes a fifth more, and the same descriptions a second time another fifth.
func TestChart(t *testing.T) {
	folder := filepath.Join("..", "..", "charts", "mongobench-operator", "files", "crds")
	for _, name := range crd.Names() {
		content, _ := crd.Read(name)
		var definition map[string]any
		if err := yaml.Unmarshal(content, &definition); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		describeOnce(t, definition)
		compact, err := strictjson.Encode(definition)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var lines bytes.Buffer
		if err := json.Indent(&lines, compact, "", ""); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		plural, _, _ := strings.Cut(name, ".")
		golden.Compare(t, filepath.Join(folder, plural+".json"), lines.String()+"\n")
	}
}

// describeOnce takes the descriptions out of the spec of a run in the definition of another kind, and says where they are.
func describeOnce(t *testing.T, definition map[string]any) {
	t.Helper()
	versions, _, err := unstructured.NestedSlice(definition, "spec", "versions")
	if err != nil {
		t.Fatal(err)
	}
	for _, served := range versions {
		template := []string{"schema", "openAPIV3Schema"}
		for _, name := range []string{"spec", "template", "spec"} {
			template = append(template, "properties", name)
		}
		run, found, err := unstructured.NestedMap(served.(map[string]any), template...)
		if err != nil {
			t.Fatal(err)
		}
		if found {
			undescribe(run)
			run["description"] = "spec of a BenchmarkRun; kubectl explain benchmarkrun.spec describes its fields."
			if err := unstructured.SetNestedMap(served.(map[string]any), run, template...); err != nil {
				t.Fatal(err)
			}
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
