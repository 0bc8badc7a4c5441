package replay

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/clock"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// stepName is the report's name of a replay.
const stepName = "replay"

// maxNames is how many different operations a report tells apart. What comes less often is summed up as one.
const (
	maxNames = 100
	rest     = "others"
)

// Replay says how a recording is sent again.
type Replay struct {
	Recording Recording
	Target    loadgen.Target
	// Threads that send, at least one.
	Threads int
	// Speed by which the recorded times are divided: 2 is twice as fast as recorded. 0 is as fast as possible: a closed
	// loop, in which only the order is the recorded one.
	Speed float64
	// Version of the load generator, for the report.
	Version string
	// NewAlarm makes the alarm that a worker waits with; nil means the most precise one.
	NewAlarm func() alarm.Alarm

	answered atomic.Int64
}

// Answered is the number of operations that were answered so far. It may be called while Run works.
func (r *Replay) Answered() int64 {
	return r.answered.Load()
}

// Run sends all operations and reports how that went. When the context ends before, its cause is the error.
func (r *Replay) Run(ctx context.Context) (reportv1.Report, error) {
	server, err := r.Target.Describe(ctx)
	if err != nil {
		return reportv1.Report{}, fmt.Errorf("describing the server: %w", err)
	}
	if err := markDirty(ctx, r.Target, r.Recording.Operations); err != nil {
		return reportv1.Report{}, err
	}
	p := r.newPlayer()
	defer p.close()
	if err := p.open(ctx); err != nil {
		return reportv1.Report{}, err
	}
	step, err := p.play(ctx)
	if cause := context.Cause(ctx); cause != nil {
		return reportv1.Report{}, cause
	}
	if err != nil {
		return reportv1.Report{}, err
	}
	return reportv1.Report{
		Version: reportv1.Version, PlanHash: r.Recording.Hash, LoadgenVersion: r.Version, Driver: r.Target.Driver(),
		Pods: 1, Server: server, Steps: []reportv1.Step{step}, Machines: measure.Machines(),
	}, nil
}

// player is a replay at work.
type player struct {
	replay *Replay
	// names of the report's operations, and the place of each in them.
	mix    []reportv1.Operation
	places map[string]int

	recording *measure.Recording
	workers   []*worker
	begin     time.Time

	// lead is held to take the next operation.
	lead sync.Mutex
	// next is the operation that is taken next, and due the first one that was not due when last looked at.
	next, due    int
	largestQueue int
}

func (r *Replay) newPlayer() *player {
	p := &player{replay: r}
	p.mix, p.places = operationsOf(r.Recording.Operations)
	p.recording = measure.NewRecording(p.mix, r.Speed > 0, p.length())
	for range max(1, r.Threads) {
		p.workers = append(p.workers, &worker{player: p, recorder: p.recording.Recorder()})
	}
	return p
}

// length of the schedule in whole milliseconds, as a report has it; 0 where there is none.
func (p *player) length() time.Duration {
	operations := p.replay.Recording.Operations
	return (p.dueAt(&operations[len(operations)-1]) + time.Millisecond - 1).Truncate(time.Millisecond)
}

// dueAt is when an operation is due, from the start.
func (p *player) dueAt(o *Operation) time.Duration {
	if p.replay.Speed <= 0 {
		return 0
	}
	return time.Duration(float64(o.Due) / p.replay.Speed)
}

// operationsOf are the different operations of a recording, most frequent first.
func operationsOf(operations []Operation) (mix []reportv1.Operation, places map[string]int) {
	counts := map[string]int{}
	for i := range operations {
		counts[operations[i].Name]++
	}
	places = make(map[string]int, len(counts))
	for place, name := range Reasons(counts) {
		places[name] = min(place, maxNames)
		if place > maxNames {
			continue
		}
		if place == maxNames {
			name = rest
		}
		mix = append(mix, reportv1.Operation{Name: name, Kind: string(kind)})
	}
	return mix, places
}

// open opens a session of every worker to every database.
func (p *player) open(ctx context.Context) error {
	databases := map[string]bool{}
	for i := range p.replay.Recording.Operations {
		databases[p.replay.Recording.Operations[i].Database] = true
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(loadgen.MostConnecting)
	for _, worker := range p.workers {
		group.Go(func() error { return worker.open(ctx, databases) })
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("connecting the workers: %w", err)
	}
	return nil
}

func (p *player) close() {
	for _, worker := range p.workers {
		worker.close()
	}
}

// play sends the operations and makes the report's step.
func (p *player) play(ctx context.Context) (reportv1.Step, error) {
	before, traffic := measure.ReadUsage(), p.replay.Target.Traffic()
	var own clock.Clock
	p.begin = own.Now()
	largest := own.Watch(ctx, p.begin)
	defer largest()
	group, working := errgroup.WithContext(ctx)
	for _, worker := range p.workers {
		group.Go(func() error { return worker.work(working) })
	}
	if err := group.Wait(); err != nil {
		return reportv1.Step{}, err
	}
	step := reportv1.Step{
		Name: stepName, Kind: string(planv1.StepMeasure), IntendedStart: p.begin, Start: p.begin, MeasureStart: p.begin,
		End: clock.Anchor(p.lastReply(), p.begin), ClockStepMicros: largest().Microseconds(),
		WindowMillis: p.length().Milliseconds(), Threads: len(p.workers), Client: p.workers[0].client,
		Generator: measure.ReadUsage().Since(before), Traffic: measure.TrafficSince(p.replay.Target.Traffic(), traffic),
	}
	if step.WindowMillis > 0 {
		step.OverrunMicros = step.End.Sub(step.WindowEnd()).Microseconds()
	}
	return step, p.collect(&step)
}

func (p *player) lastReply() time.Time {
	last := p.begin.Add(p.length())
	for _, worker := range p.workers {
		if worker.lastReply.After(last) {
			last = worker.lastReply
		}
	}
	return last
}

// collect merges what the workers recorded. A replay in which nothing succeeded has measured nothing, and is an error.
func (p *player) collect(step *reportv1.Step) error {
	var err error
	if step.Operations, err = p.recording.Operations(); err != nil {
		return fmt.Errorf("merging what the workers recorded: %w", err)
	}
	step.IntervalMillis = p.recording.IntervalMillis()
	if p.replay.Speed > 0 {
		if step.Arrivals, err = p.recording.Arrivals(); err != nil {
			return err
		}
		step.Arrivals.Process, step.Arrivals.LargestQueue = string(benchv1alpha1.ArrivalTrace), int64(p.largestQueue)
	}
	return measure.NothingSucceeded(step.Operations)
}

// take gives a worker the next operation, nil when there is none.
func (p *player) take() *Operation {
	p.lead.Lock()
	defer p.lead.Unlock()
	operations := p.replay.Recording.Operations
	if p.next == len(operations) {
		return nil
	}
	now := time.Since(p.begin)
	for p.replay.Speed > 0 && p.due < len(operations) && p.dueAt(&operations[p.due]) <= now {
		p.due++
	}
	// One of them is taken at once.
	p.largestQueue = max(p.largestQueue, p.due-p.next-1)
	p.next++
	return &operations[p.next-1]
}
