package result

import (
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// namesAfter are limits of which those after the first so many have no sentences.
func namesAfter(limits []reportv1.Limit, whole int) []reportv1.Limit {
	limits = slices.Clone(limits)
	for i := range limits {
		if i >= whole {
			limits[i].Because, limits[i].Try = "", ""
		}
	}
	return limits
}

// forgetWhy leaves out the sentences of all steps but the last; false when there are none.
func forgetWhy(steps []reportv1.StepSummary) (forgotten bool) {
	for i := range steps[:max(0, len(steps)-1)] {
		if limits := steps[i].LimitedBy; len(limits) > 0 && limits[0].Because+limits[0].Try != "" {
			steps[i].LimitedBy, forgotten = namesAfter(limits, 0), true
		}
	}
	return forgotten
}
