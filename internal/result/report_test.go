package result_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// histogram encodes one of the values.
func histogram(tb testing.TB, values ...int64) string {
	tb.Helper()
	times := reportv1alpha1.NewHistogram()
	for _, value := range values {
		if err := times.RecordValue(value); err != nil {
			tb.Fatal(err)
		}
	}
	encoded, err := reportv1alpha1.EncodeHistogram(times)
	if err != nil {
		tb.Fatal(err)
	}
	return encoded
}

// podReport is one load pod's report of a load and of a step "mixed" with one operation of these times.
func podReport(tb testing.TB, values ...int64) reportv1alpha1.Report {
	tb.Helper()
	return reportv1alpha1.Report{
		Version:  reportv1alpha1.Version,
		PlanHash: "abc",
		Driver:   "mongo-driver v2.8.0",
		Pods:     1,
		Steps: []reportv1alpha1.Step{
			{
				Name: "load", Kind: "Load", Start: noon, MeasureStart: noon, End: noon.Add(2 * time.Second),
				Threads: 2, Documents: 1000, IntervalMillis: 1000,
			},
			{
				Name: "mixed", Kind: "Measure", IntendedStart: noon.Add(3 * time.Second),
				Start: noon.Add(3 * time.Second), MeasureStart: noon.Add(5 * time.Second), End: noon.Add(15 * time.Second),
				Threads: 4, IntervalMillis: 1000,
				Operations: []reportv1alpha1.Operation{{
					Name: "read", Kind: "FindOne", Count: int64(len(values)),
					ServiceTime: histogram(tb, values...), Intervals: []int64{int64(len(values)), 0, 0},
				}},
				Generator: reportv1alpha1.Generator{CPUMicros: 100, AvailableCPUMicros: 1000, BusiestPodPercent: 10},
			},
		},
		Server: reportv1alpha1.Server{Version: "6.0.5"},
	}
}

func TestReportRoundTrip(t *testing.T) {
	want := podReport(t, 100, 200)
	encoded, err := result.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := reportv1alpha1.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// FuzzDecode decodes any text as a report, and does with it what a controller does.
func FuzzDecode(f *testing.F) {
	for _, report := range []reportv1alpha1.Report{podReport(f, 5), openReport(f, 100, 200, 50, 9), steadyReport(f)} {
		plain, err := json.Marshal(report)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(plain)
	}
	f.Add([]byte(`{"version":"report.mongobench.dev/v1alpha1","steps":[{"name":"x","kind":"Measure","intervalMillis":-1,` +
		`"operations":[{"count":-1,"errors":1,"intervals":[1,2,3],"intervalTimes":[[],[1]]}],"arrivals":{}}]}`))
	f.Fuzz(func(t *testing.T, plain []byte) {
		report, err := reportv1alpha1.Decode(zipped(t, plain))
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without a text")
			}
			return
		}
		twice, err := result.Merge([]reportv1alpha1.Report{report, report})
		if err != nil {
			twice = report
		}
		_, _ = result.Summarise(twice)
		_, _ = result.Doubts(twice)
		if _, err := result.Encode(twice); err != nil {
			t.Logf("it cannot be written again: %v", err)
		}
	})
}

// steadyReport has a sweep, a search and members, and intervals enough to tell whether it was steady.
func steadyReport(tb testing.TB) reportv1alpha1.Report {
	tb.Helper()
	report := openReport(tb, 1, 2, 3, 4)
	step := &report.Steps[1]
	step.End = step.MeasureStart.Add(time.Minute)
	for range 60 {
		step.Operations[0].Intervals = append(step.Operations[0].Intervals, 7)
	}
	step.Steady = result.FindSteady(*step)
	step.Search = &reportv1alpha1.Search{PercentileMillis: 99_000, Trials: []reportv1alpha1.Trial{{Rate: 1}}}
	report.Members = []reportv1alpha1.Member{{
		Name: "db", Start: noon, IntervalMillis: 1000,
		Series: []reportv1alpha1.Series{{Name: "cpu.user", Unit: "ms/s", Values: []int64{1, -1, 3}}},
	}}
	return report
}

func zipped(tb testing.TB, plain []byte) []byte {
	tb.Helper()
	compressed, err := strictjson.Compress(plain)
	if err != nil {
		tb.Fatal(err)
	}
	return compressed
}
