package result

import (
	"fmt"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Doubt is a reason not to believe a report's numbers.
type Doubt struct {
	// Reason is a reason of a run's condition Trusted, such as StartSkew.
	Reason string `json:"reason"`
	// Message says in which step, by how much, and what to do.
	Message string `json:"message"`
}

// judged is a step with the numbers that were read out of it.
type judged struct {
	reportv1.Step
	summary reportv1.StepSummary
}

// service is the service time of all operations, also of an open loop.
func (j judged) service() reportv1.TimesSummary {
	overall := j.summary.Overall
	if overall.ServiceTime != nil {
		return *overall.ServiceTime
	}
	return overall.TimesSummary
}

// serviceMicros are the service times of all operations added up.
func (j judged) serviceMicros() float64 {
	return float64(j.service().MeanMicros) * float64(j.summary.Overall.Count-j.summary.Overall.Unacknowledged)
}

// doubtful is what a check finds in a step: the severity, which is 0 when there is no doubt, and the message.
type doubtful struct {
	severity int64
	message  string
}

// checks in the order of their doubts: what spoils the numbers most comes first.
var checks = []struct {
	reason string
	find   func(judged) doubtful
}{
	{benchv1alpha1.ReasonActionFailed, actionFailed},
	{benchv1alpha1.ReasonWritesUnaccounted, writesUnaccounted},
	{benchv1alpha1.ReasonGeneratorSaturated, saturation},
	{benchv1alpha1.ReasonScheduleNotKept, scheduleNotKept},
	{benchv1alpha1.ReasonStartSkew, startSkew},
	{benchv1alpha1.ReasonOperationErrors, operationErrors},
	{benchv1alpha1.ReasonConnectionPoolWaits, connectionPoolWaits},
	{benchv1alpha1.ReasonNotSteady, notSteady},
}

// Doubts finds the reasons not to believe what was measured, each once, for the step where it is worst. None is nil. A
// report that contradicts itself is an error.
func Doubts(report reportv1.Report) ([]Doubt, error) {
	var steps []judged
	for _, step := range report.Steps {
		if step.Kind != reportv1.KindMeasure {
			continue
		}
		if err := consistent(step); err != nil {
			return nil, fmt.Errorf("looking for doubts: step %q: %w", step.Name, err)
		}
		summary, err := summariseStep(step)
		if err != nil {
			return nil, fmt.Errorf("looking for doubts: step %q: %w", step.Name, err)
		}
		steps = append(steps, judged{step, summary})
	}
	var doubts []Doubt
	for _, check := range checks {
		var worst doubtful
		for _, step := range steps {
			if found := check.find(step); found.severity > worst.severity {
				worst = found
			}
		}
		if worst.severity > 0 {
			doubts = append(doubts, Doubt{Reason: check.reason, Message: worst.message})
		}
	}
	return append(doubts, imbalances(report.Steps)...), nil
}

// consistent compares the places that count the operations that succeeded.
func consistent(step reportv1.Step) error {
	for _, operation := range step.Operations {
		if min(operation.Count, operation.Errors, operation.Unacknowledged) < 0 {
			return fmt.Errorf("operation %q: a count is below 0", operation.Name)
		}
		times, err := TimesOf(operation)
		if err != nil {
			return fmt.Errorf("operation %q: %w", operation.Name, err)
		}
		timed := operation.Count - operation.Unacknowledged
		for _, histogram := range []*hdrhistogram.Histogram{times.Service, times.Latency} {
			if histogram.TotalCount() != timed {
				return fmt.Errorf("operation %q: %d operations were counted and %d were timed",
					operation.Name, operation.Count, histogram.TotalCount()+operation.Unacknowledged)
			}
		}
	}
	return nil
}
