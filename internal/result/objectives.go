package result

import (
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// addWithin adds up what succeeded within equal limits.
func addWithin(sum, more []reportv1.Within) []reportv1.Within {
	for _, within := range more {
		like := reportv1.Within{LimitMicros: within.LimitMicros}
		entry(&sum, like, func(w reportv1.Within) int64 { return w.LimitMicros }).Count += within.Count
	}
	return sum
}

// judgeObjectives says which objectives of a step were kept, given all of its operations together.
func judgeObjectives(step reportv1.Step, all reportv1.Operation) []reportv1.ObjectiveSummary {
	if len(step.Objectives) == 0 {
		return nil
	}
	judged := make([]reportv1.ObjectiveSummary, 0, len(step.Objectives))
	for _, objective := range step.Objectives {
		one := reportv1.ObjectiveSummary{Objective: objective}
		of := all
		if objective.Operation == "" {
			one.Operations = neverSent(step)
		} else if of = operationOf(step, objective.Operation); of.Skipped > 0 {
			one.Operations = of.Skipped
		}
		one.Operations += of.Count - of.Unacknowledged + of.Errors
		for _, within := range of.Within {
			if within.LimitMicros == objective.LimitMicros {
				one.Within = within.Count
			}
		}
		one.Kept = one.Operations > 0 && one.Within*hundredMillis >= one.Operations*int64(objective.PercentMillis)
		judged = append(judged, one)
	}
	return judged
}

// Missed counts the objectives of all steps, and says of those that were missed by how much.
func Missed(summary reportv1.Summary) (count int, missed []string) {
	for _, step := range summary.Steps {
		for _, one := range step.Objectives {
			count++
			if !one.Kept {
				missed = append(missed, fmt.Sprintf("step %q: %s", step.Name, ObjectiveText(one)))
			}
		}
	}
	return count, missed
}

// ObjectiveText says what an objective was, and what became of it.
func ObjectiveText(one reportv1.ObjectiveSummary) string {
	of := "all operations"
	if one.Operation != "" {
		of = "operation " + one.Operation
	}
	text := fmt.Sprintf("%s %% of %s within %s", present.PercentMillis(int64(one.PercentMillis)), of,
		present.Micros(one.LimitMicros))
	if one.Operations == 0 {
		return text + ": there were none"
	}
	return fmt.Sprintf("%s: %s of %s were, %s %%", text, present.Count(one.Within), present.Count(one.Operations),
		present.PercentMillis(one.Within*hundredMillis/one.Operations))
}

// hundredMillis are 100 % in thousandths of a percent.
const hundredMillis = 100_000

// operationOf is the one of a name; a part of a step with groups may not have it.
func operationOf(step reportv1.Step, name string) reportv1.Operation {
	for _, operation := range step.Operations {
		if operation.Name == name {
			return operation
		}
	}
	return reportv1.Operation{}
}

// neverSent are the operations of open loops that were due and not sent.
func neverSent(step reportv1.Step) int64 {
	var count int64
	if step.Arrivals != nil {
		count = step.Arrivals.Dropped + step.Arrivals.Skipped
	}
	for _, group := range step.Groups {
		if group.Arrivals != nil {
			count += group.Arrivals.Dropped + group.Arrivals.Skipped
		}
	}
	return count
}

// asked adds what the step asks to be read of an operation's times beside what every result has.
func asked(step reportv1.Step, times Times, summary reportv1.OperationSummary) reportv1.OperationSummary {
	for _, millis := range step.Percentiles {
		one := reportv1.Percentile{PercentMillis: millis}
		if figure.CarriesPercent(millis, times.Latency.TotalCount()) {
			one.Micros = times.Latency.ValueAtQuantile(float64(millis) / 1000)
		}
		summary.Percentiles = append(summary.Percentiles, one)
	}
	if step.ExpectedIntervalMicros > 0 && times.Latency.TotalCount() > 0 {
		corrected := figure.Summarise(Corrected(times.Latency, step.ExpectedIntervalMicros))
		summary.Corrected = &corrected
	}
	return summary
}
