package show

import (
	"cmp"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Checkpoint is what a step of a growth belongs to.
type Checkpoint struct {
	// Step as it is declared: every checkpoint has one of it. Of the sizes it is size.
	Step string
	// Documents that were loaded until then.
	Documents int64
}

// Checkpoints are those of all steps that belong to one, by the steps' names in results.
func Checkpoints(sides []comparison.Side) map[string]Checkpoint {
	found := map[string]Checkpoint{}
	for _, side := range sides {
		for _, documents := range benchv1alpha1.CheckpointSizes(side.Spec.Workload.Growth) {
			add := func(step string) {
				found[planv1.GrowthStepName(step, documents)] = Checkpoint{Step: step, Documents: documents}
			}
			add(planv1.StepNameSize)
			for _, step := range side.Spec.Workload.Steps {
				add(step.Name)
			}
		}
	}
	return found
}

// growth has a line for every figure of every checkpoint and a column for every side. The checkpoints of a figure
// follow each other.
func growth(sides []comparison.Side) *present.Table {
	checkpoints := Checkpoints(sides)
	declared := func(key comparison.Key) comparison.Key {
		key.Step = checkpoints[key.Step].Step
		return key
	}
	places := map[comparison.Key]int{}
	var grown []comparison.Key
	for _, key := range comparison.Keys(sides...) {
		if _, ok := checkpoints[key.Step]; !ok {
			continue
		}
		grown = append(grown, key)
		if _, ok := places[declared(key)]; !ok {
			places[declared(key)] = len(places)
		}
	}
	slices.SortStableFunc(grown, func(a, b comparison.Key) int {
		return cmp.Or(cmp.Compare(places[declared(a)], places[declared(b)]),
			cmp.Compare(checkpoints[a.Step].Documents, checkpoints[b.Step].Documents))
	})
	rows := perSide(sides, "STEP", "OPERATION", "METRIC", "DOCUMENTS")
	rows.Columns[3].Number = true
	for _, key := range grown {
		rows.Add(append([]string{
			checkpoints[key.Step].Step, present.Or(key.Operation), comparison.Name(key.Metric),
			present.Count(checkpoints[key.Step].Documents),
		}, mediansOf(sides, key)...)...)
	}
	return rows
}
