package fleet

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const exposition = `# HELP took_seconds Length of time.
# TYPE took_seconds histogram
took_seconds_bucket{controller="a",le="0.01"} 10
took_seconds_bucket{controller="a",le="0.1"} 18
took_seconds_bucket{controller="a",le="+Inf"} 20
took_seconds_sum{controller="a"} 1.5
took_seconds_count{controller="a"} 20
took_seconds_bucket{controller="b",le="0.01"} 0
took_seconds_bucket{controller="b",le="0.1"} 2
took_seconds_bucket{controller="b",le="+Inf"} 20

requests_total{code="200",host="127.0.0.1:1",method="GET"} 3 1700000000000
requests_total{code="409",path="say \"no\", {or} \\ not"} 1.5e+01
cpu_seconds_total 0.25
`

func TestParseMetrics(t *testing.T) {
	t.Parallel()
	all, err := parseMetrics(exposition)
	if err != nil {
		t.Fatal(err)
	}
	if got := all.sum("requests_total"); got != 18 {
		t.Errorf("requests_total is %v over all labels, want 18", got)
	}
	if got := all.sum("cpu_seconds_total"); got != 0.25 {
		t.Errorf("cpu_seconds_total is %v, want 0.25", got)
	}
	labels := map[string]string{}
	for _, label := range all["requests_total"].GetMetric()[1].GetLabel() {
		labels[label.GetName()] = label.GetValue()
	}
	want := map[string]string{"code": "409", "path": `say "no", {or} \ not`}
	if diff := cmp.Diff(want, labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	h := all.histogram("took_seconds")
	if diff := cmp.Diff(Histogram{{0.01, 10}, {0.1, 20}, {math.Inf(1), 40}}, h); diff != "" {
		t.Errorf("histogram over all labels (-want +got):\n%s", diff)
	}
}

func TestParseMetricsRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a line without a value": "requests_total\n",
		"a value that is none":   "requests_total many\n",
		"another format":         "{\"requests\": 3}\n",
		"a bound that is none":   "# TYPE took histogram\ntook_bucket{le=\"wide\"} 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if all, err := parseMetrics(text); err == nil {
				t.Errorf("parsed as %v", all)
			}
		})
	}
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	h := Histogram{{1, 10}, {2, 10}, {4, 90}, {8, 100}, {math.Inf(1), 100}}
	for name, tc := range map[string]struct {
		histogram Histogram
		share     float64
		want      float64
	}{
		"the first bucket begins at 0":              {h, 0.05, 0.5},
		"at a bound it is the bound":                {h, 0.1, 1},
		"within a bucket by the share of its count": {h, 0.5, 3},
		"in the last bucket that has a bound":       {h, 0.99, 7.6},
		"above the last bound it is that bound":     {Histogram{{1, 1}, {math.Inf(1), 4}}, 0.9, 1},
		"only above all bounds":                     {Histogram{{1, 0}, {math.Inf(1), 4}}, 0.5, 1},
		"of nothing is no number":                   {Histogram{{1, 0}, {math.Inf(1), 0}}, 0.5, math.NaN()},
		"of no histogram is no number":              {nil, 0.5, math.NaN()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := tc.histogram.Quantile(tc.share)
			if !cmp.Equal(tc.want, got, cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateNaNs()) {
				t.Errorf("%v, want %v", got, tc.want)
			}
		})
	}
}

func TestHistogramSince(t *testing.T) {
	t.Parallel()
	before := Histogram{{1, 10}, {math.Inf(1), 12}}
	after := Histogram{{1, 15}, {math.Inf(1), 20}}
	if diff := cmp.Diff(Histogram{{1, 5}, {math.Inf(1), 8}}, after.since(before)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(after, after.since(nil)); diff != "" {
		t.Errorf("since nothing was there (-want +got):\n%s", diff)
	}
}

func TestAuditLogIsReadOnFromWhereItWasLeft(t *testing.T) {
	t.Parallel()
	const (
		status = `{"verb":"patch","objectRef":{"resource":"benchmarkruns","subresource":"status"},` +
			`"responseStatus":{"code":409}}` + "\n"
		job   = `{"verb":"create","objectRef":{"resource":"jobs"},"responseStatus":{"code":201}}` + "\n"
		event = `{"verb":"create","objectRef":{"resource":"events"},"responseStatus":{"code":201}}` + "\n"
	)
	log := auditLog{path: filepath.Join(t.TempDir(), "audit.log")}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(log.path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(job + status[:20])
	before, _, err := log.look()
	if err != nil {
		t.Fatal(err)
	}
	write(job + status + event + status)
	after, refused, err := log.look()
	if err != nil {
		t.Fatal(err)
	}
	patch, create, told := Write{"patch", "benchmarkruns/status"}, Write{"create", "jobs"}, Write{"create", "events"}
	if diff := cmp.Diff(Writes{create: 1}, before); diff != "" {
		t.Errorf("before the second line was whole (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Writes{patch: 2, told: 1}, after.since(before)); diff != "" {
		t.Errorf("since then (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Writes{patch: 2}, refused); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	if objects, events := after.Count(); objects != 3 || events != 1 {
		t.Errorf("%d writes and %d events, want 3 and 1", objects, events)
	}
	write(strings.Repeat("x", 5000) + "\n")
	if _, _, err := log.look(); err == nil {
		t.Error("a line that is not JSON was read")
	}
}
