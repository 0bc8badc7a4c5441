package engine

import (
	"context"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// gatewayWatch looks at the service that a step's operations go through while its window is measured. Without one it
// sees nothing.
type gatewayWatch struct {
	seen func(context.Context) []reportv1.Gateway
}

func (w *gatewayWatch) begin(ctx context.Context, p *pod) {
	if p.Through != nil {
		w.seen = p.Through.Look(ctx)
	}
}

func (w *gatewayWatch) end(ctx context.Context) []reportv1.Gateway {
	if w.seen == nil {
		return nil
	}
	return w.seen(ctx)
}

// expectation is how many documents an operation is to come upon; nil where that is not known. A request to a service
// comes to several of what is declared.
func (p *pod) expectation(declared *planv1.Operation) *reportv1.Expectation {
	expected := operation.Expectation(declared)
	if expected == nil || p.Through == nil {
		return expected
	}
	times := int64(p.Through.PerRequest())
	all := *expected
	if all.MinDocuments *= times; all.MaxDocuments != nil {
		all.MaxDocuments = new(*all.MaxDocuments * times)
	}
	return &all
}
