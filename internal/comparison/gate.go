package comparison

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// gates are what fails a suite, by its failOn: each by what those before it fail on, too.
var gates = map[benchv1alpha1.FailOn][]benchv1alpha1.Verdict{
	benchv1alpha1.FailOnNever:     nil,
	benchv1alpha1.FailOnRegressed: {benchv1alpha1.VerdictRegressed},
	benchv1alpha1.FailOnInconclusive: {
		benchv1alpha1.VerdictRegressed, benchv1alpha1.VerdictInconclusive,
	},
	benchv1alpha1.FailOnNotDetected: {
		benchv1alpha1.VerdictRegressed, benchv1alpha1.VerdictInconclusive, benchv1alpha1.VerdictNotDetected,
	},
}

// Fails says whether a suite with this failOn does not pass by a verdict.
func Fails(failOn benchv1alpha1.FailOn, verdict benchv1alpha1.Verdict) bool {
	return slices.Contains(gates[failOn], verdict)
}

// Shown says whether a verdict shows that a line did not get worse by as much as matters.
func Shown(verdict benchv1alpha1.Verdict) bool {
	switch verdict {
	case benchv1alpha1.VerdictImproved, benchv1alpha1.VerdictUnchanged, benchv1alpha1.VerdictNotWorse:
		return true
	default:
		return false
	}
}
