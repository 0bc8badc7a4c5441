package chart

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mongobench/mongobench-operator/hack/chart/dashboards"
)

// grafanaSchema is made of Grafana's own types, by schema/make.sh.
const grafanaSchema = "testdata/dashboard.schema.json"

// TestDashboardsAreAsGrafanaWantsThem holds them against the types of Grafana's package @grafana/schema: what it does
// not know, and what is of another type, fails.
func TestDashboardsAreAsGrafanaWantsThem(t *testing.T) {
	path, err := filepath.Abs(grafanaSchema)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, board := range dashboards.All() {
		if err := schema.Validate(decoded(t, encode(t, board))); err != nil {
			t.Errorf("dashboard %s: %v", name, err)
		}
	}
	// What it would find.
	run := string(encode(t, dashboards.All()["run"]))
	for good, bad := range map[string]string{
		`"schemaVersion"`: `"schemaversion"`, `"type": "timeseries"`: `"type": "timeline"`, `"fillOpacity"`: `"fillopacity"`,
		`"showLegend": true`: `"showLegend": "yes"`, `"refresh": 2`: `"refresh": 7`, `"collapsed": false`: `"closed": false`,
	} {
		spoiled := strings.Replace(run, good, bad, 1)
		if spoiled == run {
			t.Errorf("dashboard run has no %s", good)
			continue
		}
		if err := schema.Validate(decoded(t, []byte(spoiled))); err == nil {
			t.Errorf("a dashboard with %s is taken", bad)
		}
	}
}

func decoded(t *testing.T, encoded []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	return value
}
