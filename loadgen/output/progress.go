package output

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/present/screen"
)

// Progress shows people how far a run has come.
type Progress struct {
	on    *screen.Line
	steps []planv1.Step
	// started is when the run did, and began when the step that the last progress was of began to be measured.
	started, began time.Time
	// narrowed is what is known of the step of a duet; nil: it is none.
	narrowed atomic.Pointer[reportv1.DuetStep]
}

// NewProgress shows the progress of a plan.
func NewProgress(on *screen.Line, plan planv1.Plan) *Progress {
	return &Progress{on: on, steps: plan.Steps, started: time.Now()}
}

// Progress shows where the run is.
func (p *Progress) Progress(_ context.Context, progress reportv1.Progress) error {
	if progress.State == reportv1.ProgressDone {
		p.on.Clear()
		return nil
	}
	now := time.Now()
	if progress.State == reportv1.ProgressWaiting || progress.WarmingUp {
		p.began = now
	}
	place := strconv.Itoa(progress.Step)
	p.on.Show(place, p.line(progress, now.Sub(p.began)), now.Sub(p.started), true, p.known(progress)...)
	return nil
}

// Report ends the line; the report itself is written elsewhere.
func (p *Progress) Report(context.Context, reportv1.Report) error {
	p.Abandon()
	return nil
}

// Narrow is told what a step of a duet has come to, after each group of windows.
func (p *Progress) Narrow(step reportv1.DuetStep) { p.narrowed.Store(&step) }

// Abandon ends the line of a run that has no end.
func (p *Progress) Abandon() { p.on.Clear() }

func (p *Progress) line(progress reportv1.Progress, elapsed time.Duration) string {
	step := p.steps[progress.Step]
	parts := []string{fmt.Sprintf("step %d/%d %s", progress.Step+1, len(p.steps), step.Name)}
	if progress.State == reportv1.ProgressWaiting {
		return parts[0]
	}
	switch {
	case progress.WarmingUp:
		parts = append(parts, "warming up")
	case p.on.Overwritten():
		parts = append(parts, fmt.Sprintf("%s %3d %%", screen.Bar(progress.Percent), progress.Percent))
	default:
		parts = append(parts, fmt.Sprintf("%3d %%", progress.Percent))
	}
	switch step.Kind {
	case planv1.StepLoad:
		parts = append(parts, present.Count(progress.OperationsPerSecond)+" documents/s")
	case planv1.StepMeasure:
		parts = append(parts, present.Count(progress.OperationsPerSecond)+" ops/s")
	default:
	}
	if left := remaining(progress.Percent, elapsed); left > 0 && !progress.WarmingUp {
		atMost := ""
		if p.narrows(step) { // It ends as soon as its lines are decided.
			atMost = "at most "
		}
		parts = append(parts, atMost+left.String()+" left"+p.following(progress.Step))
	}
	return strings.Join(parts, "  ")
}

// known is what is known of the lines of the step, if it is one of a duet that is being measured.
func (p *Progress) known(progress reportv1.Progress) []string {
	if progress.State == reportv1.ProgressWaiting || !p.narrows(p.steps[progress.Step]) {
		return nil
	}
	return present.Narrowings(narrowed(*p.narrowed.Load()), p.on.Overwritten())
}

// narrows says whether something is known of the lines of a step.
func (p *Progress) narrows(step planv1.Step) bool {
	known := p.narrowed.Load()
	return known != nil && known.Name == step.Name
}

// following says how long the steps after one take, as far as the plan says so: "at least" when it does not of all.
func (p *Progress) following(step int) string {
	var planned time.Duration
	atLeast := ""
	for _, next := range p.steps[step+1:] {
		planned += time.Duration(next.WarmupSeconds+next.DurationSeconds) * time.Second
		if next.DurationSeconds == 0 {
			atLeast = "at least "
		}
	}
	if planned == 0 {
		return ""
	}
	return ", then " + atLeast + planned.String()
}

// remaining estimates the rest of a step from what it took so far; 0 when nothing can be said.
func remaining(percent int, elapsed time.Duration) time.Duration {
	if percent <= 0 || percent >= 100 {
		return 0
	}
	return (elapsed * time.Duration(100-percent) / time.Duration(percent)).Round(time.Second)
}
