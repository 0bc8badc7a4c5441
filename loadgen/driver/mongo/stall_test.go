package mongo_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

const (
	// stallWindow is how long the test measures, and stallLength how long the server stands still within that.
	stallWindow = 5 * time.Second
	stallLength = time.Second
	// late is an operation that waited for half of that, and surelyLate one that is late though a histogram rounds.
	late, surelyLate = stallLength / 2, stallLength * 6 / 10
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
	t *testing.T, server *mongotest.Server, target loadgen.Target, client benchv1alpha1.Client, arrival *planv1.Arrival,
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
		Plan: plan, PlanHash: "hash", Target: target, Reporter: pauser, Version: "test",
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
			server := mongotest.Start(t, mongotest.Newest())
			report, pause := stalled(t, server, open(t, server), client, arrival)
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

// watched is a target that knows from outside which operations took long.
type watched struct {
	*mongo.Target
	// all operations that were sent, those of them that took most of the pause for certain, and those that can have,
	// by the clock of somebody who does not see when they were due.
	all, certain, possible atomic.Int64
}

// watchedSession belongs to one worker: what happens to an operation happens between the end of the one before it and
// the beginning of the next.
type watchedSession struct {
	loadgen.Session
	counts *watched
	// before is when the operation before the last one ended, and ended when the last one did.
	before, ended time.Time
}

func (w *watched) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	session, err := w.Target.Session(ctx, use)
	return &watchedSession{Session: session, counts: w, ended: time.Now()}, err
}

func (s *watchedSession) Execute(ctx context.Context, request *workload.Request, reply *loadgen.Reply) error {
	begun := time.Now()
	s.judge(begun)
	err := s.Session.Execute(ctx, request, reply)
	s.before, s.ended = s.ended, time.Now()
	s.counts.all.Add(1)
	if s.ended.Sub(begun) > surelyLate {
		s.counts.certain.Add(1)
	}
	return err
}

// judge looks at the last operation, if there was one, now that it is over for its worker too.
func (s *watchedSession) judge(over time.Time) {
	if !s.before.IsZero() && over.Sub(s.before) > late {
		s.counts.possible.Add(1)
	}
}

func (s *watchedSession) Close() {
	s.judge(time.Now())
	s.Session.Close()
}

// In a closed loop each worker meets the pause once, however many thousand operations it would have sent meanwhile:
// that is what the open loop is for. So nothing is recorded but what was sent, with the time that it took. That is one
// late operation of each worker, and on a busy machine those that were late without a pause.
func TestAClosedLoopShowsAServerThatStoodStillOncePerWorker(t *testing.T) {
	t.Parallel()
	server := mongotest.Start(t, mongotest.Newest())
	target := &watched{Target: open(t, server)}
	report, _ := stalled(t, server, target, benchv1alpha1.ClientWire, nil)
	step := report.Steps[len(report.Steps)-1]
	times, err := reportv1.DecodeHistogram(step.Operations[0].ServiceTime)
	if err != nil {
		t.Fatal(err)
	}
	var recorded int64
	for _, bar := range times.Distribution() {
		if bar.From > late.Microseconds() {
			recorded += bar.Count
		}
	}
	certain, possible := target.certain.Load(), target.possible.Load()
	t.Logf("XX %d %d %d", recorded, certain, possible)
	if certain < 1 || recorded < certain || recorded > possible {
		t.Errorf("%d operations of %d workers took more than %s; outside one saw that %d did and %d can have", recorded,
			step.Threads, late, certain, possible)
	}
	if recorded, sent := times.TotalCount(), target.all.Load(); recorded > sent {
		t.Errorf("%d operations are recorded, and %d were sent", recorded, sent)
	}
}
