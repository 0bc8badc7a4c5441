package v1alpha1

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// The kinds of steps, as the plan names them.
const (
	kindLoad    = "Load"
	kindMeasure = "Measure"
)

// Merge makes one report of those of all load pods of a run: counters are added up, histograms merged, times span all
// pods, and of what limits trust (skew, saturation) the worst is kept. Reports of different plans are refused, and so
// is one that lacks a step that all pods take part in.
func Merge(reports []Report) (Report, error) {
	if len(reports) == 0 {
		return Report{}, errors.New("merging reports: there is none")
	}
	// Preparing and verifying is one pod's work, so the others may lack these steps.
	longest := slices.MaxFunc(reports, func(a, b Report) int { return cmp.Compare(len(a.Steps), len(b.Steps)) })
	merged := longest
	merged.Pods = 0
	merged.Steps = make([]Step, 0, len(longest.Steps))
	for _, report := range reports {
		if err := mergeable(longest, report); err != nil {
			return Report{}, fmt.Errorf("merging reports: %w", err)
		}
		merged.Pods += max(report.Pods, 1)
		if merged.Server.Version == "" {
			merged.Server = report.Server
		}
	}
	for _, step := range longest.Steps {
		parts := partsOf(step.Name, reports)
		shared := step.Kind == kindLoad || step.Kind == kindMeasure
		if shared && len(parts) != len(reports) {
			return Report{}, fmt.Errorf("merging reports: %d of %d have step %q", len(parts), len(reports), step.Name)
		}
		whole, err := mergeStep(parts)
		if err != nil {
			return Report{}, fmt.Errorf("merging reports of step %q: %w", step.Name, err)
		}
		merged.Steps = append(merged.Steps, whole)
	}
	return merged, nil
}

// mergeable says why two reports are not of the same run.
func mergeable(one, other Report) error {
	if one.Version != other.Version {
		return fmt.Errorf("versions %q and %q differ", one.Version, other.Version)
	}
	if one.PlanHash != other.PlanHash {
		return fmt.Errorf("they are of different plans, %s and %s", one.PlanHash, other.PlanHash)
	}
	for _, step := range other.Steps {
		known := func(s Step) bool { return s.Name == step.Name && s.Kind == step.Kind }
		if !slices.ContainsFunc(one.Steps, known) {
			return fmt.Errorf("only one has step %q of kind %s", step.Name, step.Kind)
		}
	}
	return nil
}

func partsOf(name string, reports []Report) []Step {
	var parts []Step
	for _, report := range reports {
		for _, step := range report.Steps {
			if step.Name == name {
				parts = append(parts, step)
			}
		}
	}
	return parts
}

func mergeStep(parts []Step) (Step, error) {
	parts, err := alignIntervals(parts)
	if err != nil {
		return Step{}, err
	}
	merged := parts[0]
	for _, part := range parts[1:] {
		merged.IntendedStart = earlier(merged.IntendedStart, part.IntendedStart)
		merged.Start = earlier(merged.Start, part.Start)
		merged.MeasureStart = earlier(merged.MeasureStart, part.MeasureStart)
		if part.End.After(merged.End) {
			merged.End = part.End
		}
		merged.StartSkewMicros = max(magnitude(merged.StartSkewMicros), magnitude(part.StartSkewMicros))
		merged.Threads += part.Threads
		merged.Documents += part.Documents
		merged.Generator = mergeGenerators(merged.Generator, part.Generator)
	}
	merged.Operations, err = mergeOperations(parts)
	return merged, err
}

// alignIntervals gives every part the length of the longest interval. Lengths differ when a pod's report was too large.
func alignIntervals(parts []Step) ([]Step, error) {
	longest := 0
	for _, part := range parts {
		longest = max(longest, part.IntervalMillis)
	}
	aligned := slices.Clone(parts)
	for i, part := range aligned {
		if part.IntervalMillis == longest || intervalCount(part) == 0 {
			aligned[i].IntervalMillis = longest
			continue
		}
		if part.IntervalMillis <= 0 || longest%part.IntervalMillis != 0 {
			return nil, fmt.Errorf("intervals of %d ms and %d ms do not fit together", part.IntervalMillis, longest)
		}
		aligned[i] = stretchIntervals(part, longest/part.IntervalMillis)
	}
	return aligned, nil
}

// earlier ignores a time that is not set: a pod that had no part in a step.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

func magnitude(number int64) int64 {
	return max(number, -number)
}

func mergeGenerators(a, b Generator) Generator {
	return Generator{
		CPUMicros:          a.CPUMicros + b.CPUMicros,
		AvailableCPUMicros: a.AvailableCPUMicros + b.AvailableCPUMicros,
		BusiestPodPercent:  max(a.BusiestPodPercent, b.BusiestPodPercent),
		ThrottledMicros:    max(a.ThrottledMicros, b.ThrottledMicros),
		GCPauseMicros:      a.GCPauseMicros + b.GCPauseMicros,
	}
}
