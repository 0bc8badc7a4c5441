package loadgen

import (
	"context"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// maxActionError is the longest that a result says of why an action was not carried out.
const maxActionError = 400

// acting carries out the actions of a step while its workers go on. Every pod looks at what each action does to its own
// operations; pod 0 alone does the actions.
type acting struct {
	step    *measureStep
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

// act begins to wait for the step's actions. Each is done when it is due, whatever became of the one before.
func (m *measureStep) act(ctx context.Context) *acting {
	a := &acting{
		step: m, cancel: func() {}, done: make([]reportv1.Action, len(m.planned.Actions)),
		watched: make([]watched, len(m.planned.Actions)),
	}
	if len(m.planned.Actions) == 0 {
		return a
	}
	ctx, a.cancel = context.WithDeadlineCause(ctx, m.measured.end.Add(planv1.ActionGrace),
		fmt.Errorf("it had not ended %s after the step", planv1.ActionGrace))
	a.working.Go(func() { a.goThrough(ctx) })
	return a
}

// goThrough waits for one action after the other.
func (a *acting) goThrough(ctx context.Context) {
	for i, action := range a.step.planned.Actions {
		due := time.Duration(action.AfterSeconds) * time.Second
		if (alarm.Timer{}).Until(ctx, a.step.measured.begin.Add(due)) != nil {
			return
		}
		a.watched[i] = watched{due: due}
		if i > 0 && a.watched[i-1].due == due {
			// What is done at the same time has the same effect.
			a.watched[i] = a.watched[i-1]
		} else {
			a.watched[i].gaps = a.step.recording.Watch()
			a.watched[i].from = time.Since(a.step.measured.begin)
		}
		a.done[i] = reportv1.Action{
			Name: action.Name, Type: string(action.Type), AtMillis: time.Since(a.step.measured.begin).Milliseconds(),
		}
		if a.step.engine.Pod == 0 {
			a.working.Go(func() { a.do(ctx, i) })
		}
	}
}

// do carries out one action, or asks the operator to.
func (a *acting) do(ctx context.Context, index int) {
	engine, action := a.step.engine, a.step.planned.Actions[index]
	due := time.Now()
	member, err := engine.actor.Act(ctx, engine.Plan.Database, action)
	if err == nil && action.Type.ByOperator() {
		err = engine.request(reportv1.ActionRequest{Step: a.step.index, Action: index, Member: member, At: due.UTC()})
	}
	a.done[index].Member = member
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		a.done[index].Error = shortened(measure.Redact(err.Error()))
		engine.Log.Warn("An action was not carried out", "action", action.Name, "error", a.done[index].Error)
		return
	}
	engine.Log.Info("An action was carried out", "action", action.Name, "type", action.Type, "member", member)
}

// stop gives up the actions that are not done.
func (a *acting) stop() {
	a.cancel()
	a.working.Wait()
}

// outcome waits for the actions that are under way, and says what each did to the operations of this pod.
func (a *acting) outcome(step *reportv1.Step) {
	a.working.Wait()
	if len(a.done) == 0 || len(a.step.workers) == 0 {
		return
	}
	a.step.recording.Settle()
	step.Actions = a.done
	// Nothing is sent after the window, so that no success is missed there.
	until := a.step.measured.end.Sub(a.step.measured.begin)
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
	if !level(a.step.planned.Arrival) {
		// There is no throughput that it should come back to.
		return
	}
	for i := range a.done {
		a.done[i].RecoveryMillis = result.FindRecovery(*step, i)
	}
}

// shortened cuts a text that is too long for a result.
func shortened(text string) string {
	if len(text) <= maxActionError {
		return text
	}
	cut := maxActionError
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "..."
}

// actor is a plan's target as one that actions can be done to; nil when there are none to do.
func actor(plan planv1.Plan, target Target) (Actor, error) {
	for _, step := range plan.Steps {
		if len(step.Actions) == 0 {
			continue
		}
		if able, ok := target.(Actor); ok {
			return able, nil
		}
		return nil, fmt.Errorf("step %q has actions, and %s cannot carry any out", step.Name, target.Driver())
	}
	return nil, nil //nolint:nilnil // Most plans have no actions.
}

// checkActions says whether a step's actions can be done.
func checkActions(step planv1.Step) error {
	if len(step.Actions) == 0 {
		return nil
	}
	if step.DurationSeconds < 1 || step.Search != nil {
		return fmt.Errorf("step %q: actions need a step that lasts for a time, and no search", step.Name)
	}
	before := 0
	for _, action := range step.Actions {
		if action.AfterSeconds < before || action.AfterSeconds >= step.DurationSeconds {
			return fmt.Errorf("step %q: action %q is due after %d seconds: it must be within the %d of the step, and not "+
				"before the action that it follows", step.Name, action.Name, action.AfterSeconds, step.DurationSeconds)
		}
		before = action.AfterSeconds
	}
	return nil
}
