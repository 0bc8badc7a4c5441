package link

import (
	"context"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Order tells the other pods what comes next.
func (p *Pod) Order(_ context.Context, next reportv1.TrialOrder) error {
	encoded, err := reportv1.EncodeTrial(next)
	if err != nil {
		return err
	}
	return p.side.send(message{Kind: order, Said: encoded})
}

// Next waits for what comes after an order.
func (p *Pod) Next(ctx context.Context, step, after int) (next reportv1.TrialOrder, err error) {
	err = p.await(ctx, func() bool {
		next = p.order
		return next.Step == step && next.Number > after
	})
	return next, err
}

// Answer says what this pod has done.
func (p *Pod) Answer(_ context.Context, done reportv1.TrialAnswer) error {
	encoded, err := reportv1.EncodeTrial(done)
	if err != nil {
		return err
	}
	measured, err := result.EncodeTrial(done.Measured)
	if err != nil {
		return err
	}
	return p.side.send(message{Kind: answer, Said: encoded, Measured: measured})
}

// Answered waits for what a pod says of an order.
func (p *Pod) Answered(
	ctx context.Context, pod int, to reportv1.TrialOrder,
) (done reportv1.TrialAnswer, err error) {
	err = p.await(ctx, func() bool {
		done = p.answers[pod]
		return done.Step == to.Step && done.Number == to.Number
	})
	return done, err
}
