package drivertest

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
)

// lead is how far ahead a gate publishes a start.
const lead = 50 * time.Millisecond

// Run follows a plan with as many engines as it has pods, each as one pod, and returns their reports in the order of
// the pods.
func Run(ctx context.Context, plan planv1.Plan, target loadgen.Target) ([]reportv1.Report, error) {
	return Follow(ctx, Pods(plan, target))
}

// Pods are the engines of the pods of a plan, which begin steps and trials together.
func Pods(plan planv1.Plan, target loadgen.Target) []*engine.Engine {
	gate := &gate{pods: plan.Pods, steps: map[int]*gateStep{}}
	trials := newTrials()
	pods := make([]*engine.Engine, plan.Pods)
	for pod := range pods {
		pods[pod] = &engine.Engine{
			Plan: plan, PlanHash: "hash", Pod: pod, Target: target, Gate: gate, Trials: trialsOf{trials, pod},
			Reporter: &Reporter{}, Operated: true, Version: "test", Log: slog.New(slog.DiscardHandler),
			// The alarm that fake time can drive.
			NewAlarm: func() alarm.Alarm { return alarm.Timer{} },
		}
	}
	return pods
}

// Follow has engines follow their plan at the same time, and returns their reports in their order. The first that fails
// ends the others.
func Follow(ctx context.Context, pods []*engine.Engine) ([]reportv1.Report, error) {
	reports := make([]reportv1.Report, len(pods))
	group, ctx := errgroup.WithContext(ctx)
	for i, pod := range pods {
		group.Go(func() error {
			report, err := pod.Run(ctx)
			reports[i] = report
			return err
		})
	}
	return reports, group.Wait()
}

// Reporter remembers what it was told.
type Reporter struct {
	mutex    sync.Mutex
	progress []reportv1.Progress
	reports  []reportv1.Report
}

// Progress remembers a progress.
func (r *Reporter) Progress(_ context.Context, progress reportv1.Progress) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.progress = append(r.progress, progress)
	return nil
}

// Report remembers a report.
func (r *Reporter) Report(_ context.Context, report reportv1.Report) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.reports = append(r.reports, report)
	return nil
}

// Seen returns every progress in its order.
func (r *Reporter) Seen() []reportv1.Progress {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Clone(r.progress)
}

// Reports returns the reports that were handed in.
func (r *Reporter) Reports() []reportv1.Report {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Clone(r.reports)
}

// gate publishes the start of a step once every pod waits at it.
type gate struct {
	pods  int
	mutex sync.Mutex
	steps map[int]*gateStep
}

type gateStep struct {
	waiting int
	start   time.Time
	open    chan struct{}
}

// Wait is one pod waiting.
func (g *gate) Wait(ctx context.Context, step int) (time.Time, error) {
	at := g.arrive(step)
	select {
	case <-ctx.Done():
		return time.Time{}, context.Cause(ctx)
	case <-at.open:
		return at.start, nil
	}
}

func (g *gate) arrive(step int) *gateStep {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	at := g.steps[step]
	if at == nil {
		at = &gateStep{open: make(chan struct{})}
		g.steps[step] = at
	}
	at.waiting++
	if at.waiting == g.pods {
		at.start = time.Now().Add(lead)
		close(at.open)
	}
	return at
}
