package honesty

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/punctual"
)

func TestAQueueForAThreadIsNoLatencyOfTheServer(t *testing.T) {
	for _, c := range []lateCase{{threads: 1, rate: 2500, seconds: 2}, {threads: 64, rate: 500, seconds: 2}} {
		Check(t, Scenario{
			Item: "A15", Name: fmt.Sprintf("%d/s with %s", c.rate, present.Plural(int64(c.threads), "thread")),
			Truth: "every operation takes 300 µs; how long it waits for a thread follows from the schedule",
			Doubt: benchv1alpha1.ReasonTooFewThreads,
			Run: func(t *testing.T) Told {
				t.Helper()
				got := c.measure(t)
				queued := c.truth(t)(0.99) - takes.Microseconds()
				// A load generator that is kept from running makes a queue of its own, and says so by another reason.
				return Told{
					Reported: got.reported, Wrong: queued > takes.Microseconds(), Near: got.off > 4, Doubts: got.doubts,
				}
			},
		})
	}
}

func TestEveryStepHasTheSameProcessors(t *testing.T) {
	for name, planned := range map[string]int{"as Go chooses": 0, "as the run says": 1} {
		Check(t, Scenario{
			Item: "A9", Name: "processors " + name, Truth: "the steps of a run are alike",
			Run: func(t *testing.T) Told {
				t.Helper()
				plan := lateCase{threads: 4, seconds: 1}.plan()
				plan.Processors = planned
				plan.Steps = slices.Repeat(plan.Steps, 4)
				for i := range plan.Steps {
					plan.Steps[i].Name, plan.Steps[i].WarmupSeconds = fmt.Sprint("lookups-", i), 0
				}
				want := planned
				if want == 0 {
					want = runtime.GOMAXPROCS(0)
				}
				report, doubts := follow(t, plan, &punctual.Target{Target: drivertest.Target{Forget: true}, Takes: takes})
				var told Told
				for _, step := range report.Steps {
					told.Reported += fmt.Sprint(step.Generator.Processors, " ")
					told.Wrong = told.Wrong || step.Generator.Processors != want
				}
				told.Doubts = doubts
				return told
			},
		})
	}
}
