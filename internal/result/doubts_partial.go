package result

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// incomplete is the doubt about a report that is not of the whole plan. It comes first: a step that was cut says little
// of what it was to measure, and the steps after it are missing.
func incomplete(report reportv1.Report) []Doubt {
	if report.Partial == nil {
		return nil
	}
	return []Doubt{{
		Reason: benchv1alpha1.ReasonPartial,
		Message: PartialText(*report.Partial) + "; the figures are of what was measured until then: repeat the run for a " +
			"result",
	}}
}

// PartialText says where a plan was cut, and why.
func PartialText(partial reportv1.Partial) string {
	var text strings.Builder
	text.WriteString("the plan was not followed to its end")
	if partial.Step != "" {
		fmt.Fprintf(&text, ": step %q was cut", partial.Step)
	}
	measured := time.Duration(partial.MeasuredMillis) * time.Millisecond
	switch {
	case partial.PlannedMillis > 0:
		fmt.Fprintf(&text, " after %s of %s", measured.Round(time.Millisecond),
			time.Duration(partial.PlannedMillis)*time.Millisecond)
	case partial.MeasuredMillis > 0:
		fmt.Fprintf(&text, " after %s", measured)
	}
	if len(partial.MissingPods) > 0 {
		pods := make([]string, len(partial.MissingPods))
		for i, pod := range partial.MissingPods {
			pods[i] = strconv.Itoa(pod)
		}
		fmt.Fprintf(&text, "; nothing of load pod %s is in the report", strings.Join(pods, ", "))
	}
	fmt.Fprintf(&text, " (%s: %s)", partial.Cause, partial.Message)
	return text.String()
}
