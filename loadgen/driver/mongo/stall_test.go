package mongo_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

const (
	// stallWindow is how long the test measures, and stallLength how long the server stands still within that.
	stallWindow = 5 * time.Second
	stallLength = time.Second
	// stallRate of the open loop in operations per second is far below what any machine does.
	stallRate = 500
)

// pauser pauses a server once the measurement is a second old.
type pauser struct {
	server *mongotest.Server
	step   int
	begun  bool
	paused chan time.Duration
}

func (p *pauser) Progress(_ context.Context, progress reportv1.Progress) error {
	if p.begun || progress.Step != p.step || progress.State != reportv1.ProgressRunning {
		return nil
	}
	p.begun = true
	go func() {
		length, err := p.server.Pause(stallLength)
		if err != nil {
			length = 0
		}
		p.paused <- length
	}()
	return nil
}

func (p *pauser) Report(context.Context, reportv1.Report) error {
	return nil
}

// stalled measures reads of a server that stands still once, and returns the report and how long that was.
func stalled(
	t *testing.T, server *mongotest.Server, client benchv1alpha1.Client, arrival *planv1.Arrival,
) (reportv1.Report, time.Duration) {
	t.Helper()
	plan := planOf("stall", planv1.Step{
		Threads: 8, DurationSeconds: int(stallWindow.Seconds()), Arrival: arrival,
		Operations: []planv1.Operation{{
			Name: "read", Parameters: []planv1.Parameter{key},
			Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`},
		}},
	})
	plan.Client = client
	pauser := &pauser{server: server, step: len(plan.Steps) - 1, paused: make(chan time.Duration, 1)}
	engine := engine.Engine{
		Plan: plan, PlanHash: "hash", Target: open(t, server), Reporter: pauser, Version: "test",
		Log: slog.New(slog.DiscardHandler),
	}
	report, err := engine.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	length := <-pauser.paused
	if length == 0 {
		t.Fatal("the server could not be paused")
	}
	return report, length
}

// An operation that is due x seconds after the server stopped waits for the rest of the pause. With arrivals at a
// constant rate the share of operations that wait longer than y is (pause - y) / window, so the 99th percentile must be
// at least pause - window/100; what the queue takes to drain, and a busy machine, only add to it.
func TestAnOpenLoopShowsAServerThatStoodStill(t *testing.T) {
	t.Parallel()
	for _, client := range everyClient {
		t.Run(string(client), func(t *testing.T) {
			t.Parallel()
			arrival := &planv1.Arrival{
				Process: benchv1alpha1.ArrivalConstant, MaxQueued: 10_000,
				Stages: []planv1.ArrivalStage{{Seconds: int(stallWindow.Seconds()), From: stallRate, To: stallRate}},
			}
			report, pause := stalled(t, mongotest.Start(t, mongotest.Newest()), client, arrival)
			summary, err := result.Summarise(report)
			if err != nil {
				t.Fatal(err)
			}
			step := summary.Steps[0]
			theory := pause - stallWindow/100
			// The histogram's resolution and the rounding of counts take less than two percent.
			if got := time.Duration(step.Overall.P99Micros) * time.Microsecond; got < theory*98/100 {
				t.Errorf("p99 is %s; with a pause of %s it cannot be below %s", got, pause, theory)
			}
			if got, want := step.Overall.Count, int64(stallRate*stallWindow.Seconds()); got != want {
				t.Errorf("%d operations were measured, want all %d that were due", got, want)
			}
		})
	}
}

// In a closed loop each worker meets the pause once, however many thousand operations it would have sent meanwhile:
// that is what the open loop is for.
func TestAClosedLoopShowsAServerThatStoodStillOncePerWorker(t *testing.T) {
	t.Parallel()
	report, pause := stalled(t, mongotest.Start(t, mongotest.Newest()), benchv1alpha1.ClientWire, nil)
	step := report.Steps[len(report.Steps)-1]
	times, err := reportv1.DecodeHistogram(step.Operations[0].ServiceTime)
	if err != nil {
		t.Fatal(err)
	}
	var late int64
	for _, bar := range times.Distribution() {
		if bar.From > (pause / 2).Microseconds() {
			late += bar.Count
		}
	}
	if late < 1 || late > int64(step.Threads) {
		t.Errorf("%d operations waited for more than half of a pause of %s, want one of each of %d workers", late, pause,
			step.Threads)
	}
}
