package honesty

import (
	"container/heap"
	"context"
	"fmt"
	"log/slog"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/pacer"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/punctual"
)

// takes is what every operation of the scripted target takes.
const takes = 300 * time.Microsecond

// lateCase is a load on the scripted target, on a machine with so many busy neighbours.
type lateCase struct {
	threads, neighbours int
	// rate per second of an open loop; 0 for a closed one.
	rate    int64
	seconds int
}

func (c lateCase) String() string {
	loop := "closed loop"
	if c.rate > 0 {
		loop = fmt.Sprintf("%d/s", c.rate)
	}
	return fmt.Sprintf("%d threads, %s, %d busy neighbours", c.threads, loop, c.neighbours)
}

// plan is that of one step of lookups.
func (c lateCase) plan() planv1.Plan {
	step := planv1.Step{
		Name: "lookups", Kind: planv1.StepMeasure, Threads: c.threads, DurationSeconds: c.seconds, WarmupSeconds: 1,
		Operations: []planv1.Operation{{
			Name: "read", Weight: 1, Parameters: []planv1.Parameter{{
				Name: "id", Value: planv1.Value{Type: planv1.TypeKey, KeyField: "_id", KeyRangePercent: 100},
			}},
			Request: planv1.Request{Kind: "FindOne", Collection: "things", Filter: `{"_id": {"$param": "id"}}`},
		}},
	}
	if c.rate > 0 {
		step.Arrival = &planv1.Arrival{
			Process: benchv1alpha1.ArrivalPoisson, MaxQueued: 100_000,
			Stages: []planv1.ArrivalStage{{Seconds: c.seconds, From: c.rate, To: c.rate}},
		}
	}
	return planv1.Plan{
		Version: planv1.Version, Seed: 42, Pods: 1, Database: "test", Steps: []planv1.Step{step},
		Collections: []planv1.Collection{{
			Name: "things", DocumentCount: 1000,
			Fields: []planv1.Field{{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorObjectID}}},
		}},
	}
}

// follow has the load generator follow a plan on a target, and returns what it reports with the doubts.
func follow(t *testing.T, plan planv1.Plan, target loadgen.Target) (reportv1.Report, []result.Doubt) {
	t.Helper()
	generator := engine.Engine{
		Plan: plan, Target: target, Reporter: &drivertest.Reporter{}, Log: slog.New(slog.DiscardHandler),
	}
	report, err := generator.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	doubts, err := result.Doubts(report)
	if err != nil {
		t.Fatal(err)
	}
	return report, doubts
}

// disturb keeps processors busy by other processes until the function that it returns is called.
func disturb(t *testing.T, neighbours int) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	busy := make([]*exec.Cmd, 0, neighbours)
	for range neighbours {
		neighbour := exec.CommandContext(ctx, "timeout", "300", "sh", "-c", "while :; do :; done")
		neighbour.Cancel = func() error { return neighbour.Process.Signal(syscall.SIGTERM) }
		if err := neighbour.Start(); err != nil {
			t.Fatal(err)
		}
		busy = append(busy, neighbour)
	}
	return func() {
		cancel()
		for _, neighbour := range busy {
			_ = neighbour.Wait()
		}
	}
}

// workersFree are the instants at which the workers of a faultless load generator are free again.
type workersFree []time.Duration

func (f workersFree) Len() int           { return len(f) }
func (f workersFree) Less(i, j int) bool { return f[i] < f[j] }
func (f workersFree) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (*workersFree) Push(any)            {}
func (*workersFree) Pop() any            { return nil }

// truth is what a load generator without any delay of its own would report of a quantile, in microseconds: in a closed
// loop what the operation takes, and in an open one that and the wait for a worker, by the same schedule.
func (c lateCase) truth(t *testing.T) func(quantile float64) int64 {
	t.Helper()
	if c.rate == 0 {
		return func(float64) int64 { return takes.Microseconds() }
	}
	plan := c.plan()
	schedule, err := pacer.New(*plan.Steps[0].Arrival, plan.Seed, plan.Steps[0].Name+"\x00")
	if err != nil {
		t.Fatal(err)
	}
	cursor := schedule.Cursor(0, 1)
	free := make(workersFree, c.threads)
	var times []int64
	for {
		_, due := cursor.Next()
		if due >= time.Duration(c.seconds)*time.Second {
			break
		}
		free[0] = max(free[0], due) + takes
		times = append(times, (free[0] - due).Microseconds())
		heap.Fix(&free, 0)
	}
	slices.Sort(times)
	return func(quantile float64) int64 { return times[int(quantile*float64(len(times)-1))] }
}

// outcome is how a case ended.
type lateOutcome struct {
	lateCase
	// off is the largest share of what is allowed by which a percentile was off: above 1 it was wrong.
	off      float64
	reported string
	doubts   []result.Doubt
}

// named says whether a doubt names the load generator, and blamed whether one names the target.
func (o lateOutcome) named() bool {
	return slices.ContainsFunc(o.doubts, func(d result.Doubt) bool {
		return d.Reason == benchv1alpha1.ReasonGeneratorLate || d.Reason == benchv1alpha1.ReasonGeneratorSaturated
	})
}

func (o lateOutcome) blamed() bool {
	return slices.ContainsFunc(o.doubts, func(d result.Doubt) bool {
		return strings.Contains(d.Message, "the target does not keep up")
	})
}

// measure runs a case.
func (c lateCase) measure(t *testing.T) lateOutcome {
	t.Helper()
	defer disturb(t, c.neighbours)()
	report, doubts := follow(t, c.plan(), &punctual.Target{Target: drivertest.Target{Forget: true}, Takes: takes})
	step := report.Steps[0]
	times, err := result.TimesOf(step.Operations[0])
	if err != nil {
		t.Fatal(err)
	}
	outcome := lateOutcome{lateCase: c, doubts: doubts}
	truth := c.truth(t)
	for _, quantile := range []float64{0.5, 0.99, 0.999} {
		if times.Latency.TotalCount() < figure.Needed(quantile) {
			continue // The report has no such percentile.
		}
		reported, truly := times.Latency.ValueAtQuantile(100*quantile), truth(quantile)
		outcome.reported += fmt.Sprintf("p%g %s for %s, ", 100*quantile, present.Micros(reported), present.Micros(truly))
		outcome.off = max(outcome.off, float64(reported-truly)/float64(max(100, truly/10)))
	}
	outcome.reported = strings.TrimSuffix(outcome.reported, ", ")
	return outcome
}

func TestALateGeneratorIsNamed(t *testing.T) {
	for _, c := range []lateCase{
		{threads: 1, seconds: 2},
		{threads: 64, neighbours: 8, seconds: 2},
		{threads: 64, neighbours: 8, rate: 5000, seconds: 2},
	} {
		Check(t, Scenario{
			Item: "A1", Name: c.String(), Truth: "every operation takes 300 µs, by a timer of the kernel",
			Doubt: benchv1alpha1.ReasonGeneratorLate,
			Run: func(t *testing.T) Told {
				t.Helper()
				got := c.measure(t)
				// A machine that others use decides what happens. Close to the limit the doubt may be there or not.
				return Told{Reported: got.reported, Wrong: got.off > 1, Near: got.off > 0.25 && got.off < 4, Doubts: got.doubts}
			},
		})
	}
}

func TestHowOftenALateGeneratorIsNamed(t *testing.T) {
	Check(t, Scenario{
		Item: "A1", Name: "lateness in 240 cases", Long: true,
		Truth: "every operation takes 300 µs; 1 to 1,024 threads, 0 to 8 busy neighbours",
		Run: func(t *testing.T) Told {
			t.Helper()
			counts := map[string]int{}
			const repetitions = 4
			all := repetitions * len(lateCases())
			for range repetitions {
				for _, c := range lateCases() {
					got := c.measure(t)
					counts[got.verdict()]++
					t.Logf("%s: %s, off by %.2f of what is allowed: %s; %s", c, got.verdict(), got.off, got.reported,
						reasons(got.doubts))
				}
			}
			percent := func(of string) float64 { return 100 * float64(counts[of]) / float64(all) }
			Figure("honesty_missed_percent", percent(missed), "percent")
			Figure("honesty_false_percent", percent(falsely), "percent")
			return Told{
				Reported: fmt.Sprintf("of %d cases %d were off and told, %d off and untold, %d doubted and right",
					all, counts[told], counts[missed], counts[falsely]),
				Wrong: percent(missed) > 2 || percent(falsely) > 2,
			}
		},
	})
}

// What becomes of a case.
const (
	told, missed, falsely, right = "told", "missed", "doubted falsely", "right"
)

// verdict is one of them. A percentile that is off by more than half of what is allowed may be doubted.
func (o lateOutcome) verdict() string {
	switch {
	case o.off > 1 && (!o.named() || o.blamed()):
		return missed
	case o.off > 1:
		return told
	case o.off < 0.5 && o.named():
		return falsely
	}
	return right
}

// lateCases are those of one repetition.
func lateCases() []lateCase {
	const seconds = 5
	cases := make([]lateCase, 0, 60)
	for _, neighbours := range []int{0, 1, 2, 4, 8} {
		for _, threads := range []int{1, 4, 16, 64, 256, 1024} {
			// A third of what the threads could send, and no more than the machine can.
			rate := min(int64(threads)*1000, 5000)
			cases = append(cases,
				lateCase{threads: threads, neighbours: neighbours, seconds: seconds},
				lateCase{threads: threads, neighbours: neighbours, seconds: seconds, rate: rate})
		}
	}
	return cases
}
