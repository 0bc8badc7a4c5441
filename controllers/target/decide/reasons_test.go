package decide

import (
	"maps"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/internal/reason"
	"github.com/mongobench/mongobench-operator/internal/testing/reasontest"
)

func TestEveryReasonIsProduced(t *testing.T) {
	constants := reasontest.Declared(t, "target_conditions.go")
	maps.Copy(constants, reasontest.Declared(t, "run_conditions.go",
		"a run and a target share", "of a run and of a target"))
	declared := map[string]string{}
	for name, value := range constants {
		if strings.HasPrefix(name, "Reason") {
			declared[value] = name
		}
	}
	if len(declared) < 18 {
		t.Fatalf("only %d reasons were found: %v", len(declared), declared)
	}
	produced := map[string]bool{}
	for name, tc := range allCases() {
		decision := decided(tc.o)
		for _, c := range decision.Status.Conditions {
			produced[c.Reason] = true
			if !reason.Known(reason.Condition{Kind: "BenchmarkTarget", Type: c.Type}, c.Reason) {
				t.Errorf("%s: package reason does not know %s of %s", name, c.Reason, c.Type)
			}
		}
	}
	for value, name := range declared {
		if !produced[value] {
			t.Errorf("no case produces %s", name)
		}
	}
}
