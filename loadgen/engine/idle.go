package engine

import (
	"context"
	"fmt"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// idle are this pod's connections of a step that send nothing.
type idle struct {
	open   loadgen.Idle
	number int64
}

// openIdle opens this pod's part of them. Without any it is nil.
func openIdle(ctx context.Context, p *pod, step planv1.Step) (*idle, error) {
	if step.Connections == nil {
		return nil, nil //nolint:nilnil // A step without has none to lose.
	}
	_, number := planv1.Share(int64(step.Connections.Idle), p.Plan.Pods, p.Pod)
	if number == 0 {
		return nil, nil //nolint:nilnil // As above.
	}
	idler, able := p.Target.(loadgen.Idler)
	if !able {
		return nil, fmt.Errorf("step %q: %s has no idle connections; leave connections.idle out", step.Name,
			p.Target.Driver())
	}
	open, err := idler.Idle(ctx, int(number))
	if err != nil {
		return nil, fmt.Errorf("step %q: %w", step.Name, err)
	}
	return &idle{open: open, number: number}, nil
}

// tell says how many there were, and how many were lost.
func (i *idle) tell(ctx context.Context, step *reportv1.Step) {
	if i != nil {
		step.IdleConnections, step.LostConnections = i.number, i.open.Lost(ctx)
	}
}

func (i *idle) close() {
	if i != nil {
		i.open.Close()
	}
}
