package decide

import (
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func stepResult(step reportv1alpha1.StepSummary) benchv1alpha1.StepResult {
	r := benchv1alpha1.StepResult{
		Name: step.Name, DurationMillis: new(step.DurationMillis), Client: step.Client,
	}
	r.Documents = unlessZero(step.Documents)
	if step.Threads > 0 {
		r.Threads = new(int32(step.Threads))
	}
	if arrivals := step.Arrivals; arrivals != nil {
		r.RequestedOperationsPerSecond = new(arrivals.RequestedPerSecond)
		r.AchievedOperationsPerSecond = new(arrivals.AchievedPerSecond)
		r.DroppedOperations = new(arrivals.Dropped)
		r.ScheduleLagP99Micros = new(arrivals.Lag.P99Micros)
	}
	if drain := step.Drain; drain != nil {
		r.DrainMillis = new(drain.Micros / 1000)
		if drain.Counted {
			r.SentDocuments, r.ArrivedDocuments = new(drain.Sent), new(drain.Arrived)
		}
	}
	if search := step.Search; search != nil {
		r.Search = &benchv1alpha1.SearchResult{
			FoundOperationsPerSecond: new(search.Found), Trials: new(int32(len(search.Trials))),
		}
	}
	if steady := step.Steady; steady != nil {
		r.Steadiness = new(benchv1alpha1.SteadinessNever)
		if steady.Reached {
			r.Steadiness, r.SteadyAfterMillis = new(benchv1alpha1.SteadinessReached), new(steady.AfterMillis)
		}
	}
	for _, action := range step.Actions {
		r.Actions = append(r.Actions, actionResult(action))
	}
	for _, operation := range step.Operations {
		r.Operations = append(r.Operations, operationResult(operation))
	}
	return r
}

// maxActionError and maxMember are the longest that the status takes.
const (
	maxActionError = 512
	maxMember      = 253
)

func actionResult(action reportv1alpha1.Action) benchv1alpha1.ActionResult {
	r := benchv1alpha1.ActionResult{
		Name: action.Name, Member: cut(action.Member, maxMember), AtMillis: new(max(action.AtMillis, 0)),
		OutageMillis: new(action.OutageMicros / 1000), Error: cut(action.Error, maxActionError),
	}
	if recovered := action.RecoveryMillis; recovered != nil && *recovered >= 0 {
		r.RecoveryMillis = recovered
	}
	return r
}

func operationResult(operation reportv1alpha1.OperationSummary) benchv1alpha1.OperationResult {
	r := benchv1alpha1.OperationResult{
		Name:                operation.Name,
		Count:               new(operation.Count),
		Errors:              new(operation.Errors),
		Retries:             unlessZero(operation.Retries),
		Unacknowledged:      unlessZero(operation.Unacknowledged),
		OperationsPerSecond: new(operation.OperationsPerSecond),
		MeanMicros:          new(operation.MeanMicros),
		P50Micros:           new(operation.P50Micros),
		P95Micros:           new(operation.P95Micros),
		P99Micros:           new(operation.P99Micros),
		P999Micros:          new(operation.P999Micros),
		MaxMicros:           new(operation.MaxMicros),
	}
	if times := operation.ServiceTime; times != nil {
		r.ServiceP99Micros = new(times.P99Micros)
	}
	if times := operation.FirstDocument; times != nil {
		r.FirstDocumentP50Micros, r.FirstDocumentP99Micros = new(times.P50Micros), new(times.P99Micros)
	}
	return r
}

func sweepResult(sweep reportv1alpha1.SweepSummary) benchv1alpha1.SweepResult {
	return benchv1alpha1.SweepResult{
		Name:              sweep.Name,
		KneeThreads:       unlessZero(int32(sweep.KneeThreads)),
		SaturationThreads: unlessZero(int32(sweep.SaturationThreads)),
	}
}

// unlessZero leaves out what did not happen.
func unlessZero[T int32 | int64](number T) *T {
	if number == 0 {
		return nil
	}
	return &number
}

// strip leaves out of a result what a reader can do without.
func strip(step *benchv1alpha1.StepResult) bool {
	stripped := false
	for i := range step.Operations {
		operation := &step.Operations[i]
		for _, figure := range []**int64{
			&operation.ServiceP99Micros, &operation.FirstDocumentP50Micros, &operation.FirstDocumentP99Micros,
			&operation.Retries,
		} {
			stripped = stripped || *figure != nil
			*figure = nil
		}
	}
	return stripped
}
