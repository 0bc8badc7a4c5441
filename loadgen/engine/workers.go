package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// workers are those of a step on this pod, in one group or several. They go through one window after another, each with
// a loop for every group.
type workers struct {
	pod     *pod
	planned planv1.Step
	groups  []*group
	// all are the workers of all groups.
	all []*worker
	// idle are connections beside theirs; nil for none.
	idle *idle
	// recordings are what the workers record in the present measure window.
	recordings measure.Recordings
}

func newWorkers(p *pod, index int) *workers {
	ws := &workers{pod: p, planned: p.Plan.Steps[index]}
	first := 0
	for place := range p.mixes[index] {
		g := newGroup(p, index, place, first)
		first += len(g.planned.Operations)
		ws.groups, ws.all = append(ws.groups, g), append(ws.all, g.all...)
	}
	return ws
}

// only is the group of a step that has no others.
func (ws *workers) only() *group { return ws.groups[0] }

// group is the one of a name; nil for no name.
func (ws *workers) group(name string) *group {
	for _, g := range ws.groups {
		if name != "" && g.declared.Name == name {
			return g
		}
	}
	return nil
}

// ready opens the workers' sessions, so that no handshake is measured.
func (ws *workers) ready(ctx context.Context) error {
	var err error
	if ws.idle, err = openIdle(ctx, ws.pod, ws.planned); err != nil {
		return err
	}
	for _, g := range ws.groups {
		sessions, err := ws.pod.sessions(ctx, len(g.all), g.planned)
		if err != nil {
			return err
		}
		for i, session := range sessions {
			g.all[i].session = session
			if g.planned.Session == benchv1alpha1.SessionSnapshot {
				g.all[i].snapshots, _ = session.(loadgen.Snapshotter)
			}
		}
	}
	filler, able := ws.pod.Target.(loadgen.Filler)
	if !able || len(ws.all) == 0 || ws.pod.Through != nil {
		return nil
	}
	if err := filler.Fill(ctx, ws.pod.use(ws.planned, false), len(ws.all)); err != nil {
		return fmt.Errorf("opening the connections of the workers: %w", err)
	}
	return nil
}

// close gives back what the workers hold.
func (ws *workers) close() {
	ws.idle.close()
	for _, worker := range ws.all {
		worker.close()
	}
}

// loops are those of the groups in a window, in their order; nil for a group that has nothing to do in it.
type loops []loop

// of is the loop of a group's workers.
func (l loops) of(place int) loop {
	if l == nil {
		return nil
	}
	return l[place]
}

func (l loops) close() {
	for _, one := range l {
		if one != nil {
			one.close()
		}
	}
}

// work has all workers go through a warm-up, and then through a measure window; either may be nil. Meanwhile is done
// beside them, until the workers have ended or one of them failed; then its context ends.
func (ws *workers) work(ctx context.Context, meanwhile func(context.Context), warming, measuring loops) error {
	working, ctx := errgroup.WithContext(ctx)
	for place, g := range ws.groups {
		for _, worker := range g.all {
			working.Go(func() error { return worker.goThrough(ctx, warming.of(place), measuring.of(place)) })
		}
	}
	meanwhile(ctx)
	return working.Wait()
}

// until waits for an instant, or for the end of the context.
func until(at time.Time) func(context.Context) {
	return func(working context.Context) { _ = alarm.Timer{}.Until(working, at) }
}

// phase is what is left of a warm-up, and the measure window after it.
type phase struct {
	// settle returns when the measure window begins.
	settle             func(context.Context)
	warming, measuring loops
	// window is the measure window.
	window window
}

// measure has all workers go through what is left of a warm-up, and then through the measure window.
func (ws *workers) measure(ctx context.Context, step *reportv1.Step, through phase) error {
	var watch watch
	var traffic reportv1.Traffic
	var gateways gatewayWatch
	err := ws.work(ctx, func(working context.Context) {
		// A worker that fails during the warm-up ends the wait; what it said is the answer of work.
		through.settle(working)
		watch.begin(working, ws.pod, through.window)
		traffic = ws.pod.sender(ws.planned).Traffic()
		gateways.begin(working, ws.pod)
	}, through.warming, through.measuring)
	used, failed := watch.end()
	err = errors.Join(err, failed)
	step.Generator = used
	step.Traffic = measure.TrafficSince(ws.pod.sender(ws.planned).Traffic(), traffic)
	step.Gateways = gateways.end(ctx)
	step.Threads, step.SweepOf = len(ws.all), ws.planned.SweepOf
	step.Percentiles, step.ExpectedIntervalMicros = ws.planned.Percentiles, ws.planned.ExpectedIntervalMicros
	step.Objectives = nil
	for _, objective := range ws.planned.Objectives {
		step.Objectives = append(step.Objectives, reportv1.Objective(objective))
	}
	ws.tellClient(step)
	if err == nil {
		ws.idle.tell(ctx, step)
	}
	return err
}

// cut leaves in the step what was measured of a window until something ended it, which is the error. The operations
// that were under way then have no outcome, and are not counted.
func (ws *workers) cut(step *reportv1.Step, bounds window, err error) error {
	now := time.Now()
	if !now.After(bounds.begin) {
		// It was still warming up.
		return err
	}
	// The window is what there was of it: its rates are over that.
	step.MeasureStart, step.End = bounds.begin, now
	if !bounds.end.IsZero() && now.After(bounds.end) {
		ws.bound(step, bounds)
	}
	return errors.Join(err, ws.collect(step, bounds))
}

// collect adds up what the workers recorded in a measure window.
func (ws *workers) collect(step *reportv1.Step, bounds window) error {
	step.Operations, step.IntervalMillis = nil, ws.recordings.IntervalMillis()
	for _, g := range ws.groups {
		operations, err := g.operations()
		if err != nil {
			return err
		}
		step.Operations = append(step.Operations, operations...)
	}
	if ws.level() {
		step.Steady = result.FindSteady(*step)
	}
	if len(ws.planned.Groups) == 0 {
		var err error
		step.Arrivals, err = ws.only().keptArrivals()
		return err
	}
	step.Groups = nil
	for _, g := range ws.groups {
		group, err := g.report(bounds, step.End)
		if err != nil {
			return fmt.Errorf("group %q: %w", group.Name, err)
		}
		step.Groups = append(step.Groups, group)
	}
	return nil
}

// level says whether the load itself is the same all the time. Where it is not, an uneven throughput says nothing.
func (ws *workers) level() bool {
	return !slices.ContainsFunc(ws.groups, func(g *group) bool { return !g.steady() })
}

// record makes new recordings of a measure window, with a recorder for every worker, which it uses from its measure on.
// The loops are those that the workers will go through in it.
func (ws *workers) record(measuring loops, bounds window, length time.Duration) {
	ws.recordings = nil
	recorded := make([]measure.Recorded, 0, len(ws.groups))
	for place, g := range ws.groups {
		g.measuring = measuring.of(place)
		own := length
		if end := g.measuring.bounds().end; length > 0 && g.endKnown() && !end.IsZero() {
			own = end.Sub(bounds.begin)
		}
		g.recording = measure.NewRecording(g.named(), g.open(), own)
		ws.recordings = append(ws.recordings, g.recording)
		recorded = append(recorded, g.recorded())
		for _, worker := range g.all {
			worker.recorder, worker.next, worker.opens = nil, g.recording.Recorder(), bounds.begin
		}
	}
	if len(ws.planned.AbortOn) > 0 {
		ws.recordings.Publish()
	}
	ws.pod.watch(recorded...)
}

// bound writes into a step when its measure window began and ended, and how long after its planned end the last counted
// reply came. Where all groups have ended by themselves before, that was the end of the window.
func (ws *workers) bound(step *reportv1.Step, bounds window) {
	step.MeasureStart, step.End = bounds.begin, ws.lastReply(bounds)
	if !bounds.end.IsZero() && !step.End.Before(bounds.end) {
		step.WindowMillis = bounds.end.Sub(bounds.begin).Milliseconds()
		step.OverrunMicros = step.End.Sub(bounds.end).Microseconds()
	}
}

// lastReply is when the last counted reply of a measure window came, but not before the window is over: at its planned
// end, or at that of its last group if all of them end before.
func (ws *workers) lastReply(bounds window) time.Time {
	last := bounds.begin
	if len(ws.planned.Groups) == 0 && !bounds.end.IsZero() {
		return lastReply(ws.all, bounds.end)
	}
	for _, g := range ws.groups {
		if end := g.measuring.bounds().end; g.endKnown() && end.After(last) {
			last = end
		}
	}
	return lastReply(ws.all, last)
}

// progress is the number of operations that were answered, and of those that were counted.
func (ws *workers) progress() (completed, counted int64) {
	for _, worker := range ws.all {
		replies := worker.completed.Load()
		completed += replies
		counted += replies - worker.warm.Load()
	}
	return completed, counted
}

// tellClient names what the workers send by, and what that adds to what operations declare.
func (ws *workers) tellClient(step *reportv1.Step) {
	if len(ws.all) == 0 {
		return
	}
	session := ws.all[0].session
	step.Client = session.Client()
	if telling, ok := session.(loadgen.Telling); ok {
		step.Sent, step.PoolSize = telling.Sent()
	}
	if all := ws.planned.Connections; all != nil && all.Idle > 0 {
		step.Sent += ", beside " + present.Plural(int64(all.Idle), "idle connection")
	}
}

// level says whether the load itself is the same all the time. Where it is not, an uneven throughput says nothing.
func level(arrival *planv1.Arrival) bool {
	if arrival == nil {
		return true
	}
	if arrival.Formula != "" {
		return false
	}
	for _, stage := range arrival.Stages {
		if stage.From != stage.To || stage.To != arrival.Stages[0].To {
			return false
		}
	}
	return true
}
