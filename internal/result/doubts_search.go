package result

import (
	"fmt"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// GeneratorLimit says why the load generator, and not the target, may have been the limit in a Measure; empty when
// nothing says so.
func GeneratorLimit(step reportv1.Step) (string, error) {
	judged, err := judge(step)
	if err != nil {
		return "", err
	}
	for _, check := range checks {
		if check.kind != reportv1.KindMeasure || !ofGenerator[check.reason] {
			continue
		}
		if found := check.find(judged); found.severity > 0 {
			return strings.TrimPrefix(found.message, fmt.Sprintf("step %q: ", step.Name)), nil
		}
	}
	return "", nil
}

// ofGenerator are the reasons for doubts that name the load generator.
var ofGenerator = map[string]bool{
	benchv1alpha1.ReasonGeneratorSaturated: true, benchv1alpha1.ReasonGeneratorLate: true,
}

// searchLimited doubts a search that has not found the limit of the target.
func searchLimited(step judged) doubtful {
	search := step.Search
	if search == nil || step.cut && search.LimitedBy == reportv1.LimitedByTime {
		// More time would not help a search that was cut, which is a doubt of its own.
		return doubtful{}
	}
	var why, example string
	switch search.LimitedBy {
	case reportv1.LimitedByGenerator:
		why = "the load generator was the limit at higher rates; give spec.loadGenerator more cpu or more pods"
	case reportv1.LimitedByThreads:
		why = fmt.Sprintf("all %d threads were busy at higher rates, and the target was not; give the step more threads",
			step.Threads)
	case reportv1.LimitedByTime:
		why = "its time was over before it was sure; allow it more with maxSeconds, longer trials or more tolerance"
	default:
		return doubtful{}
	}
	for _, trial := range slices.Backward(search.Trials) {
		if trial.LimitedBy == search.LimitedBy && trial.Because != "" {
			example = fmt.Sprintf("; at %s/s %s", present.Count(trial.Rate), trial.Because)
			break
		}
	}
	found := "at " + present.Count(search.Found) + "/s and above"
	if search.Below > 0 {
		found = fmt.Sprintf("between %s/s and %s/s", present.Count(search.Found), present.Count(search.Below))
	}
	return doubtful{1, fmt.Sprintf("step %q: the search does not know the limit of the target, which is %s: %s",
		step.Name, found, why+example)}
}
