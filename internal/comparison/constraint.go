package comparison

import (
	"fmt"
	"math"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/sizing"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// Margins are by how much a sample keeps the constraints of a search, as a sizing.Trial has them. Of a constraint on
// several steps or operations it is that of the one that keeps it by the least. Without all of them it says what is
// missing.
func Margins(sample Sample, constraints []benchv1alpha1.SearchConstraint) (margins []float64, missing string) {
	keys := Keys(Side{Samples: []Sample{sample}})
	for i, about := range spec.ConstraintThresholds(constraints) {
		least := math.Inf(1)
		for _, key := range keys {
			if selects(about, key) {
				least = min(least, margin(*sample.Value(key), constraints[i]))
			}
		}
		if math.IsInf(least, 1) {
			return nil, fmt.Sprintf("it has no figure for %s%s", ConstraintText(constraints[i]), whyMissing(about.Metric))
		}
		margins = append(margins, least)
	}
	return margins, ""
}

// whyMissing says what a run would have to be for a figure that it does not have.
func whyMissing(metric benchv1alpha1.Metric) string {
	switch {
	case figure.ComparedBy(metric).Needed() > 1:
		return "; a percentile needs more operations: make the step longer"
	case metric == benchv1alpha1.MetricReplicationLagMillis:
		return "; it is of replica sets, whose primary must tell it"
	default:
		return ""
	}
}

// margin is the logarithm of how many times a figure fits into its limit.
func margin(value float64, limit benchv1alpha1.SearchConstraint) float64 {
	var ratio float64
	switch {
	case limit.Min != nil:
		ratio = value / float64(*limit.Min)
	case value > 0:
		ratio = float64(*limit.Max) / value
	default: // Nothing is below every limit.
		return sizing.MostMargin
	}
	if ratio <= 0 {
		return -sizing.MostMargin
	}
	return min(max(math.Log(ratio), -sizing.MostMargin), sizing.MostMargin)
}

// AtMargin is the figure that keeps a limit by a margin; false where the margin is larger than can be told, and of a
// limit of 0.
func AtMargin(margin float64, limit benchv1alpha1.SearchConstraint) (float64, bool) {
	if math.Abs(margin) >= sizing.MostMargin || math.IsNaN(margin) {
		return 0, false
	}
	if limit.Min != nil {
		return float64(*limit.Min) * math.Exp(margin), true
	}
	return float64(*limit.Max) * math.Exp(-margin), *limit.Max > 0
}

// ConstraintText writes a constraint for people.
func ConstraintText(limit benchv1alpha1.SearchConstraint) string {
	text := Name(limit.Metric)
	if limit.Operation != nil {
		text += " of " + *limit.Operation
	}
	if limit.Step != nil {
		text += " in step " + *limit.Step
	}
	if limit.Min != nil {
		return text + " of at least " + Quantity(limit.Metric, *limit.Min)
	}
	return text + " of at most " + Quantity(limit.Metric, *limit.Max)
}
