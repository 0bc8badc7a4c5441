package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"io"
	"log/slog"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/spf13/cobra"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/metrics"
	"github.com/mongobench/mongobench-operator/loadgen/output"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// lastScrape is a Reporter that scrapes once more when the report is handed in: after the last step, and before the
// process ends.
type lastScrape struct {
	t       *testing.T
	scraped *scraped
	seen    figuresByName
}

func (l *lastScrape) Progress(context.Context, reportv1.Progress) error { return nil }

func (l *lastScrape) Report(ctx context.Context, _ reportv1.Report) error {
	l.seen = gathered(l.t, l.scraped.metrics)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+l.scraped.server.Address()+metrics.Path, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		l.t.Errorf("the last scrape: %s, %v", answer.Status, err)
	}
	for name, metric := range l.seen {
		if !strings.HasPrefix(name, "mongobench_loadgen_operations_total") {
			continue
		}
		line := name + " " + strconv.FormatFloat(metric.GetCounter().GetValue(), 'g', -1, 64) + "\n"
		if !strings.Contains(string(body), line) {
			l.t.Errorf("over HTTP there is no line %q in:\n%s", line, body)
		}
	}
	return nil
}

// figuresByName are metrics by their name with its labels.
type figuresByName map[string]*dto.Metric

func (f figuresByName) of(name string, labels ...string) *dto.Metric {
	return f[series(name, labels)]
}

func series(name string, labels []string) string {
	return name + "{" + strings.Join(labels, ",") + "}"
}

func gathered(t *testing.T, collector prometheus.Collector) figuresByName {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(collector); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := figuresByName{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			var labels []string
			for _, label := range metric.GetLabel() {
				if label.GetValue() != "" {
					labels = append(labels, label.GetName()+`="`+label.GetValue()+`"`)
				}
			}
			found[series(family.GetName(), labels)] = metric
		}
	}
	return found
}

// TestFiguresAgree measures with a real server, and holds what everybody says of it against the report's histograms and
// counters: the last scrape, the summary, the CSV, the text, the status of the run, and the metrics of the manager.
func TestFiguresAgree(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	report, seen := followScraped(t, server.URI())
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	if len(summary.Steps) != 2 {
		t.Fatalf("%d steps were measured, want two", len(summary.Steps))
	}
	measured := slices.DeleteFunc(slices.Clone(report.Steps), func(s reportv1.Step) bool { return s.Kind != "Measure" })
	rows, text := csvRows(t, report), writtenText(t, report)
	shown := shownByManager(t, report)
	for i, step := range summary.Steps {
		for j, operation := range step.Operations {
			t.Run(step.Name+" "+operation.Name, func(t *testing.T) {
				scrapeAgrees(t, seen, step, operation, measured[i].Operations[j])
				csvAgrees(t, rows[step.Name+"/"+operation.Name], operation)
				textAgrees(t, text[step.Name+"/"+operation.Name], operation)
				managerAgrees(t, shown, step.Name, operation)
			})
		}
		if step.Arrivals != nil {
			arrivalsAgree(t, seen, step, rows[step.Name+"/"])
		}
	}
	if failed := summary.Steps[0].Overall.Errors; failed == 0 || summary.Steps[1].Arrivals == nil {
		t.Errorf("%d errors in the first step, and arrivals %v in the second: there is nothing to compare", failed,
			summary.Steps[1].Arrivals)
	}
	if seen.of("mongobench_loadgen_server_connections", `member="`+server.Address+`"`).GetGauge().GetValue() < 1 {
		t.Error("the last scrape shows nothing of the server")
	}
}

// followScraped follows the plan of testdata/figures.yaml as by hand, with its metrics served, and returns the report
// with the last scrape.
func followScraped(t *testing.T, uri string) (reportv1.Report, figuresByName) {
	t.Helper()
	flags := &runFlags{declaration: declaration{run: "testdata/figures.yaml"}, observe: true}
	flags.connection.register(&cobra.Command{})
	flags.uris, flags.scraped.address = []string{uri}, "127.0.0.1:0"
	run, _, err := flags.declared(oneProcess{})
	if err != nil {
		t.Fatal(err)
	}
	plan := spec.Compile(run.Spec)
	plan.Pods = 1
	last := &lastScrape{t: t, scraped: &flags.scraped}
	report, err := flags.drive(t.Context(), &engine.Engine{
		Plan: plan, PlanHash: "hash", Reporter: last, Version: "test", Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return report, last.seen
}

// scrapeAgrees holds the last scrape against the summary and the report.
func scrapeAgrees(
	t *testing.T, seen figuresByName, step reportv1.StepSummary, o reportv1.OperationSummary, reported reportv1.Operation,
) {
	t.Helper()
	labels := []string{`operation="` + o.Name + `"`, `step="` + step.Name + `"`}
	for name, want := range map[string]int64{
		"operations": o.Count, "documents": o.Documents, "retries": o.Retries, "unacknowledged_operations": o.Unacknowledged,
	} {
		metric := seen.of("mongobench_loadgen_"+name+"_total", labels...)
		if metric == nil || metric.GetCounter().GetValue() != float64(want) {
			t.Errorf("%s: the last scrape has %v, and the report %d", name, metric, want)
		}
	}
	var failed float64
	for _, class := range reported.ErrorClasses {
		metric := seen.of("mongobench_loadgen_errors_total", append([]string{`class="` + class.Class + `"`}, labels...)...)
		if failed += metric.GetCounter().GetValue(); metric.GetCounter().GetValue() != float64(class.Count) {
			t.Errorf("errors of class %s: the last scrape has %v, and the report %d", class.Class, metric, class.Count)
		}
	}
	if failed != float64(o.Errors) {
		t.Errorf("the last scrape has %v errors, and the report %d", failed, o.Errors)
	}
	// A scrape does not tell which of the first and the last replies are those of the window.
	others := float64(reported.CarriedOver - reported.Stragglers)
	rate := (seen.of("mongobench_loadgen_operations_total", labels...).GetCounter().GetValue() + others) * 1000 /
		float64(step.DurationMillis)
	if math.Abs(rate-float64(o.OperationsPerSecond)) > 0.5+rate/float64(step.DurationMillis) {
		t.Errorf("throughput of the last scrape is %v/s, of the report %d/s", rate, o.OperationsPerSecond)
	}
	// The load pod tells of successes and failures apart, as the report holds them; the summary has both in one.
	recordedAgrees(t, seen.of("mongobench_loadgen_latency_seconds", labels...).GetHistogram(),
		cmp.Or(reported.ResponseTime, reported.ServiceTime))
	if reported.Errors > 0 {
		recordedAgrees(t, seen.of("mongobench_loadgen_failed_latency_seconds", labels...).GetHistogram(),
			cmp.Or(reported.FailedResponseTime, reported.FailedServiceTime))
	}
}

// recordedAgrees holds a histogram of the last scrape against one of the report.
func recordedAgrees(t *testing.T, got *dto.Histogram, encoded string) {
	t.Helper()
	recorded := reportv1.NewHistogram()
	if encoded != "" {
		var err error
		if recorded, err = reportv1.DecodeHistogram(encoded); err != nil {
			t.Fatal(err)
		}
	}
	times := figure.Summarise(recorded)
	histogramAgrees(t, got, uint64(times.Timed), times.MeanMicros, map[float64]int64{
		0.5: times.P50Micros, 0.95: times.P95Micros, 0.99: times.P99Micros, 0.999: times.P999Micros,
		0.9999: times.P9999Micros, 1: times.MaxMicros,
	})
}

// histogramAgrees looks for each percentile in the native bucket that has the value of its rank: there is no tolerance
// but that bucket's width.
func histogramAgrees(t *testing.T, got *dto.Histogram, count uint64, mean int64, percentiles map[float64]int64) {
	t.Helper()
	if got.GetSampleCount() != count || got.GetSchema() != 3 {
		t.Fatalf("the last scrape has %d times, and the report %d", got.GetSampleCount(), count)
	}
	if count == 0 {
		return
	}
	if micros := got.GetSampleSum() / float64(count) * 1e6; math.Abs(micros-float64(mean)) > 1 {
		t.Errorf("the mean of the last scrape is %v µs, of the report %d", micros, mean)
	}
	for quantile, micros := range percentiles {
		rank := min(max(uint64(quantile*float64(count)+0.5), 1), count)
		above, highest := bucketOf(got, rank)
		if value := float64(micros) / 1e6; value <= above || value > highest {
			t.Errorf("quantile %v is %v s by the report, and by the last scrape above %v and up to %v", quantile, value, above,
				highest)
		}
	}
}

// bucketOf are the bounds of the native bucket that has the value of a rank.
func bucketOf(h *dto.Histogram, rank uint64) (above, highest float64) {
	seen, number, delta, count := h.GetZeroCount(), int32(0), 0, int64(0)
	if seen >= rank {
		return -1, 0
	}
	for _, span := range h.GetPositiveSpan() {
		number += span.GetOffset()
		for range span.GetLength() {
			count += h.GetPositiveDelta()[delta]
			delta++
			if seen += uint64(count); seen >= rank {
				return math.Exp2(float64(number-1) / 8), math.Exp2(float64(number) / 8)
			}
			number++
		}
	}
	return math.NaN(), math.NaN()
}

// arrivalsAgree does the same for the schedule of an open loop.
func arrivalsAgree(t *testing.T, seen figuresByName, step reportv1.StepSummary, row map[string]string) {
	t.Helper()
	label, arrivals := `step="`+step.Name+`"`, step.Arrivals
	due := seen.of("mongobench_loadgen_due_operations_total", label).GetCounter().GetValue()
	dropped := seen.of("mongobench_loadgen_dropped_operations_total", label).GetCounter().GetValue()
	if due != float64(arrivals.Due) || dropped != float64(arrivals.Dropped) {
		t.Errorf("the last scrape has %v due and %v dropped, and the report %d and %d", due, dropped, arrivals.Due,
			arrivals.Dropped)
	}
	histogramAgrees(t, seen.of("mongobench_loadgen_schedule_lag_seconds", label).GetHistogram(),
		uint64(arrivals.Due-arrivals.Dropped), arrivals.Lag.MeanMicros,
		map[float64]int64{0.5: arrivals.Lag.P50Micros, 0.99: arrivals.Lag.P99Micros})
	cellsAgree(t, row, map[string]int64{
		"requestedPerSecond": arrivals.RequestedPerSecond, "achievedPerSecond": arrivals.AchievedPerSecond,
		"dropped": arrivals.Dropped, "lagP50Micros": arrivals.Lag.P50Micros,
	})
	if arrivals.Lag.Timed < 1000 && row["lagP99Micros"] != present.Few {
		t.Errorf("the lag of %d operations has a p99 of %q", arrivals.Lag.Timed, row["lagP99Micros"])
	}
}

// csvRows are the lines of the CSV by step and operation, each by its columns.
func csvRows(t *testing.T, report reportv1.Report) map[string]map[string]string {
	t.Helper()
	var written bytes.Buffer
	if err := output.CSV(&written, report); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&written).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]map[string]string{}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, column := range lines[0] {
			row[column] = line[i]
		}
		rows[row["step"]+"/"+row["operation"]] = row
	}
	return rows
}

func csvAgrees(t *testing.T, row map[string]string, o reportv1.OperationSummary) {
	t.Helper()
	cellsAgree(t, row, map[string]int64{
		"count": o.Count, "errors": o.Errors, "operationsPerSecond": o.OperationsPerSecond, "documents": o.Documents,
		"retries": o.Retries, "unacknowledged": o.Unacknowledged,
	})
	for _, time := range figure.Times {
		column, want := strings.ToLower(time.Name[:1])+time.Name[1:], ""
		if shown := time.Shown(&o.TimesSummary); shown != nil {
			want = strconv.FormatInt(*shown, 10)
		} else if o.Timed > 0 {
			want = present.Few
		}
		if row[column] != want {
			t.Errorf("column %s of the CSV is %q, and the report has %q", column, row[column], want)
		}
	}
}

func cellsAgree(t *testing.T, row map[string]string, want map[string]int64) {
	t.Helper()
	for column, figure := range want {
		if row[column] != strconv.FormatInt(figure, 10) {
			t.Errorf("column %s of the CSV is %q, and the report has %d", column, row[column], figure)
		}
	}
}

// writtenText are the cells of the text's lines by step and operation.
func writtenText(t *testing.T, report reportv1.Report) map[string][]string {
	t.Helper()
	var written bytes.Buffer
	if err := output.Text(&written, report); err != nil {
		t.Fatal(err)
	}
	lines, step := map[string][]string{}, ""
	for line := range strings.Lines(written.String()) {
		if rest, found := strings.CutPrefix(line, "Step "); found {
			step, _, _ = strings.Cut(rest, ":")
		}
		if cells := betweenGaps.Split(strings.TrimSpace(line), -1); len(cells) > 2 && lines[step+"/"+cells[0]] == nil {
			lines[step+"/"+cells[0]] = cells
		}
	}
	return lines
}

// betweenGaps separates the cells of a line.
var betweenGaps = regexp.MustCompile(" {2,}")

func textAgrees(t *testing.T, cells []string, o reportv1.OperationSummary) {
	t.Helper()
	// Name and kind; where there are several times of an operation, which of them; then count, errors, rate and times.
	if len(cells) != 13 && len(cells) != 14 {
		t.Fatalf("the text's line is %q", cells)
	}
	cells = cells[len(cells)-11:]
	number := func(cell string) string { return strings.ReplaceAll(cell, ",", "") }
	want := []string{strconv.FormatInt(o.Count, 10), strconv.FormatInt(o.Errors, 10)}
	got := []string{number(cells[0]), number(cells[1])}
	if o.OperationsPerSecond >= 10 {
		want, got = append(want, strconv.FormatInt(o.OperationsPerSecond, 10)), append(got, number(cells[2]))
	}
	if o.Timed > 0 {
		for _, time := range figure.Times {
			if shown := time.Shown(&o.TimesSummary); shown != nil {
				want = append(want, present.Micros(*shown))
			} else {
				want = append(want, present.Few)
			}
		}
		got = append(got, cells[3:]...)
	}
	if !slices.Equal(want, got) {
		t.Errorf("the text has %q, and the report %q", got, want)
	}
}

// TestMetricsAreServedWhileARunWaits looks at the program from the outside: it serves before it reaches a database,
// what it shows has no password, and nothing listens once it has ended.
func TestMetricsAreServedWhileARunWaits(t *testing.T) {
	const wait = 5 * time.Second
	address := freeAddress(t)
	uri := secretFile(t, "mongodb://name:s3cret@"+freeAddress(t)+"/")
	command, _, stderr := program(t, "run", "-f", "testdata/figures.yaml", "--uri-file", uri,
		"--selection-timeout", wait.String(), "--metrics-bind-address", address)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	body := ""
	for deadline := time.Now().Add(6 * wait); body == "" && time.Now().Before(deadline); {
		body = scrapedFrom(t, address)
	}
	if !strings.Contains(body, "mongobench_loadgen_cpu_seconds_total") || strings.Contains(body, "s3cret") {
		t.Errorf("it serves %q", body)
	}
	if code := exitCodeOf(t, command.Wait()); code != 1 || strings.Contains(stderr.String(), "s3cret") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if scrapedFrom(t, address) != "" {
		t.Error("it serves although it has ended")
	}
}

func TestAnAddressThatIsTakenIsSaidAtOnce(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	command, _, stderr := program(t, "run", "-f", "testdata/figures.yaml", "--uri", server.URI(),
		"--metrics-bind-address", server.Address)
	if code := exitCodeOf(t, command.Run()); code != 1 || !strings.Contains(stderr.String(), server.Address) {
		t.Errorf("exit code %d, %s; want 1 and the address", code, stderr)
	}
}
