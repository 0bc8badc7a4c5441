package decide

import (
	"fmt"
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// compareDuets takes the verdicts of the runs, each of which has been compared with the baseline already, as far as
// both sides of it may be compared.
func (r *revision) compareDuets() compared {
	sides := r.sides()
	at := suite.BaselineOf(r.Suite, r.Plan.Variants)
	c := compared{
		result:   comparison.Result{Suite: r.Suite.Name, Revision: r.Plan.Revision, Sides: sides},
		baseline: fmt.Sprintf("variant %q", r.Plan.Variants[at].Name),
		settings: comparison.Settings{
			Thresholds: r.Suite.Spec.Thresholds, IgnoreDifferences: r.Suite.Spec.IgnoreDifferences,
			AllowDoubts: r.Suite.Spec.AllowDoubts,
		},
	}
	stored := r.result(r.resultName())
	for _, s := range r.slots {
		name := r.Plan.Variants[s.Variant].Name
		switch {
		case s.run != nil && hasSucceeded(s.run) && s.run.Status.Duet != nil:
			pair := comparison.Pair{Candidate: sides[s.Variant], Baseline: comparison.Side{
				Name: r.Plan.Variants[at].Name, Spec: r.Plan.Variants[at].Spec,
				Samples: []comparison.Sample{comparison.BaselineSampleOf(s.run)},
			}}
			c.result.Lines = append(c.result.Lines, comparison.Duet(pair, s.run.Status.Duet.Comparison, c.settings)...)
		case s.run == nil && s.sample != nil && stored != nil:
			c.result.Lines = append(c.result.Lines, linesOf(stored.Lines, name)...)
		default:
			c.incomplete = true
			c.remarks = append(c.remarks, fmt.Sprintf("no run of variant %q succeeded", name))
		}
	}
	if len(r.slots) == 0 {
		c.noBaseline = "there is no variant to compare with " + c.baseline
	}
	comparison.Sort(c.result.Lines)
	c.remarks = present.First(c.remarks, maxRefusals, "and %d more")
	return c
}

// linesOf are those of one variant.
func linesOf(lines []benchv1alpha1.ComparisonLine, variant string) []benchv1alpha1.ComparisonLine {
	return slices.DeleteFunc(slices.Clone(lines), func(line benchv1alpha1.ComparisonLine) bool {
		return line.Variant != variant
	})
}
