package harness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	pollPeriod = 200 * time.Millisecond
	// answerTime is how long a server that does not answer is asked again.
	answerTime = time.Minute
	// RunTime is how long a run of the tests may take: they need some 30 s, on a machine that does other things too.
	RunTime = 10 * time.Minute
)

// Poll asks until the answer is yes; after the time is over the error tells the last answer. An error that is not the
// API server's silence ends it at once.
func Poll(
	ctx context.Context, within time.Duration, ask func(context.Context) (yes bool, said string, err error),
) error {
	last := "nothing was seen"
	err := wait.PollUntilContextTimeout(ctx, pollPeriod, within, true, func(ctx context.Context) (bool, error) {
		yes, said, err := ask(ctx)
		switch {
		case err == nil:
			last = said
		case !final(err):
			yes, err = false, nil
		}
		return yes, err
	})
	if wait.Interrupted(err) {
		return fmt.Errorf("not within %s; last seen: %s", within, last)
	}
	return err
}

// answer asks the API server until it answers: a server that is slow or restarts is not what a scenario looks at.
func answer(ctx context.Context, ask func(context.Context) error) error {
	var refused error
	err := Poll(ctx, answerTime, func(ctx context.Context) (bool, string, error) {
		err := ask(ctx)
		if apierrors.ReasonForError(err) != metav1.StatusReasonUnknown && !silent(err) {
			refused = err
			return true, "", nil
		}
		return err == nil, fmt.Sprint(err), nil
	})
	return errors.Join(err, refused)
}

// silent says whether an answer of the API server only says that it cannot answer now.
func silent(err error) bool {
	return apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) || apierrors.IsTooManyRequests(err) ||
		apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err)
}

// errHopeless is an answer that waiting does not change.
var errHopeless = errors.New("waiting is in vain")

// final says whether an error is an answer. All others, such as a server that restarts, may pass.
func final(err error) bool {
	return errors.Is(err, errHopeless) || apierrors.IsForbidden(err) || apierrors.IsInvalid(err) ||
		apierrors.IsNotFound(err)
}

// wish is how an object is to be, and within what time. list is an empty one of its kind. look says whether the object
// is so, what was seen, and an error when that will not change.
type wish[O client.Object] struct {
	what   string
	within time.Duration
	list   client.ObjectList
	look   func(O) (yes bool, said string, err error)
}

// await follows an object until it is as wanted, and returns it as it was then. The one that is given stays as it is.
func await[T any, O interface {
	*T
	client.Object
}](t *testing.T, n *Namespace, object O, wanted wish[O]) O {
	t.Helper()
	var seen O
	err := Poll(t.Context(), wanted.within, func(ctx context.Context) (bool, string, error) {
		seen = new(T)
		if err := n.Get(ctx, client.ObjectKeyFromObject(object), seen); err != nil {
			return false, "", err
		}
		yes, said, err := wanted.look(seen)
		if yes || err != nil {
			return yes, said, err
		}
		if yes, changed, err := follow(ctx, n, &seen, wanted); changed != "" || err != nil {
			return yes, changed, err
		}
		return false, said, nil
	})
	if err != nil {
		t.Fatalf("waiting for %T %s to be %s: %v", object, object.GetName(), wanted.what, err)
	}
	return seen
}

// follow has the API server send each change of an object, until it is as wanted or nothing more comes. Asking five
// times a second instead was a fifth of all that the API server was asked.
func follow[O client.Object](
	ctx context.Context, n *Namespace, seen *O, wanted wish[O],
) (yes bool, said string, err error) {
	changes, err := n.Watch(ctx, wanted.list, client.InNamespace(n.Name),
		client.MatchingFields{"metadata.name": (*seen).GetName()},
		&client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: (*seen).GetResourceVersion()}})
	if err != nil {
		return false, "", err
	}
	defer changes.Stop()
	for change := range changes.ResultChan() {
		changed, same := change.Object.(O)
		if !same || change.Type == watch.Deleted {
			break
		}
		*seen = changed
		if yes, said, err = wanted.look(changed); yes || err != nil {
			break
		}
	}
	return yes, said, err
}

// WaitRun waits for a run to be as wanted, and returns it as it was then. A run that has ended and is not as wanted
// will never be, which ends the wait.
func (n *Namespace) WaitRun(
	t *testing.T, run *benchv1alpha1.BenchmarkRun, what string, wanted func(*benchv1alpha1.BenchmarkRun) bool,
) *benchv1alpha1.BenchmarkRun {
	t.Helper()
	look := func(seen *benchv1alpha1.BenchmarkRun) (bool, string, error) {
		yes, said := wanted(seen), Describe(seen.Status.Conditions)
		if !yes && finished(seen) {
			return false, "", fmt.Errorf("%w: the run has ended: %s", errHopeless, said)
		}
		return yes, said, nil
	}
	return await(t, n, run, wish[*benchv1alpha1.BenchmarkRun]{what, RunTime, &benchv1alpha1.BenchmarkRunList{}, look})
}

// SuiteTime is how long a suite of the tests may take: ten runs of ten seconds, on a machine that does other things
// too.
const SuiteTime = 15 * time.Minute

// WaitSuite waits for a suite to be as wanted, and returns it as it was then.
func (n *Namespace) WaitSuite(
	t *testing.T, suite *benchv1alpha1.BenchmarkSuite, what string, wanted func(*benchv1alpha1.BenchmarkSuite) bool,
) *benchv1alpha1.BenchmarkSuite {
	t.Helper()
	look := func(seen *benchv1alpha1.BenchmarkSuite) (bool, string, error) {
		return wanted(seen), Describe(seen.Status.Conditions), nil
	}
	list := &benchv1alpha1.BenchmarkSuiteList{}
	return await(t, n, suite, wish[*benchv1alpha1.BenchmarkSuite]{what, SuiteTime, list, look})
}

// SuiteComplete says whether a suite has done what its generation asks for, and whether that is so late a revision.
func SuiteComplete(revisions int) func(*benchv1alpha1.BenchmarkSuite) bool {
	return func(suite *benchv1alpha1.BenchmarkSuite) bool {
		complete := apimeta.FindStatusCondition(suite.Status.Conditions, benchv1alpha1.SuiteComplete)
		return complete != nil && complete.Status == "True" && complete.ObservedGeneration == suite.Generation &&
			len(suite.Status.History) >= revisions
	}
}

// WaitLoaded waits for a load pod to have loaded so many percent of its part of a dataset, by its own word: the status
// of the run tells it too seldom. It is in vain when the load is over. The run must be loading.
func (n *Namespace) WaitLoaded(t *testing.T, pod string, percent int) {
	t.Helper()
	n.WaitConfigMap(t, pod, fmt.Sprintf("what tells of %d %% of a load", percent),
		func(own *corev1.ConfigMap) (bool, string, error) {
			text := own.Data[reportv1alpha1.ProgressKey]
			if text == "" {
				return false, "it has not told anything yet", nil
			}
			told, err := reportv1alpha1.DecodeProgress([]byte(text))
			over := told.Step > loadStep || told.State == reportv1alpha1.ProgressDone ||
				told.State == reportv1alpha1.ProgressStopped
			if err != nil || over {
				return false, "", errors.Join(fmt.Errorf("it tells %s", text), err)
			}
			return told.Step == loadStep && told.State == reportv1alpha1.ProgressRunning && told.Percent >= percent, text, nil
		})
}

// loadStep is the index, in a plan that loads, of the step that does. The one in front of it makes the collections.
const loadStep = 1

// WaitConfigMap waits for a ConfigMap that is there to be as wanted. look says whether it is, what was seen, and an
// error when that will not change.
func (n *Namespace) WaitConfigMap(
	t *testing.T, name, what string, look func(*corev1.ConfigMap) (yes bool, said string, err error),
) {
	t.Helper()
	object := &corev1.ConfigMap{}
	object.Name, object.Namespace = name, n.Name
	judged := func(seen *corev1.ConfigMap) (bool, string, error) {
		yes, said, err := look(seen)
		if err != nil {
			err = fmt.Errorf("%w: %w", errHopeless, err)
		}
		return yes, said, err
	}
	await(t, n, object, wish[*corev1.ConfigMap]{what, RunTime, &corev1.ConfigMapList{}, judged})
}

func finished(run *benchv1alpha1.BenchmarkRun) bool {
	return HasVerdict(run) && apimeta.IsStatusConditionFalse(run.Status.Conditions, benchv1alpha1.RunProgressing)
}

// HasVerdict says whether a run has ended, well or not.
func HasVerdict(run *benchv1alpha1.BenchmarkRun) bool {
	verdict := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunSucceeded)
	return verdict != nil && verdict.Status != metav1.ConditionUnknown
}

// InStage says whether a run is in a stage now.
func InStage(stage string) func(*benchv1alpha1.BenchmarkRun) bool {
	return func(run *benchv1alpha1.BenchmarkRun) bool { return Stage(run) == stage }
}

// Stage is the stage that a run is in.
func Stage(run *benchv1alpha1.BenchmarkRun) string {
	progressing := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunProgressing)
	if progressing == nil {
		return ""
	}
	return progressing.Reason
}

// WaitSuccess waits for a run to succeed.
func (n *Namespace) WaitSuccess(t *testing.T, run *benchv1alpha1.BenchmarkRun) *benchv1alpha1.BenchmarkRun {
	t.Helper()
	ended := n.WaitRun(t, run, "ended", HasVerdict)
	if !apimeta.IsStatusConditionTrue(ended.Status.Conditions, benchv1alpha1.RunSucceeded) {
		t.Fatalf("run %s did not succeed: %s", run.Name, Describe(ended.Status.Conditions))
	}
	return ended
}

// WaitTarget waits for a target to be ready.
func (n *Namespace) WaitTarget(t *testing.T, target *benchv1alpha1.BenchmarkTarget) *benchv1alpha1.BenchmarkTarget {
	t.Helper()
	look := func(seen *benchv1alpha1.BenchmarkTarget) (bool, string, error) {
		conditions := seen.Status.Conditions
		if apimeta.IsStatusConditionTrue(conditions, benchv1alpha1.TargetStalled) {
			return false, "", fmt.Errorf("%w: the target was given up: %s", errHopeless, Describe(conditions))
		}
		return apimeta.IsStatusConditionTrue(conditions, benchv1alpha1.TargetReady), Describe(conditions), nil
	}
	list := &benchv1alpha1.BenchmarkTargetList{}
	return await(t, n, target, wish[*benchv1alpha1.BenchmarkTarget]{"ready", RunTime, list, look})
}

// Describe writes conditions on one line.
func Describe(conditions []metav1.Condition) string {
	if len(conditions) == 0 {
		return "no conditions: the operator has not looked at it"
	}
	words := make([]string, 0, len(conditions))
	for _, condition := range conditions {
		words = append(words, fmt.Sprintf("%s=%s (%s: %s)", condition.Type, condition.Status, condition.Reason,
			condition.Message))
	}
	return strings.Join(words, "; ")
}

// Report reads the stored report of a run that succeeded, after a look at its digest.
func (n *Namespace) Report(t *testing.T, run *benchv1alpha1.BenchmarkRun) reportv1alpha1.Report {
	t.Helper()
	if run.Status.Result == nil {
		t.Fatalf("run %s has no result in its status", run.Name)
	}
	stored := &corev1.ConfigMap{}
	n.Fetch(t, run.Status.Result.Report.ConfigMapName, stored)
	encoded := stored.BinaryData[reportv1alpha1.ReportKey]
	sum := sha256.Sum256(encoded)
	if got := hex.EncodeToString(sum[:]); got != run.Status.Result.Report.SHA256 {
		t.Fatalf("the report of run %s has the SHA-256 %s, and its status says %s", run.Name, got,
			run.Status.Result.Report.SHA256)
	}
	return decode(t, encoded)
}

// PodReport reads what one load pod reported, while it is kept.
func (n *Namespace) PodReport(t *testing.T, configMap string) reportv1alpha1.Report {
	t.Helper()
	stored := &corev1.ConfigMap{}
	n.Fetch(t, configMap, stored)
	return decode(t, stored.BinaryData[reportv1alpha1.ReportKey])
}

func decode(t *testing.T, encoded []byte) reportv1alpha1.Report {
	t.Helper()
	report, err := reportv1alpha1.Decode(encoded)
	if err != nil {
		t.Fatalf("reading a report: %v", err)
	}
	return report
}

// StepOf finds a step of a report.
func StepOf(t *testing.T, report reportv1alpha1.Report, name string) reportv1alpha1.Step {
	t.Helper()
	for _, step := range report.Steps {
		if step.Name == name {
			return step
		}
	}
	t.Fatalf("the report has no step %q", name)
	return reportv1alpha1.Step{}
}

// Stages writes how long each stage of a run took, on one line.
func Stages(run *benchv1alpha1.BenchmarkRun) string {
	words := make([]string, 0, len(run.Status.Stages))
	for _, stage := range run.Status.Stages {
		took := "not ended"
		if stage.CompletionTime != nil {
			took = fmt.Sprintf("%.1f s", stage.CompletionTime.Sub(stage.StartTime.Time).Seconds())
		}
		words = append(words, stage.Name+" "+took)
	}
	return strings.Join(words, ", ")
}
