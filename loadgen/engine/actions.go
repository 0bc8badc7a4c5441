package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// actionRunner carries out the actions of a step while its workers go on. Every pod looks at what each action does to
// its own operations; pod 0 alone does the actions.
type actionRunner struct {
	workers *workers
	step    int
	window  window
	cancel  context.CancelFunc
	working sync.WaitGroup
	// done is what became of the actions, each written by its own goroutine, and watched when each was due.
	done    []reportv1.Action
	watched []watched
}

// watched is the time without successes after the actions that were due at an instant.
type watched struct {
	due  time.Duration
	from time.Duration
	gaps *measure.Gaps
}

// start begins to wait for the actions of the step with this index. Each is done when it is due, whatever became of the
// one before.
func (a *actionRunner) start(ctx context.Context) {
	actions := a.workers.planned.Actions
	a.cancel, a.done, a.watched = func() {}, make([]reportv1.Action, len(actions)), make([]watched, len(actions))
	if len(actions) == 0 {
		return
	}
	ctx, a.cancel = context.WithDeadlineCause(ctx, a.window.end.Add(planv1.ActionGrace),
		fmt.Errorf("it had not ended %s after the step", planv1.ActionGrace))
	a.working.Go(func() { a.goThrough(ctx) })
}

// goThrough waits for one action after the other.
func (a *actionRunner) goThrough(ctx context.Context) {
	for i, action := range a.workers.planned.Actions {
		due := time.Duration(action.AfterSeconds) * time.Second
		if (alarm.Timer{}).Until(ctx, a.window.begin.Add(due)) != nil {
			return
		}
		a.watched[i] = watched{due: due}
		if i > 0 && a.watched[i-1].due == due {
			// What is done at the same time has the same effect.
			a.watched[i] = a.watched[i-1]
		} else {
			a.watched[i].gaps = a.workers.recordings.Watch()
			a.watched[i].from = time.Since(a.window.begin)
		}
		a.done[i] = reportv1.Action{
			Name: action.Name, Type: string(action.Type), AtMillis: time.Since(a.window.begin).Milliseconds(),
		}
		switch {
		case a.workers.pod.Pod == 0:
			a.working.Go(func() { a.do(ctx, i) })
		case action.Type.ByEachPod():
			a.working.Go(func() { a.follow(ctx, i) })
		}
	}
}

// do carries out one action, or asks the operator to.
func (a *actionRunner) do(ctx context.Context, index int) {
	pod, action := a.workers.pod, a.workers.planned.Actions[index]
	due := time.Now()
	done, err := pod.actor.Act(ctx, pod.Plan.Database, action)
	member := done.Member
	if err == nil && !action.Type.ByOperator() {
		a.done[index].TookMicros = time.Since(due).Microseconds()
	}
	request := func() error {
		return pod.progress.request(reportv1.ActionRequest{Step: a.step, Action: index, Member: member, At: due.UTC()})
	}
	switch {
	case err != nil:
	case action.Type == benchv1alpha1.ActionPartition:
		err = pod.actor.Partition(ctx, action, member, request)
	case action.Type.ByOperator():
		err = request()
	}
	a.done[index].Member, a.done[index].Outcome = member, done.Outcome
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		a.done[index].Error = measure.Brief(err)
		pod.Log.Warn("An action was not carried out", "action", action.Name, "error", a.done[index].Error)
		return
	}
	pod.Log.Info("An action was carried out", "action", action.Name, "type", action.Type, "member", member)
}

// follow has this pod lose what it has open: all of it, or what leads to a member that pod 0 has the operator cut off.
// Each pod looks for that member itself. Whether it was cut off is for pod 0 to say.
func (a *actionRunner) follow(ctx context.Context, index int) {
	pod, action := a.workers.pod, a.workers.planned.Actions[index]
	done, err := pod.actor.Act(ctx, pod.Plan.Database, action)
	if err == nil && action.Type == benchv1alpha1.ActionPartition {
		err = pod.actor.Partition(ctx, action, done.Member, nil)
	}
	if err != nil {
		pod.Log.Warn("Connections may have outlived an action that was to end them",
			"action", action.Name, "error", measure.Brief(err))
	}
}

// stop gives up the actions that are not done.
func (a *actionRunner) stop() {
	a.cancel()
	a.working.Wait()
}

// outcome waits for the actions that are under way, and says what each did to the operations of this pod.
func (a *actionRunner) outcome(step *reportv1.Step) {
	a.working.Wait()
	if len(a.done) == 0 || len(a.workers.all) == 0 {
		return
	}
	a.workers.recordings.Settle()
	step.Actions = a.done
	// Nothing is sent after the window, so that no success is missed there.
	until := a.window.end.Sub(a.window.begin)
	for i := len(a.done) - 1; i >= 0; i-- {
		watched := a.watched[i]
		if watched.gaps == nil {
			// The run ends.
			return
		}
		if i+1 < len(a.done) && a.watched[i+1].due != watched.due {
			until = a.watched[i+1].from
		}
		a.done[i].UntilMillis = until.Milliseconds()
		a.done[i].OutageMicros = watched.gaps.Longest(watched.from, until).Microseconds()
	}
	if !a.workers.level() {
		// There is no throughput that it should come back to.
		return
	}
	for i := range a.done {
		a.done[i].RecoveryMillis = result.FindRecovery(*step, i)
	}
}
