package decide

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/reason"
	"github.com/mongobench/mongobench-operator/internal/testing/reasontest"
)

// TestEveryReasonIsProduced reads the constants of the API: each is a condition or a reason that some scenario
// produces.
func TestEveryReasonIsProduced(t *testing.T) {
	produced := map[string]bool{}
	for name, s := range scenarios() {
		w := newWorld(t)
		s.play(w)
		w.settle()
		for _, c := range w.Run.Status.Conditions {
			produced[c.Type], produced[c.Reason] = true, true
			if !reason.Known(reason.Condition{Kind: "BenchmarkRun", Type: c.Type}, c.Reason) {
				t.Errorf("%s: package reason does not know %s of %s", name, c.Reason, c.Type)
			}
		}
	}
	constants := reasontest.Declared(t, "run_conditions.go")
	for name, value := range constants {
		if !produced[value] {
			t.Errorf("no scenario produces %s (%q)", name, value)
		}
	}
	if len(constants) < 40 {
		t.Errorf("only %d constants were found", len(constants))
	}
}

// TestEverySharedReasonIsListed: for one that is not in the list, a run would fail as TargetFailed.
func TestEverySharedReasonIsListed(t *testing.T) {
	declared := slices.Sorted(maps.Values(reasontest.Declared(t, "run_conditions.go", "a run and a target share")))
	if diff := cmp.Diff(declared, slices.Sorted(slices.Values(benchv1alpha1.SharedReasons))); diff != "" {
		t.Errorf("SharedReasons (-declared +listed):\n%s", diff)
	}
}
