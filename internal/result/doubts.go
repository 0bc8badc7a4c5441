package result

import (
	"errors"
	"fmt"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Doubt is a reason not to believe a report's numbers.
type Doubt = reportv1.Doubt

// judged is a step with the numbers that were read out of it, of a Measure.
type judged struct {
	reportv1.Step
	summary reportv1.StepSummary
	// server and members are the report's.
	server  reportv1.Server
	members []reportv1.Member
	// delay is how late the load generator was, and late what that spoils; nil where it is not known, or nothing.
	delay *delays
	late  *lateness
	// queued is the share of an open loop's operations that waited for a free worker.
	queued float64
	// cut says that the report is of a plan that was cut in this step.
	cut bool
	// parts are the groups of the step, each judged as a step of its own; nil without groups.
	parts []judged
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
	return float64(j.service().MeanMicros) * float64(j.service().Timed)
}

// doubtful is what a check finds in a step: the severity, which is 0 when there is no doubt, and the message.
type doubtful struct {
	severity int64
	message  string
}

// checks of the steps of a kind, in the order of their doubts: what spoils the numbers most comes first. Those of the
// load itself are made of each group of a step.
var checks = []struct {
	kind, reason string
	find         func(judged) doubtful
}{
	{reportv1.KindMeasure, benchv1alpha1.ReasonActionFailed, actionFailed},
	{reportv1.KindMeasure, benchv1alpha1.ReasonWritesUnaccounted, writesUnaccounted},
	{reportv1.KindMeasure, benchv1alpha1.ReasonElection, election},
	{reportv1.KindMeasure, benchv1alpha1.ReasonGeneratorSaturated, saturation},
	{reportv1.KindMeasure, benchv1alpha1.ReasonGeneratorLate, ofParts(generatorLate)},
	{reportv1.KindMeasure, benchv1alpha1.ReasonGatewaySaturated, gatewaySaturated},
	{reportv1.KindMeasure, benchv1alpha1.ReasonScheduleNotKept, ofParts(scheduleNotKept)},
	{reportv1.KindMeasure, benchv1alpha1.ReasonTooFewThreads, ofParts(tooFewThreads)},
	{reportv1.KindMeasure, benchv1alpha1.ReasonSearchLimited, searchLimited},
	{reportv1.KindMeasure, benchv1alpha1.ReasonServerThrottled, serverThrottled},
	{reportv1.KindMeasure, benchv1alpha1.ReasonStartSkew, startSkew},
	{reportv1.KindMeasure, benchv1alpha1.ReasonClockStepped, clockStepped},
	{reportv1.KindMeasure, benchv1alpha1.ReasonOperationErrors, operationErrors},
	{reportv1.KindMeasure, benchv1alpha1.ReasonUnexpectedDocuments, unexpectedDocuments},
	{reportv1.KindMeasure, benchv1alpha1.ReasonChecksFailed, checksFailed},
	{reportv1.KindMeasure, benchv1alpha1.ReasonLowRecall, lowRecall},
	{reportv1.KindMeasure, benchv1alpha1.ReasonConnectionPoolWaits, connectionPoolWaits},
	{reportv1.KindMeasure, benchv1alpha1.ReasonConnectionsLost, connectionsLost},
	{reportv1.KindMeasure, benchv1alpha1.ReasonCoarsePercentiles, coarsePercentiles},
	{reportv1.KindMeasure, benchv1alpha1.ReasonPacedMix, ofParts(pacedMix)},
	{reportv1.KindMeasure, benchv1alpha1.ReasonNotSteady, notSteady},
	{reportv1.KindBalance, benchv1alpha1.ReasonImbalance, imbalance},
}

// ofParts makes a check of each group of a step, and finds what is worst. A step without groups is checked itself.
func ofParts(find func(judged) doubtful) func(judged) doubtful {
	return func(step judged) doubtful {
		if len(step.parts) == 0 {
			return find(step)
		}
		var worst doubtful
		for _, part := range step.parts {
			if found := find(part); found.severity > worst.severity {
				worst = found
			}
		}
		return worst
	}
}

// Doubts finds the reasons not to believe what was measured, each once, for the step where it is worst. None is nil. A
// report that contradicts itself is an error.
func Doubts(report reportv1.Report) ([]Doubt, error) {
	steps := make([]judged, len(report.Steps))
	for i, step := range report.Steps {
		var err error
		if steps[i], err = judge(step); err != nil {
			return nil, fmt.Errorf("looking for doubts: step %q: %w", step.Name, err)
		}
		steps[i].server, steps[i].members = report.Server, report.Members
		steps[i].cut = report.Partial != nil && report.Partial.Step == step.Name
	}
	doubts := incomplete(report)
	for _, check := range checks {
		var worst doubtful
		for _, step := range steps {
			if step.Kind != check.kind {
				continue
			}
			if found := check.find(step); found.severity > worst.severity {
				worst = found
			}
		}
		if worst.severity > 0 {
			doubts = append(doubts, Doubt{Reason: check.reason, Message: worst.message})
		}
	}
	return withBaseline(append(doubts, report.OperatorDoubts...), report.Duet)
}

func judge(step reportv1.Step) (judged, error) {
	if step.Kind != reportv1.KindMeasure {
		return judged{Step: step}, nil
	}
	if err := consistent(step); err != nil {
		return judged{}, err
	}
	summary, err := summariseStep(step)
	if err != nil {
		return judged{}, err
	}
	found, err := lookInto(step, summary)
	if err == nil {
		found.parts, err = judgeParts(step)
	}
	return found, err
}

// lookInto finds out what a step's delays say.
func lookInto(step reportv1.Step, summary reportv1.StepSummary) (found judged, err error) {
	found = judged{Step: step, summary: summary}
	if found.queued, err = queuedShare(step.Arrivals); err != nil {
		return judged{}, err
	}
	if found.delay, err = delaysOf(step); err == nil && found.delay != nil {
		found.late, err = findLateness(step, found.delay)
	}
	return found, err
}

// consistent compares the places that count the operations that succeeded, and those that count the ones that failed. A
// load generator of an older release has timed no failure.
func consistent(step reportv1.Step) error {
	for _, operation := range step.Operations {
		if min(operation.Count, operation.Errors, operation.Unacknowledged, operation.Stragglers, operation.Skipped,
			operation.CarriedOver, operation.Replies()) < 0 {
			return fmt.Errorf("operation %q: a count is below 0", operation.Name)
		}
		times, err := decode(operation)
		if err != nil {
			return fmt.Errorf("operation %q: %w", operation.Name, err)
		}
		if err := errors.Join(consistentTimes(operation, times), consistentIntervals(step, operation)); err != nil {
			return fmt.Errorf("operation %q: %w", operation.Name, err)
		}
	}
	return nil
}

// consistentTimes compares the counts of an operation with its histograms.
func consistentTimes(operation reportv1.Operation, times raw) error {
	timed := operation.Count - operation.Unacknowledged
	for _, histogram := range []*hdrhistogram.Histogram{times.service, times.latency} {
		if histogram.TotalCount() != timed {
			return fmt.Errorf("%d operations were counted and %d were timed", operation.Count,
				histogram.TotalCount()+operation.Unacknowledged)
		}
	}
	if operation.FailedServiceTime == "" && operation.FailedResponseTime == "" {
		return nil
	}
	for _, histogram := range []*hdrhistogram.Histogram{times.failedService, times.failedLatency} {
		if histogram.TotalCount() != operation.Errors {
			return fmt.Errorf("%d operations failed and %d failures were timed", operation.Errors, histogram.TotalCount())
		}
	}
	return nil
}

func notSteady(step judged) doubtful {
	if step.Steady == nil || step.Steady.Reached || len(step.Actions) > 0 {
		// Actions are to change the throughput.
		return doubtful{}
	}
	variation := step.Steady.VariationPercent
	return doubtful{int64(max(1, variation)), fmt.Sprintf("step %q: the throughput never became steady: it varies by %d "+
		"%% between intervals of %d ms, or drifts; give the step a longer warm-up, or see what the servers do meanwhile",
		step.Name, variation, step.IntervalMillis)}
}
