package figure

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// ErrorsPerMillion is compared of every operation and of all together. It is worked out from counts.
var ErrorsPerMillion = Comparison{
	Metric: benchv1alpha1.MetricErrorsPerMillion, Name: "errors", Unit: PerMillion,
	UnitName: "errors/million", BenchUnit: "errors/million", Overall: true,
}

// Compared are the figures by which runs are compared, in the order in which they are listed.
var Compared = slices.Concat(comparisons(Operations), []Comparison{ErrorsPerMillion}, comparisons(Loads),
	comparisons(Sizes))

func comparisons[F, S any](rows []Row[F, S]) []Comparison {
	var found []Comparison
	for _, row := range rows {
		if row.Compared != nil {
			found = append(found, *row.Compared)
		}
	}
	return found
}
