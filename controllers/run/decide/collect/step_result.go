package collect

import (
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/figure"
)

func stepResult(step reportv1alpha1.StepSummary) benchv1alpha1.StepResult {
	r := benchv1alpha1.StepResult{Name: step.Name, Client: step.Client}
	if step.Search != nil {
		r.Search = &benchv1alpha1.SearchResult{}
	}
	figure.Fill(figure.Steps, &step, &r)
	if steady := step.Steady; steady != nil {
		r.Steadiness = new(benchv1alpha1.SteadinessNever)
		if steady.Reached {
			r.Steadiness = new(benchv1alpha1.SteadinessReached)
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
		Name: action.Name, Member: condition.Cut(action.Member, maxMember),
		Error: condition.Cut(action.Error, maxActionError),
	}
	figure.Fill(figure.Actions, &action, &r)
	return r
}

func operationResult(operation reportv1alpha1.OperationSummary) benchv1alpha1.OperationResult {
	r := benchv1alpha1.OperationResult{Name: operation.Name}
	figure.Fill(figure.Operations, &operation, &r)
	return r
}

// strip leaves out of a result what a reader can do without.
func strip(step *benchv1alpha1.StepResult) bool {
	stripped := false
	for i := range step.Operations {
		stripped = figure.Drop(figure.Operations, &step.Operations[i]) || stripped
	}
	return stripped
}
