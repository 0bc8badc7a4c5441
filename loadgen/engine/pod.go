package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/pacer"
	"github.com/mongobench/mongobench-operator/loadgen/records"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// pod is one pod at work on its plan: what all its steps share.
type pod struct {
	*Engine
	*compiled
	progress *progressNotifier
	mark     *datasetMarker
	// data is what was read of files.
	data fileData
	// began is when the pod began to follow the plan.
	began time.Time
	// server is what the database said of itself, and disturbed that a load met errors that passed.
	server    reportv1.Server
	disturbed atomic.Bool
	// actor and sizer are the Target, where it can be these.
	actor loadgen.Actor
	sizer loadgen.Sizer
}

// newPod compiles the plan, and makes sure that the target can do all that the plan needs of it.
func newPod(ctx context.Context, e *Engine) (*pod, error) {
	found, err := findKeys(ctx, e)
	if err != nil {
		return nil, err
	}
	data, err := readFiles(e)
	if err != nil {
		return nil, err
	}
	compiled, err := compile(e.Plan, data.tables, found...)
	if err != nil {
		return nil, err
	}
	p := &pod{Engine: e, compiled: compiled, data: data, progress: newProgressNotifier(e)}
	hasActions := func(s planv1.Step) bool { return len(s.Actions) > 0 }
	p.actor, err = able[loadgen.Actor](p, hasActions, "has actions, and %s cannot carry any out")
	if err != nil {
		return nil, err
	}
	takesSizes := func(s planv1.Step) bool { return s.Kind == planv1.StepSize }
	p.sizer, err = able[loadgen.Sizer](p, takesSizes, "is about the sizes of collections, which %s cannot tell")
	if err != nil {
		return nil, err
	}
	p.mark, err = newDatasetMarker(e, p.progress)
	return p, err
}

// sessions opens handles for this many workers, or none.
func (p *pod) sessions(ctx context.Context, workers int, step planv1.Step) ([]loadgen.Session, error) {
	return p.sessionsAs(ctx, workers, step, p.Resume)
}

// sessionsAs opens those of a Load that goes on where another one, or another session, may have written.
func (p *pod) sessionsAs(
	ctx context.Context, workers int, step planv1.Step, resume bool,
) ([]loadgen.Session, error) {
	opened := make([]loadgen.Session, workers)
	group, opening := errgroup.WithContext(ctx)
	group.SetLimit(loadgen.MostConnecting)
	use := p.use(step, resume)
	for i := range opened {
		group.Go(func() error {
			session, err := p.sender(step).Session(opening, use)
			if err != nil {
				// What a target returns with an error may be no session at all, and yet not nil.
				return err
			}
			opened[i] = session
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		closeSessions(opened)
		return nil, fmt.Errorf("connecting the workers: %w", err)
	}
	return opened, nil
}

// sender is what the operations or batches of a step are sent to.
type sender interface {
	Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error)
	Classify(err error) string
	Traffic() reportv1.Traffic
}

func (p *pod) sender(step planv1.Step) sender {
	if p.Through != nil && step.Kind == planv1.StepMeasure {
		return p.Through
	}
	return p.Target
}

// use says what the sessions of a step are for.
func (p *pod) use(step planv1.Step, resume bool) loadgen.Use {
	return loadgen.Use{
		Database: p.Plan.Database, Collections: p.Plan.Collections, Step: step, Client: p.Plan.Client, Resume: resume,
	}
}

// closeSessions closes those that were opened.
func closeSessions(sessions []loadgen.Session) {
	for _, session := range sessions {
		if session != nil {
			session.Close()
		}
	}
}

// alarm is a new alarm of the kind that the engine was told to use.
func (p *pod) alarm() alarm.Alarm {
	if p.NewAlarm == nil {
		return alarm.Precise()
	}
	return p.NewAlarm()
}

// able is a plan's target as one that can do more than every target. When it cannot, and a step needs it, the error
// says why.
func able[T any](p *pod, needs func(planv1.Step) bool, why string) (T, error) {
	found, ok := p.Target.(T)
	step := slices.IndexFunc(p.Plan.Steps, needs)
	if ok || step < 0 {
		return found, nil
	}
	return found, fmt.Errorf("step %q "+why, p.Plan.Steps[step].Name, p.Target.Driver())
}

// progressNotifier tells how far a pod has come, and all else that the operator has to know: it says so with every
// progress, since the operator sees only the last.
type progressNotifier struct {
	reporter loadgen.Reporter
	operated bool
	podUID   string

	mutex    sync.Mutex
	requests []reportv1.ActionRequest
	// dataset is the mark of the dataset in the target, and reused says that it was not loaded.
	dataset *reportv1.DatasetMark
	reused  bool
	// news wakes the reporting of a step at work.
	news chan struct{}
}

func newProgressNotifier(e *Engine) *progressNotifier {
	return &progressNotifier{
		reporter: e.Reporter, operated: e.Operated, podUID: e.PodUID, news: make(chan struct{}, 1),
	}
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
	progress.Dataset, progress.Reused, progress.Pod = n.dataset, n.reused, n.podUID
	n.mutex.Unlock()
	return n.reporter.Progress(ctx, progress)
}

// watch has the recordings of a window tell of themselves while they are at work, if anybody watches.
func (p *pod) watch(window ...measure.Recorded) {
	watchers := p.watchers()
	if len(watchers) == 0 {
		return
	}
	for _, recorded := range window {
		recorded.Recording.Publish()
	}
	watchers.Record(window...)
}

// watchers are all who are told what this pod does.
func (p *pod) watchers() loadgen.Watchers {
	var all loadgen.Watchers
	if p.Watcher != nil {
		all = append(all, p.Watcher)
	}
	for _, outlet := range p.Outlets {
		all = append(all, outlet)
	}
	return all
}

// compiled is all of a plan that can be prepared without a database, shared by all workers.
type compiled struct {
	dataset *workload.Dataset
	// mixes of the Measure steps, by the index of the step: one for each of its parts.
	mixes map[int][]*workload.Mix
	// exact are those with exact answers, of the steps whose operations have a recall.
	exact map[int][]*workload.Mix
}

// Check says whether the data and the operations of a plan can be made, before anything is touched. That its steps go
// together was checked of the run that it comes from.
func Check(plan planv1.Plan) error {
	_, err := compile(plan, nil)
	return err
}

func compile(plan planv1.Plan, read []*records.Table, found ...*records.Table) (*compiled, error) {
	dataset, err := workload.NewDataset(plan, read...)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	for _, keys := range found {
		dataset.Found(keys)
	}
	c := &compiled{dataset: dataset, mixes: map[int][]*workload.Mix{}, exact: map[int][]*workload.Mix{}}
	for index, step := range plan.Steps {
		if step.Kind != planv1.StepMeasure {
			continue
		}
		if err := checkRates(step); err != nil {
			return nil, err
		}
		if step.Replay != nil {
			// What its operations are the recording says.
			c.mixes[index] = []*workload.Mix{nil}
			continue
		}
		if c.mixes[index], err = workload.CompileParts(dataset, index); err != nil {
			return nil, err
		}
		if c.exact[index], err = workload.CompileExact(dataset, index); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// checkRates says whether a step's arrivals or its search can be had.
func checkRates(step planv1.Step) (err error) {
	if step.Search != nil {
		_, err = newSearch(step)
	}
	for _, part := range step.Parts() {
		if err == nil && part.Arrival != nil {
			_, err = pacer.New(*part.Arrival, 0, "")
		}
	}
	if err != nil {
		return fmt.Errorf("step %q: %w", step.Name, err)
	}
	return nil
}
