package main

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/present/screen"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// following is what is followed, and how.
type following struct {
	*tool
	cluster *cluster.Cluster
	kind    cluster.Kind
	key     client.ObjectKey
	limits
	// began is when it was looked at first.
	began time.Time
	// see is told every state but the last.
	see func(state show.State, elapsed time.Duration)
}

// limits is how long something is followed; 0 is as long as it takes.
type limits struct {
	// timeout is for all of it, and stall for the time without any change.
	timeout, stall time.Duration
}

func addLimits(command *cobra.Command, into *limits, usual time.Duration) {
	command.Flags().DurationVar(&into.timeout, "timeout", usual, "how long to wait for the end; 0 for as long as it takes")
	command.Flags().DurationVar(&into.stall, "stall-timeout", 0, "how long to wait while nothing changes; 0 for ever")
}

// follow has a run or suite followed from now on.
func (t *tool) follow(c *cluster.Cluster, object client.Object, limits limits) *following {
	return &following{
		tool: t, cluster: c, kind: cluster.KindOf(object), key: client.ObjectKeyFromObject(object), limits: limits,
		began: t.now(), see: func(show.State, time.Duration) {},
	}
}

// name as people may type it again.
func (f *following) name() string { return string(f.kind) + "/" + f.key.Name }

// until looks at a run or suite until its state is enough, and returns it as it was then. An API server that does not
// answer is asked again.
func (f *following) until(ctx context.Context, enough func(show.State) bool) (
	object client.Object, state show.State, err error,
) {
	last, moved := show.State{}, f.now()
	err = f.poll(ctx, func() (bool, error) {
		object, state, err = f.look(ctx)
		switch {
		case apierrors.IsNotFound(err):
			return false, fmt.Errorf("%s is gone: it was deleted while it was followed", f.name())
		case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
			return false, fmt.Errorf("reading %s: %w", f.name(), err)
		case err != nil:
			state = show.State{Stage: "Unknown", Detail: fmt.Sprintf("reading %s: %v", f.name(), err), Percent: -1}
		case enough(state):
			return true, nil
		}
		now := f.now()
		if !reflect.DeepEqual(state, last) {
			last, moved = state, now
		}
		if err := f.impatient(state, now.Sub(f.began), now.Sub(moved)); err != nil {
			return false, err
		}
		f.see(state, now.Sub(f.began))
		return false, nil
	}, fmt.Sprintf("%s goes on in namespace %s: kubectl mongobench watch %s", f.name(), f.key.Namespace, f.name()))
	return object, state, err
}

// impatient says that the end took too long, or that nothing has changed for too long.
func (f *following) impatient(state show.State, elapsed, still time.Duration) error {
	switch {
	case f.timeout > 0 && elapsed >= f.timeout:
		return fmt.Errorf("%w: after %s %s has not ended: %s %s", errTimedOut, f.timeout, f.name(), state.Stage,
			state.Detail)
	case f.stall > 0 && still >= f.stall:
		return fmt.Errorf("%w: nothing has changed for %s; %s stands at: %s %s; see the operator's log (kubectl logs "+
			"--namespace mongobench-system deployment/mongobench-operator)", errTimedOut, f.stall, f.name(), state.Stage,
			state.Detail)
	default:
		return nil
	}
}

func (f *following) look(ctx context.Context) (client.Object, show.State, error) {
	object := f.kind.New()
	if err := f.cluster.Client.Get(ctx, f.key, object); err != nil {
		return nil, show.State{}, err
	}
	if run, ok := object.(*benchv1alpha1.BenchmarkRun); ok {
		return object, show.StateOfRun(run), nil
	}
	found, _ := object.(*benchv1alpha1.BenchmarkSuite)
	var runs benchv1alpha1.BenchmarkRunList
	err := f.cluster.Client.List(ctx, &runs, client.InNamespace(f.key.Namespace),
		client.MatchingLabels{suite.Label: f.key.Name})
	return object, show.StateOfSuite(found, runs.Items), err
}

const (
	// forComplete is the only thing that is waited for: the end, whatever it is.
	forComplete = "complete"
	// usualWait is how long wait waits unless told otherwise.
	usualWait = time.Hour
)

// waiting is what wait is asked for.
type waiting struct {
	*tool
	until            string
	limits           limits
	failOnRegression bool
}

func (t *tool) waitCommand() *cobra.Command {
	w := &waiting{tool: t}
	command := t.inCluster("wait RUN|SUITE", "Wait for the end of a run or suite, and print only how it ended",
		cobra.ExactArgs(1), runsAndSuites, w.wait)
	command.Flags().StringVar(&w.until, "for", forComplete, "what to wait for: complete")
	command.Flags().BoolVar(&w.failOnRegression, "fail-on-regression", false,
		"exit with code 1 if a suite did not pass, by its spec.failOn, or a run missed an objective")
	addLimits(command, &w.limits, usualWait)
	return command
}

func (w *waiting) wait(ctx context.Context, c *cluster.Cluster, arguments []string) error {
	if w.until != forComplete {
		return fmt.Errorf("%w: --for=%s: it can be %s only", cluster.ErrUsage, w.until, forComplete)
	}
	found, err := c.Find(ctx, arguments[0], runsAndSuites...)
	if err != nil {
		return err
	}
	following := w.follow(c, found, w.limits)
	_, state, err := following.until(ctx, show.State.Ended)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(w.Out, "%s: %s\n", following.name(), state.Message)
	return told(state.Ending, w.failOnRegression)
}

// showing follows a run or suite and shows what came of it.
type showing struct {
	*tool
	cluster *cluster.Cluster
	limits  limits
	// applied is when it was applied; zero when that was not done here.
	applied time.Time
	// save is the folder for the result in every form; empty to save nothing.
	save string
}

func (t *tool) watchCommand() *cobra.Command {
	shown := showing{tool: t}
	command := t.inCluster("watch RUN|SUITE", "Follow a run or suite to its end", cobra.ExactArgs(1), runsAndSuites,
		func(ctx context.Context, c *cluster.Cluster, arguments []string) error {
			found, err := c.Find(ctx, arguments[0], runsAndSuites...)
			if err != nil {
				return err
			}
			shown.cluster = c
			_, err = shown.untilEnd(ctx, found)
			return err
		})
	addLimits(command, &shown.limits, 0)
	return command
}

// untilEnd shows a run or suite until its end, what it came to, and how long each stage of a run took.
func (s *showing) untilEnd(ctx context.Context, object client.Object) (client.Object, error) {
	shown := &show.Screen{Line: screen.New(s.Out)}
	following := s.follow(s.cluster, object, s.limits)
	following.see = shown.Show
	ended, state, err := following.until(ctx, show.State.Ended)
	shown.Clear()
	if err != nil {
		return nil, err
	}
	if err := s.showEnd(ctx, ended, following.name()+": "+state.Message); err != nil {
		return nil, err
	}
	if _, ok := ended.(*benchv1alpha1.BenchmarkRun); ok && state.Ending != show.Refused {
		if !shown.Overwritten() {
			// The report is the last that a log gets of a run, but for its stages.
			following.see = func(show.State, time.Duration) {}
		}
		cleaned, _, err := following.until(ctx, func(state show.State) bool { return state.CleanedUp })
		shown.Clear()
		if err != nil {
			return nil, err
		}
		if run, ok := cleaned.(*benchv1alpha1.BenchmarkRun); ok {
			ended = run
			if err := show.Stages(s.Out, s.paint(), run); err != nil {
				return nil, err
			}
		}
	}
	return ended, told(state.Ending, true)
}

// showEnd writes what something came to and how it ended, and saves its result.
func (s *showing) showEnd(ctx context.Context, ended client.Object, message string) error {
	var saved string
	var err error
	switch object := ended.(type) {
	case *benchv1alpha1.BenchmarkRun:
		saved, err = s.showRun(ctx, object)
	case *benchv1alpha1.BenchmarkSuite:
		saved, err = s.showSuite(ctx, object)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Out, "%s\n%s", message, saved)
	return err
}

// showRun writes the report of a run; where it has none, the figures of its status or why there are none.
func (s *showing) showRun(ctx context.Context, run *benchv1alpha1.BenchmarkRun) (string, error) {
	if run.Status.Result == nil {
		if err := show.RunEnd(s.Out, s.paint(), run); err != nil || s.save == "" {
			return "", err
		}
		return s.saveRun(page.Source{Name: run.Name, Object: run}, formJUnit)
	}
	source, err := sourceOf(ctx, s.cluster, run)
	if err != nil && s.save != "" {
		return "", err
	}
	if err != nil {
		_, _ = fmt.Fprintln(s.ErrOut, "warning:", err)
		return "", show.RunEnd(s.Out, s.paint(), run)
	}
	_, _ = fmt.Fprintln(s.Out)
	if err := output.Text(s.Out, source.Report); err != nil {
		return "", err
	}
	if first := firstMeasured(source.Report); !s.applied.IsZero() && first.After(s.applied) {
		_, _ = fmt.Fprintf(s.Out, "from apply to the first measured operation: %.1f s\n", first.Sub(s.applied).Seconds())
	}
	if s.save == "" {
		return "", nil
	}
	return s.saveRun(source, runForms.names()...)
}

func (s *showing) saveRun(source page.Source, names ...string) (string, error) {
	files := forms[page.Source]{}
	addReports(files, runForms, names...)
	return save(filepath.Join(s.save, source.Name), files, source)
}

// firstMeasured is when the first operation was measured; zero when none was.
func firstMeasured(report reportv1.Report) time.Time {
	for _, step := range report.Steps {
		if step.Kind == string(planv1.StepMeasure) {
			return step.MeasureStart
		}
	}
	return time.Time{}
}

// showSuite writes the comparison of a suite.
func (s *showing) showSuite(ctx context.Context, suite *benchv1alpha1.BenchmarkSuite) (string, error) {
	if err := show.SuiteEnd(s.Out, s.paint(), suite); err != nil || s.save == "" {
		return "", err
	}
	stored, err := storedFor(ctx, s.cluster, suite, formJUnit)
	if err != nil {
		return "", err
	}
	files := forms[cluster.Stored]{}
	if suite.Status.Result != nil {
		if files, err = tablesOf(stored); err != nil {
			return "", err
		}
		addReports(files, suiteForms, formText, formHTML, formMD, formSVG)
	}
	addReports(files, suiteForms, formJUnit)
	return save(filepath.Join(s.save, suite.Name), files, stored)
}
