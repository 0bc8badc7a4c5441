package result

import reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"

// mergeReplays adds up what became of the parts of a recording that the pods sent. What the recording has is the same
// for all of them. It is nil when none had one.
func mergeReplays(parts []reportv1.Step) *reportv1.Replay {
	var merged *reportv1.Replay
	for _, part := range parts {
		own := part.Replay
		if own == nil {
			continue
		}
		if merged == nil {
			merged = new(*own)
			continue
		}
		merged.WithoutCursor += own.WithoutCursor
		merged.Compared += own.Compared
		merged.OtherCount += own.OtherCount
		merged.OtherCursor += own.OtherCursor
		merged.Failed += own.Failed
		merged.Succeeded += own.Succeeded
	}
	return merged
}
