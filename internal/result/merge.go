package result

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Merge makes one report of those of all load pods of a run: counters are added up, histograms merged, times span all
// pods, and of what limits trust (skew, saturation) the worst is kept. Reports of different plans are refused, and so
// is one that lacks a step that all pods take part in.
func Merge(reports []reportv1.Report) (reportv1.Report, error) {
	if len(reports) == 0 {
		return reportv1.Report{}, errors.New("merging reports: there is none")
	}
	// Preparing and verifying is one pod's work, so the others may lack these steps.
	longest := slices.MaxFunc(reports, func(a, b reportv1.Report) int { return cmp.Compare(len(a.Steps), len(b.Steps)) })
	merged := longest
	merged.Pods, merged.Machines = 0, nil
	merged.Steps = make([]reportv1.Step, 0, len(longest.Steps))
	for _, report := range reports {
		if err := mergeable(longest, report); err != nil {
			return reportv1.Report{}, fmt.Errorf("merging reports: %w", err)
		}
		merged.Pods += max(report.Pods, 1)
		merged.Machines = addMachines(merged.Machines, report.Machines)
		if merged.Server.Version == "" {
			merged.Server = report.Server
		}
		if len(merged.Members) == 0 {
			merged.Members = report.Members
		}
	}
	for _, step := range longest.Steps {
		parts := partsOf(step.Name, reports)
		shared := step.Kind == reportv1.KindLoad || step.Kind == reportv1.KindMeasure
		if shared && len(parts) != len(reports) {
			return reportv1.Report{}, fmt.Errorf("merging reports: %d of %d have step %q", len(parts), len(reports), step.Name)
		}
		whole, err := mergeStep(parts)
		if err != nil {
			return reportv1.Report{}, fmt.Errorf("merging reports of step %q: %w", step.Name, err)
		}
		merged.Steps = append(merged.Steps, whole)
	}
	return merged, nil
}

// mergeable says why two reports are not of the same run.
func mergeable(one, other reportv1.Report) error {
	if one.Version != other.Version {
		return fmt.Errorf("versions %q and %q differ", one.Version, other.Version)
	}
	if one.PlanHash != other.PlanHash {
		return fmt.Errorf("they are of different plans, %s and %s", one.PlanHash, other.PlanHash)
	}
	for _, step := range other.Steps {
		known := func(s reportv1.Step) bool { return s.Name == step.Name && s.Kind == step.Kind }
		if !slices.ContainsFunc(one.Steps, known) {
			return fmt.Errorf("only one has step %q of kind %s", step.Name, step.Kind)
		}
	}
	return nil
}

func partsOf(name string, reports []reportv1.Report) []reportv1.Step {
	var parts []reportv1.Step
	for _, report := range reports {
		for _, step := range report.Steps {
			if step.Name == name {
				parts = append(parts, step)
			}
		}
	}
	return parts
}
