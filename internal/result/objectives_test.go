package result_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// withObjectives is what a pod measured of two operations, one of which has an objective of its own, in an open loop.
func withObjectives(t *testing.T) reportv1alpha1.Report {
	t.Helper()
	report := podReport(t, 100, 100, 100, 500)
	step := &report.Steps[1]
	step.Objectives = []reportv1alpha1.Objective{
		{LimitMicros: 200, PercentMillis: 60_000},
		{Operation: "read", LimitMicros: 100, PercentMillis: 75_000},
		{Operation: "read", LimitMicros: 200, PercentMillis: 75_001},
		{Operation: "write", LimitMicros: 5, PercentMillis: 1000},
	}
	step.Operations[0].Within = []reportv1alpha1.Within{{LimitMicros: 200, Count: 3}, {LimitMicros: 100, Count: 3}}
	step.Operations = append(step.Operations, reportv1alpha1.Operation{
		Name: "write", Kind: "UpdateOne", Count: 2, Errors: 1, Unacknowledged: 2, Skipped: 1,
		Within: []reportv1alpha1.Within{{LimitMicros: 200}, {LimitMicros: 5}},
	})
	lags := histogram(t, 5)
	step.Arrivals = &reportv1alpha1.Arrivals{Process: "Constant", Due: 9, Dropped: 1, Skipped: 1, Lag: lags, WakeUp: lags}
	return report
}

func TestObjectivesAreJudgedOverAllPods(t *testing.T) {
	report, err := result.Merge([]reportv1alpha1.Report{withObjectives(t), withObjectives(t)})
	if err != nil {
		t.Fatal(err)
	}
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	declared := report.Steps[1].Objectives
	want := []reportv1alpha1.ObjectiveSummary{
		// Of each pod four reads succeeded, and what failed, was skipped or dropped counts as not within the limit.
		{Objective: declared[0], Operations: 14, Within: 6, Kept: false},
		{Objective: declared[1], Operations: 8, Within: 6, Kept: true},
		{Objective: declared[2], Operations: 8, Within: 6, Kept: false},
		{Objective: declared[3], Operations: 4, Within: 0, Kept: false},
	}
	if diff := cmp.Diff(want, summary.Steps[0].Objectives); diff != "" {
		t.Errorf("objectives (-want +got):\n%s", diff)
	}
	count, missed := result.Missed(summary)
	if count != 4 || len(missed) != 3 || missed[1] !=
		`step "mixed": 75.001 % of operation read within 200 µs: 6 of 8 were, 75 %` {
		t.Errorf("%d objectives, missed %q", count, missed)
	}
}

func TestAnObjectiveWithoutOperationsIsNotKept(t *testing.T) {
	report := withObjectives(t)
	report.Steps[1].Operations = report.Steps[1].Operations[:1]
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	if _, missed := result.Missed(summary); !strings.HasSuffix(missed[len(missed)-1], ": there were none") {
		t.Errorf("missed: %q", missed)
	}
}

func TestSkippedOperationsAreADoubt(t *testing.T) {
	report := withObjectives(t)
	report.Steps[1].Arrivals.Dropped = 0
	doubts, err := result.Doubts(report)
	if err != nil {
		t.Fatal(err)
	}
	const want = "0 were dropped, 1 skipped as skipAfterMicros says"
	if said := messageOf(doubts, "ScheduleNotKept"); !strings.Contains(said, want) {
		t.Errorf("ScheduleNotKept: %q", said)
	}
}

func TestPercentilesThatAreAskedFor(t *testing.T) {
	report := podReport(t, 100, 100)
	step := &report.Steps[1]
	times := reportv1alpha1.NewHistogram()
	for value := range int64(100) {
		_ = times.RecordValue(value + 1)
	}
	encoded, err := reportv1alpha1.EncodeHistogram(times)
	if err != nil {
		t.Fatal(err)
	}
	step.Operations[0].Count, step.Operations[0].ServiceTime = 100, encoded
	step.Percentiles, step.ExpectedIntervalMicros = []int{75_000, 90_000, 99_999}, 10
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	want := []reportv1alpha1.Percentile{
		{PercentMillis: 75_000, Micros: 75}, {PercentMillis: 90_000, Micros: 90}, {PercentMillis: 99_999},
	}
	for _, got := range [][]reportv1alpha1.Percentile{
		summary.Steps[0].Operations[0].Percentiles, summary.Steps[0].Overall.Percentiles,
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("percentiles (-want +got):\n%s", diff)
		}
	}
	corrected := summary.Steps[0].Operations[0].Corrected
	if corrected == nil || corrected.Timed <= 100 || summary.Steps[0].Operations[0].Timed != 100 {
		t.Errorf("corrected %+v; want more times than the 100 of the latency, which stay", corrected)
	}
}

// A value that is recorded with its correction is HdrHistogram's own way, one value at a time.
func TestTheCorrectionIsHdrHistograms(t *testing.T) {
	for name, tc := range map[string]struct{ interval, most int64 }{
		"a stall of a second":       {1000, 1_000_000},
		"an interval below buckets": {1, 5000},
		"an odd interval":           {777, 3_000_000},
		"nothing is slow":           {10_000, 10_000},
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			times, want := reportv1alpha1.NewHistogram(), reportv1alpha1.NewHistogram()
			for range 50 {
				value := highest(times, random.Int64N(tc.most)+1)
				_ = times.RecordValue(value)
				_ = want.RecordCorrectedValue(value, tc.interval)
			}
			got := result.Corrected(times, tc.interval)
			if diff := cmp.Diff(want.Distribution(), got.Distribution()); diff != "" {
				t.Errorf("corrected (-want +got):\n%s", diff)
			}
			if times.TotalCount() != 50 {
				t.Errorf("%d times were recorded, and the correction made them %d", 50, times.TotalCount())
			}
		})
	}
}

// highest is the largest value of the bucket that a value is in, which is what the correction takes for all of them.
func highest(in *hdrhistogram.Histogram, value int64) int64 {
	for in.ValuesAreEquivalent(value, value+1) {
		value++
	}
	return value
}
