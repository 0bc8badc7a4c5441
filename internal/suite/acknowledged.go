package suite

import (
	"fmt"
	"slices"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Until is when an acknowledgement ends, in whole seconds, as a status holds it. That of a date is the end of that day.
func Until(acknowledged benchv1alpha1.Acknowledgement) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, acknowledged.Until); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	at, err := time.Parse(time.RFC3339, acknowledged.Until)
	if err != nil {
		return time.Time{}, fmt.Errorf("reading when the acknowledgement ends: %w", err)
	}
	return at.UTC().Truncate(time.Second), nil
}

// IsOf says whether an acknowledgement is about a line of the plan, however much that changed.
func (p Plan) IsOf(acknowledged benchv1alpha1.Acknowledgement, line benchv1alpha1.ComparisonLine) bool {
	is := func(wanted *string, given string) bool { return wanted == nil || *wanted == given }
	return acknowledged.Metric == line.Metric && is(acknowledged.Variant, line.Variant) &&
		is(acknowledged.Operation, line.Operation) &&
		(is(acknowledged.Step, line.Step) || p.declares(line, *acknowledged.Step))
}

// declares says whether a line is of a step of a threadSweep or growth that is declared under a name.
func (p Plan) declares(line benchv1alpha1.ComparisonLine, name string) bool {
	return slices.ContainsFunc(p.Variants, func(variant Variant) bool {
		return variant.Name == line.Variant && slices.ContainsFunc(variant.Steps, func(step Step) bool {
			return step.Name == line.Step && step.Is(name)
		})
	})
}

// Covers says whether an acknowledgement that is about a line allows for as much as it changed. A change from nothing
// has no percentage, and is more than any.
func Covers(acknowledged benchv1alpha1.Acknowledgement, line benchv1alpha1.ComparisonLine) bool {
	switch most := acknowledged.MaxEffectPercent; {
	case most == nil:
		return true
	case line.EffectBasisPoints == nil:
		return false
	default:
		const basisPoints = 100
		return max(*line.EffectBasisPoints, -*line.EffectBasisPoints) <= int64(*most)*basisPoints
	}
}
