package spec

import (
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func compileObjectives(declared []benchv1alpha1.Objective) []planv1.Objective {
	if len(declared) == 0 {
		return nil
	}
	compiled := make([]planv1.Objective, 0, len(declared))
	for _, one := range declared {
		compiled = append(compiled, planv1.Objective{
			Operation: ptr.Deref(one.Operation, ""), LimitMicros: one.LimitMicros,
			PercentMillis: PercentMillis(*one.Percent),
		})
	}
	return compiled
}

// PercentMillis reads a number of percent with at most three decimals, as the API's patterns have it, in thousandths:
// 99.9 is 99900.
func PercentMillis(percent string) int {
	whole, decimals, _ := strings.Cut(percent, ".")
	millis, _ := strconv.Atoi(whole + (decimals + "000")[:3])
	return millis
}
