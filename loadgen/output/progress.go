package output

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

const (
	// plainEvery is how often a line is written where lines cannot be overwritten.
	plainEvery = 5 * time.Second
	barWidth   = 20
	// overwrite returns to the begin of a terminal's line and clears it.
	overwrite = "\r\x1b[K"
)

// Progress shows people how far a run has come: one line that is overwritten on a terminal, and otherwise a line at the
// begin of each step and every five seconds.
type Progress struct {
	to       io.Writer
	steps    []planv1.Step
	terminal bool
	// began is when the step that the last progress was of began to be measured, and said when the last plain line was
	// written.
	began, said time.Time
}

// NewProgress shows the progress of a plan.
func NewProgress(to io.Writer, terminal bool, plan planv1.Plan) *Progress {
	return &Progress{to: to, steps: plan.Steps, terminal: terminal}
}

// Progress shows where the run is.
func (p *Progress) Progress(_ context.Context, progress reportv1.Progress) error {
	now := time.Now()
	if progress.State == reportv1.ProgressDone {
		p.clear()
		return nil
	}
	begins := progress.State == reportv1.ProgressWaiting
	if begins || progress.WarmingUp {
		p.began = now
	}
	if p.terminal {
		_, err := fmt.Fprint(p.to, overwrite, p.line(progress, now.Sub(p.began), bar(progress.Percent)))
		return err
	}
	if !begins && now.Sub(p.said) < plainEvery {
		return nil
	}
	p.said = now
	_, err := fmt.Fprintln(p.to, p.line(progress, now.Sub(p.began), ""))
	return err
}

// Report ends the line; the report itself is written elsewhere.
func (p *Progress) Report(context.Context, reportv1.Report) error {
	p.clear()
	return nil
}

// Abandon ends the line of a run that has no end.
func (p *Progress) Abandon() {
	p.clear()
}

func (p *Progress) clear() {
	if p.terminal {
		_, _ = io.WriteString(p.to, overwrite)
	}
}

func (p *Progress) line(progress reportv1.Progress, elapsed time.Duration, bar string) string {
	step := p.steps[progress.Step]
	parts := []string{fmt.Sprintf("step %d/%d %s", progress.Step+1, len(p.steps), step.Name)}
	if progress.State == reportv1.ProgressWaiting {
		return parts[0]
	}
	if progress.WarmingUp {
		parts = append(parts, "warming up")
	} else {
		parts = append(parts, fmt.Sprintf("%s%3d %%", bar, progress.Percent))
	}
	switch step.Kind {
	case planv1.StepLoad:
		parts = append(parts, present.Count(progress.OperationsPerSecond)+" documents/s")
	case planv1.StepMeasure:
		parts = append(parts, present.Count(progress.OperationsPerSecond)+" ops/s")
	default:
	}
	if left := remaining(progress.Percent, elapsed); left > 0 && !progress.WarmingUp {
		parts = append(parts, left.String()+" left"+p.following(progress.Step))
	}
	return strings.Join(parts, "  ")
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

func bar(percent int) string {
	full := min(barWidth, max(0, percent*barWidth/100))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "] "
}

// remaining estimates the rest of a step from what it took so far; 0 when nothing can be said.
func remaining(percent int, elapsed time.Duration) time.Duration {
	if percent <= 0 || percent >= 100 {
		return 0
	}
	return (elapsed * time.Duration(100-percent) / time.Duration(percent)).Round(time.Second)
}
