package decide

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
)

const conditionTrue = metav1.ConditionTrue

const (
	suspendedMessage = "spec.suspend is true; the run gets in line when it is not"
	stoppedMessage   = "spec.suspend is true; what the run had made is gone, and it begins anew when it is not"
)

// cancelled decides on a run that is to end without a result.
func (v *view) cancelled() *Decision {
	if !ptr.Deref(v.Run.Spec.Cancel, false) {
		return nil
	}
	cause := &finding{reason: benchv1alpha1.ReasonCancelled, message: "spec.cancel is true"}
	return &Decision{Leave: true, Status: v.failed(cause), Datasets: v.datasets()}
}

// stopping says whether a run that had begun is being taken down: it holds its place and is back in the stage that
// comes before all others.
func stopping(run *benchv1alpha1.BenchmarkRun) bool {
	return Holds(run) && condition.Reason(run.Status.Conditions, benchv1alpha1.RunProgressing) == benchv1alpha1.StageQueued
}

// suspended decides on a run that had begun and is to stop. First the status says so, so that nobody takes what is
// missing for lost; then what the run made is removed; and when all of it is gone the place is free. A run that is
// resumed meanwhile goes that way to its end as well, and gets in line again. One whose load pods are done is finished
// rather than thrown away.
func (v *view) suspended() *Decision {
	if !Holds(v.Run) {
		return nil
	}
	begun := stopping(v.Run)
	if !begun && (!ptr.Deref(v.Run.Spec.Suspend, false) || v.stage == benchv1alpha1.StageCollecting) {
		return nil
	}
	decision := &Decision{Leave: !begun, Changes: healing(&v.Observation), Datasets: v.datasets(), Wait: pollPeriod}
	left := remaining(&v.Observation)
	v.stage = benchv1alpha1.StageQueued
	decision.Status = v.running()
	if begun && len(left) == 0 {
		return decision
	}
	c := condition.New(decision.Status.Conditions, v.Run.Generation, v.Now)
	c.True(benchv1alpha1.RunAdmitted, benchv1alpha1.ReasonAdmitted, removingMessage)
	c.True(benchv1alpha1.RunProgressing, v.stage, short(removingMessage+": "+strings.Join(left, ", ")))
	decision.Status.Conditions = c.List
	return decision
}

const removingMessage = "the run was suspended and will begin anew; what it made is being removed"

// suspension is what a suspended run is told, which differs for one that had begun. That is remembered by the words.
func (v *view) suspension() string {
	before := condition.Find(v.Run.Status.Conditions, benchv1alpha1.RunAdmitted)
	if Holds(v.Run) || before != nil && before.Message == stoppedMessage {
		return stoppedMessage
	}
	return suspendedMessage
}
