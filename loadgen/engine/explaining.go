package engine

import (
	"context"
	"errors"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

const (
	// explainTimeout bounds the question about one request, and explainingTimeout all of a step together: other pods may
	// wait for it before the next one.
	explainTimeout    = 3 * time.Second
	explainingTimeout = 15 * time.Second
	// maxMissingBytes is how much is told of why there is no plan.
	maxMissingBytes = 200
)

// lookBack asks the servers about a Measure once its window is over. Which commands were slow comes first: to explain
// them takes lines of the log.
func (p *pod) lookBack(ctx context.Context, index int, step *reportv1.Step) {
	planned := p.Plan.Steps[index]
	if p.Pod > 0 || planned.Kind != planv1.StepMeasure {
		return
	}
	if asker, able := p.Observer.(loadgen.SlowAsker); able && p.Turns == nil {
		step.Slow = asker.Slow(ctx, step.MeasureStart, step.WindowEnd())
	}
	step.Explained = p.explain(ctx, index)
	p.recall(ctx, index, step)
}

// keepDiagnostics has the data that the servers have of themselves kept in the window of a Measure, until the returned
// function is called.
func (p *pod) keepDiagnostics(planned planv1.Step, start time.Time) (end func()) {
	keeper, able := p.Observer.(loadgen.DiagnosticsKeeper)
	if !able || planned.Kind != planv1.StepMeasure {
		return func() {}
	}
	return keeper.Keep(start.Add(time.Duration(planned.WarmupSeconds) * time.Second))
}

// explain asks how the operations of a step are carried out. What goes wrong there is no more than a note.
func (p *pod) explain(ctx context.Context, index int) []reportv1.Explained {
	planned := p.Plan.Steps[index]
	explainer, able := p.Target.(loadgen.Explainer)
	switch {
	case !able:
		return []reportv1.Explained{{Missing: p.Target.Driver() + " is not asked for explain"}}
	case p.Turns != nil:
		// The other side's window may be under way.
		return []reportv1.Explained{{Missing: "the servers of a duet are not asked for explain"}}
	}
	ctx, cancel := context.WithTimeout(ctx, explainingTimeout)
	defer cancel()
	e := explaining{Explainer: explainer}
	for place, part := range planned.Parts() {
		e.use = p.use(part, false)
		for operation, declared := range part.Operations {
			var request workload.Request
			p.mixes[index][place].Sample(operation, 0, &request)
			if request.LacksCaptured() {
				continue // Nobody knows what it would be asked with.
			}
			if len(request.Parts) == 0 {
				e.ask(ctx, declared.Name, 0, &request)
			}
			for i := range request.Parts {
				e.ask(ctx, declared.Name, i+1, &request.Parts[i])
			}
		}
	}
	return e.all
}

// explaining asks for the plans of a step.
type explaining struct {
	loadgen.Explainer
	use loadgen.Use
	all []reportv1.Explained
}

func (e *explaining) ask(ctx context.Context, operation string, part int, request *workload.Request) {
	if len(e.all) >= reportv1.MaxExplained {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, explainTimeout)
	defer cancel()
	found, err := e.Explain(ctx, e.use, request)
	switch {
	case errors.Is(err, loadgen.ErrNoPlan):
		return
	case err != nil:
		found = reportv1.Explained{Missing: measure.Shorten(err.Error(), maxMissingBytes)}
	case found.Stages == "":
		found.Missing = "the server's answer has no plan"
	}
	found.Operation, found.Part = operation, part
	e.all = append(e.all, found)
}
