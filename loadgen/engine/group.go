package engine

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/pacer"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// group are the workers of a step that share a mix and a loop. A step without groups is one.
type group struct {
	pod *pod
	// planned is the group's part of the step, and declared what it says of its begin and end; without groups the step and
	// nothing.
	planned  planv1.Step
	declared planv1.Group
	mix      *workload.Mix
	// first is the place of the group's first operation among those of the step.
	first int
	all   []*worker
	// senders is the number of pods that have workers of it, which are the first ones: an open loop's operations are
	// shared by them.
	senders int
	// expected is how many documents each operation of the mix is to come upon; nil where that is not known.
	expected []*reportv1.Expectation
	pauses   *pauses
	// recording is what the workers record in the present measure window, and measuring the loop that they go through in
	// it.
	recording *measure.Recording
	measuring loop
	// replayed is the recording that it sends in place of a mix; nil: it has a mix.
	replayed *replayed
	// left counts the workers that have not come to the end of that loop, and ended is closed by the last of them.
	left  atomic.Int64
	ended chan struct{}
}

// newGroup makes the part of a step that comes as so manieth, with its workers on this pod.
func newGroup(p *pod, index, place, first int) *group {
	step := p.Plan.Steps[index]
	g := &group{pod: p, planned: step.Parts()[place], mix: p.mixes[index][place], first: first, ended: make(chan struct{})}
	if len(step.Groups) > 0 {
		g.declared = step.Groups[place]
	}
	g.senders = min(max(p.Plan.Pods, 1), g.planned.Threads)
	g.pauses = newPauses(g.planned, p.Plan.DrawSeed())
	for i := range g.planned.Operations {
		g.expected = append(g.expected, p.expectation(&g.planned.Operations[i]))
	}
	from, count := planv1.Share(int64(g.planned.Threads), p.Plan.Pods, p.Pod)
	for i := range int(count) {
		w := &worker{
			group: g, number: from + int64(i), rank: rank(i, p.Pod, p.Plan.Pods), mix: g.mix,
			classify: p.sender(step).Classify, patient: len(step.Actions) > 0, expected: g.expected,
		}
		if frame := g.mix.NewFrame(); frame != nil {
			w.flows = &flowing{worker: w, frame: frame}
		}
		if g.pauses != nil || g.declared.ThreadStages != nil || g.declared.StartAfterSeconds > 0 {
			w.alarm = p.alarm()
		}
		g.all = append(g.all, w)
	}
	g.left.Store(int64(len(g.all)))
	if len(g.all) == 0 {
		close(g.ended)
	}
	return g
}

// leave is called by a worker that has come to the end of the measure window.
func (g *group) leave() {
	if g.left.Add(-1) == 0 {
		close(g.ended)
	}
}

// named are the operations of the mix.
func (g *group) named() []reportv1.Operation {
	mix := make([]reportv1.Operation, len(g.planned.Operations))
	for i, planned := range g.planned.Operations {
		mix[i] = reportv1.Operation{
			Name: planned.Name, Group: planned.Group, Kind: string(planned.Kind), Expect: g.expected[i],
			Within: limits(g.planned.Objectives, planned.Name),
			PartOf: planned.PartOf,
		}
		for _, check := range planned.Checks {
			mix[i].Checks = append(mix[i].Checks, reportv1.Check{Name: check.Name})
		}
	}
	return mix
}

// limits are those that an operation's successes are counted within: of its own objectives, and of those of all.
func limits(objectives []planv1.Objective, operation string) []reportv1.Within {
	var found []reportv1.Within
	for _, objective := range objectives {
		limit := reportv1.Within{LimitMicros: objective.LimitMicros}
		if (objective.Operation == "" || objective.Operation == operation) && !slices.Contains(found, limit) {
			found = append(found, limit)
		}
	}
	return found
}

// loop is what the workers do within bounds.
func (g *group) loop(bounds window) (loop, error) {
	if g.replayed != nil {
		return g.replayed.loop(bounds)
	}
	if g.planned.Arrival != nil {
		return g.arrivalLoop(bounds, *g.planned.Arrival)
	}
	stages := ramp(g.declared.ThreadStages)
	if bounds.base >= workload.FirstWarmupNumber && stages != nil {
		// As the measure window begins.
		stages = ramp{{Seconds: 1, From: stages[0].From, To: stages[0].From}}
	}
	return &closedLoop{window: bounds, stride: int64(g.planned.Threads), pauses: g.pauses, ramp: stages}, nil
}

// arrivalLoop makes the loop of this pod's part of an arrival schedule within bounds. A pod shares the limit of the
// queue with the others. What is left of a warm-up's queue when it ends is forgotten, as everything of the warm-up is.
func (g *group) arrivalLoop(bounds window, arrival planv1.Arrival) (*openLoop, error) {
	label, drain := bounds.label, drainLimit
	if bounds.base >= workload.FirstWarmupNumber {
		arrival, label, drain = pacer.Warmup(arrival), label+"warmup", 0
	}
	schedule, err := pacer.New(arrival, g.pod.Plan.DrawSeed(), g.planned.Name+"\x00"+label)
	if err != nil {
		return nil, err
	}
	part, parts := g.pod.Pod, g.senders
	if bounds.alone {
		part, parts = 0, 1
	}
	_, limit := planv1.Share(arrival.MaxQueued, parts, part)
	l := &openLoop{
		window: bounds, process: string(arrival.Process), lead: make(chan struct{}, 1), alarm: g.pod.alarm(),
		schedule: schedule, cursor: schedule.Cursor(int64(part), int64(parts)),
		queue: queue{limit: int(max(limit, 1))}, drain: drain,
		skipAfter: time.Duration(arrival.SkipAfterMicros) * time.Microsecond,
	}
	l.advance()
	l.lead <- struct{}{}
	return l, nil
}

// window is that of the group within the measure window of its step. Its begin is not known before the group has ended
// that it waits for, which is at an instant.
func (g *group) window(of *workers, whole window, from time.Time) window {
	if g.declared.Name == "" {
		return whole
	}
	own := window{
		begin: from.Add(time.Duration(g.declared.StartAfterSeconds) * time.Second), end: whole.end,
		count: g.declared.OperationCount, origin: whole.begin,
	}
	if g.declared.DurationSeconds > 0 {
		end := own.begin.Add(time.Duration(g.declared.DurationSeconds) * time.Second)
		if end.Before(own.end) {
			own.end = end
		}
	}
	if other := of.group(g.declared.StopWith); other != nil {
		own.stop = other.ended
	}
	return own
}

// measureLoop is what the workers do in the measure window of the step.
func (g *group) measureLoop(of *workers, whole window) (loop, error) {
	before := of.group(g.declared.StartAfter)
	if before == nil {
		return g.loop(g.window(of, whole, whole.begin))
	}
	return &laterLoop{after: before.ended, whole: whole, begin: func(at time.Time) (loop, error) {
		return g.loop(g.window(of, whole, at))
	}}, nil
}

// endKnown says whether it is known beforehand when the window of the group ends.
func (g *group) endKnown() bool {
	d := g.declared
	return d.StartAfter == "" && d.OperationCount == 0 && d.StopWith == ""
}

// steady says whether the load of the group is the same from the begin of the step's measure window to its end.
func (g *group) steady() bool {
	d := g.declared
	return g.replayed == nil && level(g.planned.Arrival) && g.endKnown() && d.StartAfterSeconds == 0 &&
		d.DurationSeconds == 0 && d.ThreadStages == nil
}

// report says what the group did in a step whose operations are collected, and how it kept its schedule. The step may
// have ended before the group was to.
func (g *group) report(whole window, stepEnd time.Time) (reportv1.Group, error) {
	found := reportv1.Group{Name: g.declared.Name, Threads: len(g.all)}
	bounds := g.measuring.bounds()
	begin, end := bounds.begin, bounds.end
	if begin.IsZero() || !begin.Before(stepEnd) {
		return found, nil // The group that it waits for, or the time, did not come before the end of the step.
	}
	if last := lastReply(g.all, begin); !g.endKnown() {
		end = last
	}
	if stepEnd.Before(end) {
		end = stepEnd
	}
	found.BeginMicros = begin.Sub(whole.begin).Microseconds()
	found.EndMicros = end.Sub(whole.begin).Microseconds()
	var err error
	if found.Arrivals, err = g.keptArrivals(); err == nil && found.Arrivals != nil {
		found.Arrivals.WindowMillis = end.Sub(begin).Milliseconds()
	}
	return found, err
}

// keptArrivals is how the schedule of an open loop was kept; nil for a closed one.
func (g *group) keptArrivals() (*reportv1.Arrivals, error) {
	if replaying, is := g.measuring.(*replayLoop); is {
		return replaying.report(g.recording)
	}
	arrivals := g.arrivals()
	if arrivals == nil {
		return nil, nil //nolint:nilnil // A closed loop has no arrivals, which is no error.
	}
	return arrivals.report(g.recording)
}

// arrivals is the loop of the present measure window, if that is an open one; nil otherwise.
func (g *group) arrivals() *openLoop {
	measuring := g.measuring
	if later, is := measuring.(*laterLoop); is {
		measuring = later.opened()
	}
	open, _ := measuring.(*openLoop)
	return open
}

// open says whether the loop is an open one, as that of a recording at its pace is, of which all is sent.
func (g *group) open() bool {
	return g.planned.Arrival != nil || g.planned.Search != nil || g.replayed != nil && g.replayed.planned.Speed > 0
}

// unsent is how many operations of an open loop were not sent by now, by one of its counters; nil for a closed loop.
func (g *group) unsent(counter func(*openLoop) *atomic.Int64) func() int64 {
	if !g.open() {
		return nil
	}
	return func() int64 {
		if arrivals := g.arrivals(); arrivals != nil {
			return counter(arrivals).Load()
		}
		return 0
	}
}

// recorded is the present recording, with what tells of the operations that are not in it.
func (g *group) recorded() measure.Recorded {
	return measure.Recorded{
		Recording: g.recording, Threads: len(g.all),
		Dropped: g.unsent(func(l *openLoop) *atomic.Int64 { return &l.dropped }),
		Skipped: g.unsent(func(l *openLoop) *atomic.Int64 { return &l.skipped }),
	}
}

// operations adds up what the workers recorded.
func (g *group) operations() ([]reportv1.Operation, error) {
	operations, err := g.recording.Operations()
	if err != nil {
		return nil, fmt.Errorf("merging what the workers recorded: %w", err)
	}
	return operations, nil
}

// lastReply is when the last counted reply of some workers came, but not before an instant.
func lastReply(of []*worker, last time.Time) time.Time {
	for _, worker := range of {
		if worker.lastReply.After(last) {
			last = worker.lastReply
		}
	}
	return last
}
