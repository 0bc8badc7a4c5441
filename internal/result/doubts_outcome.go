package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// maxErrorShare is one in this many of an operation that may fail at most, however few percentiles are shown of it.
const maxErrorShare = 100

// writesUnaccounted is about unacknowledged writes whose fate is unknown, or which did not arrive.
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

// operationErrors judges each operation of a mix, and all together where there are several. One that was tried and
// never succeeded is always in doubt, however rare it is, and also where the errors are an action's: nothing was
// measured of it.
func operationErrors(step judged) doubtful {
	var worst doubtful
	for i, operation := range step.Operations {
		if operation.PartOf != "" {
			continue // What fails in a part fails the whole, unless the whole was done again.
		}
		succeeded, failed := undisturbed(step.Step, operation)
		found := tooManyErrors(step.summary.Operations[i].Timed, succeeded, failed)
		if operation.Count == 0 && operation.Errors > 0 {
			found = doubtful{never, fmt.Sprintf("none of %s succeeded", present.Count(operation.Errors))}
		}
		if found.severity > worst.severity {
			worst = doubtful{found.severity, fmt.Sprintf("step %q: of operation %q %s", step.Name, operation.Name,
				found.message) + mostFrequent(operation.ErrorClasses)}
		}
	}
	var succeeded, failed int64
	var classes []reportv1.ErrorClass
	for operation := range step.Mix() {
		before, errors := undisturbed(step.Step, operation)
		succeeded, failed = succeeded+before, failed+errors
		classes = append(classes, operation.ErrorClasses...)
	}
	if found := tooManyErrors(step.summary.Overall.Timed, succeeded, failed); found.severity > worst.severity {
		worst = doubtful{found.severity, fmt.Sprintf("step %q: of all operations together %s", step.Name, found.message) +
			mostFrequent(classes)}
	}
	return worst
}

// never is the severity of an operation that never succeeded: more than any share in millionths.
const never = 2_000_000

// tooManyErrors compares the failures with what the highest percentile leaves that as many times carry: where p99.9 is
// shown a thousandth may fail, for with more of them it is the lower bound of failures that it shows.
func tooManyErrors(timed, succeeded, failed int64) doubtful {
	all := succeeded + failed
	share, percentile := int64(maxErrorShare), ""
	for _, shown := range figure.Percentiles {
		if one := int64(math.Round(1 / (1 - shown.Quantile))); shown.Carries(timed) && one > share {
			share, percentile = one, ", whose "+shown.Label+" is shown,"
		}
	}
	if failed*share <= all {
		return doubtful{}
	}
	// Shares are compared, in millionths, since steps differ in length.
	return doubtful{max(1, int64(float64(failed)/float64(all)*1_000_000)), fmt.Sprintf("%s of %s%s failed, and one in %s "+
		"may", present.Count(failed), present.Count(all), percentile, present.Count(share))}
}

// mostFrequent tells of the class of errors that there are most of.
func mostFrequent(classes []reportv1.ErrorClass) string {
	if len(classes) == 0 {
		return ""
	}
	first := slices.MaxFunc(classes, func(a, b reportv1.ErrorClass) int { return cmp.Compare(a.Count, b.Count) })
	return fmt.Sprintf(", most often with a %s error: %s", first.Class, first.FirstMessage)
}
