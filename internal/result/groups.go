package result

import (
	"fmt"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// mergeGroups puts together what each group of a step did on all pods, in the order in which they first appear. It is
// nil when there are none.
func mergeGroups(parts []reportv1.Step) ([]reportv1.Group, error) {
	var merged []reportv1.Group
	kept := map[string][]reportv1.Step{}
	for _, part := range parts {
		for _, group := range part.Groups {
			whole := entry(&merged, reportv1.Group{Name: group.Name}, func(g reportv1.Group) string { return g.Name })
			kept[group.Name] = append(kept[group.Name], reportv1.Step{Arrivals: group.Arrivals})
			if group.Threads == 0 || group.EndMicros == 0 {
				continue // It has no worker on this pod, or never began there.
			}
			if whole.EndMicros == 0 || group.BeginMicros < whole.BeginMicros {
				whole.BeginMicros = group.BeginMicros
			}
			whole.Threads += group.Threads
			whole.EndMicros = max(whole.EndMicros, group.EndMicros)
		}
	}
	for i := range merged {
		var err error
		if merged[i].Arrivals, err = mergeArrivals(kept[merged[i].Name]); err != nil {
			return nil, fmt.Errorf("group %q: %w", merged[i].Name, err)
		}
	}
	return merged, nil
}

// judgeParts judges each group of a step as a step of its own; nil for a step without groups.
func judgeParts(step reportv1.Step) ([]judged, error) {
	if len(step.Groups) == 0 {
		return nil, nil
	}
	var parts []judged
	for _, part := range step.Parts() {
		summary, err := summariseStep(part)
		if err != nil {
			return nil, err
		}
		found, err := lookInto(part, summary)
		if err != nil {
			return nil, err
		}
		parts = append(parts, found)
	}
	return parts, nil
}

// withOwnGroups is a step whose groups, and what they point to, are not those of another one.
func withOwnGroups(step reportv1.Step) reportv1.Step {
	step.Groups = slices.Clone(step.Groups)
	for i := range step.Groups {
		if arrivals := step.Groups[i].Arrivals; arrivals != nil {
			own := *arrivals
			step.Groups[i].Arrivals = &own
		}
	}
	return step
}
