package engine

import (
	"context"
	"errors"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// handInTime is how long a pod that must end may take to hand in what it has: less than what Kubernetes gives a load
// pod after it was told to end.
const handInTime = 20 * time.Second

// CutError is the error of a plan that was not followed to its end, and of which a partial report was handed in.
type CutError struct {
	// Partial is that of the report.
	Partial reportv1.Partial

	step int
	err  error
}

func (c *CutError) Error() string { return c.err.Error() }

func (c *CutError) Unwrap() error { return c.err }

// partial tells in a report why a step was not done to its end. The step is what it measured, or nil.
func partial(ctx context.Context, planned planv1.Step, step *reportv1.Step, err error) reportv1.Partial {
	found := reportv1.Partial{Cause: reportv1.PartialError, Message: measure.Brief(err), Step: planned.Name}
	switch {
	case errors.Is(err, errTaken):
	case ctx.Err() != nil:
		found.Cause = reportv1.PartialInterrupted
	case errors.Is(err, errAborted):
		found.Cause = reportv1.PartialAborted
	case errors.Is(err, measure.ErrOutage):
		found.Cause = reportv1.PartialOutage
	}
	if planned.Kind == planv1.StepMeasure && planned.Search == nil {
		found.PlannedMillis = int64(planned.DurationSeconds) * time.Second.Milliseconds()
	}
	if step != nil {
		found.MeasuredMillis = step.Duration().Milliseconds()
		if found.PlannedMillis > 0 {
			found.MeasuredMillis = min(found.MeasuredMillis, found.PlannedMillis)
		}
	}
	return found
}

// measured is a step that was cut, if anything was counted in it, or a trial of its search was.
func measured(step *reportv1.Step) *reportv1.Step {
	if step.Search != nil {
		return step
	}
	for _, operation := range step.Operations {
		if operation.Count > 0 || operation.Errors > 0 {
			return step
		}
	}
	return nil
}

// handInPart hands in a report that is not of the whole plan, unless nothing was measured. The context may have ended:
// that is no reason to lose the report.
func handInPart(ctx context.Context, p *pod, report reportv1.Report, cut *CutError) (reportv1.Report, error) {
	if !holdsFigures(report) {
		return reportv1.Report{}, cut.err
	}
	report.Partial = &cut.Partial
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handInTime)
	defer cancel()
	if err := p.Reporter.Report(ctx, report); err != nil {
		p.Log.Error("What was measured until the end could not be handed in", "error", err)
		return report, cut
	}
	stopped := reportv1.Progress{Step: cut.step, State: reportv1.ProgressStopped}
	if err := p.progress.tell(ctx, stopped); err != nil {
		p.Log.Warn("Progress was not reported", "error", err)
	}
	return report, cut
}

// holdsFigures says whether a report has a step that was loaded or measured, at least in part.
func holdsFigures(report reportv1.Report) bool {
	for _, step := range report.Steps {
		if len(step.Operations) > 0 {
			return true
		}
	}
	return false
}
