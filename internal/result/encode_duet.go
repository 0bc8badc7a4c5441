package result

import (
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// ofBothSides reduces the report of a duet's baseline as that of the candidate, which it is in.
func ofBothSides(reduce reduction) reduction {
	return func(report reportv1.Report) (reportv1.Report, bool, error) {
		report, reduced, err := reduce(report)
		if err != nil || report.Duet == nil {
			return report, reduced, err
		}
		duet := *report.Duet
		baseline, also, err := reduce(duet.Baseline)
		duet.Baseline, report.Duet = baseline, &duet
		return report, reduced || also, err
	}
}

// thinCourses leaves out every other point of the courses of a duet's lines that have more points than are enough. The
// last one is what the line came to, and stays until none is left.
func thinCourses(enough int) reduction {
	return ofDuetSteps(func(step *reportv1.DuetStep) bool {
		thinned := false
		step.Lines = slices.Clone(step.Lines)
		for i := range step.Lines {
			if course := step.Lines[i].Course; len(course) > enough {
				thinned = true
				step.Lines[i].Course = everyOther(course)
			}
		}
		return thinned
	})
}

// everyOther are half of the points, counted from the last; of one point it is none.
func everyOther(course []reportv1.DuetPoint) []reportv1.DuetPoint {
	if len(course) == 1 {
		return nil
	}
	half := make([]reportv1.DuetPoint, 0, len(course)/2+1)
	for at := (len(course) - 1) % 2; at < len(course); at += 2 {
		half = append(half, course[at])
	}
	return half
}

// dropWindows leaves out the windows of a duet but for those that were disturbed, which are few, and counts them.
func dropWindows(report reportv1.Report) (reportv1.Report, bool, error) {
	return ofDuetSteps(func(step *reportv1.DuetStep) bool {
		whole := len(step.Windows)
		step.Windows = slices.DeleteFunc(slices.Clone(step.Windows), func(window reportv1.DuetWindow) bool {
			return window.Disturbed == ""
		})
		step.OmittedWindows += whole - len(step.Windows)
		return len(step.Windows) < whole
	})(report)
}

// ofDuetSteps reduces each step of a duet, a copy of which it is given.
func ofDuetSteps(reduce func(*reportv1.DuetStep) bool) reduction {
	return func(report reportv1.Report) (reportv1.Report, bool, error) {
		if report.Duet == nil {
			return report, false, nil
		}
		duet, reduced := *report.Duet, false
		duet.Steps = slices.Clone(duet.Steps)
		for i := range duet.Steps {
			reduced = reduce(&duet.Steps[i]) || reduced
		}
		report.Duet = &duet
		return report, reduced, nil
	}
}
