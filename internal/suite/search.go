package suite

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/sizing"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// Space is what a search goes through: the variants by the places of their choices, and what is to be minimised where
// that is known of all of them before anything is measured.
func Space(suite *benchv1alpha1.BenchmarkSuite, variants []Variant, known []*int64) sizing.Space {
	space := sizing.Space{Points: make([][]int, 0, len(variants))}
	for _, variant := range variants {
		point := make([]int, 0, len(suite.Spec.Matrix.Dimensions))
		for _, dimension := range suite.Spec.Matrix.Dimensions {
			point = append(point, slices.IndexFunc(dimension.Choices, func(choice benchv1alpha1.Choice) bool {
				return choice.Name == variant.Choices[dimension.Name]
			}))
		}
		space.Points = append(space.Points, point)
	}
	objectives := make([]float64, 0, len(known))
	for _, objective := range known {
		if objective != nil {
			objectives = append(objectives, float64(*objective))
		}
	}
	if len(objectives) == len(variants) && rises(space, objectives) {
		space.Objective = objectives
	}
	return space
}

// rises says whether no choice has less of what is minimised than one that is smaller in every dimension: only then may
// one be left out because it has more.
func rises(space sizing.Space, objectives []float64) bool {
	for one := range space.Points {
		for other := range space.Points {
			if space.NoLarger(one, other) && objectives[one] > objectives[other] {
				return false
			}
		}
	}
	return true
}

// Objective is what a variant has of what is minimised, over all measured members of its target: thousandths of a CPU,
// bytes, or members. It is nil where the specification does not say.
func Objective(minimise benchv1alpha1.SuiteObjective, variant Variant) *int64 {
	if variant.Spec.Target == nil || variant.Spec.Target.Deployment() == nil {
		return nil
	}
	declared := spec.InlineTarget(variant.Spec)
	var total int64
	for _, set := range catalogue.Of(declared).Sets(spec.NormaliseTarget(declared)) {
		if !set.Measured {
			continue
		}
		members := int64(set.Members)
		switch minimise {
		case benchv1alpha1.MinimiseCPU:
			total += members * set.Resources.Limits.Cpu().MilliValue()
		case benchv1alpha1.MinimiseMemory:
			total += members * set.Resources.Limits.Memory().Value()
		case benchv1alpha1.MinimiseMembers:
			total += members
		default: // What it costs is known of what was measured alone.
			return nil
		}
	}
	return &total
}
