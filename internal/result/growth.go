package result

import (
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// summariseGrowth puts the steps of each checkpoint together, in the order of the checkpoints.
func summariseGrowth(report reportv1.Report, steps []reportv1.StepSummary) []reportv1.GrowthSummary {
	var growth []reportv1.GrowthSummary
	for _, step := range report.Steps {
		if step.GrowthDocuments == 0 {
			continue
		}
		at := slices.IndexFunc(growth, func(g reportv1.GrowthSummary) bool { return g.Documents == step.GrowthDocuments })
		if at < 0 {
			at = len(growth)
			growth = append(growth, reportv1.GrowthSummary{Documents: step.GrowthDocuments})
		}
		switch step.Kind {
		case reportv1.KindLoad:
			growth[at].LoadedPerSecond = perSecond(step.Documents, step.Duration())
		case reportv1.KindSize:
			addSizes(&growth[at], step)
		}
	}
	for _, step := range steps {
		at := slices.IndexFunc(growth, func(g reportv1.GrowthSummary) bool { return g.Documents == step.Documents })
		if step.GrowthOf == "" || at < 0 {
			continue
		}
		growth[at].Points = append(growth[at].Points, reportv1.GrowthPoint{
			Name:                step.GrowthOf,
			Step:                step.Name,
			OperationsPerSecond: step.Overall.OperationsPerSecond,
			MeanMicros:          step.Overall.MeanMicros,
			P99Micros:           step.Overall.P99Micros,
			Errors:              step.Overall.Errors,
		})
	}
	return growth
}

// addSizes adds up what the growing collection, the first, takes on all shards.
func addSizes(g *reportv1.GrowthSummary, step reportv1.Step) {
	g.Found = step.Documents
	for _, size := range step.Sizes {
		if size.Collection != step.Sizes[0].Collection {
			continue
		}
		g.DataBytes += size.DataBytes
		g.StorageBytes += size.StorageBytes
		g.Unsettled = g.Unsettled || size.Unsettled
		for _, index := range size.Indexes {
			g.IndexBytes += index.Bytes
		}
	}
}
