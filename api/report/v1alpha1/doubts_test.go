package v1alpha1_test

import (
	"strings"
	"testing"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestDoubts(t *testing.T) {
	type step = reportv1alpha1.Step
	failing := func(errors int64) func(*step) {
		return func(s *step) {
			s.Operations[0].Errors = errors
			s.Operations[0].ErrorClasses = []reportv1alpha1.ErrorClass{{Class: "timeout", Count: errors, FirstMessage: "slow"}}
		}
	}
	tests := map[string]struct {
		change func(*step)
		// wantReason is empty when there is no doubt.
		wantReason, wantMessage string
	}{
		"a quiet step is not doubted": {change: func(*step) {}},
		"a generator below nine tenths of its CPU is not doubted": {
			change: func(s *step) { s.Generator.BusiestPodPercent = 89 },
		},
		"a generator at nine tenths of its CPU is doubted": {
			change:     func(s *step) { s.Generator.BusiestPodPercent = 90 },
			wantReason: benchv1alpha1.ReasonGeneratorSaturated, wantMessage: `step "mixed": a load pod used 90 %`,
		},
		"a generator that was throttled for a hundredth of the window is not doubted": {
			change: func(s *step) { s.Generator.ThrottledMicros = 100_000 },
		},
		"a generator that was throttled for longer is doubted": {
			change:     func(s *step) { s.Generator.ThrottledMicros = 101_000 },
			wantReason: benchv1alpha1.ReasonGeneratorSaturated, wantMessage: "its CPU limit for 101ms of 10s",
		},
		"a start within the limit is not doubted": {change: func(s *step) { s.StartSkewMicros = 50_000 }},
		"a late start is doubted": {
			change:     func(s *step) { s.StartSkewMicros = 51_000 },
			wantReason: benchv1alpha1.ReasonStartSkew, wantMessage: "began 51ms from the agreed instant",
		},
		"an early start is doubted as well": {
			change:     func(s *step) { s.StartSkewMicros = -80_000 },
			wantReason: benchv1alpha1.ReasonStartSkew, wantMessage: "began 80ms from",
		},
		"one error in a hundred is not doubted": {change: failing(1)},
		"more errors than one in a hundred are doubted": {
			change:      failing(2),
			wantReason:  benchv1alpha1.ReasonOperationErrors,
			wantMessage: "2 of 101 operations failed, most often with a timeout",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			report := podReport(t, make([]int64, 99)...)
			tc.change(&report.Steps[1])
			doubts, err := reportv1alpha1.Doubts(report)
			if err != nil {
				t.Fatal(err)
			}
			if tc.wantReason == "" {
				if len(doubts) != 0 {
					t.Errorf("got %+v, want none", doubts)
				}
				return
			}
			if len(doubts) != 1 || doubts[0].Reason != tc.wantReason || !strings.Contains(doubts[0].Message, tc.wantMessage) {
				t.Errorf("got %+v, want reason %s with %q", doubts, tc.wantReason, tc.wantMessage)
			}
		})
	}
}

func TestDoubtsNameTheWorstStepAndLookAtMeasureStepsOnly(t *testing.T) {
	report := podReport(t, 1)
	report.Steps[0].Generator.BusiestPodPercent = 100
	worse := report.Steps[1]
	worse.Name, worse.Generator.BusiestPodPercent = "worse", 99
	report.Steps[1].Generator.BusiestPodPercent = 91
	report.Steps = append(report.Steps, worse)
	doubts, err := reportv1alpha1.Doubts(report)
	if err != nil {
		t.Fatal(err)
	}
	if len(doubts) != 1 || !strings.HasPrefix(doubts[0].Message, `step "worse"`) {
		t.Errorf("got %+v, want one about the step worse", doubts)
	}
}

func TestAReportWhoseCountsDisagreeIsAnError(t *testing.T) {
	report := podReport(t, 1, 2)
	report.Steps[1].Operations[0].Count = 3
	_, err := reportv1alpha1.Doubts(report)
	if err == nil || !strings.Contains(err.Error(), "3 operations were counted and 2 were timed") {
		t.Errorf("got error %v", err)
	}
}
