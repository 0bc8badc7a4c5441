package result

import (
	"fmt"
	"slices"
	"strings"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// span is the time that the throughput of an operation is over: of unacknowledged writes it ends when the servers have
// taken them in, for it takes no time to send.
func span(s reportv1.Step, operation reportv1.Operation) time.Duration {
	if s.Drain == nil || !slices.Contains(s.Drain.Operations, operation.Name) {
		return s.Duration()
	}
	return s.Duration() + time.Duration(s.Drain.Micros)*time.Microsecond
}

// mergeDrains puts together how the writes of all pods ended, in a step that ended with the last of them. The documents
// of one pod cannot be told from those of the others, so that nobody has counted them.
func mergeDrains(end time.Time, parts []reportv1.Step) *reportv1.Drain {
	if len(parts) == 1 {
		return parts[0].Drain
	}
	var merged *reportv1.Drain
	for _, part := range parts {
		if part.Drain == nil {
			continue
		}
		if merged == nil {
			merged = &reportv1.Drain{Operations: part.Drain.Operations}
		}
		after := part.End.Sub(end).Microseconds() + part.Drain.Micros
		merged.Micros = max(merged.Micros, after)
		if merged.Failed == "" {
			merged.Failed = part.Drain.Failed
		}
	}
	return merged
}

// writesUnaccounted is about unacknowledged writes of which nobody knows what came, or which did not come.
func writesUnaccounted(step judged) doubtful {
	drain := step.Drain
	switch {
	case drain == nil:
		return doubtful{}
	case drain.Failed != "":
		return doubtful{1, fmt.Sprintf("step %q: the fate of the unacknowledged writes of %s is unknown; they may even "+
			"go on in the next step: %s; have them acknowledged to see what goes wrong", step.Name,
			strings.Join(drain.Operations, ", "), drain.Failed)}
	case drain.Counted && drain.Sent != drain.Arrived:
		return doubtful{magnitude(drain.Sent - drain.Arrived), fmt.Sprintf("step %q: %d documents were sent in "+
			"unacknowledged inserts, and there are %d more than before; the server refused some, or another client writes: "+
			"have them acknowledged to see which", step.Name, drain.Sent, drain.Arrived)}
	default:
		return doubtful{}
	}
}
