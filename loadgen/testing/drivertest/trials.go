package drivertest

import (
	"context"
	"sync"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// trials are what pods tell each other of those of a search.
type trials struct {
	mutex   sync.Mutex
	order   reportv1.TrialOrder
	answers map[int]reportv1.TrialAnswer
	// changed is closed and replaced whenever something is told.
	changed chan struct{}
}

func newTrials() *trials {
	return &trials{answers: map[int]reportv1.TrialAnswer{}, changed: make(chan struct{})}
}

// tell changes what is told.
func (t *trials) tell(change func()) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	change()
	close(t.changed)
	t.changed = make(chan struct{})
}

// await looks until something is found.
func (t *trials) await(ctx context.Context, find func() bool) error {
	for {
		t.mutex.Lock()
		found, changed := find(), t.changed
		t.mutex.Unlock()
		if found {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// trialsOf are the trials as one pod has them. It is a loadgen.Trials.
type trialsOf struct {
	*trials
	pod int
}

// Order replaces what was ordered before.
func (t trialsOf) Order(_ context.Context, order reportv1.TrialOrder) error {
	// Another process has no reading of this one's clock.
	order.Start = order.Start.Round(0)
	t.tell(func() { t.order = order })
	return nil
}

// Next waits for an order.
func (t trialsOf) Next(ctx context.Context, step, after int) (order reportv1.TrialOrder, err error) {
	err = t.await(ctx, func() bool {
		order = t.order
		return order.Step == step && order.Number > after
	})
	return order, err
}

// Answer replaces what the pod answered before.
func (t trialsOf) Answer(_ context.Context, answer reportv1.TrialAnswer) error {
	t.tell(func() { t.answers[t.pod] = answer })
	return nil
}

// Answered waits for an answer.
func (t trialsOf) Answered(
	ctx context.Context, pod int, order reportv1.TrialOrder,
) (answer reportv1.TrialAnswer, err error) {
	err = t.await(ctx, func() bool {
		answer = t.answers[pod]
		return answer.Step == order.Step && answer.Number == order.Number
	})
	return answer, err
}
