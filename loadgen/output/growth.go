package output

import (
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// writeGrowth shows sizes and throughput by the number of documents.
func writeGrowth(whole *layout, growth []reportv1.GrowthSummary) {
	if len(growth) == 0 {
		return
	}
	table := Growth("", growth)
	whole.heading("%s", table.Caption)
	whole.table(table)
	if slices.ContainsFunc(growth, func(at reportv1.GrowthSummary) bool { return at.Unsettled }) {
		whole.line("! storage and index are those of the servers' last checkpoint: the user may not ask for one (fsync)")
	}
}

// growthColumns of the CSV are those of the checkpoint that a step belongs to.
var growthColumns = []string{
	"growthOf", "growthDocuments", "foundDocuments", "dataBytes", "storageBytes", "indexBytes",
}

// growthCells are nothing for a step that belongs to no checkpoint.
func growthCells(step reportv1.StepSummary, growth []reportv1.GrowthSummary) []string {
	for _, g := range growth {
		if g.Documents == step.Documents {
			return []string{
				step.GrowthOf, decimal(g.Documents), decimal(g.Found), decimal(g.DataBytes), decimal(g.StorageBytes),
				decimal(g.IndexBytes),
			}
		}
	}
	return nil
}
