package result_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// sample is so many values of each of some sizes, as a report holds them.
func sample(t *testing.T, counts map[int64]int) string {
	t.Helper()
	values := make([]int64, 0, 10_000)
	for value, count := range counts {
		values = append(values, slices.Repeat([]int64{value}, count)...)
	}
	return histogram(t, values...)
}

// lookups is a report of 10,000 lookups with these times, and of a load generator that was late by these.
func lookups(t *testing.T, times, delay map[int64]int) reportv1.Report {
	t.Helper()
	start := time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)
	report := reportv1.Report{Steps: []reportv1.Step{{
		Name: "lookups", Kind: reportv1.KindMeasure, MeasureStart: start, End: start.Add(10 * time.Second), Threads: 4,
		Operations: []reportv1.Operation{{Name: "read", Kind: "FindOne", Count: 10_000, ServiceTime: sample(t, times)}},
		Generator: reportv1.Generator{
			CPUMicros: 2_000_000, WaitMicros: 7_000_000, Processors: 2, ProbeMicros: 1000, Delay: sample(t, delay),
		},
	}}}
	return report
}

func TestPercentilesThatAreTheGeneratorsOwnDelayAreDoubted(t *testing.T) {
	for name, tc := range map[string]struct {
		times, delay map[int64]int
		// want is a part of the message; empty for no doubt.
		want string
	}{
		"a generator that is late by less than it takes an idle core to wake up": {
			times: map[int64]int{340: 10_000}, delay: map[int64]int{40: 10_000},
		},
		"one that is late by a twentieth of what takes long": {
			times: map[int64]int{20_000: 10_000}, delay: map[int64]int{1000: 10_000},
		},
		"one that is late by half of what takes long": {
			times: map[int64]int{20_000: 10_000}, delay: map[int64]int{10_000: 10_000},
			want: "of the p50 of operation \"read\", 20.0 ms, an estimated 10.0 ms is the load generator's own delay",
		},
		"one that is late by as much once in fifty times": {
			times: map[int64]int{350: 9800, 5300: 200}, delay: map[int64]int{50: 9300, 5000: 700},
			want: "of the p99 of operation",
		},
		"one that stands still more rarely than any percentile shows": {
			times: map[int64]int{350: 9999, 50_350: 1}, delay: map[int64]int{50: 9999, 50_000: 1},
		},
		// Of ten seconds 200 ms were lost in 40 standstills. Each delays one reply, of 30,000 of a worker.
		"one that stands still for as long as many operations take": {
			times: map[int64]int{350: 9990, 5300: 10}, delay: map[int64]int{50: 9960, 5000: 40},
			want: "of the p99.9 of operation",
		},
	} {
		t.Run(name, func(t *testing.T) {
			doubts, err := result.Doubts(lookups(t, tc.times, tc.delay))
			if err != nil {
				t.Fatal(err)
			}
			message := messageOf(doubts, benchv1alpha1.ReasonGeneratorLate)
			if (tc.want == "") != (message == "") || !strings.Contains(message, tc.want) {
				t.Errorf("the doubt says %q, want one with %q", message, tc.want)
			}
			if tc.want != "" && !strings.Contains(message, "ran for 2.00 s and waited 7.00 s for a processor") {
				t.Errorf("the doubt says %q, and not who had the processors", message)
			}
		})
	}
}

// Nothing is said of a percentile that is not shown. Two operations may be too rare for a p99.9
// that both have together.
func TestOnlyPercentilesThatAreShownAreDoubted(t *testing.T) {
	delay := map[int64]int{50: 9960, 5000: 40}
	for name, tc := range map[string]struct {
		each []int
		want string
	}{
		"one operation too few":            {[]int{9999}, ""},
		"as many as it takes":              {[]int{10_000}, "of the p99.9 of operation \"read\""},
		"two that have it together":        {[]int{6000, 6000}, "of the p99.9 of all operations"},
		"two that do not have it together": {[]int{4999, 5000}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			report := lookups(t, map[int64]int{350: 10_000}, delay)
			step := &report.Steps[0]
			step.Operations = nil
			for i, count := range tc.each {
				step.Operations = append(step.Operations, reportv1.Operation{
					Name: []string{"read", "other"}[i], Kind: "FindOne", Count: int64(count),
					ServiceTime: sample(t, map[int64]int{350: count - 10, 5300: 10}),
				})
			}
			doubts, err := result.Doubts(report)
			if err != nil {
				t.Fatal(err)
			}
			message := messageOf(doubts, benchv1alpha1.ReasonGeneratorLate)
			if (tc.want == "") != (message == "") || !strings.Contains(message, tc.want) {
				t.Errorf("the doubt says %q, want one with %q", message, tc.want)
			}
		})
	}
}

// messageOf is that of the doubt with a reason; empty without one.
func messageOf(doubts []result.Doubt, reason string) string {
	at := slices.IndexFunc(doubts, func(d result.Doubt) bool { return d.Reason == reason })
	if at < 0 {
		return ""
	}
	return doubts[at].Message
}

func TestAScheduleIsNotKeptByWhoWasLate(t *testing.T) {
	for name, tc := range map[string]struct {
		delay map[int64]int
		want  string
	}{
		"the target":         {map[int64]int{40: 10_000}, "the target does not keep up with this rate at 4 threads"},
		"the load generator": {map[int64]int{2000: 10_000}, "the load generator does not keep up with this rate"},
	} {
		t.Run(name, func(t *testing.T) {
			report := lookups(t, map[int64]int{4000: 10_000}, tc.delay)
			step := &report.Steps[0]
			step.Operations[0].ResponseTime = sample(t, map[int64]int{900_000: 10_000})
			step.Arrivals = &reportv1.Arrivals{
				Process: "Poisson", Due: 12_000, Dropped: 2000, WindowMillis: 10_000,
				Lag: sample(t, map[int64]int{890_000: 10_000}), WakeUp: sample(t, map[int64]int{30: 10}),
			}
			doubts, err := result.Doubts(report)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(messageOf(doubts, benchv1alpha1.ReasonScheduleNotKept), tc.want) {
				t.Errorf("the doubts are %+v, want one with %q", doubts, tc.want)
			}
		})
	}
}

func TestWaitingForAWorkerIsDoubted(t *testing.T) {
	for name, tc := range map[string]struct {
		queued int64
		want   bool
	}{
		"when it is a twentieth of the p99":        {250, false},
		"when it is most of the p99, and not else": {4000, true},
	} {
		t.Run(name, func(t *testing.T) {
			report := lookups(t, map[int64]int{1000: 10_000}, map[int64]int{10: 10_000})
			step := &report.Steps[0]
			step.Operations[0].ResponseTime = sample(t, map[int64]int{5000: 10_000})
			step.Arrivals = &reportv1.Arrivals{
				Process: "Poisson", Due: 10_000, WindowMillis: 10_000,
				Lag: sample(t, map[int64]int{tc.queued: 5000, 20: 5000}), WakeUp: sample(t, map[int64]int{20: 5000}),
			}
			doubts, err := result.Doubts(report)
			if err != nil {
				t.Fatal(err)
			}
			found := strings.Contains(messageOf(doubts, benchv1alpha1.ReasonTooFewThreads),
				"no worker was free for 50 % of the operations")
			if found != tc.want {
				t.Errorf("the doubts are %+v; want one: %t", doubts, tc.want)
			}
		})
	}
}
