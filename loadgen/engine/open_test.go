package engine_test

import (
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// constant are arrivals at one rate.
func constant(rate, maxQueued int64) *planv1.Arrival {
	return &planv1.Arrival{
		Process: benchv1alpha1.ArrivalConstant, Stages: []planv1.ArrivalStage{{Seconds: 1, From: rate, To: rate}},
		MaxQueued: maxQueued,
	}
}

// measured follows a plan with one measured step under fake time, and returns that step merged from all pods.
func measured(t *testing.T, pods int, step planv1.Step, target *drivertest.Target) reportv1.Step {
	t.Helper()
	plan := testPlan(pods, step)
	plan.Steps = plan.Steps[3:]
	var merged reportv1.Report
	synctest.Test(t, func(t *testing.T) {
		reports, err := drivertest.Run(t.Context(), plan, target)
		if err != nil {
			t.Fatal(err)
		}
		if merged, err = result.Merge(reports); err != nil {
			t.Fatal(err)
		}
	})
	return merged.Steps[0]
}

// times merges the latencies of all operations of a step.
func times(t *testing.T, step reportv1.Step, of func(reportv1.Operation) string) *hdrhistogram.Histogram {
	t.Helper()
	sum := reportv1.NewHistogram()
	for _, operation := range step.Operations {
		decoded := decode(t, of(operation))
		sum.Merge(decoded)
	}
	return sum
}

func decode(t *testing.T, encoded string) *hdrhistogram.Histogram {
	t.Helper()
	histogram, err := reportv1.DecodeHistogram(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return histogram
}

func response(o reportv1.Operation) string { return o.ResponseTime }
func service(o reportv1.Operation) string  { return o.ServiceTime }

// stalling is a database that answers within a millisecond, and not at all for the last second of every ten.
func stalling() *drivertest.Target {
	return &drivertest.Target{Latency: time.Millisecond, StallEvery: 10 * time.Second, StallFor: time.Second}
}

// wantPercentile compares a percentile in microseconds with what theory gives, within 2 %.
func wantPercentile(t *testing.T, histogram *hdrhistogram.Histogram, percentile, want float64) {
	t.Helper()
	got := float64(histogram.ValueAtQuantile(percentile))
	if got < want*0.98 || got > want*1.02 {
		t.Errorf("p%g is %.0f µs, want %.0f µs within 2 %%", percentile, got, want)
	}
}

// A tenth of the operations falls due while the database stands still. One that is due u seconds before the end of the
// stall, u evenly spread from 0 to 1, waits these u seconds, then for its turn among what has been queued, then 1 ms
// for its reply. The 1% that is slowest overall are the slowest tenth of these, so that p99 is where u = 0.9, and
// p99.9 where u = 0.99. The turn: 256 workers work off what is before it, 100 operations for p99 and 10 for p99.9,
// within the first millisecond. So p99 = 900 + 1 ms, p99.9 = 990 + 1 ms; and half of all, who know nothing of a stall,
// need 1 ms.
func TestOpenLoopShowsWhatAStallDoes(t *testing.T) {
	const rate, seconds = 1000, 30
	load := planv1.Step{Threads: 256, DurationSeconds: seconds, Arrival: constant(rate, 10_000)}
	step := measured(t, 1, load, stalling())
	responses := times(t, step, response)
	wantPercentile(t, responses, 50, 1000)
	wantPercentile(t, responses, 99, 901_000)
	wantPercentile(t, responses, 99.9, 991_000)
	if got := responses.TotalCount(); got != rate*seconds || step.Arrivals.Due != got || step.Arrivals.Dropped != 0 {
		t.Errorf("%d operations answered, %d due, %d dropped, want %d, as many, and none",
			got, step.Arrivals.Due, step.Arrivals.Dropped, rate*seconds)
	}
	// Of a stall's 1000 operations 256 are with the workers and the rest queues, with what comes due until they are back.
	if got := step.Arrivals.LargestQueue; got < 744 || got > 747 {
		t.Errorf("the queue was up to %d long, want about 745", got)
	}
}

// A closed loop asks nothing while it waits: of each of 4 workers exactly one operation sees each stall, all others
// need 1 ms. That is 4 in 36,000, and no percentile that people look at tells of it. This is no fault of the
// database's, and the reason why there are open loops.
func TestClosedLoopShowsOneSlowOperationForEachWorker(t *testing.T) {
	step := measured(t, 1, planv1.Step{Threads: 4, DurationSeconds: 30}, stalling())
	services := times(t, step, service)
	wantPercentile(t, services, 99.9, 1000)
	if got := services.Max(); !services.ValuesAreEquivalent(got, 1_001_000) {
		t.Errorf("the slowest needed %d µs, want 1001000", got)
	}
	var slow int64
	for _, bar := range services.Distribution() {
		if bar.From > 2000 {
			slow += bar.Count
		}
	}
	if slow != 4*3 {
		t.Errorf("%d slow operations, want one for each worker in each of 3 stalls", slow)
	}
	if step.Arrivals != nil || step.Operations[0].ResponseTime != "" {
		t.Error("a closed loop reports arrivals or response times")
	}
}

// During a stall 1000 operations are due: the 8 workers have one each, the queue takes 100, and the rest is dropped.
func TestWhatTheQueueCannotTakeIsDroppedAndCounted(t *testing.T) {
	target := stalling()
	step := measured(t, 1, planv1.Step{Threads: 8, DurationSeconds: 30, Arrival: constant(1000, 100)}, target)
	arrivals := step.Arrivals
	answered := times(t, step, response).TotalCount()
	if arrivals.Due != 30_000 || arrivals.Dropped+answered != arrivals.Due || target.Executed() != answered {
		t.Errorf("%d due, %d dropped, %d sent and %d answered; want 30000 due, each sent and answered, or dropped",
			arrivals.Due, arrivals.Dropped, target.Executed(), answered)
	}
	if want := int64(3 * (1000 - 8 - 100)); arrivals.Dropped < want-6 || arrivals.Dropped > want+6 {
		t.Errorf("%d dropped, want about %d", arrivals.Dropped, want)
	}
	if arrivals.LargestQueue != 100 {
		t.Errorf("the queue was up to %d long, want its limit of 100", arrivals.LargestQueue)
	}
}

// During a stall of a second what is due in its first 0.9 s is older than 100 ms at its end: the 8 workers have one
// each, and the rest is skipped.
func TestWhatIsDueForTooLongIsSkippedAndCounted(t *testing.T) {
	target, arrival := stalling(), constant(1000, 10_000)
	arrival.SkipAfterMicros = 100_000
	step := measured(t, 1, planv1.Step{Threads: 8, DurationSeconds: 30, Arrival: arrival}, target)
	arrivals := step.Arrivals
	answered := times(t, step, response).TotalCount()
	if arrivals.Due != 30_000 || arrivals.Skipped+answered != arrivals.Due || target.Executed() != answered ||
		arrivals.Dropped != 0 {
		t.Errorf("%d due, %d skipped, %d dropped, %d sent and %d answered; want 30000 due, each sent and answered, or "+
			"skipped", arrivals.Due, arrivals.Skipped, arrivals.Dropped, target.Executed(), answered)
	}
	if want := int64(3 * (900 - 8)); arrivals.Skipped < want-6 || arrivals.Skipped > want+6 {
		t.Errorf("%d skipped, want about %d", arrivals.Skipped, want)
	}
	var skipped int64
	for _, operation := range step.Operations {
		skipped += operation.Skipped
	}
	if skipped != arrivals.Skipped {
		t.Errorf("%d were skipped of single operations, and %d of all", skipped, arrivals.Skipped)
	}
	lag, err := reportv1.DecodeHistogram(arrivals.Lag)
	if err != nil {
		t.Fatal(err)
	}
	if got := lag.Max(); got > 100_100 {
		t.Errorf("an operation was sent %d µs after it was due, want 100000 at most", got)
	}
}

// Within 500 ms of when it was due are all operations but those that wait for a stall's end for longer.
func TestObjectivesCountFromWhenOperationsWereDue(t *testing.T) {
	step := measured(t, 1, planv1.Step{
		Threads: 8, DurationSeconds: 30, Arrival: constant(1000, 10_000),
		Objectives: []planv1.Objective{
			{LimitMicros: 500_000, PercentMillis: 99_000}, {Operation: "other", LimitMicros: 5, PercentMillis: 50_000},
		},
	}, stalling())
	var got int64
	for _, operation := range step.Operations {
		within := operation.Within
		if len(within) != 1 || within[0].LimitMicros != 500_000 {
			t.Fatalf("counted within %v, want one limit of 500000", within)
		}
		got += within[0].Count
	}
	responses, want := times(t, step, response), int64(0)
	for _, bar := range responses.Distribution() {
		if bar.To <= 500_000 {
			want += bar.Count
		}
	}
	if late := int64(30_000) - got; late < 1000 || late > 4000 {
		t.Errorf("%d took longer, want those of the three stalls", late)
	}
	// The bucket that the limit lies in is half a millisecond wide, and one is due each millisecond.
	if got < want || got > want+6 {
		t.Errorf("%d within the limit, and by the histogram %d", got, want)
	}
	if len(step.Objectives) != 2 || step.Objectives[0].PercentMillis != 99_000 {
		t.Errorf("objectives %v", step.Objectives)
	}
}

func TestWhatIsQueuedAtTheEndIsStillSent(t *testing.T) {
	for name, tc := range map[string]struct {
		latency      time.Duration
		wantSent     int64
		wantLate     int64
		wantDuration time.Duration
	}{
		// One worker sends 10 of the 100 that are due a second.
		"the rest of the queue is sent after the window": {
			100 * time.Millisecond, 200, 180, 20 * time.Second,
		},
		// It would take 100 s; the queue is drained for 30 s after the 2 s of the window.
		"for 30 seconds": {500 * time.Millisecond, 65, 61, 32*time.Second + 500*time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			target := &drivertest.Target{Latency: tc.latency}
			step := measured(t, 1, planv1.Step{Threads: 1, DurationSeconds: 2, Arrival: constant(100, 1000)}, target)
			if sent := target.Executed(); sent != tc.wantSent || step.Arrivals.Due != 200 || step.Arrivals.Late != tc.wantLate {
				t.Errorf("%d sent of %d due, %d of them late; want %d of 200, %d late",
					sent, step.Arrivals.Due, step.Arrivals.Late, tc.wantSent, tc.wantLate)
			}
			if got := step.Arrivals.Dropped + target.Executed(); got != 200 {
				t.Errorf("%d dropped or sent, want 200", got)
			}
			if got := step.Duration(); got != tc.wantDuration {
				t.Errorf("the window took %s with what was drained, want %s", got, tc.wantDuration)
			}
		})
	}
}

func TestScheduleLagIsApartFromTheClocksError(t *testing.T) {
	step := measured(t, 1, planv1.Step{Threads: 1, DurationSeconds: 10, Arrival: constant(10, 1000)},
		&drivertest.Target{Latency: 150 * time.Millisecond})
	lag, wakeUp := decode(t, step.Arrivals.Lag), decode(t, step.Arrivals.WakeUp)
	// Each operation is sent 50 ms later than the one before: the last of 100 by 4.95 s. Only the first found the worker
	// free.
	if !lag.ValuesAreEquivalent(lag.Max(), 4_950_000) || lag.TotalCount() != 100 {
		t.Errorf("%d lags up to %d µs, want 100 up to 4950000", lag.TotalCount(), lag.Max())
	}
	if wakeUp.Max() != 0 || wakeUp.TotalCount() != 1 {
		t.Errorf("%d wake-ups late by up to %d µs, want 1 in time", wakeUp.TotalCount(), wakeUp.Max())
	}
}

// The only worker is with an operation of the warm-up until a second after the window's begin: what was due until then
// found no worker free, and the ten workers of the other case wait for nothing.
func TestAWorkerThatIsStillWarmingUpIsNotFree(t *testing.T) {
	for name, tc := range map[string]struct {
		threads  int
		wantFree int64
	}{
		"one worker":  {1, 0},
		"ten workers": {10, 10},
	} {
		t.Run(name, func(t *testing.T) {
			step := measured(t, 1, planv1.Step{
				Threads: tc.threads, WarmupSeconds: 1, DurationSeconds: 10, Arrival: constant(1, 100),
			}, &drivertest.Target{Latency: 2 * time.Second})
			got := int64(0)
			if step.Arrivals.WakeUp != "" {
				got = decode(t, step.Arrivals.WakeUp).TotalCount()
			}
			if got != tc.wantFree {
				t.Errorf("%d operations found a worker free, want %d", got, tc.wantFree)
			}
		})
	}
}

func TestWarmupOfAnOpenLoopIsNotCounted(t *testing.T) {
	target := &drivertest.Target{Latency: time.Millisecond}
	step := measured(t, 1, planv1.Step{
		Threads: 4, WarmupSeconds: 5, DurationSeconds: 10,
		Arrival: &planv1.Arrival{
			Process: benchv1alpha1.ArrivalConstant, MaxQueued: 100,
			Stages: []planv1.ArrivalStage{{Seconds: 5, From: 10, To: 10}, {Seconds: 5, From: 50, To: 50}},
		},
	}, target)
	if target.Executed() != 5*10+5*10+5*50 || step.Arrivals.Due != 5*10+5*50 {
		t.Errorf("%d sent, %d counted as due; want 350 and 300: the stages begin with the window",
			target.Executed(), step.Arrivals.Due)
	}
	// The first may have been sent before the traffic until then was read.
	if got := step.Traffic.BytesOut / drivertest.BytesOut; got < 299 || got > 300 {
		t.Errorf("traffic of %d operations, want 300", got)
	}
}

func TestSteadinessIsToldOfALevelLoadOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		arrival *planv1.Arrival
		want    bool
	}{
		"a closed loop": {nil, true},
		"a level":       {constant(50, 10), true},
		"a ramp": {&planv1.Arrival{
			Process: benchv1alpha1.ArrivalConstant, MaxQueued: 10, Stages: []planv1.ArrivalStage{{
				Seconds: 60, From: 1,
				To: 100,
			}},
		}, false},
		"steps": {&planv1.Arrival{
			Process: benchv1alpha1.ArrivalConstant, MaxQueued: 10,
			Stages: []planv1.ArrivalStage{{Seconds: 30, From: 10, To: 10}, {Seconds: 30, From: 20, To: 20}},
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			load := planv1.Step{Threads: 1, DurationSeconds: 60, Arrival: tc.arrival}
			step := measured(t, 1, load, &drivertest.Target{Latency: 10 * time.Millisecond})
			if told := step.Steady != nil; told != tc.want {
				t.Errorf("steadiness is %v, want some: %t", step.Steady, tc.want)
			}
		})
	}
}

func TestAnOpenLoopMayEndWithANumberOfOperations(t *testing.T) {
	for name, pods := range map[string]int{"of one pod": 1, "of three pods": 3, "of more pods than threads": 7} {
		t.Run(name, func(t *testing.T) {
			target := &drivertest.Target{Latency: time.Millisecond}
			step := measured(t, pods, planv1.Step{Threads: 5, OperationCount: 1001, Arrival: constant(500, 100)}, target)
			if target.Executed() != 1001 || step.Arrivals.Due != 1001 {
				t.Errorf("%d sent and %d due, want 1001", target.Executed(), step.Arrivals.Due)
			}
			if got := step.Duration().Round(100 * time.Millisecond); got != 2*time.Second {
				t.Errorf("it took %s, want 2s", got)
			}
		})
	}
}

// Whatever the number of pods, the same operations are sent at the same times, so that a database which always takes
// the same time gives the same histograms.
func TestPodsShareALoadExactly(t *testing.T) {
	for name, load := range map[string]planv1.Step{
		"a closed loop":           {Threads: 8, OperationCount: 4003},
		"a closed loop, thinking": {Threads: 8, OperationCount: 803, ThinkTime: pause(1700)},
		"constant arrivals":       {Threads: 8, DurationSeconds: 5, Arrival: constant(100, 1000)},
		// With that many workers no operation waits for one, whatever its pod's share of them.
		"a Poisson process": {Threads: 64, DurationSeconds: 5, Arrival: &planv1.Arrival{
			Process: benchv1alpha1.ArrivalPoisson, MaxQueued: 1000, Stages: []planv1.ArrivalStage{{
				Seconds: 5, From: 50,
				To: 500,
			}},
		}},
		"a trace": {Threads: 64, DurationSeconds: 5, Arrival: &planv1.Arrival{
			Process: benchv1alpha1.ArrivalTrace, MaxQueued: 1000, GapsMicros: []int64{0, 1500, 9000, 3},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			want, wantRequests := shared(t, 1, load)
			if len(wantRequests) < 100 {
				t.Fatalf("only %d different requests", len(wantRequests))
			}
			for _, pods := range []int{4, 8} {
				got, gotRequests := shared(t, pods, load)
				if !maps.Equal(wantRequests, gotRequests) {
					t.Errorf("%d pods send other operations than one", pods)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%d pods measure something else than one (-want +got):\n%s", pods, diff)
				}
			}
		})
	}
}

// shared has pods share a load, and returns what they measured, without the series over time, and what they sent.
func shared(t *testing.T, pods int, load planv1.Step) ([]any, map[string]int) {
	t.Helper()
	target := &drivertest.Target{
		Latencies: map[int]time.Duration{0: time.Millisecond, 1: 3 * time.Millisecond, 2: 7 * time.Millisecond},
	}
	step := measured(t, pods, load, target)
	for i := range step.Operations {
		step.Operations[i].Intervals, step.Operations[i].IntervalTimes = nil, nil
	}
	if step.Arrivals == nil {
		return []any{step.Operations}, target.Requests()
	}
	return []any{step.Operations, step.Arrivals.Due, step.Arrivals.Lag, step.Arrivals.WakeUp}, target.Requests()
}

func TestThinkTimePausesAfterEachReply(t *testing.T) {
	target := &drivertest.Target{Latency: 10 * time.Millisecond}
	step := measured(t, 1, planv1.Step{Threads: 2, DurationSeconds: 10, ThinkTime: pause(40_000)}, target)
	if got := target.Executed(); got != 2*200 {
		t.Errorf("%d operations, want 400: each worker one in 50 ms", got)
	}
	if services := times(t, step, service); !services.ValuesAreEquivalent(services.Max(), 10_000) {
		t.Errorf("service time up to %d µs, want 10000: thinking is not the database's", services.Max())
	}
}

func TestStepsThatCannotBeDrivenAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		step planv1.Step
		want string
	}{
		"arrivals without a rate": {
			planv1.Step{Threads: 1, DurationSeconds: 1, Arrival: &planv1.Arrival{Process: "Constant"}}, "at least one stage",
		},
		"a search for nothing": {
			planv1.Step{Threads: 1, DurationSeconds: 1, Search: &planv1.Search{}}, "the lowest rate must be at least 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := drivertest.Run(t.Context(), testPlan(1, tc.step), &drivertest.Target{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}
