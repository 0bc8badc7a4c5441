package engine

import (
	"context"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// stepRun is one step at work.
type stepRun interface {
	// ready does all that can be done before the gate opens.
	ready(ctx context.Context) error
	// run does the work and writes what was measured into the step.
	run(ctx context.Context, step *reportv1.Step) error
	// close gives back what ready opened, whether or not that or run succeeded. It is called once.
	close()
	// done may be called while run works.
	done() advance
}

// advance is how far a step has come.
type advance struct {
	percent   int
	count     int64
	warmingUp bool
}
