package engine

import (
	"context"
	"errors"
	"slices"
	"sync"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// progressNotifier tells how far a pod has come, and all else that the operator has to know: it says so with every
// progress, since the operator sees only the last.
type progressNotifier struct {
	reporter loadgen.Reporter
	operated bool

	mutex    sync.Mutex
	requests []reportv1.ActionRequest
	// dataset is the mark of the dataset in the target, and reused says that it was not loaded.
	dataset *reportv1.DatasetMark
	reused  bool
	// news wakes the reporting of a step at work.
	news chan struct{}
}

func newProgressNotifier(e *Engine) *progressNotifier {
	return &progressNotifier{reporter: e.Reporter, operated: e.Operated, news: make(chan struct{}, 1)}
}

// errByHand is why an action of the operator's cannot be carried out.
var errByHand = errors.New("it is the operator's to do, and this load generator was started by hand")

// request asks the operator to carry out an action, at once.
func (n *progressNotifier) request(request reportv1.ActionRequest) error {
	if !n.operated {
		return errByHand
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.requests = append(n.requests, request)
	n.wake()
	return nil
}

// tellDataset says what is known of the dataset.
func (n *progressNotifier) tellDataset(mark reportv1.DatasetMark, reused bool) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.dataset, n.reused = &mark, reused
	n.wake()
}

func (n *progressNotifier) wake() {
	select {
	case n.news <- struct{}{}:
	default:
	}
}

// tell reports a progress with all that the pod has to say.
func (n *progressNotifier) tell(ctx context.Context, progress reportv1.Progress) error {
	n.mutex.Lock()
	progress.Requests = slices.Clone(n.requests)
	progress.Dataset, progress.Reused = n.dataset, n.reused
	n.mutex.Unlock()
	return n.reporter.Progress(ctx, progress)
}
