package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// documents is how many every test loads.
const documents = 1003

// testPlan loads a collection and measures one step with a mix of reads, updates and inserts.
func testPlan(pods int, step planv1.Step) planv1.Plan {
	key := planv1.Parameter{Name: "id", Value: planv1.Value{Type: planv1.TypeKey, KeyField: "_id", KeyRangePercent: 100}}
	step.Name, step.Kind = "mixed", planv1.StepMeasure
	step.Operations = []planv1.Operation{
		{
			Name: "read", Weight: 6, Parameters: []planv1.Parameter{key},
			Request: planv1.Request{Kind: "FindOne", Collection: "things", Filter: `{"_id": {"$param": "id"}}`},
		},
		{
			Name: "update", Weight: 3, Parameters: []planv1.Parameter{key, {
				Name: "v", Value: planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 5, Max: 1000},
			}},
			Request: planv1.Request{
				Kind: "UpdateOne", Collection: "things", Filter: `{"_id": {"$param": "id"}}`,
				Update: `{"$set": {"v": {"$param": "v"}}}`,
			},
		},
		{Name: "insert", Weight: 1, Request: planv1.Request{Kind: "InsertOne", Collection: "things"}},
	}
	return planv1.Plan{
		Version: planv1.Version, Seed: 42, Pods: pods, Database: "test",
		Collections: []planv1.Collection{{
			Name: "things", DocumentCount: documents,
			Fields: []planv1.Field{
				{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorObjectID}},
				{Name: "v", Value: planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 3, Max: 1000}},
			},
		}},
		Steps: []planv1.Step{
			{Name: "prepare", Kind: planv1.StepPrepare},
			{Name: "load", Kind: planv1.StepLoad, Threads: 4, BatchDocuments: 25},
			{Name: "verify", Kind: planv1.StepVerify},
			step,
		},
	}
}

// seen is what a target was asked and given.
type seen struct {
	Requests    map[string]int
	Collections map[string]drivertest.Contents
}

// follow has pods follow the same plan, and checks that their merged report counts everything.
func follow(t *testing.T, pods, threads int) seen {
	t.Helper()
	const operations = 2001
	target := &drivertest.Target{}
	plan := testPlan(pods, planv1.Step{Threads: threads, OperationCount: operations})
	reports, err := drivertest.Run(t.Context(), plan, target)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := result.Merge(reports)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(measure.Machines(), merged.Machines); diff != "" {
		t.Errorf("machines of pods on one (-want +got):\n%s", diff)
	}
	summary, err := result.Summarise(merged)
	if err != nil {
		t.Fatal(err)
	}
	if got := summary.Steps[0].Overall.Count; got != operations {
		t.Errorf("the merged report counts %d operations, want %d", got, operations)
	}
	if got := summary.Load.Documents; got != documents {
		t.Errorf("the merged report counts %d documents loaded, want %d", got, documents)
	}
	return seen{target.Requests(), target.Collections()}
}

func TestPodsAndThreadsShareTheSameOperationsAndDocuments(t *testing.T) {
	var want seen
	synctest.Test(t, func(t *testing.T) { want = follow(t, 1, 8) })
	if len(want.Requests) < 100 || want.Collections["things"].Sum == 0 {
		t.Fatalf("nothing to compare with: %d different requests, %v", len(want.Requests), want.Collections)
	}
	for name, tc := range map[string]struct{ pods, threads int }{
		"one pod with one thread":                {1, 1},
		"four pods with two threads each":        {4, 8},
		"three pods that share 8 threads":        {3, 8},
		"two pods with more threads than before": {2, 64},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if diff := cmp.Diff(want, follow(t, tc.pods, tc.threads)); diff != "" {
					t.Errorf("other operations or documents than one pod with 8 threads (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestMeasureWindowCountsWhatItHolds(t *testing.T) {
	for name, tc := range map[string]struct {
		step          planv1.Step
		latency       time.Duration
		wantCount     int64
		wantExecuted  int64
		wantDuration  time.Duration
		wantIntervals int
		// wantRate is in operations per second.
		wantRate int64
	}{
		"a duration without warm-up": {
			step: planv1.Step{Threads: 4, DurationSeconds: 10}, latency: 10 * time.Millisecond,
			wantCount: 4000, wantExecuted: 4000, wantDuration: 10 * time.Second, wantIntervals: 11, wantRate: 400,
		},
		"a duration after a warm-up that is not counted": {
			step: planv1.Step{Threads: 4, DurationSeconds: 10, WarmupSeconds: 5}, latency: 10 * time.Millisecond,
			wantCount: 4000, wantExecuted: 6000, wantDuration: 10 * time.Second, wantIntervals: 11, wantRate: 400,
		},
		"an operation under way at the end is waited for and counted, and is in no rate": {
			step: planv1.Step{Threads: 10, DurationSeconds: 10}, latency: 3 * time.Second,
			wantCount: 40, wantExecuted: 40, wantDuration: 12 * time.Second, wantIntervals: 13, wantRate: 3,
		},
		"one under way at the begin is in the rate": {
			step: planv1.Step{Threads: 10, DurationSeconds: 10, WarmupSeconds: 2}, latency: 4 * time.Second,
			wantCount: 20, wantExecuted: 30, wantDuration: 10 * time.Second, wantIntervals: 11, wantRate: 2,
		},
		"a number of operations that does not divide by the threads": {
			step: planv1.Step{Threads: 4, OperationCount: 401}, latency: 10 * time.Millisecond,
			wantCount: 401, wantExecuted: 401, wantDuration: 1010 * time.Millisecond, wantIntervals: 2,
			wantRate: 397,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				target := &drivertest.Target{Latency: tc.latency}
				reports, err := drivertest.Run(t.Context(), testPlan(1, tc.step), target)
				if err != nil {
					t.Fatal(err)
				}
				step := reports[0].Steps[3]
				count, intervals := totals(step)
				if count != tc.wantCount || target.Executed() != tc.wantExecuted {
					t.Errorf("counted %d of %d operations, want %d of %d",
						count, target.Executed(), tc.wantCount, tc.wantExecuted)
				}
				if step.Duration() != tc.wantDuration || intervals != tc.wantIntervals {
					t.Errorf("a window of %s in %d intervals, want %s in %d",
						step.Duration(), intervals, tc.wantDuration, tc.wantIntervals)
				}
				checkLatency(t, step, tc.latency)
				checkRate(t, reports[0], tc.wantRate)
			})
		})
	}
}

// checkRate looks at the rate of a report's only measured step, and that the report does not contradict itself.
func checkRate(t *testing.T, report reportv1.Report, want int64) {
	t.Helper()
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	if rate := summary.Steps[0].Overall.OperationsPerSecond; rate != want {
		t.Errorf("%d operations per second, want %d", rate, want)
	}
	if _, err := result.Doubts(report); err != nil {
		t.Error(err)
	}
}

// totals are the successes of all operations, and the intervals that they are spread over.
func totals(step reportv1.Step) (count int64, intervals int) {
	for _, operation := range step.Operations {
		count += operation.Count
		intervals = max(intervals, len(operation.Intervals))
	}
	return count, intervals
}

// checkLatency compares every operation's largest latency with the only one that the target has.
func checkLatency(t *testing.T, step reportv1.Step, want time.Duration) {
	t.Helper()
	for _, operation := range step.Operations {
		if operation.Count == 0 {
			continue
		}
		histogram, err := reportv1.DecodeHistogram(operation.ServiceTime)
		if err != nil {
			t.Fatal(err)
		}
		if histogram.TotalCount() != operation.Count || !histogram.ValuesAreEquivalent(histogram.Max(), want.Microseconds()) {
			t.Errorf("operation %s has %d latencies up to %d µs, want %d of %d µs",
				operation.Name, histogram.TotalCount(), histogram.Max(), operation.Count, want.Microseconds())
		}
	}
}

func TestGateStartsPodsTogetherAndSkewIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := testPlan(3, planv1.Step{Threads: 6, OperationCount: 600})
		reports, err := drivertest.Run(t.Context(), plan, &drivertest.Target{Latency: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		want := reports[0].Steps[len(reports[0].Steps)-1].IntendedStart
		for pod, report := range reports {
			step := report.Steps[len(report.Steps)-1]
			if !step.IntendedStart.Equal(want) || !step.Start.Equal(want) || step.StartSkewMicros != 0 {
				t.Errorf("pod %d was to start at %s and did at %s, skew %d µs; want all at %s",
					pod, step.IntendedStart, step.Start, step.StartSkewMicros, want)
			}
		}
	})
}

func TestFailures(t *testing.T) {
	for name, tc := range map[string]struct {
		target     *drivertest.Target
		step       planv1.Step
		wantError  string
		wantErrors int64
	}{
		"single failures are counted and classed": {
			target:     &drivertest.Target{FailEvery: 10, Latency: time.Millisecond},
			step:       planv1.Step{Threads: 4, OperationCount: 1000},
			wantErrors: 100,
		},
		"a step in which nothing succeeds is an error": {
			target:    &drivertest.Target{FailEvery: 1, Latency: time.Millisecond},
			step:      planv1.Step{Threads: 4, OperationCount: 1000},
			wantError: "no operation succeeded",
		},
		"nothing but failures for a minute end the step early": {
			target:    &drivertest.Target{FailEvery: 1, Latency: time.Second},
			step:      planv1.Step{Threads: 4, DurationSeconds: 3600},
			wantError: "had nothing but failures for 1m",
		},
		"documents that are missing after the load are an error": {
			target:    &drivertest.Target{Lose: 3},
			step:      planv1.Step{Threads: 1, OperationCount: 1},
			wantError: `collection "things": expected 1003 documents, found 1000`,
		},
		"documents that are too many are an error": {
			target:    &drivertest.Target{Lose: -1},
			step:      planv1.Step{Threads: 1, OperationCount: 1},
			wantError: `expected 1003 documents, found 1004`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reports, err := drivertest.Run(t.Context(), testPlan(1, tc.step), tc.target)
				if tc.wantError != "" {
					if err == nil || !strings.Contains(err.Error(), tc.wantError) {
						t.Fatalf("error %v, want one with %q", err, tc.wantError)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				checkErrors(t, reports[0].Steps[3], tc.wantErrors)
			})
		})
	}
}

// checkErrors looks at the errors of a step, and that none of their messages holds the script's password.
func checkErrors(t *testing.T, step reportv1.Step, want int64) {
	t.Helper()
	var failed int64
	for _, operation := range step.Operations {
		failed += operation.Errors
		for _, class := range operation.ErrorClasses {
			if class.Class != drivertest.Class || strings.Contains(class.FirstMessage, "secret") {
				t.Errorf("error class %+v: want class %q and no password", class, drivertest.Class)
			}
		}
	}
	if failed != want {
		t.Errorf("%d errors, want %d", failed, want)
	}
}

func TestEndOfTheContextEndsTheRunWithItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("a key was pressed")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(5*time.Second, func() { cancel(cause) })
		plan := testPlan(1, planv1.Step{Threads: 8, DurationSeconds: 3600})
		begin := time.Now()
		_, err := drivertest.Run(ctx, plan, &drivertest.Target{Latency: time.Minute / 1000})
		if !errors.Is(err, cause) {
			t.Errorf("the run ended with %v, want %v", err, cause)
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("the run ended after %s, want 5s", took)
		}
	})
}

func TestProgressTellsEveryStepAndTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reporter := &drivertest.Reporter{}
		engine := &engine.Engine{
			Plan:   testPlan(1, planv1.Step{Threads: 2, WarmupSeconds: 2, DurationSeconds: 4}),
			Target: &drivertest.Target{Latency: 10 * time.Millisecond}, Reporter: reporter, Log: slog.New(slog.DiscardHandler),
			NewAlarm: func() alarm.Alarm { return alarm.Timer{} },
		}
		report, err := engine.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		const waiting, running = reportv1.ProgressWaiting, reportv1.ProgressRunning
		want := []reportv1.Progress{
			{Step: 0, State: waiting},
			{Step: 1, State: waiting},
			{Step: 2, State: waiting},
			{Step: 3, State: waiting},
			{Step: 3, State: running, WarmingUp: true, OperationsPerSecond: 200},
			{Step: 3, State: running, OperationsPerSecond: 200},
			{Step: 3, State: running, OperationsPerSecond: 200, Percent: 25},
			{Step: 3, State: running, OperationsPerSecond: 200, Percent: 75},
			{Step: 3, State: reportv1.ProgressDone, Percent: 100},
		}
		if diff := cmp.Diff(want, roundRates(reporter.Seen())); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]reportv1.Report{report}, reporter.Reports()); diff != "" {
			t.Errorf("the report that was handed in is another than the returned one:\n%s", diff)
		}
	})
}

// roundRates takes away what depends on which goroutine comes first when several wake at the same instant. The last
// tick of a step may or may not be seen; it is left out.
func roundRates(seen []reportv1.Progress) []reportv1.Progress {
	var rounded []reportv1.Progress
	for _, progress := range seen {
		progress.OperationsPerSecond = (progress.OperationsPerSecond + 50) / 100 * 100
		if progress.State == reportv1.ProgressRunning && progress.Percent == 100 {
			continue
		}
		rounded = append(rounded, progress)
	}
	return rounded
}

func TestSeveralPodsNeedAGate(t *testing.T) {
	engine := &engine.Engine{Plan: planv1.Plan{Pods: 2}}
	if _, err := engine.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "no gate") {
		t.Errorf("error %v, want one about the gate", err)
	}
}

// BenchmarkOperation is what the engine itself costs with every operation: drawing it, taking the times, counting it.
func BenchmarkOperation(b *testing.B) {
	plan := testPlan(1, planv1.Step{Threads: 1, OperationCount: int64(b.N)})
	plan.Steps = plan.Steps[3:]
	b.ReportAllocs()
	if _, err := drivertest.Run(b.Context(), plan, &drivertest.Target{Forget: true}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkArrival is the same for an operation of an open loop that is due already, by as many workers.
func BenchmarkArrival(b *testing.B) {
	for _, threads := range []int{1, 64} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			plan := testPlan(1, planv1.Step{
				Threads: threads, OperationCount: int64(b.N), Arrival: constant(100_000_000, int64(b.N)),
			})
			plan.Steps = plan.Steps[3:]
			b.ReportAllocs()
			if _, err := drivertest.Run(b.Context(), plan, &drivertest.Target{Forget: true}); err != nil {
				b.Fatal(err)
			}
		})
	}
}
