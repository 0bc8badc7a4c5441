package loadgen

import (
	"context"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Trials are how the load pods of a search go through its trials together. Pod 0 leads: it alone calls Order and
// Answered. The others call Next and Answer. What cannot be told at once is tried again for a while; all return when
// the context ends, with its cause.
type Trials interface {
	// Order tells the other pods what comes next, in place of what came before.
	Order(ctx context.Context, order reportv1.TrialOrder) error
	// Next waits for the order of a step of the plan whose number is above that of the one before, 0 for the first.
	Next(ctx context.Context, step, after int) (reportv1.TrialOrder, error)
	// Answer says what became of an order.
	Answer(ctx context.Context, answer reportv1.TrialAnswer) error
	// Answered waits for what a pod says of an order. It is called by several goroutines at a time.
	Answered(ctx context.Context, pod int, order reportv1.TrialOrder) (reportv1.TrialAnswer, error)
}
