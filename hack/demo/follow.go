package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

const (
	pollPeriod = 500 * time.Millisecond
	// plainEvery is how often a line is written where lines cannot be overwritten.
	plainEvery = 5 * time.Second
	barWidth   = 20
	// overwrite returns to the begin of a terminal's line and clears it.
	overwrite = "\r\x1b[K"
	// slack covers the stages without a deadline in the specification (Collecting, CleaningUp) and the operator's own
	// margins; when even it is used up, the operator does not work.
	slack = 5 * time.Minute
)

// patience is how long a run may take from its creation, by its own deadlines.
func patience(spec benchv1alpha1.BenchmarkRunSpec) time.Duration {
	deadlines := benchv1alpha1.Deadlines{}
	if spec.Deadlines != nil {
		deadlines = *spec.Deadlines
	}
	provisioning := benchv1alpha1.DefaultProvisioningSeconds
	if spec.Target != nil {
		provisioning = or(spec.Target.ProvisioningSeconds, provisioning)
	}
	seconds := provisioning + or(deadlines.SchedulingSeconds, benchv1alpha1.DefaultSchedulingSeconds) +
		or(deadlines.LoadingSeconds, benchv1alpha1.DefaultLoadingSeconds) + or(deadlines.MeasuringSeconds, measuring(spec))
	return time.Duration(seconds)*time.Second + slack
}

// measuring is what the steps add up to, for a run that sets no deadline for them.
func measuring(declared benchv1alpha1.BenchmarkRunSpec) int32 {
	seconds := benchv1alpha1.MeasuringSlackSeconds
	for _, step := range spec.Compile(declared).Steps {
		seconds += int32(operation.MostSeconds(step))
		if step.OperationCount > 0 {
			seconds += benchv1alpha1.OperationCountSeconds
		}
	}
	return seconds
}

func or(value *int32, otherwise int32) int32 {
	if value != nil {
		return *value
	}
	return otherwise
}

func hasVerdict(run *benchv1alpha1.BenchmarkRun) bool {
	verdict := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunSucceeded)
	return verdict != nil && verdict.Status != metav1.ConditionUnknown
}

func succeeded(run *benchv1alpha1.BenchmarkRun) bool {
	return apimeta.IsStatusConditionTrue(run.Status.Conditions, benchv1alpha1.RunSucceeded)
}

func isFinished(run *benchv1alpha1.BenchmarkRun) bool {
	return hasVerdict(run) && apimeta.IsStatusConditionFalse(run.Status.Conditions, benchv1alpha1.RunProgressing)
}

// follow shows how far a run has come until enough says that it is far enough.
func (d *demo) follow(
	ctx context.Context, key types.NamespacedName, enough func(*benchv1alpha1.BenchmarkRun) bool,
) (*benchv1alpha1.BenchmarkRun, error) {
	defer d.screen.clear()
	ticker := time.NewTicker(pollPeriod)
	defer ticker.Stop()
	run := &benchv1alpha1.BenchmarkRun{}
	due := d.began.Add(slack)
	for {
		err := d.client.Get(ctx, key, run)
		switch {
		case apierrors.IsNotFound(err):
			return nil, fmt.Errorf("%s %s was deleted by somebody before it ended", kindRun, key.Name)
		case err == nil && enough(run):
			return run, nil
		case err == nil:
			due = d.began.Add(patience(run.Spec))
			d.screen.show(run, time.Now(), d.began)
		}
		if time.Now().After(due) {
			return nil, d.timeOut(run, err)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("interrupted; %s %s goes on in namespace %s, if its cluster does",
				kindRun, key.Name, key.Namespace)
		case <-ticker.C:
		}
	}
}

// timeOut says where the run was.
func (d *demo) timeOut(run *benchv1alpha1.BenchmarkRun, err error) error {
	d.screen.clear()
	d.say("%s", conditions(run))
	cause := "the operator does not move it on: look at its log (kubectl logs --namespace mongobench-system " +
		"deployment/mongobench-operator)"
	if err != nil {
		cause = fmt.Sprintf("the API server does not answer: %v", err)
	}
	return fmt.Errorf("%w: after %s the run has not ended; %s", errTimedOut, time.Since(d.began).Round(time.Second), cause)
}

// screen is where the progress is shown: one line that is overwritten on a terminal; otherwise a line at each change of
// the stage or step, and every five seconds.
type screen struct {
	to       io.Writer
	terminal bool
	place    string
	said     time.Time
}

func (s *screen) show(run *benchv1alpha1.BenchmarkRun, now, began time.Time) {
	if s.terminal {
		_, _ = io.WriteString(s.to, overwrite+line(run, now.Sub(began), true))
		return
	}
	place := stageOf(run)
	if run.Status.Progress != nil {
		place += run.Status.Progress.Step
	}
	if place == s.place && now.Sub(s.said) < plainEvery {
		return
	}
	s.place, s.said = place, now
	_, _ = io.WriteString(s.to, line(run, now.Sub(began), false)+"\n")
}

// write shows a line that has just changed.
func (s *screen) write(text string) {
	if s.terminal {
		_, _ = io.WriteString(s.to, overwrite+text)
		return
	}
	_, _ = io.WriteString(s.to, text+"\n")
}

func (s *screen) clear() {
	if s.terminal {
		_, _ = io.WriteString(s.to, overwrite)
	}
}

func stageOf(run *benchv1alpha1.BenchmarkRun) string {
	progressing := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunProgressing)
	if progressing == nil {
		return "waiting for the operator"
	}
	return progressing.Reason
}

// line is where a run is, on one line.
func line(run *benchv1alpha1.BenchmarkRun, elapsed time.Duration, withBar bool) string {
	parts := []string{fmt.Sprintf("%6.1f s", elapsed.Seconds()), fmt.Sprintf("%-12s", stageOf(run))}
	progress := run.Status.Progress
	if progress == nil || progress.Percent == nil || progress.OperationsPerSecond == nil {
		return strings.TrimRight(strings.Join(append(parts, waitingFor(run, withBar)), "  "), " ")
	}
	parts = append(parts, progress.Step)
	if withBar {
		parts = append(parts, bar(int(*progress.Percent)))
	}
	parts = append(parts, fmt.Sprintf("%3d %%", *progress.Percent))
	if rate := *progress.OperationsPerSecond; rate > 0 {
		unit := "ops/s"
		if stageOf(run) == benchv1alpha1.StageLoading {
			unit = "documents/s"
		}
		parts = append(parts, fmt.Sprintf("%d %s", rate, unit))
	}
	return strings.Join(parts, "  ")
}

// maxWaiting keeps the line of a terminal on one line.
const maxWaiting = 90

// waitingFor is what the operator says that it waits for, on one line, which a terminal has only one of.
func waitingFor(run *benchv1alpha1.BenchmarkRun, terminal bool) string {
	progressing := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunProgressing)
	if progressing == nil {
		return ""
	}
	words := []rune(strings.Join(strings.Fields(progressing.Message), " "))
	if terminal && len(words) > maxWaiting {
		words = append(words[:maxWaiting-3], []rune("...")...)
	}
	return string(words)
}

func bar(percent int) string {
	full := min(barWidth, max(0, percent*barWidth/100))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "]"
}
