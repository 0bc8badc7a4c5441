package admit

import (
	"cmp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/quota"
)

const (
	suspendedMessage = "spec.suspend is true; the run gets in line when it is not"
	stoppedMessage   = "spec.suspend is true; what the run had created is gone, and it starts over once suspend is false"
)

// Holds says whether a run has a place of its group.
func Holds(run *benchv1alpha1.BenchmarkRun) bool { return condition.Holds(run) }

// Since is when a run was admitted, also if it has ended since; zero when its status does not say so.
func Since(run *benchv1alpha1.BenchmarkRun) time.Time {
	said := condition.Find(run.Status.Conditions, benchv1alpha1.RunAdmitted)
	if said == nil || said.Status != metav1.ConditionTrue {
		return time.Time{}
	}
	return said.LastTransitionTime.Time
}

// Waits says whether a run is to be in the line.
func Waits(run *benchv1alpha1.BenchmarkRun) bool {
	return !Holds(run) && !condition.Ended(run) && run.DeletionTimestamp == nil && !Suspended(run) &&
		!ptr.Deref(run.Spec.Cancel, false)
}

// AsksFirst says whether a run asks Kueue before it gets in line, as far as its status knows.
func AsksFirst(run *benchv1alpha1.BenchmarkRun) bool {
	said := condition.Find(run.Status.Conditions, benchv1alpha1.RunAdmitted)
	return quota.Names(run) && (said == nil || said.Reason == benchv1alpha1.ReasonQuotaPending)
}

// Suspended says whether a run is to be held back.
func Suspended(run *benchv1alpha1.BenchmarkRun) bool { return ptr.Deref(run.Spec.Suspend, false) }

// Stopping says whether a run that had begun is being taken down: it holds its place and is back in the stage that
// comes before all others.
func Stopping(run *benchv1alpha1.BenchmarkRun) bool {
	return Holds(run) && condition.Reason(run.Status.Conditions, benchv1alpha1.RunProgressing) == benchv1alpha1.StageQueued
}

// Admits says whether it is the turn of a run, or was.
func Admits(t queue.Turn, run *benchv1alpha1.BenchmarkRun) bool {
	return Holds(run) || t.Admitted && Waits(run)
}

// Tell writes the condition Admitted of a run. What was said at its admission stays.
// A run that something else holds gets in line later.
func Tell(c *condition.Setter, t queue.Turn, run *benchv1alpha1.BenchmarkRun, queued bool, held string) {
	const conditionType = benchv1alpha1.RunAdmitted
	before := condition.Find(run.Status.Conditions, conditionType)
	switch {
	case queued && Suspended(run):
		c.False(conditionType, benchv1alpha1.ReasonSuspended, suspension(run))
	case queued && held != "":
		c.False(conditionType, benchv1alpha1.ReasonQuotaPending, condition.Short(held))
	case queued:
		c.False(conditionType, benchv1alpha1.ReasonQueued, condition.Short(position(t)))
	case condition.IsTrue(run.Status.Conditions, conditionType):
		c.True(conditionType, before.Reason, before.Message)
	default:
		c.True(conditionType, benchv1alpha1.ReasonAdmitted, condition.Short("it is the run's turn in "+t.Group))
	}
}

// Never says of a run that ends before its turn that none will come.
func Never(c *condition.Setter) {
	before := c.Find(benchv1alpha1.RunAdmitted)
	if before != nil && before.Status != metav1.ConditionTrue {
		c.False(benchv1alpha1.RunAdmitted, before.Reason, "the run ended before it was its turn")
	}
}

// WaitsFor is what a run waits for whose turn it is not.
func WaitsFor(t queue.Turn, run *benchv1alpha1.BenchmarkRun, held string) string {
	if Suspended(run) {
		return suspension(run)
	}
	if held != "" {
		return held
	}
	return position(t)
}

// suspension is what a suspended run is told, which differs for one that had begun.
func suspension(run *benchv1alpha1.BenchmarkRun) string {
	if last := GivenUp(run); last != nil && last.Reason == benchv1alpha1.ReasonSuspended {
		return stoppedMessage
	}
	return suspendedMessage
}

// GivenUp is the attempt before the present one; nil of a run that has not started over.
func GivenUp(run *benchv1alpha1.BenchmarkRun) *benchv1alpha1.AttemptStatus {
	if count := len(run.Status.Attempts); count > 0 {
		return &run.Status.Attempts[count-1]
	}
	return nil
}

// position is where a run is in its line, in words.
func position(t queue.Turn) string {
	return cmp.Or(t.Position(), "the run is about to get in line")
}
