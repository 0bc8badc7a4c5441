package result

import (
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
)

// overview is what the steps of a summary, of which there is at least one, come to together.
func overview(summary reportv1.Summary) reportv1.Overview {
	found := reportv1.Overview{Steps: len(summary.Steps)}
	var slowest int64
	for i, step := range summary.Steps {
		all := step.Overall
		found.Operations += all.Count
		found.Errors += all.Errors
		figures := reportv1.StepFigures{
			Step: step.Name, OperationsPerSecond: all.OperationsPerSecond, TimesSummary: all.TimesSummary,
		}
		if len(step.LimitedBy) > 0 {
			figures.LimitedBy = step.LimitedBy[0].By
		}
		if i == 0 || figures.OperationsPerSecond > found.Fastest.OperationsPerSecond {
			found.Fastest = figures
		}
		if p99 := figure.P99.Shown(&figures.TimesSummary); p99 != nil && (found.Slowest == nil || *p99 > slowest) {
			found.Slowest, slowest = &figures, *p99
		}
	}
	return found
}
