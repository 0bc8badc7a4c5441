package comparison

import (
	"slices"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestVerdictsThatFail(t *testing.T) {
	for failOn, want := range map[benchv1alpha1.FailOn][]benchv1alpha1.Verdict{
		benchv1alpha1.FailOnNever:        nil,
		benchv1alpha1.FailOnRegressed:    {benchv1alpha1.VerdictRegressed},
		benchv1alpha1.FailOnInconclusive: {benchv1alpha1.VerdictRegressed, benchv1alpha1.VerdictInconclusive},
		benchv1alpha1.FailOnNotDetected: {
			benchv1alpha1.VerdictRegressed, benchv1alpha1.VerdictInconclusive, benchv1alpha1.VerdictNotDetected,
		},
	} {
		var got []benchv1alpha1.Verdict
		for _, verdict := range Verdicts {
			if Fails(failOn, verdict) {
				got = append(got, verdict)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("failOn %s fails on %v, want %v", failOn, got, want)
		}
	}
}

// TestTheStrictestGateWantsAllToBeShown has no verdict that is neither, as one that is added may be.
func TestTheStrictestGateWantsAllToBeShown(t *testing.T) {
	for _, verdict := range Verdicts {
		if Fails(benchv1alpha1.FailOnNotDetected, verdict) == Shown(verdict) {
			t.Errorf("%s is shown: %t, and fails all the same, or passes", verdict, Shown(verdict))
		}
	}
	if Shown("Later") {
		t.Error("a verdict of a later release is not known to be good")
	}
}
