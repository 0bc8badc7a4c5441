package result

import (
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// mergePartials says of all pods together why the plan was not followed to its end; nil when all of them did. Pods that
// were told to end because of another one say less than that one.
func mergePartials(reports []reportv1.Report) *reportv1.Partial {
	var merged *reportv1.Partial
	for _, report := range reports {
		partial := report.Partial
		switch {
		case partial == nil:
		case merged == nil:
			copied := *partial
			merged = &copied
		case merged.Cause == reportv1.PartialInterrupted && partial.Cause != reportv1.PartialInterrupted:
			missing := merged.MissingPods
			*merged = *partial
			merged.MissingPods = append(slices.Clone(missing), partial.MissingPods...)
		default:
			merged.MissingPods = append(slices.Clone(merged.MissingPods), partial.MissingPods...)
		}
	}
	return merged
}

// allSteps are, of a partial report, the steps that any pod has: those that were cut ended at different steps.
func allSteps(steps []reportv1.Step, partial *reportv1.Partial, reports []reportv1.Report) []reportv1.Step {
	if partial == nil {
		return steps
	}
	all := slices.Clone(steps)
	for _, report := range reports {
		for _, step := range report.Steps {
			if !slices.ContainsFunc(all, func(s reportv1.Step) bool { return s.Name == step.Name }) {
				all = append(all, step)
			}
		}
	}
	return all
}
