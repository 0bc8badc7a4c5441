package crd_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/mongobench/mongobench-operator/config/crd"
	"github.com/mongobench/mongobench-operator/internal/strictjson"
	"github.com/mongobench/mongobench-operator/internal/testing/golden"
)

// TestChart wants the chart to have every definition, word for word. There they are JSON with a member to a line: Helm
// keeps the chart and what it renders in each release's Secret, of 1 MiB at most, and YAML takes a fifth more of it.
func TestChart(t *testing.T) {
	folder := filepath.Join("..", "..", "charts", "mongobench-operator", "files", "crds")
	for _, name := range crd.Names() {
		content, _ := crd.Read(name)
		var definition any
		if err := yaml.Unmarshal(content, &definition); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
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
