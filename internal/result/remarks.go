package result

import (
	"fmt"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Remarks are what a reader has to know beside the doubts.
func Remarks(report reportv1.Report) []string {
	var remarks []string
	for _, limit := range CPULimits(report) {
		if !doubted(report, limit) {
			remarks = append(remarks, limit.String())
		}
	}
	for _, step := range report.Steps {
		if step.ResumedDocuments > 0 && step.Skipped == "" {
			remarks = append(remarks, fmt.Sprintf("step %q: %d of %d documents were loaded before an interruption, and its "+
				"rate is of the others alone", step.Name, step.ResumedDocuments, step.Documents+step.ResumedDocuments))
		}
	}
	return append(remarks, Notes(report)...)
}

// Notes are the Remarks that nothing else shows: those of what was measured.
func Notes(report reportv1.Report) []string {
	return slices.Concat(pacedMixes(report), notChecked(report), lostOutlets(report), report.OperatorRemarks)
}

// Remarked adds remarks to a message.
func Remarked(message string, remarks []string) string {
	return strings.Join(append([]string{message}, remarks...), "; ")
}

// NotChecked says why it was not checked whether the throughput of a step is steady; empty when it was.
func NotChecked(step reportv1.Step) string {
	if step.Kind != reportv1.KindMeasure || step.Steady != nil {
		return ""
	}
	if why := tooLittle(step); why != "" {
		return why
	}
	return "its load is not the same all the time"
}

// tooLittle says what a step has too little of for its steadiness to be checked; empty when that is enough.
func tooLittle(step reportv1.Step) string {
	const least = fewestBatches * steadyBatch
	counts := Throughput(step)
	if window := step.Window(); window < least || len(counts) == 0 {
		return fmt.Sprintf("%s were measured, and it takes %s", present.Millis(window.Milliseconds()),
			present.Millis(least.Milliseconds()))
	}
	replies := sum(counts)
	if rate := ratePerSecond(replies, step.Window()); rate > 0 && rate < fewestInBatch/steadyBatch.Seconds() {
		return fmt.Sprintf("%s succeeded in %s, and it takes one in %s", present.Plural(replies, "operation"),
			present.Millis(step.Window().Milliseconds()), present.Millis(steadyBatch.Milliseconds()))
	}
	return ""
}

// mostUnchecked is how many steps a remark names.
const mostUnchecked = 3

// notChecked names the steps that had too little for their steadiness to be checked, with the reason of the first.
func notChecked(report reportv1.Report) []string {
	var names []string
	var why string
	for _, step := range report.Steps {
		if step.Kind != reportv1.KindMeasure || step.Steady != nil {
			continue
		}
		if little := tooLittle(step); little != "" {
			if why == "" {
				why = little
			}
			names = append(names, fmt.Sprintf("%q", step.Name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	noun := "step"
	if len(names) > 1 {
		noun = "steps"
	}
	return []string{fmt.Sprintf("whether the throughput was steady was not checked of %s %s: %s", noun,
		strings.Join(present.First(names, mostUnchecked, "and %d more"), ", "), why)}
}
