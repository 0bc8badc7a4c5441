package result

import (
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// consistentIntervals compares an operation's intervals with its counts, and with where its measure window ended.
func consistentIntervals(step reportv1.Step, operation reportv1.Operation) error {
	if len(operation.Intervals) == 0 || step.IntervalMillis <= 0 {
		return nil
	}
	counted := operation.Count + operation.CarriedOver
	if step.SpanMillis > 0 { // Of several windows, what came after the end of one is in none of their intervals.
		counted = operation.Replies()
	}
	if all := sum(operation.Intervals); all != counted {
		return fmt.Errorf("%d operations were counted and the intervals have %d", counted, all)
	}
	window := step.WindowMillis * 1000
	if group := step.Group(operation); group != nil && group.EndMicros < window {
		window = group.EndMicros + 1 // It may end with a reply.
	}
	if window == 0 {
		return nil
	}
	// The interval that the window ends in may have replies from before its end and from after it.
	interval, all := int64(step.IntervalMillis)*1000, int64(len(operation.Intervals))
	whole, begun := min(window/interval, all), min((window+interval-1)/interval, all)
	fewest, most := sum(operation.Intervals[:whole]), sum(operation.Intervals[:begun])
	if replies := operation.Replies(); replies < fewest || replies > most {
		return fmt.Errorf("%d replies came within the measure window, and its intervals have %d to %d", replies, fewest, most)
	}
	return nil
}
