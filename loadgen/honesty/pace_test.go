package honesty

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// pacedCase is a closed loop of eight threads on a scripted target, in fake time.
type pacedCase struct {
	// slow is how long the second operation of the mix takes, and one in how many it is; 0: there is none.
	slow  time.Duration
	oneIn int
	// warmup and window in seconds.
	warmup, window int
}

// readTakes is what a read takes.
const readTakes = 500 * time.Microsecond

// follow has the load generator follow the plan of a case.
func (c pacedCase) follow(t *testing.T) (reportv1.Report, []result.Doubt) {
	t.Helper()
	plan := lateCase{threads: 8, seconds: c.window}.plan()
	step := &plan.Steps[len(plan.Steps)-1]
	target := &drivertest.Target{Latency: readTakes, Forget: true}
	step.WarmupSeconds = c.warmup
	if c.oneIn > 0 {
		slow := step.Operations[0]
		slow.Name, slow.Weight, step.Operations[0].Weight = "report", 1, c.oneIn-1
		step.Operations = append(step.Operations, slow)
		target.Latencies = map[int]time.Duration{0: readTakes, 1: c.slow}
	}
	var report reportv1.Report
	synctest.Test(t, func(t *testing.T) {
		var err error
		if report, err = inFakeTime(t, plan, target); err != nil {
			t.Fatal(err)
		}
	})
	doubts, err := result.Doubts(report)
	if err != nil {
		t.Fatal(err)
	}
	return report, doubts
}

// inFakeTime follows a plan within a bubble of synctest.
func inFakeTime(t *testing.T, plan planv1.Plan, target loadgen.Target) (reportv1.Report, error) {
	t.Helper()
	return (&engine.Engine{
		Plan: plan, PlanHash: "hash", Target: target, Reporter: &drivertest.Reporter{},
		Log: slog.New(slog.DiscardHandler), NewAlarm: func() alarm.Alarm { return alarm.Timer{} },
	}).Run(t.Context())
}

// reads are the reads a second, beside those that the same threads do without any other operation.
func (c pacedCase) reads(t *testing.T) Told {
	t.Helper()
	report, doubts := c.follow(t)
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	alone := 8 * int64(time.Second/readTakes)
	rate := summary.Steps[0].Operations[0].OperationsPerSecond
	return Told{
		Doubts: doubts, Reported: fmt.Sprintf("%d reads/s", rate), Wrong: rate*2 < alone,
		Says: strings.Join(paceNotes(report), "; "),
	}
}

// paceNotes are those about the pace.
func paceNotes(report reportv1.Report) []string {
	var found []string
	for _, note := range result.Notes(report) {
		if strings.Contains(note, "paced by") {
			found = append(found, note)
		}
	}
	return found
}

func TestPace(t *testing.T) {
	const doubt = benchv1alpha1.ReasonPacedMix
	Check(t, Scenario{
		Item: "A14", Name: "one report of 12 s in 4,001 operations, in a closed loop", Doubt: doubt,
		Truth: "the target does 16,000 reads/s for eight threads",
		Run:   func(t *testing.T) Told { return pacedCase{slow: 12 * time.Second, oneIn: 4001, window: 30}.reads(t) },
	})
	Check(t, Scenario{
		Item: "A14", Name: "the same, with reports of the warm-up that end after the window", Doubt: doubt,
		Truth: "the target does 16,000 reads/s for eight threads",
		Run: func(t *testing.T) Told {
			return pacedCase{slow: 40 * time.Second, oneIn: 4001, warmup: 10, window: 20}.reads(t)
		},
	})
	Check(t, Scenario{
		Item: "A14", Name: "one update of 20 ms in 20 operations, in a closed loop", Doubt: doubt,
		Truth: "the target does 16,000 reads/s for eight threads",
		Run:   func(t *testing.T) Told { return pacedCase{slow: 20 * time.Millisecond, oneIn: 20, window: 30}.reads(t) },
	})
	Check(t, Scenario{
		Item: "A14", Name: "one update of 1 ms in 5 operations, in a closed loop", Doubt: doubt,
		Truth: "the target does 16,000 reads/s for eight threads",
		Run:   func(t *testing.T) Told { return pacedCase{slow: time.Millisecond, oneIn: 5, window: 30}.reads(t) },
	})
}

// TestShortSteps has a throughput that falls within the window.
func TestShortSteps(t *testing.T) {
	for _, seconds := range []int{15, 60} {
		Check(t, Scenario{
			Item: "A20.7", Name: fmt.Sprintf("a rate that falls to a third after 2/3 of %d s", seconds),
			Doubt: benchv1alpha1.ReasonNotSteady,
			Truth: "the last third of the window has a third of the throughput",
			Run: func(t *testing.T) Told {
				return falling(t, seconds)
			},
		})
	}
}

// falling is a target whose operations take three times as long in the last third of the window.
func falling(t *testing.T, seconds int) Told {
	t.Helper()
	var told Told
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		plan := lateCase{threads: 8, seconds: seconds}.plan()
		plan.Steps[len(plan.Steps)-1].WarmupSeconds = 0
		target := &drivertest.Target{Latency: readTakes, Forget: true}
		target.Answer = func(*workload.Request, *loadgen.Reply) {
			if time.Since(began) > time.Duration(seconds)*time.Second*2/3 {
				_ = alarm.Timer{}.Until(t.Context(), time.Now().Add(2*readTakes))
			}
		}
		report, err := inFakeTime(t, plan, target)
		if err != nil {
			t.Fatal(err)
		}
		doubts, err := result.Doubts(report)
		if err != nil {
			t.Fatal(err)
		}
		told = Told{Doubts: doubts, Wrong: true, Says: strings.Join(result.Notes(report), "; ")}
		summary, err := result.Summarise(report)
		if err != nil {
			t.Fatal(err)
		}
		told.Reported = fmt.Sprintf("%d/s", summary.Steps[0].Overall.OperationsPerSecond)
	})
	return told
}
