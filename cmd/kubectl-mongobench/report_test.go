package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// storeReport plays the end of a run with a report.
func storeReport(t *testing.T, run *benchv1alpha1.BenchmarkRun) reportv1.Report {
	t.Helper()
	report := reportv1.Report{
		Version: reportv1.Version, Steps: []reportv1.Step{}, LoadgenVersion: "test",
		Driver: "none", PlanHash: "c4be846a3c46", Pods: 1,
		Server: reportv1.Server{Version: "6.0.5", Topology: "Standalone"},
	}
	endWith(t, run, report)
	return report
}

// endWith plays the end of a run with this report.
func endWith(t *testing.T, run *benchv1alpha1.BenchmarkRun, report reportv1.Report) {
	t.Helper()
	encoded, err := result.Encode(report)
	if err != nil {
		t.Fatal(err)
	}
	store(t, run.Namespace, run.Name+"-report", nil, map[string][]byte{reportv1.ReportKey: encoded})
	end(t, run, "True", "Completed", 37400)
	tell(t, run, func() {
		run.Status.Result.Report = benchv1alpha1.ReportReference{
			ConfigMapName: run.Name + "-report", SHA256: sumOf(encoded),
		}
	})
}

func store(t *testing.T, namespace, name string, text map[string]string, binary map[string][]byte) {
	t.Helper()
	stored := &corev1.ConfigMap{Data: text, BinaryData: binary}
	stored.Namespace, stored.Name = namespace, name
	if err := environment.client.Create(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
}

func TestReportOfARunIsWhatTheLoadGeneratorWrites(t *testing.T) {
	here := namespace(t)
	report := storeReport(t, createRun(t, here, "first"))
	for name, write := range runForms {
		if name == formSVG || name == formPNG || name == formJUnit {
			continue // A report without a step has no picture, and verdicts are of the run as well.
		}
		var want strings.Builder
		if err := write(sheet{Writer: &want}, page.Source{Name: "first", Report: report}); err != nil {
			t.Fatal(err)
		}
		if out, errOut, code := run(t, here, "report", "first", "-o", name); out != want.String() || code != 0 {
			t.Errorf("-o %s: exit code %d: %s\ngot\n%s\nwant\n%s", name, code, errOut, out, want.String())
		}
	}
	var text strings.Builder
	if err := output.Text(&text, report); err != nil {
		t.Fatal(err)
	}
	if out, _, _ := run(t, here, "report", "run/first"); out != text.String() {
		t.Errorf("without -o it is not the text:\n%s", out)
	}
}

// samplesOf are runs of one variant with these throughputs.
func samplesOf(variant string, rates ...int64) comparison.Side {
	side := comparison.Side{Name: variant}
	for i, rate := range rates {
		key := comparison.Key{Metric: benchv1alpha1.MetricOperationsPerSecond, Step: "read"}
		side.Samples = append(side.Samples, comparison.Sample{
			Run: fmt.Sprintf("index-%s-%d", variant, i+1), Variant: variant, Repetition: i + 1,
			Figures: []comparison.Figure{{Key: key, Value: float64(rate)}}, Fingerprint: map[string]string{"version": "6.0.5"},
		})
	}
	return side
}

// storeResult plays the end of a suite with a result.
func storeResult(t *testing.T, suite *benchv1alpha1.BenchmarkSuite) comparison.Result {
	t.Helper()
	with, without := samplesOf("with", 2000, 2010, 2020, 2030, 2040), samplesOf("without", 1000, 1010, 1020, 1030, 1040)
	result := comparison.Result{
		Version: comparison.ResultVersion, Suite: suite.Name, Revision: "5e2f", Sides: []comparison.Side{with, without},
		Lines: comparison.Compare([]comparison.Pair{{Baseline: with, Candidate: without}}, comparison.Settings{}),
	}
	point := comparison.PointOf(result, comparison.Settings{}, suite.CreationTimestamp.Time)
	files, err := comparison.Files(result, comparison.History{}.With(point), comparison.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	store(t, suite.Namespace, suite.Name+"-5e2f", files.Text, files.Binary)
	endSuite(t, suite, "AllSucceeded", [2]string{"True", "MetricRegressed"})
	tell(t, suite, func() {
		suite.Status.Result = &benchv1alpha1.SuiteResultReference{
			ConfigMapName: suite.Name + "-5e2f", SHA256: sumOf(files.Binary[comparison.ResultKey]),
		}
	})
	return result
}

func TestReportOfASuite(t *testing.T) {
	here := namespace(t)
	result := storeResult(t, createSuite(t, here, "index"))
	for form, words := range map[string][]string{
		"text":      {"suite index, revision 5e2f", "Regressed     without  with", "Medians", "1,020"},
		"json":      {`"suite": "index"`, `"verdict": "Regressed"`},
		"csv":       {"suite,revision,variant,", "index-without-5"},
		"benchstat": {"suite: index", "Benchmark"},
		"otava":     {"without"},
		"svg":       {"<svg", "Suite index, throughput, read", "without"},
		"png":       {"\x89PNG"},
		"md":        {"## Suite index, revision 5e2f", "| Regressed | without | with | read |"},
	} {
		t.Run(form, func(t *testing.T) {
			out, errOut, code := run(t, here, "report", "index", "-o", form)
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, errOut)
			}
			wantIn(t, out, words...)
		})
	}
	out, _, _ := run(t, here, "report", "index", "-o", "json")
	var read comparison.Result
	if err := json.Unmarshal([]byte(out), &read); err != nil || len(read.Lines) != len(result.Lines) {
		t.Errorf("the JSON is read with %v and has %d lines, want %d", err, len(read.Lines), len(result.Lines))
	}
}

func TestAReportWithoutIntervalsHasNoPicture(t *testing.T) {
	here := namespace(t)
	storeReport(t, createRun(t, here, "empty"))
	for _, form := range []string{formSVG, formPNG} {
		out, errOut, code := run(t, here, "report", "empty", "-o", form)
		if code != exitFailed || out != "" || !strings.Contains(errOut, "run empty has no interval") {
			t.Errorf("-o %s: exit code %d, %q, %q", form, code, out, errOut)
		}
	}
}

func TestReportRefuses(t *testing.T) {
	here := namespace(t)
	createRun(t, here, "young")
	createSuite(t, here, "early")
	end(t, createRun(t, here, "lost"), "True", "Completed", 1)
	changed := createRun(t, here, "changed")
	storeReport(t, changed)
	tell(t, changed, func() { changed.Status.Result.Report.SHA256 = sumOf(nil) })
	for name, tc := range map[string]struct {
		arguments []string
		want      int
		says      string
	}{
		"a run without a result":   {[]string{"young"}, exitFailed, "run young has no result"},
		"a suite without a result": {[]string{"early"}, exitFailed, "suite early has no result"},
		"a report that is gone":    {[]string{"lost"}, exitFailed, `configmaps "none" not found`},
		"a report that is another": {[]string{"changed"}, exitFailed, "its SHA-256 is another"},
		"a form that a run does not have": {
			[]string{"changed", "-o", "otava"},
			exitUsage,
			"a run can be written as csv, ftdc, html, json, junit, md, png, svg, text",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, errOut, code := run(t, here, append([]string{"report"}, tc.arguments...)...)
			if code != tc.want {
				t.Errorf("exit code %d, want %d", code, tc.want)
			}
			wantIn(t, errOut, tc.says)
		})
	}
}

func TestExportWritesEveryTable(t *testing.T) {
	here, folder := namespace(t), filepath.Join(t.TempDir(), "deep", "folder")
	suite := createSuite(t, here, "index")
	result := storeResult(t, suite)
	// One that found no room is made from the result.
	stored := &corev1.ConfigMap{}
	stored.Namespace, stored.Name = here, "index-5e2f"
	tellData(t, stored, comparison.SamplesKey)
	_, errOut, code := run(t, here, "export", "index", "-d", folder)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	want := []string{"benchstat.txt", "comparison.csv", "otava.csv", "otava.yaml", "result.json", "samples.csv"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	var samples strings.Builder
	if err := comparison.WriteCSV(&samples, result); err != nil {
		t.Fatal(err)
	}
	if written, _ := os.ReadFile(filepath.Join(folder, "samples.csv")); string(written) != samples.String() {
		t.Errorf("samples.csv is\n%s\nwant\n%s", written, samples.String())
	}
	if _, errOut, code := run(t, here, "export", "index"); code != exitUsage {
		t.Errorf("without a folder the exit code is %d: %s", code, errOut)
	}
}

// tellData takes a key out of a ConfigMap.
func tellData(t *testing.T, stored *corev1.ConfigMap, without string) {
	t.Helper()
	if err := environment.client.Get(t.Context(), client.ObjectKeyFromObject(stored), stored); err != nil {
		t.Fatal(err)
	}
	delete(stored.Data, without)
	if err := environment.client.Update(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
}

func TestCompare(t *testing.T) {
	here := namespace(t)
	slow, fast := make([]string, 5), make([]string, 5)
	for i := range slow {
		slow[i], fast[i] = fmt.Sprintf("slow-%d", i), fmt.Sprintf("fast-%d", i)
		end(t, createRun(t, here, slow[i]), "True", "Completed", int64(40000+i))
		end(t, createRun(t, here, fast[i]), "True", "Completed", int64(20000+i))
	}
	createRun(t, here, "young")
	for name, tc := range map[string]struct {
		arguments []string
		want      int
		says      []string
	}{
		"two runs say nothing for sure": {
			[]string{"fast-0", "slow-0"},
			0,
			[]string{"Inconclusive  slow-0", "20.0 ms  40.0 ms", "×2.00", "takes 5 runs of each, 4 more", "2 Inconclusive"},
		},
		"three runs have a column each": {
			[]string{"fast-0", "slow-0", "slow-1"},
			0,
			[]string{"fast-0         slow-0         slow-1"},
		},
		"repetitions make a verdict": {
			[]string{strings.Join(fast, ","), strings.Join(slow, ",")},
			0,
			[]string{"Regressed  slow-0 and 4 more  fast-0 and 4 more", "1 Regressed, 1 Unchanged"},
		},
		"as Markdown": {[]string{"fast-0", "slow-0", "-o", "md"}, 0, []string{"| Inconclusive | slow-0 |"}},
		"as CSV": {
			[]string{"fast-0", "slow-0", "-o", "csv"}, 0, []string{",slow-0,fast-0,mixed,read,P99Micros,"},
		},
		"a run that has not ended": {[]string{"fast-0", "young"}, exitFailed, []string{"run young has no result"}},
		"the same run twice":       {[]string{"fast-0", "fast-0"}, exitUsage, []string{"run fast-0 is there twice"}},
		"a run alone":              {[]string{"fast-0"}, exitUsage, []string{"at least 2"}},
		"a form that there is none": {
			[]string{"fast-0", "slow-0", "-o", "otava"}, exitUsage, []string{"csv, html, json, junit, md, text"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, errOut, code := run(t, here, append([]string{"compare"}, tc.arguments...)...)
			if code != tc.want {
				t.Errorf("exit code %d, want %d: %s", code, tc.want, errOut)
			}
			wantIn(t, out+errOut, tc.says...)
		})
	}
}
