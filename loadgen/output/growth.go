package output

import (
	"fmt"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// writeGrowth shows sizes and throughput by the number of documents: a line for each checkpoint, and a column for each
// step.
func writeGrowth(whole *layout, growth []reportv1.GrowthSummary) {
	if len(growth) == 0 {
		return
	}
	whole.heading("Growth: sizes, and operations per second of each step, by the number of documents")
	names := growthSteps(growth)
	table := &columns{}
	table.add(append([]string{"loaded", "found", "data", "storage", "index", "load/s"}, names...)...)
	unsettled := false
	for _, checkpoint := range growth {
		row := []string{
			thousands(checkpoint.Documents), thousands(checkpoint.Found), size(checkpoint.DataBytes),
			size(checkpoint.StorageBytes), size(checkpoint.IndexBytes), orNotKnown(checkpoint.LoadedPerSecond),
		}
		for _, name := range names {
			row = append(row, throughput(checkpoint, name))
		}
		table.add(row...)
		unsettled = unsettled || checkpoint.Unsettled
	}
	whole.table(table)
	if unsettled {
		whole.line("! storage and index are those of the servers' last checkpoint: the user may not ask for one (fsync)")
	}
}

// growthSteps are the declared names of the steps that are repeated.
func growthSteps(growth []reportv1.GrowthSummary) []string {
	var names []string
	for _, checkpoint := range growth {
		for _, point := range checkpoint.Points {
			if !slices.Contains(names, point.Name) {
				names = append(names, point.Name)
			}
		}
	}
	return names
}

func throughput(checkpoint reportv1.GrowthSummary, name string) string {
	for _, point := range checkpoint.Points {
		if point.Name != name {
			continue
		}
		if point.Errors > 0 {
			return fmt.Sprintf("%s !%s", thousands(point.OperationsPerSecond), thousands(point.Errors))
		}
		return thousands(point.OperationsPerSecond)
	}
	return notKnown
}

func orNotKnown(number int64) string {
	if number == 0 {
		return notKnown
	}
	return thousands(number)
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
