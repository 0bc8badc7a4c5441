package suite_test

import (
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// duets is a suite of three variants, of which the first is the baseline; more is added to it.
func duets(t *testing.T, more string) *benchv1alpha1.BenchmarkSuite {
	t.Helper()
	return small(t, `order: Duet
baseline: {variant: a}
matrix:
  dimensions:
    - name: version
      choices:
        - {name: a}
        - {name: b, patch: {target: {mongodb: {version: 7.0.1}}}}
        - {name: c, patch: {dataset: {collections: [{name: c, indexes: null}]}}}
`+more)
}

func TestADuetMeasuresEachVariantTogetherWithTheBaseline(t *testing.T) {
	declared := duets(t, "")
	plan := compiled(t, declared)
	if len(plan.Slots) != 2 || plan.Slots[0].Variant != 1 || plan.Slots[1].Variant != 2 {
		t.Fatalf("the runs are %+v, want one of b and one of c", plan.Slots)
	}
	baseline := suite.TargetName(declared, plan.Variants[0])
	for _, slot := range plan.Slots {
		run, variant := suite.Run(declared, plan, slot), plan.Variants[slot.Variant]
		other := run.Spec.Duet
		switch {
		case run.Spec.Target != nil || run.Spec.TargetRef.Name != suite.TargetName(declared, variant):
			t.Errorf("%s is measured on %v, want the target of its variant", variant.Name, run.Spec.TargetRef)
		case other == nil || other.Baseline.TargetRef.Name != baseline || *other.Baseline.Name != "a":
			t.Errorf("%s is compared with %+v, want the baseline's target %s", variant.Name, other, baseline)
		case (other.Baseline.Spec != nil) != (variant.Name == "c"):
			t.Errorf("%s says of the baseline %v, want its dataset only where it is another", variant.Name,
				other.Baseline.Spec)
		case *other.ComparedLines != 4:
			t.Errorf("the confidence is held over %d lines, want those of both runs, two each", *other.ComparedLines)
		}
	}
}

func TestWhatDecidesADuetIsAPartOfItsHash(t *testing.T) {
	usual := compiled(t, duets(t, ""))
	for name, more := range map[string]string{
		"the thresholds": "thresholds: [{metric: OperationsPerSecond, minEffectPercent: 3}]",
		"the windows":    "duets: {windowSeconds: 2}",
		"the form":       "duets: {form: Concurrent}",
	} {
		other := compiled(t, duets(t, more))
		if other.Variants[0].Hash != usual.Variants[0].Hash {
			t.Errorf("%s: the baseline has another hash, and nothing of its target is another", name)
		}
		if other.Variants[1].Hash == usual.Variants[1].Hash {
			t.Errorf("%s: the run has the same hash", name)
		}
	}
}
