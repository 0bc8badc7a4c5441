package engine

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
)

// pod is one pod at work on its plan: what all its steps share.
type pod struct {
	*Engine
	*compiled
	progress *progressNotifier
	mark     *datasetMarker
	// actor is the Target, when a step has actions.
	actor loadgen.Actor
}

// newPod compiles the plan, and makes sure that the target can do all that the plan needs of it.
func newPod(e *Engine) (*pod, error) {
	compiled, err := compile(e.Plan)
	if err != nil {
		return nil, err
	}
	p := &pod{Engine: e, compiled: compiled, progress: newProgressNotifier(e)}
	if p.actor, err = actor(e.Plan, e.Target); err != nil {
		return nil, err
	}
	if p.mark, err = newDatasetMarker(e, p.progress); err != nil {
		return nil, err
	}
	return p, checkSizer(e.Plan, e.Target)
}

// sessions opens handles for this many workers, or none.
func (p *pod) sessions(ctx context.Context, workers int, step planv1.Step) ([]loadgen.Session, error) {
	opened := make([]loadgen.Session, workers)
	group, opening := errgroup.WithContext(ctx)
	use := loadgen.Use{
		Database: p.Plan.Database, Collections: p.Plan.Collections, Step: step, Client: p.Plan.Client, Resume: p.Resume,
	}
	for i := range opened {
		group.Go(func() error {
			session, err := p.Target.Session(opening, use)
			opened[i] = session
			return err
		})
	}
	if err := group.Wait(); err != nil {
		closeSessions(opened)
		return nil, fmt.Errorf("connecting the workers: %w", err)
	}
	return opened, nil
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
