package decide

import (
	"fmt"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
)

// BenchmarkReconcile is one look at a suite of a thousand runs, of which half have ended, without the reading: what is
// compiled once for each generation, and what is decided each time.
func BenchmarkReconcile(b *testing.B) {
	w := &world{Observation: Observation{Suite: suitetest.Suite("bench", "s")}}
	w.Suite.Spec.Repetitions = new(int32(5))
	w.Suite.Spec.Matrix.Dimensions = []benchv1alpha1.Dimension{
		{Name: "threads", Choices: numbered("t", `{"workload":{"steps":[{"name":"read","threads":%d}]}}`, 20)},
		{Name: "seed", Choices: numbered("s", `{"seed":%d}`, 10)},
	}
	w.Plan, w.Invalid = suite.Compile(w.Suite)
	if len(w.Plan.Slots) != suite.MaxRuns {
		b.Fatalf("%d runs: %v", len(w.Plan.Slots), w.Invalid)
	}
	w.Runs = map[string]*benchv1alpha1.BenchmarkRun{}
	for i, planned := range w.Plan.Slots[:len(w.Plan.Slots)/2] {
		run := suite.Run(w.Suite, w.Plan, planned)
		run.Status = suitetest.Succeeded(run.Name, w.Now, int64(10_000+i))
		w.Runs[run.Name] = run
	}
	w.Suite.Status = Decide(w.Observation).Status
	b.Run("compile", func(b *testing.B) {
		for b.Loop() {
			suite.Compile(w.Suite)
		}
	})
	b.Run("decide", func(b *testing.B) {
		for b.Loop() {
			Probes(&w.Observation)
			Needed(&w.Observation)
			Decide(w.Observation)
		}
	})
}

// numbered are choices with a number in their names and patches.
func numbered(prefix, patch string, n int) []benchv1alpha1.Choice {
	choices := make([]benchv1alpha1.Choice, 0, n)
	for i := 1; i <= n; i++ {
		choices = append(choices, suitetest.Choice(fmt.Sprintf("%s%d", prefix, i), fmt.Sprintf(patch, i)))
	}
	return choices
}
