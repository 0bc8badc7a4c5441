package duet_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/duet"
)

func planned() planv1.Plan {
	return planv1.Plan{Steps: []planv1.Step{{Name: "mixed", Compare: []planv1.Line{
		rate(""), latencyOfRead(benchv1alpha1.MetricP99Micros),
	}}}}
}

func TestLinesBecomeThoseOfAComparison(t *testing.T) {
	told := []reportv1.DuetLine{
		{
			Metric: benchv1alpha1.MetricP99Micros, Operation: "read", Verdict: benchv1alpha1.VerdictNotDetected, Pairs: 9,
			EffectBasisPoints: new(int64(166)), LowBasisPoints: new(int64(-1100)), HighBasisPoints: new(int64(1400)),
		},
		{
			Metric: benchv1alpha1.MetricOperationsPerSecond, Verdict: benchv1alpha1.VerdictRegressed, Pairs: 12,
			Baseline: 1000, Candidate: 952, DecidedMillis: 52_400, EffectBasisPoints: new(int64(-481)),
			LowBasisPoints: new(int64(-612)), HighBasisPoints: new(int64(-340)),
		},
	}
	// In the order of the plan, whatever that of the pod is.
	want := []benchv1alpha1.ComparisonLine{
		{
			Variant: "candidate", Baseline: "old", Metric: benchv1alpha1.MetricOperationsPerSecond, Step: "mixed",
			Verdict: benchv1alpha1.VerdictRegressed, BaselineMedian: new(int64(1000)), Median: new(int64(952)),
			Test: benchv1alpha1.TestSequential, Samples: new(int32(12)), BaselineSamples: new(int32(12)),
			EffectBasisPoints: new(int64(-481)), LowBasisPoints: new(int64(-612)), HighBasisPoints: new(int64(-340)),
			Message: "known after 52.4 s, by 12 pairs of windows: -6.1 % to -3.4 %",
		},
		{
			Variant: "candidate", Baseline: "old", Metric: benchv1alpha1.MetricP99Micros, Step: "mixed", Operation: "read",
			Verdict: benchv1alpha1.VerdictNotDetected, Test: benchv1alpha1.TestSequential, Samples: new(int32(9)),
			BaselineSamples: new(int32(9)), EffectBasisPoints: new(int64(166)), LowBasisPoints: new(int64(-1100)),
			HighBasisPoints: new(int64(1400)),
			Message:         "not known by 9 pairs of windows: -11.0 % to +14.0 %; it takes a longer durationSeconds",
		},
	}
	if diff := cmp.Diff(want, duet.Compared(planned(), "mixed", told, "old")); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if got := duet.Compared(planned(), "another", told, "old"); got != nil {
		t.Errorf("of a step that there is not there is %+v", got)
	}
}

// TestAPodTellsWhatIsPlannedAndNoMore: a status that the API server refuses would stop the run.
func TestAPodTellsWhatIsPlannedAndNoMore(t *testing.T) {
	line := reportv1.DuetLine{Metric: benchv1alpha1.MetricOperationsPerSecond, Verdict: benchv1alpha1.VerdictImproved}
	hostile := map[string]func(*reportv1.DuetLine){
		"another metric":        func(l *reportv1.DuetLine) { l.Metric = benchv1alpha1.MetricP95Micros },
		"another operation":     func(l *reportv1.DuetLine) { l.Operation = strings.Repeat("x", 1<<20) },
		"a verdict of its own":  func(l *reportv1.DuetLine) { l.Verdict = "Splendid" },
		"a verdict of a suite":  func(l *reportv1.DuetLine) { l.Verdict = benchv1alpha1.VerdictNotWorse },
		"no verdict":            func(l *reportv1.DuetLine) { l.Verdict = "" },
		"a metric that is none": func(l *reportv1.DuetLine) { l.Metric = "" },
	}
	for name, change := range hostile {
		told := line
		change(&told)
		if got := duet.Compared(planned(), "mixed", []reportv1.DuetLine{told}, "old"); len(got) > 0 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	many := make([]reportv1.DuetLine, 1000)
	for i := range many {
		many[i] = line
		many[i].Pairs, many[i].Baseline, many[i].Candidate = math.MaxInt, -5, math.MinInt64
		many[i].EffectBasisPoints, many[i].LowBasisPoints = new(int64(math.MaxInt64)), new(int64(math.MinInt64))
		many[i].DecidedMillis = math.MaxInt64
	}
	got := duet.Compared(planned(), "mixed", many, "old")
	if len(got) != 1 {
		t.Fatalf("the same line a thousand times is %d lines", len(got))
	}
	if *got[0].Samples < 0 || got[0].Median != nil || got[0].BaselineMedian != nil || len(got[0].Message) > 512 {
		t.Errorf("got %+v", got[0])
	}
	many[0].Pairs = math.MinInt
	if got := duet.Compared(planned(), "mixed", many[:1], "old"); *got[0].Samples != 0 {
		t.Errorf("fewer pairs than none are %d", *got[0].Samples)
	}
}
