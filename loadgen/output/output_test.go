package output_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present/screen"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// operation has latencies that are spread evenly over a range.
func operation(t *testing.T, name, kind string, count int64, micros [2]int64) reportv1.Operation {
	t.Helper()
	leastMicros, mostMicros := micros[0], micros[1]
	histogram := reportv1.NewHistogram()
	for i := range count {
		if err := histogram.RecordValue(leastMicros + (mostMicros-leastMicros)*i/max(1, count-1)); err != nil {
			t.Fatal(err)
		}
	}
	encoded, err := reportv1.EncodeHistogram(histogram)
	if err != nil {
		t.Fatal(err)
	}
	return reportv1.Operation{
		Name: name, Kind: kind, Count: count, Documents: count, ServiceTime: encoded, Intervals: []int64{count},
	}
}

// report is one that shows everything that the forms can show.
func report(t *testing.T) reportv1.Report {
	t.Helper()
	start := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	times := func(step reportv1.Step, took time.Duration) reportv1.Step {
		step.IntendedStart, step.Start, step.MeasureStart, step.End = start, start, start, start.Add(took)
		step.IntervalMillis = 1000
		return step
	}
	update := operation(t, "update", "UpdateOne", 1000, [2]int64{900, 2_400_000})
	update.Errors = 30
	update.ErrorClasses = []reportv1.ErrorClass{
		{Class: "write conflict", Count: 29, FirstMessage: "(WriteConflict) try again"},
		{Class: "timeout", Count: 1, FirstMessage: "too late"},
	}
	return reportv1.Report{
		Version: reportv1.Version, PlanHash: "0123456789abcdef0123456789abcdef", LoadgenVersion: "v1.2.3",
		Driver: "mongo-driver v2.8.0", Pods: 2,
		Cost: &reportv1.Cost{
			Currency: "EUR", Source: "invented for this test", ValidFrom: "2026-01-01", ComputeNanosPerHour: 288_000_000,
			StorageNanosPerHour: 3_493_151,
		},
		Machines: []reportv1.Machine{
			{CPUModel: "AMD EPYC 7B13", Kernel: "6.1.0-13"}, {CPUModel: "Intel(R) Xeon(R) CPU @ 2.20GHz"},
		},
		Server: reportv1.Server{
			Version: "6.0.5", GitVersion: "abc", Topology: "ReplicaSet", Members: 3, StorageEngine: "wiredTiger",
			CacheMebibytes: 11540, MemoryLimitMebibytes: 24105, CPUCores: 8, CPULimitMillicores: 700,
			DefaultWriteConcern: "w: majority", Product: "MongoDB", Durability: "Majority",
			SyncMicros: reportv1.SyncMicros{P50: 120, P99: 370},
		},
		Steps: []reportv1.Step{
			times(reportv1.Step{Name: "prepare", Kind: "Prepare", Threads: 1}, time.Second),
			times(reportv1.Step{Name: "load", Kind: "Load", Threads: 4, Documents: 1_000_000}, 4*time.Second),
			times(reportv1.Step{Name: "verify", Kind: "Verify", Threads: 1, Documents: 1_000_000}, time.Second),
			times(reportv1.Step{
				Name: "mixed", Kind: "Measure", Threads: 64,
				Operations: []reportv1.Operation{operation(t, "read", "FindOne", 90_000, [2]int64{300, 45_000}), update},
				Generator: reportv1.Generator{
					CPUMicros: 19_000_000, AvailableCPUMicros: 20_000_000, BusiestPodPercent: 97,
				},
			}, 10*time.Second),
			times(reportv1.Step{
				Name: "count", Kind: "Measure", Threads: 1,
				Operations: []reportv1.Operation{operation(t, "count", "CountDocuments", 12, [2]int64{9_000, 11_000})},
			}, 1500*time.Millisecond),
		},
	}
}

func TestForms(t *testing.T) {
	for name, tc := range map[string]struct {
		file   string
		write  func(io.Writer, reportv1.Report) error
		report func(*testing.T) reportv1.Report
	}{
		"text with doubts":                     {"report.txt", output.Text, report},
		"text of everything":                   {"everything.txt", output.Text, richReport},
		"comma separated":                      {"report.csv", output.CSV, report},
		"comma separated values of everything": {"everything.csv", output.CSV, richReport},
		"text of a growth":                     {"growth.txt", output.Text, grownReport},
		"Markdown of everything":               {"everything.md", markdown, richReport},
		"Markdown of a growth":                 {"growth.md", markdown, grownReport},
		"comma separated values of a growth":   {"growth.csv", output.CSV, grownReport},
		"JSON":                                 {"report.json", output.JSON, report},
		"text of no measure": {"loaded.txt", output.Text, func(t *testing.T) reportv1.Report {
			t.Helper()
			loaded := report(t)
			loaded.Steps, loaded.Pods = loaded.Steps[:3], 1
			return loaded
		}},
		"text without doubts": {"trusted.txt", output.Text, func(t *testing.T) reportv1.Report {
			t.Helper()
			trusted := report(t)
			trusted.Steps = trusted.Steps[4:]
			return trusted
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := tc.write(&got, tc.report(t)); err != nil {
				t.Fatal(err)
			}
			compareGolden(t, filepath.Join("testdata", tc.file), got.String())
		})
	}
}

func markdown(to io.Writer, report reportv1.Report) error {
	return output.Markdown(to, "Run first", report)
}

// compareGolden compares with a golden file, or writes it.
func compareGolden(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-golden +got); go test -update rewrites it:\n%s", golden, diff)
	}
}

func TestProgress(t *testing.T) {
	plan := planv1.Plan{Steps: []planv1.Step{
		{Name: "load", Kind: planv1.StepLoad},
		{Name: "mixed", Kind: planv1.StepMeasure, WarmupSeconds: 30, DurationSeconds: 60},
		{Name: "last", Kind: planv1.StepMeasure, OperationCount: 1000, WarmupSeconds: 5},
	}}
	// Every progress comes a second after the one before.
	said := []reportv1.Progress{
		{Step: 0, State: reportv1.ProgressWaiting},
		{Step: 0, State: reportv1.ProgressRunning, Percent: 50, OperationsPerSecond: 123456},
		{Step: 1, State: reportv1.ProgressWaiting},
		{Step: 1, State: reportv1.ProgressRunning, WarmingUp: true, OperationsPerSecond: 8000},
		{Step: 1, State: reportv1.ProgressRunning, Percent: 20, OperationsPerSecond: 9000},
		{Step: 1, State: reportv1.ProgressRunning, Percent: 40, OperationsPerSecond: 9500},
		{Step: 1, State: reportv1.ProgressRunning, Percent: 60, OperationsPerSecond: 9500},
		{Step: 1, State: reportv1.ProgressRunning, Percent: 80, OperationsPerSecond: 9500},
		{Step: 1, State: reportv1.ProgressDone, Percent: 100},
	}
	const overwrite = "\r\x1b[K"
	for name, tc := range map[string]struct {
		width int
		want  string
	}{
		"a terminal shows one line that changes": {
			width: 200,
			want: overwrite + "step 1/3 load" +
				overwrite + "step 1/3 load  [##########..........]  50 %  123,456 documents/s  1s left, then at least 1m35s" +
				overwrite + "step 2/3 mixed" +
				overwrite + "step 2/3 mixed  warming up  8,000 ops/s" +
				overwrite + "step 2/3 mixed  [####................]  20 %  9,000 ops/s  4s left, then at least 5s" +
				overwrite + "step 2/3 mixed  [########............]  40 %  9,500 ops/s  3s left, then at least 5s" +
				overwrite + "step 2/3 mixed  [############........]  60 %  9,500 ops/s  2s left, then at least 5s" +
				overwrite + "step 2/3 mixed  [################....]  80 %  9,500 ops/s  1s left, then at least 5s" +
				overwrite,
		},
		"a log gets a line a step, and one every five seconds": {
			want: "step 1/3 load\nstep 2/3 mixed\nstep 2/3 mixed   80 %  9,500 ops/s  1s left, then at least 5s\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got bytes.Buffer
				progress := output.NewProgress(screen.Of(&got, func() int { return tc.width }), plan)
				for _, one := range said {
					if err := progress.Progress(t.Context(), one); err != nil {
						t.Fatal(err)
					}
					<-time.After(time.Second)
				}
				if diff := cmp.Diff(tc.want, got.String()); diff != "" {
					t.Errorf("output (-want +got):\n%s", diff)
				}
			})
		})
	}
}
