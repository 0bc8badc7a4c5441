package v1alpha1

import (
	"slices"
)

// coarsenIntervals doubles the length of the intervals of the steps that have the most of them. It is false when there
// is nothing left to join. The report that it was given stays as it was.
func coarsenIntervals(report Report) (Report, bool) {
	most := 0
	for _, step := range report.Steps {
		most = max(most, intervalCount(step))
	}
	if most <= 1 {
		return report, false
	}
	report.Steps = slices.Clone(report.Steps)
	for i, step := range report.Steps {
		// Steps that are nearly as long lose resolution together, so that this ends after few rounds.
		if intervalCount(step) > most/2 {
			report.Steps[i] = stretchIntervals(step, 2)
		}
	}
	return report, true
}

func intervalCount(step Step) int {
	most := 0
	for _, operation := range step.Operations {
		most = max(most, len(operation.Intervals))
	}
	return most
}

// stretchIntervals makes one interval of each factor that follow one another.
func stretchIntervals(step Step, factor int) Step {
	step.IntervalMillis *= factor
	step.Operations = slices.Clone(step.Operations)
	for i, operation := range step.Operations {
		if len(operation.Intervals) == 0 {
			continue
		}
		joined := make([]int64, 0, len(operation.Intervals)/factor+1)
		for part := range slices.Chunk(operation.Intervals, factor) {
			var sum int64
			for _, count := range part {
				sum += count
			}
			joined = append(joined, sum)
		}
		step.Operations[i].Intervals = joined
	}
	return step
}

// coarsenHistograms keeps fewer significant digits of every time.
func coarsenHistograms(report Report, digits int) (Report, error) {
	report.Steps = slices.Clone(report.Steps)
	for i, step := range report.Steps {
		operations := slices.Clone(step.Operations)
		for k, operation := range operations {
			if operation.ServiceTime == "" {
				continue
			}
			fine, err := DecodeHistogram(operation.ServiceTime)
			if err != nil {
				return Report{}, err
			}
			coarse := newHistogram(digits)
			coarse.Merge(fine)
			if operations[k].ServiceTime, err = EncodeHistogram(coarse); err != nil {
				return Report{}, err
			}
		}
		report.Steps[i].Operations = operations
	}
	return report, nil
}
