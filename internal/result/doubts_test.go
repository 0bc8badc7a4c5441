package result_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

func TestDoubts(t *testing.T) {
	type step = reportv1alpha1.Step
	failing := func(errors int64) func(*step) {
		return func(s *step) {
			s.Operations[0].Errors = errors
			s.Operations[0].ErrorClasses = []reportv1alpha1.ErrorClass{{Class: "timeout", Count: errors, FirstMessage: "slow"}}
		}
	}
	// arrivals of a hundred operations a second for ten seconds.
	arrivals := func(dropped, late, wakeUp int64) *reportv1alpha1.Arrivals {
		return &reportv1alpha1.Arrivals{
			Process: "Constant", Due: 1000, Dropped: dropped, Late: late, WindowMillis: 10_000,
			Lag: histogram(t, wakeUp), WakeUp: histogram(t, wakeUp),
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
		"a generator at nine tenths of its CPU in one second is doubted": {
			change:     func(s *step) { s.Generator.BusiestPodPercent, s.Generator.BusiestSecondPercent = 30, 90 },
			wantReason: benchv1alpha1.ReasonGeneratorSaturated, wantMessage: "used 90 % of its CPU in a second",
		},
		"a generator that was throttled for a hundredth of the window is not doubted": {
			change: func(s *step) { s.Generator.ThrottledMicros = 100_000 },
		},
		"a generator that was throttled for longer is doubted": {
			change:     func(s *step) { s.Generator.ThrottledMicros = 101_000 },
			wantReason: benchv1alpha1.ReasonGeneratorSaturated, wantMessage: "its CPU limit for 101ms of 10s",
		},
		"a schedule that was kept is not doubted": {change: func(s *step) { s.Arrivals = arrivals(0, 0, 100) }},
		"one dropped operation is doubted": {
			change:      func(s *step) { s.Arrivals = arrivals(1, 0, 100) },
			wantReason:  benchv1alpha1.ReasonScheduleNotKept,
			wantMessage: "100 operations per second were asked for and 100 were sent: of 1000 that were due, 1 were dropped",
		},
		"a queue of one operation in fifty at the end is not doubted": {
			change: func(s *step) { s.Arrivals = arrivals(0, 20, 100) },
		},
		"a longer queue at the end is doubted": {
			change:      func(s *step) { s.Arrivals = arrivals(0, 21, 100) },
			wantReason:  benchv1alpha1.ReasonScheduleNotKept,
			wantMessage: "100 operations per second were asked for and 98 were sent: of 1000 that were due, 0 were dropped",
		},
		"operations under way at the end are not doubted, however few were due": {
			change: func(s *step) {
				s.Arrivals = arrivals(0, 4, 100)
				s.Arrivals.Due = 10
			},
		},
		"a generator that wakes up a millisecond late is not doubted": {
			change: func(s *step) { s.Arrivals = arrivals(0, 0, 1000) },
		},
		"a generator that wakes up later than that is not doubted when operations take far longer": {
			change: func(s *step) {
				s.Arrivals = arrivals(0, 0, 2000)
				s.Operations[0].ServiceTime, s.Operations[0].Count = histogram(t, 50_000), 1
			},
		},
		"a generator that wakes up late is doubted when operations take no longer than that": {
			change: func(s *step) {
				s.Arrivals = arrivals(0, 0, 2000)
				s.Operations[0].ServiceTime, s.Operations[0].Count = histogram(t, 3000), 1
			},
			wantReason: benchv1alpha1.ReasonGeneratorLate, wantMessage: "itself up to 2.00 ms late (p99)",
		},
		"waiting for connections a hundredth of the time is not doubted": {
			change: func(s *step) {
				s.Operations[0].ServiceTime, s.Operations[0].Count = histogram(t, 1000, 1000), 2
				s.Traffic.CheckoutMicros = 20
			},
		},
		"waiting for connections any longer is doubted": {
			change: func(s *step) {
				s.Operations[0].ServiceTime, s.Operations[0].Count = histogram(t, 1000, 1000), 2
				s.Traffic.CheckoutMicros, s.Traffic.MaxCheckoutMicros = 100, 70
			},
			wantReason: benchv1alpha1.ReasonConnectionPoolWaits, wantMessage: "5.0 % of the service time, and up to 70 µs",
		},
		"waiting for a pool that an application's threads share is not doubted": {
			change: func(s *step) {
				s.Operations[0].ServiceTime, s.Operations[0].Count = histogram(t, 1000, 1000), 2
				s.Traffic.CheckoutMicros, s.Traffic.MaxCheckoutMicros, s.PoolSize = 100, 70, 3
			},
		},
		"errors of parts of what was done again are not doubted": {
			change: func(s *step) {
				part := s.Operations[0]
				part.Name, part.PartOf, part.Errors = "part", s.Operations[0].Name, part.Count
				s.Operations = append(s.Operations, part)
			},
		},
		"idle connections that stayed open are not doubted": {
			change: func(s *step) { s.IdleConnections = 500 },
		},
		"idle connections that the server closed are doubted": {
			change:     func(s *step) { s.IdleConnections, s.LostConnections = 500, 3 },
			wantReason: benchv1alpha1.ReasonConnectionsLost, wantMessage: "over 3 of 500 idle connections the server answered",
		},
		"idle connections that an action may have ended are not doubted": {
			change: func(s *step) {
				s.IdleConnections, s.LostConnections, s.Actions = 500, 3, []reportv1alpha1.Action{{Name: "fault"}}
			},
		},
		"unacknowledged inserts that all arrived are not doubted": {
			change: func(s *step) { s.Drain = &reportv1alpha1.Drain{Counted: true, Sent: 7, Arrived: 7} },
		},
		"unacknowledged writes that were not counted are not doubted": {
			change: func(s *step) { s.Drain = &reportv1alpha1.Drain{Micros: 5} },
		},
		"unacknowledged inserts that did not all arrive are doubted": {
			change:     func(s *step) { s.Drain = &reportv1alpha1.Drain{Counted: true, Sent: 7, Arrived: 5} },
			wantReason: benchv1alpha1.ReasonWritesUnaccounted, wantMessage: "7 documents were sent",
		},
		"more documents than were sent are doubted": {
			change:     func(s *step) { s.Drain = &reportv1alpha1.Drain{Counted: true, Sent: 7, Arrived: 8} },
			wantReason: benchv1alpha1.ReasonWritesUnaccounted, wantMessage: "there are 8 more than before",
		},
		"unacknowledged writes of an unknown number are doubted": {
			change: func(s *step) {
				s.Drain = &reportv1alpha1.Drain{Operations: []string{"log"}, Failed: "the connection broke"}
			},
			wantReason: benchv1alpha1.ReasonWritesUnaccounted, wantMessage: "writes of log is unknown; they may even",
		},
		"a throughput that became steady is not doubted": {
			change: func(s *step) { s.Steady = &reportv1alpha1.Steady{Reached: true, AfterMillis: 5000} },
		},
		"a throughput that never became steady is doubted": {
			change:     func(s *step) { s.Steady = &reportv1alpha1.Steady{VariationPercent: 40} },
			wantReason: benchv1alpha1.ReasonNotSteady, wantMessage: "it varies by 40 % between intervals of 1000 ms",
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
			wantMessage: `of operation "read" 2 of 101 failed, and one in 100 may, most often with a timeout`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			report := podReport(t, make([]int64, 99)...)
			// The cases change counts, which the intervals would have to agree with.
			report.Steps[1].Operations[0].Intervals = nil
			tc.change(&report.Steps[1])
			doubts, err := result.Doubts(report)
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
	doubts, err := result.Doubts(report)
	if err != nil {
		t.Fatal(err)
	}
	if len(doubts) != 1 || !strings.HasPrefix(doubts[0].Message, `step "worse"`) {
		t.Errorf("got %+v, want one about the step worse", doubts)
	}
}

func TestAReportThatContradictsItselfIsAnError(t *testing.T) {
	for name, tc := range map[string]struct {
		change  func(*reportv1alpha1.Operation)
		wantErr string
	}{
		"operations that were not timed": {
			func(o *reportv1alpha1.Operation) { o.Count = 3 }, "3 operations were counted and 2 were timed",
		},
		"unacknowledged operations that were timed": {
			func(o *reportv1alpha1.Operation) { o.Unacknowledged = 1 }, "2 operations were counted and 3 were timed",
		},
		"other numbers of service and response times": {
			func(o *reportv1alpha1.Operation) { o.ResponseTime = histogram(t, 1) }, "2 operations were counted and 1 were timed",
		},
		"intervals that have another number": {
			func(o *reportv1alpha1.Operation) { o.Intervals = []int64{1} }, "2 operations were counted and the intervals have 1",
		},
		"operations of the warm-up that are in no interval": {
			func(o *reportv1alpha1.Operation) { o.CarriedOver = 1 }, "3 operations were counted and the intervals have 2",
		},
		"more stragglers than operations": {func(o *reportv1alpha1.Operation) { o.Stragglers = 3 }, "a count is below 0"},
		"a count below zero":              {func(o *reportv1alpha1.Operation) { o.Errors = -1 }, "a count is below 0"},
		"a histogram that cannot be read": {
			func(o *reportv1alpha1.Operation) { o.FirstDocument = "x" }, "first document: decoding histogram",
		},
	} {
		t.Run(name, func(t *testing.T) {
			report := podReport(t, 1, 2)
			tc.change(&report.Steps[1].Operations[0])
			_, err := result.Doubts(report)
			if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
				t.Errorf("got error %v, want one with %q", err, tc.wantErr)
			}
		})
	}
}

// TestStragglersOfSeveralWindowsAreInNoInterval is about a duet: where a window ends, the other side's begins.
func TestStragglersOfSeveralWindowsAreInNoInterval(t *testing.T) {
	report := podReport(t, 1, 2, 3)
	step := &report.Steps[1]
	step.SpanMillis = 3000
	step.Operations[0].Stragglers, step.Operations[0].Intervals = 1, []int64{2}
	if _, err := result.Doubts(report); err != nil {
		t.Error(err)
	}
	step.Operations[0].Intervals = []int64{3}
	if _, err := result.Doubts(report); err == nil {
		t.Error("a straggler in an interval is no error")
	}
}

func TestUnacknowledgedOperationsNeedNoTimes(t *testing.T) {
	report := podReport(t, 1, 2)
	report.Steps[1].Operations[0].Count, report.Steps[1].Operations[0].Unacknowledged = 5, 3
	report.Steps[1].Operations[0].Intervals = []int64{5}
	if _, err := result.Doubts(report); err != nil {
		t.Error(err)
	}
}

func TestDoubtsComeInTheOrderOfTheirWeight(t *testing.T) {
	report := podReport(t, 1000)
	step := &report.Steps[1]
	step.Generator.BusiestPodPercent = 100
	step.StartSkewMicros = 1_000_000
	step.Operations[0].Errors = 1000
	step.Traffic.CheckoutMicros = 1000
	step.Steady = &reportv1alpha1.Steady{}
	step.Arrivals = &reportv1alpha1.Arrivals{Due: 10, Dropped: 5}
	step.Drain = &reportv1alpha1.Drain{Failed: "it broke"}
	failed := report.Steps[1]
	failed.Actions = []reportv1alpha1.Action{{Name: "kill", Error: "no pod"}}
	report.Steps = append(report.Steps, failed)
	doubts, err := result.Doubts(report)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, 0, len(doubts))
	for _, doubt := range doubts {
		got = append(got, doubt.Reason)
	}
	want := []string{
		"ActionFailed", "WritesUnaccounted", "GeneratorSaturated", "ScheduleNotKept", "StartSkew", "OperationErrors",
		"ConnectionPoolWaits", "NotSteady",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}
