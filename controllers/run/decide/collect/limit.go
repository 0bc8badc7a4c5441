package collect

import (
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
)

// The longest that the status takes of why a step was limited, and what to try, and the most causes beside the first.
const (
	maxBecause, maxTry = 384, 256
	maxAlsoSeen        = 3
)

// stepLimit is what limited a step; nil when that was not looked for.
func stepLimit(seen []reportv1alpha1.Limit) *benchv1alpha1.StepLimit {
	if len(seen) == 0 {
		return nil
	}
	first := seen[0]
	limit := &benchv1alpha1.StepLimit{
		Cause: benchv1alpha1.LimitCause(first.By), Certainty: benchv1alpha1.LimitCertainty(first.Certainty),
		Because: condition.Cut(first.Because, maxBecause), Try: condition.Cut(first.Try, maxTry),
	}
	for _, other := range seen[1:min(len(seen), 1+maxAlsoSeen)] {
		limit.AlsoSeen = append(limit.AlsoSeen, benchv1alpha1.LimitCause(other.By))
	}
	return limit
}

// shorten leaves out sentences or, when there are none or far too many steps, the first step; false when neither is
// left to do.
func shorten(result *benchv1alpha1.Result) bool {
	if len(result.Steps) <= maxSteps && condense(result) {
		return true
	}
	if len(result.Steps) <= 1 {
		return false
	}
	omitFirst(result)
	return true
}

// condense leaves out why all steps but the last were limited, and what to try; false when there is none of it.
func condense(result *benchv1alpha1.Result) (condensed bool) {
	for i := range result.Steps[:max(0, len(result.Steps)-1)] {
		if limit := result.Steps[i].LimitedBy; limit != nil && limit.Because+limit.Try != "" {
			limit.Because, limit.Try, condensed = "", "", true
		}
	}
	return condensed
}
