package result_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

func TestMergeOfOneReportChangesNothing(t *testing.T) {
	want := podReport(t, 100, 200)
	got, err := result.Merge([]reportv1alpha1.Report{want})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestMergeAddsUpAndKeepsTheWorst(t *testing.T) {
	one, two := podReport(t, 100), podReport(t, 200, 300)
	prepare := reportv1alpha1.Step{Name: "prepare", Kind: "Prepare", Start: noon, End: noon.Add(time.Second)}
	one.Steps = append([]reportv1alpha1.Step{prepare}, one.Steps...)
	mixed := &two.Steps[1]
	mixed.Start, mixed.MeasureStart = mixed.Start.Add(70*time.Millisecond), mixed.MeasureStart.Add(70*time.Millisecond)
	mixed.End = mixed.End.Add(time.Second)
	mixed.StartSkewMicros = -70_000
	mixed.Generator.BusiestPodPercent = 95
	mixed.Operations[0].Errors = 4
	mixed.Operations[0].ErrorClasses = []reportv1alpha1.ErrorClass{
		{Class: "timeout", Count: 1, FirstMessage: "slow"}, {Class: "network", Count: 3, FirstMessage: "reset"},
	}

	got, err := result.Merge([]reportv1alpha1.Report{two, one})
	if err != nil {
		t.Fatal(err)
	}
	want := podReport(t, 100, 200, 300)
	want.Pods = 2
	want.Steps[0].Documents, want.Steps[0].Threads = 2000, 4
	step := &want.Steps[1]
	step.End = noon.Add(16 * time.Second)
	step.Threads, step.StartSkewMicros = 8, 70_000
	step.Generator = reportv1alpha1.Generator{CPUMicros: 200, AvailableCPUMicros: 2000, BusiestPodPercent: 95}
	step.Operations[0].Errors = 4
	step.Operations[0].ErrorClasses = []reportv1alpha1.ErrorClass{
		{Class: "network", Count: 3, FirstMessage: "reset"}, {Class: "timeout", Count: 1, FirstMessage: "slow"},
	}
	want.Steps = append([]reportv1alpha1.Step{prepare}, want.Steps...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// Of the load pods that search together the first has the search, in whatever order they come.
func TestMergeKeepsTheSearchOfThePodThatLeads(t *testing.T) {
	leads, follows := podReport(t, 100), podReport(t, 200)
	search := &reportv1alpha1.Search{Found: 300, Trials: []reportv1alpha1.Trial{{Rate: 300, Kept: true}}}
	leads.Steps[1].Search = search
	for name, reports := range map[string][]reportv1alpha1.Report{
		"first": {leads, follows, follows}, "last": {follows, follows, leads},
	} {
		got, err := result.Merge(reports)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(search, got.Steps[1].Search); diff != "" {
			t.Errorf("%s: search (-want +got):\n%s", name, diff)
		}
	}
}

func TestMergeAlignsIntervals(t *testing.T) {
	one, two := podReport(t, 1), podReport(t, 1)
	one.Steps[1].Operations[0].Intervals = []int64{1, 2, 3, 4, 5}
	two.Steps[1].IntervalMillis = 2000
	two.Steps[1].Operations[0].Intervals = []int64{10, 20, 30, 40}
	got, err := result.Merge([]reportv1alpha1.Report{one, two})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{13, 27, 35, 40}, got.Steps[1].Operations[0].Intervals); diff != "" {
		t.Errorf("intervals (-want +got):\n%s", diff)
	}
	if got.Steps[1].IntervalMillis != 2000 {
		t.Errorf("intervals of %d ms, want 2000", got.Steps[1].IntervalMillis)
	}
}

func TestMergeRefuses(t *testing.T) {
	tests := map[string]struct {
		change  func(*reportv1alpha1.Report)
		wantErr string
	}{
		"another plan":          {func(r *reportv1alpha1.Report) { r.PlanHash = "def" }, "different plans"},
		"another version":       {func(r *reportv1alpha1.Report) { r.Version = "v0" }, "differ"},
		"a missing measurement": {func(r *reportv1alpha1.Report) { r.Steps = r.Steps[:1] }, `1 of 2 have step "mixed"`},
		"a step of another name": {
			func(r *reportv1alpha1.Report) { r.Steps[1].Name = "other" }, "only one has step",
		},
		"an operation of another kind": {
			func(r *reportv1alpha1.Report) { r.Steps[1].Operations[0].Kind = "Find" },
			"FindOne in one report and Find in another",
		},
		"a histogram that cannot be read": {
			func(r *reportv1alpha1.Report) { r.Steps[1].Operations[0].ServiceTime = "xx" }, "decoding histogram",
		},
		"intervals that do not fit": {
			func(r *reportv1alpha1.Report) { r.Steps[1].IntervalMillis = 1500 }, "do not fit together",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			one, two := podReport(t, 1), podReport(t, 1)
			tc.change(&two)
			_, err := result.Merge([]reportv1alpha1.Report{one, two})
			if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
				t.Errorf("got error %v, want one with %q", err, tc.wantErr)
			}
		})
	}
	if _, err := result.Merge(nil); err == nil {
		t.Error("no reports at all were merged")
	}
}

// TestMergedReportsEqualOne spreads the same times over any number of pods: what comes out must not depend on it.
func TestMergedReportsEqualOne(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		pods := 1 + random.IntN(8)
		values := make([][]int64, pods)
		size := 1 + random.IntN(2000)
		all := make([]int64, 0, size)
		for range size {
			// Spread over the whole range, as many small times as large ones.
			value := int64(1) << random.IntN(31)
			value += random.Int64N(value)
			pod := random.IntN(pods)
			values[pod] = append(values[pod], value)
			all = append(all, value)
		}
		reports := make([]reportv1alpha1.Report, pods)
		for pod := range pods {
			reports[pod] = podReport(t, values[pod]...)
		}
		merged, err := result.Merge(reports)
		if err != nil {
			t.Fatal(err)
		}
		operation := merged.Steps[1].Operations[0]
		if operation.ServiceTime != histogram(t, all...) {
			t.Fatalf("the histogram merged from %d pods is not the one of all values", pods)
		}
		if operation.Count != int64(len(all)) || operation.Intervals[0] != int64(len(all)) {
			t.Errorf("count %d and first interval %d, want %d", operation.Count, operation.Intervals[0], len(all))
		}
	}
}
