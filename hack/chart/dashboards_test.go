package chart

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"github.com/mongobench/mongobench-operator/hack/chart/dashboards"
	"github.com/mongobench/mongobench-operator/internal/figure"
)

// TestDashboardsAreThoseOfTheChart compares what package dashboards makes with the files of the chart.
func TestDashboardsAreThoseOfTheChart(t *testing.T) {
	made := dashboards.All()
	for name, board := range made {
		compare(t, filepath.Join(chartPath, "dashboards", name+".json"), string(encode(t, board)))
	}
	files, err := filepath.Glob(filepath.Join(chartPath, "dashboards", "*"))
	if err != nil || len(files) != len(made) {
		t.Errorf("the chart has the dashboards %v (%v), and %d are made", files, err, len(made))
	}
}

func encode(t *testing.T, board dashboards.Dashboard) []byte {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(board); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func TestDashboardsAreConfigMapsForTheSidecar(t *testing.T) {
	if got, err := render(load(t), nil); err != nil || strings.Contains(got, "grafana") {
		t.Errorf("the default values install dashboards (%v)", err)
	}
	got, err := render(load(t), chartutil.Values{"dashboards": map[string]any{
		"enabled": true, "namespace": "monitoring", "annotations": map[string]any{"grafana_folder": "Benchmarks"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for text := range strings.SplitSeq(got, "\n---\n") {
		if !strings.Contains(text, "grafana_dashboard") {
			continue
		}
		text, _, _ = strings.Cut(text, "\n# mongobench-operator/")
		object := struct {
			Kind     string
			Metadata struct {
				Name, Namespace     string
				Labels, Annotations map[string]string
			}
			Data map[string]string
		}{}
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(object.Metadata.Name, "mongobench-operator-dashboard-")
		found[name] = true
		meta := []string{
			object.Kind, object.Metadata.Namespace, object.Metadata.Labels["grafana_dashboard"],
			object.Metadata.Annotations["grafana_folder"],
		}
		if diff := cmp.Diff([]string{"ConfigMap", "monitoring", "1", "Benchmarks"}, meta); diff != "" {
			t.Errorf("ConfigMap %s (-want +got):\n%s", object.Metadata.Name, diff)
		}
		want := strings.TrimSpace(string(encode(t, dashboards.All()[name])))
		if diff := cmp.Diff(want, strings.TrimSpace(object.Data["mongobench-"+name+".json"])); diff != "" {
			t.Errorf("dashboard %q is another one in its ConfigMap (-want +got):\n%s", name, diff)
		}
	}
	if len(found) != len(dashboards.All()) {
		t.Errorf("ConfigMaps of the dashboards %v", slices.Sorted(maps.Keys(found)))
	}
}

// TestPanelsAreToldApart wants of every panel what a reader needs, and that none covers another.
func TestPanelsAreToldApart(t *testing.T) {
	for name, board := range dashboards.All() {
		titles, ids := map[string]bool{}, map[int]bool{}
		for _, panel := range board.Panels {
			if titles[panel.Title] || ids[panel.ID] {
				t.Errorf("dashboard %s: two panels are called %q or have the number %d", name, panel.Title, panel.ID)
			}
			titles[panel.Title], ids[panel.ID] = true, true
			checkPanel(t, name, panel)
		}
		checkPlaces(t, name, board.Panels)
	}
}

func checkPlaces(t *testing.T, name string, panels []dashboards.Panel) {
	t.Helper()
	taken := map[[2]int]string{}
	for _, panel := range panels {
		place := panel.GridPos
		if place.W < 1 || place.H < 1 || place.X+place.W > 24 {
			t.Errorf("dashboard %s: panel %q has the place %+v", name, panel.Title, place)
		}
		for cell := range place.W * place.H {
			at := [2]int{place.X + cell%place.W, place.Y + cell/place.W}
			if other := taken[at]; other != "" {
				t.Fatalf("dashboard %s: panel %q lies over %q", name, panel.Title, other)
			}
			taken[at] = panel.Title
		}
	}
}

func checkPanel(t *testing.T, name string, panel dashboards.Panel) {
	t.Helper()
	if panel.Type == "row" {
		return
	}
	if panel.Title == "" || panel.Description == "" || len(panel.Targets) == 0 {
		t.Errorf("dashboard %s: panel %q has the description %q and %d queries", name, panel.Title, panel.Description,
			len(panel.Targets))
	}
	if panel.FieldConfig.Defaults.Unit == "" {
		t.Errorf("dashboard %s: panel %q has no unit", name, panel.Title)
	}
	if panel.Datasource == nil || panel.Datasource.UID != "${datasource}" {
		t.Errorf("dashboard %s: panel %q does not ask the data source that was chosen", name, panel.Title)
	}
}

// variables stand for what Grafana puts in their place.
var variables = strings.NewReplacer("$__rate_interval", "1m", "$__range", "1h", "$namespace", "a", "$run", "b",
	"$suite", "c", "$variant", "d")

// labelValues is the query of a variable.
var labelValues = regexp.MustCompile(`^label_values\((.+), ([a-z]+)\)$`)

// expressions are all queries of a dashboard with their places.
func expressions(t *testing.T, board dashboards.Dashboard) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, variable := range board.Templating.List {
		if variable.Type != "query" {
			continue
		}
		match := labelValues.FindStringSubmatch(variable.Definition)
		if match == nil || match[2] != variable.Name {
			t.Errorf("variable %s has the query %q", variable.Name, variable.Definition)
			continue
		}
		all["variable "+variable.Name] = match[1]
	}
	for _, annotation := range board.Annotations.List {
		all["annotation "+annotation.Name] = annotation.Expr
	}
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			all["panel "+panel.Title+" "+target.RefID] = target.Expr
		}
	}
	return all
}

// TestQueriesAskForMetricsThatThereAre parses every query as Prometheus does, and looks up every metric in the sources.
func TestQueriesAskForMetricsThatThereAre(t *testing.T) {
	known := knownMetrics(t)
	for name, board := range dashboards.All() {
		for place, query := range expressions(t, board) {
			checkQuery(t, known, "dashboard "+name+", "+place, query)
		}
	}
}

func checkQuery(t *testing.T, known map[string]bool, place, query string) {
	t.Helper()
	filled := variables.Replace(query)
	if strings.Contains(filled, "$") {
		t.Errorf("%s: an unknown variable in %s", place, query)
	}
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(filled)
	if err != nil {
		t.Errorf("%s: %v in %s", place, err, query)
		return
	}
	metrics := metricsIn(parsed)
	if len(metrics) == 0 {
		t.Errorf("%s: no metric in %s", place, query)
	}
	for _, metric := range metrics {
		if !known[metric] {
			t.Errorf("%s: nothing has the metric %q", place, metric)
		}
	}
}

// metricsIn are the names of the metrics that an expression asks for, also of those that it gives alternatives of.
func metricsIn(expression parser.Expr) []string {
	var names []string
	parser.Inspect(expression, func(node parser.Node, _ []parser.Node) error {
		selector, isSelector := node.(*parser.VectorSelector)
		if !isSelector {
			return nil
		}
		for _, matcher := range selector.LabelMatchers {
			switch {
			case matcher.Name != "__name__":
			case matcher.Type == labels.MatchRegexp:
				names = append(names, strings.Split(matcher.Value, "|")...)
			default:
				names = append(names, matcher.Value)
			}
		}
		return nil
	})
	return names
}

// TestMetricsInAreFound has a look at the function that the test above relies on.
func TestMetricsInAreFound(t *testing.T) {
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(`sum(rate(a{x="y"}[1m])) / on() {__name__=~"b|c"} and d`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, metricsIn(parsed)); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}

var (
	inSource = regexp.MustCompile(`"(mongobench_[a-z0-9_]+)"`)
	inDocs   = regexp.MustCompile("`([a-z_]+_[a-z_]+)`")
	// inLoadgen finds names that are put together: of a pod, and of a server.
	inLoadgen = regexp.MustCompile(`(describe|counter|gauge)\("([a-z0-9_]+)"`)
)

// addMetrics adds the names of the metrics of a run's result.
func addMetrics[F, S any](known map[string]bool, rows []figure.Row[F, S]) {
	for _, row := range rows {
		if row.Metric != "" {
			known[figure.MetricPrefix+row.Metric] = true
		}
	}
}

// knownMetrics are the names that stand in the sources of what serves metrics, with the series of histograms, and those
// of others that docs/reference/metrics.md names.
func knownMetrics(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	known[figure.MetricPrefix+figure.LatencyMetric] = true
	addMetrics(known, figure.Totals)
	addMetrics(known, figure.Fastest)
	addMetrics(known, figure.Slowest)
	addMetrics(known, figure.Results)
	addMetrics(known, figure.Loads)
	addMetrics(known, figure.Sizes)
	addMetrics(known, figure.Sweeps)
	addMetrics(known, figure.Steps)
	addMetrics(known, figure.Costs)
	addMetrics(known, figure.Actions)
	addMetrics(known, figure.Operations)
	for pattern, expression := range map[string]*regexp.Regexp{
		"../../controllers/results/*.go": inSource, "../../controllers/internal/metrics/*.go": inSource,
		"../../loadgen/metrics/*.go": inLoadgen, "../../docs/reference/metrics.md": inDocs,
	} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range slices.DeleteFunc(files, isTest) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range expression.FindAllStringSubmatch(string(content), -1) {
				know(known, match)
			}
		}
	}
	if len(known) < 100 {
		t.Fatalf("only %d names of metrics were found", len(known))
	}
	return known
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// know notes the name of a metric, and those of its series when it is a histogram or a summary.
func know(known map[string]bool, match []string) {
	name := match[1]
	switch name {
	case "describe":
		name = "mongobench_loadgen_" + match[2]
	case "counter", "gauge":
		name = "mongobench_loadgen_server_" + match[2]
	}
	for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
		known[name+suffix] = true
	}
}
