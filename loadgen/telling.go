package loadgen

import (
	"context"
	"errors"
	"slices"
	"sync"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// telling is what a pod has to say beside how far it has come. It says so with every progress, since the operator sees
// only the last.
type telling struct {
	mutex    sync.Mutex
	requests []reportv1.ActionRequest
	// dataset is the mark of the dataset in the target, and reused says that it was not loaded.
	dataset *reportv1.DatasetMark
	reused  bool
	// news wakes whoever reports the progress of a step at work.
	news chan struct{}
}

func newTelling() *telling {
	return &telling{news: make(chan struct{}, 1)}
}

// errNobody is why an action of the operator's cannot be done by hand.
var errNobody = errors.New("it is the operator's to do, and this load generator was started by hand")

// request asks the operator to carry out an action, at once.
func (e *Engine) request(request reportv1.ActionRequest) error {
	if !e.Operated {
		return errNobody
	}
	e.telling.mutex.Lock()
	defer e.telling.mutex.Unlock()
	e.telling.requests = append(e.telling.requests, request)
	e.telling.wake()
	return nil
}

// tellDataset says what is known of the dataset.
func (t *telling) tellDataset(mark reportv1.DatasetMark, reused bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.dataset, t.reused = &mark, reused
	t.wake()
}

func (t *telling) wake() {
	select {
	case t.news <- struct{}{}:
	default:
	}
}

// tell reports a progress with all that the pod has to say.
func (e *Engine) tell(ctx context.Context, progress reportv1.Progress) error {
	e.telling.mutex.Lock()
	progress.Requests = slices.Clone(e.telling.requests)
	progress.Dataset, progress.Reused = e.telling.dataset, e.telling.reused
	e.telling.mutex.Unlock()
	return e.Reporter.Progress(ctx, progress)
}
