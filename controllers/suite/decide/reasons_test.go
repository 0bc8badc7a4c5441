package decide

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/reason"
	"github.com/mongobench/mongobench-operator/internal/testing/reasontest"
)

// TestEveryReasonIsProduced reads the constants of the API: each is a condition or a reason that some scenario
// produces.
func TestEveryReasonIsProduced(t *testing.T) {
	produced := map[string]bool{}
	for name, s := range scenarios() {
		w := newWorld(t)
		if s.change != nil {
			s.change(w.Suite)
		}
		s.play(w)
		w.settle()
		for _, c := range w.Suite.Status.Conditions {
			produced[c.Type], produced[c.Reason] = true, true
			if !reason.Known(reason.Condition{Kind: "BenchmarkSuite", Type: c.Type}, c.Reason) {
				t.Errorf("%s: package reason does not know %s of %s", name, c.Reason, c.Type)
			}
		}
	}
	constants := reasontest.Declared(t, "suite_conditions.go")
	for name, value := range constants {
		if !produced[value] {
			t.Errorf("no scenario produces %s (%q)", name, value)
		}
	}
	if len(constants) < 15 {
		t.Errorf("only %d constants were found", len(constants))
	}
}
