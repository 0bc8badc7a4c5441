package chart

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
	"sigs.k8s.io/yaml"
)

// definitionsFile has the definitions of our kinds.
const definitionsFile = "mongobench-operator/templates/crds.yaml"

// definition is one of them, as far as it is the chart's.
type definition struct {
	Metadata struct {
		Name                string
		Labels, Annotations map[string]string
	}
	Spec any
}

// TestDefinitions: they are those that the chart has (config/crd tests that it has all), they stay with the cluster
// unless that is declined, and a release may do without them.
func TestDefinitions(t *testing.T) {
	files, err := filepath.Glob("../../charts/mongobench-operator/files/crds/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d definitions, error %v", len(files), err)
	}
	for name, tc := range map[string]struct {
		values chartutil.Values
		want   int
		keep   string
	}{
		"by default": {want: len(files), keep: "keep"},
		"not kept":   {values: chartutil.Values{"crds": map[string]any{"keep": false}}, want: len(files)},
		"none":       {values: chartutil.Values{"crds": map[string]any{"install": false}}},
		"with labels of the user": {
			values: chartutil.Values{"commonLabels": map[string]any{"team": "perf"}}, want: len(files), keep: "keep",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := definitions(t, tc.values)
			if len(got) != tc.want {
				t.Fatalf("%d definitions, want %d", len(got), tc.want)
			}
			for i, one := range got {
				one.compare(t, read(t, files[i]), tc.keep)
			}
		})
	}
}

// compare wants a definition to be another, and to be Helm's, with a policy for what becomes of it.
func (d definition) compare(t *testing.T, want definition, keep string) {
	t.Helper()
	if diff := cmp.Diff(want.Spec, d.Spec); diff != "" {
		t.Errorf("%s (-want +got):\n%s", want.Metadata.Name, diff)
	}
	if d.Metadata.Name != want.Metadata.Name || d.Metadata.Annotations["helm.sh/resource-policy"] != keep ||
		d.Metadata.Labels["app.kubernetes.io/managed-by"] != "Helm" {
		t.Errorf("metadata %+v", d.Metadata)
	}
}

// definitions are those that a release has with these values, in the order of their names.
func definitions(t *testing.T, values chartutil.Values) []definition {
	t.Helper()
	_, rendered := renderAll(t, values)
	texts := releaseutil.SplitManifests(rendered[definitionsFile])
	found := make([]definition, 0, len(texts))
	for _, text := range texts {
		var one definition
		if err := yaml.Unmarshal([]byte(text), &one); err != nil {
			t.Fatal(err)
		}
		found = append(found, one)
	}
	slices.SortFunc(found, func(a, b definition) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	return found
}

// renderAll renders every file of the chart.
func renderAll(t *testing.T, values chartutil.Values) (*helmchart.Chart, map[string]string) {
	t.Helper()
	chart := load(t)
	rendered, err := renderFiles(chart, values)
	if err != nil {
		t.Fatal(err)
	}
	return chart, rendered
}

func read(t *testing.T, file string) definition {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var one definition
	if err := yaml.Unmarshal(content, &one); err != nil {
		t.Fatal(err)
	}
	return one
}

// mostRelease is how much of the 1 MiB that a Secret may have a release may take: the definitions grow, and a release
// that does not fit cannot be installed at all.
const mostRelease = 768 << 10

// TestReleaseFitsIntoItsSecret: Helm stores a release as JSON, compressed, and that in base64; the chart's files and
// what they render to are both in it.
func TestReleaseFitsIntoItsSecret(t *testing.T) {
	values, err := chartutil.ReadValuesFile("testdata/full.values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	values["dashboards"] = map[string]any{"enabled": true}
	chart, rendered := renderAll(t, values)
	stored := release.Release{
		Name: "mongobench", Namespace: namespace, Chart: chart, Config: values, Info: &release.Info{},
	}
	for _, name := range slices.Sorted(maps.Keys(rendered)) {
		stored.Manifest += "---\n# Source: " + name + "\n" + rendered[name] + "\n"
	}
	encoded, err := json.Marshal(stored)
	if err != nil {
		t.Fatal(err)
	}
	var compressed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	if err == nil {
		_, err = writer.Write(encoded)
	}
	if err = errors.Join(err, writer.Close()); err != nil {
		t.Fatal(err)
	}
	size := base64.StdEncoding.EncodedLen(compressed.Len())
	t.Logf("the release takes %d bytes", size)
	if size > mostRelease {
		t.Errorf("the release takes %d bytes, and may take %d", size, mostRelease)
	}
}
