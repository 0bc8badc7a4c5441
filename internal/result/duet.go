package result

import (
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// collectedDuet is what the operator is told of a duet; nil without one.
func collectedDuet(duet *reportv1.Duet) *reportv1.CollectedDuet {
	if duet == nil {
		return nil
	}
	server := duet.Baseline.Server
	told := &reportv1.CollectedDuet{
		StorageEngine: server.StorageEngine, Durability: server.Durability, SyncMicros: server.SyncMicros,
		Conditions: conditions(duet.Baseline),
	}
	for _, step := range duet.Steps {
		windows, disturbed := step.Measured()
		told.Windows, told.Disturbed = told.Windows+windows, told.Disturbed+disturbed
		step.Windows, step.OmittedWindows, step.Lines = nil, 0, WithoutCourse(step.Lines)
		told.Steps = append(told.Steps, step)
	}
	return told
}

// WithoutCourse are lines as they stand, without how they came to it.
func WithoutCourse(lines []reportv1.DuetLine) []reportv1.DuetLine {
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i].Course = nil
	}
	return lines
}

// withBaseline adds what there is to doubt of the other side of a duet: what spoils one side spoils the comparison.
func withBaseline(doubts []Doubt, duet *reportv1.Duet) ([]Doubt, error) {
	if duet == nil {
		return doubts, nil
	}
	others, err := Doubts(duet.Baseline)
	if err != nil {
		return nil, err
	}
	for _, other := range others {
		other.Message = "the baseline: " + other.Message
		at := slices.IndexFunc(doubts, func(d Doubt) bool { return d.Reason == other.Reason })
		if at < 0 {
			doubts = append(doubts, other)
		} else {
			doubts[at].Message += "; " + other.Message
		}
	}
	return doubts, nil
}
