package chart

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
)

const (
	chartPath = "../../charts/mongobench-operator"
	namespace = "mongobench-system"
)

var update = flag.Bool("update", false, "rewrite the expected output")

func TestLint(t *testing.T) {
	result := lint.All(chartPath, nil, namespace, true)
	for _, message := range result.Messages {
		if message.Severity >= support.WarningSev {
			t.Error(message)
		}
	}
}

// TestRender renders the chart with each file of values in testdata and compares the whole.
func TestRender(t *testing.T) {
	files, err := filepath.Glob("testdata/*.values.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files of values, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".values.yaml"), func(t *testing.T) {
			values, err := chartutil.ReadValuesFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := render(load(t), values)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, strings.TrimSuffix(file, ".values.yaml")+".golden.yaml", got)
		})
	}
}

func TestWrongValuesAreRefused(t *testing.T) {
	tests := map[string]struct {
		values  chartutil.Values
		wantErr string
	}{
		"a value that does not exist": {
			values: chartutil.Values{"watchNamespace": "a"}, wantErr: "watchNamespace",
		},
		"a namespace that cannot be one": {
			values: chartutil.Values{"watchNamespaces": []any{"A_b"}}, wantErr: "watchNamespaces",
		},
		"a port that needs privileges": {
			values: chartutil.Values{"metrics": map[string]any{"port": 80}}, wantErr: "port",
		},
		"no time to be stuck in": {
			values:  chartutil.Values{"metrics": map[string]any{"prometheusRule": map[string]any{"stuckMinutes": 0}}},
			wantErr: "stuckMinutes",
		},
		"an interval without a unit": {
			values:  chartutil.Values{"metrics": map[string]any{"podMonitor": map[string]any{"interval": "5"}}},
			wantErr: "interval",
		},
		"results of less than no runs": {
			values: chartutil.Values{"metrics": map[string]any{"results": -1}}, wantErr: "results",
		},
		"less than no runs": {
			values: chartutil.Values{"runsPerNodePool": -1}, wantErr: "runsPerNodePool",
		},
		"a platform that is none": {
			values: chartutil.Values{"platform": "Nomad"}, wantErr: "platform",
		},
		"a setting of pods that is none": {
			values:  chartutil.Values{"podDefaults": map[string]any{"nodeSelectors": map[string]any{}}},
			wantErr: "nodeSelectors",
		},
		"a name that no object can have": {
			values: chartutil.Values{"fullnameOverride": "a.b"}, wantErr: "fullnameOverride",
		},
		"a digest of another kind": {
			values: chartutil.Values{"image": map[string]any{"digest": "v1"}}, wantErr: "digest",
		},
		"an argument that is no flag": {
			values: chartutil.Values{"extraArgs": []any{"leader"}}, wantErr: "extraArgs",
		},
		"a variable without a name": {
			values: chartutil.Values{"extraEnv": []any{map[string]any{"value": "x"}}}, wantErr: "extraEnv",
		},
		"a reader of an unknown kind": {
			values: chartutil.Values{"metrics": map[string]any{
				"readers": []any{map[string]any{"kind": "Pod", "name": "x"}},
			}},
			wantErr: "readers",
		},
		"no reconciles at all": {
			values: chartutil.Values{"maxConcurrentReconciles": 0}, wantErr: "maxConcurrentReconciles",
		},
		"a budget of words": {
			values: chartutil.Values{"podDisruptionBudget": map[string]any{"maxUnavailable": "one"}}, wantErr: "maxUnavailable",
		},
		"values of a chart that had no definitions to keep": {
			values: chartutil.Values{"crds": nil}, wantErr: "--reset-then-reuse-values",
		},
		"a level that the operator does not know": {
			values: chartutil.Values{"logLevel": "loud"}, wantErr: "logLevel",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := render(load(t), tc.values)
			if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
				t.Errorf("error %v, want one that names %s", err, tc.wantErr)
			}
		})
	}
}

// TestNamespacedOperatorHasNoClusterRights: watchNamespaces is the promise that nothing is granted elsewhere.
func TestNamespacedOperatorHasNoClusterRights(t *testing.T) {
	got, err := render(load(t), chartutil.Values{"watchNamespaces": []any{"a", "b"}, "aggregateRoles": false})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got, "kind: ClusterRole") {
		t.Error("a namespaced operator got cluster-wide rights")
	}
	if !strings.Contains(got, "--namespaces=a,b") {
		t.Error("the operator is not told its namespaces")
	}
}

func load(t *testing.T) *helmchart.Chart {
	t.Helper()
	chart, err := loader.Load(chartPath)
	if err != nil {
		t.Fatal(err)
	}
	return chart
}

// render returns all that a release would install, besides the CRDs, in the order of the file names.
func render(chart *helmchart.Chart, values chartutil.Values) (string, error) {
	rendered, err := renderFiles(chart, values)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(rendered)) {
		if name == definitionsFile {
			continue
		}
		if text := strings.TrimSpace(rendered[name]); text != "" {
			out.WriteString("# " + name + "\n" + text + "\n")
		}
	}
	return out.String(), nil
}

// renderFiles returns what each file of the chart renders to.
func renderFiles(chart *helmchart.Chart, values chartutil.Values) (map[string]string, error) {
	release := chartutil.ReleaseOptions{Name: "mongobench", Namespace: namespace, IsInstall: true, Revision: 1}
	all, err := chartutil.ToRenderValues(chart, values, release, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(chart, all)
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the chart renders otherwise than %s (-want +got); if that is right: go test ./... -update\n%s", file, diff)
	}
}
