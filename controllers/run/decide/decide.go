package decide

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/admit"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/progress"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/quota"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// Decide says what is to be done about a run.
func Decide(o Observation) Decision {
	switch {
	case o.Run.DeletionTimestamp != nil: // Its objects go with it, by their owner references.
		return Decision{Leave: true, Status: *o.Run.Status.DeepCopy(), Drop: cuts(&o)}
	case condition.Ended(o.Run) && condition.IsFalse(o.Run.Status.Conditions, benchv1alpha1.RunProgressing):
		return finished(&o)
	case condition.Ended(o.Run):
		return cleanUp(&o)
	}
	// What was accepted stays accepted, whatever a later version of the operator would say.
	if !condition.IsTrue(o.Run.Status.Conditions, benchv1alpha1.RunAccepted) {
		errs := append(validation.ValidateRun(o.Run), o.Settings.AllowedImages.Refuse(o.Run.Spec)...)
		errs = append(errs, o.Settings.Gates.Refuse(o.Run.Spec)...)
		if len(errs) > 0 {
			return Decision{Leave: true, Status: rejected(&o, errs)}
		}
	}
	s, err := look(&o)
	if foreign := (progress.ForeignError{}); errors.As(err, &foreign) {
		return Decision{Leave: true, Status: Troubled(o.Run, o.Run.Status, foreign), Wait: foreignPause}
	}
	if err != nil {
		return Decision{Leave: true, Status: rejected(&o, field.ErrorList{field.InternalError(field.NewPath("spec"), err)})}
	}
	for _, early := range earlyDecisions {
		if decision := early(s); decision != nil {
			return *decision
		}
	}
	decide := decideRunning
	if s.stage.name == benchv1alpha1.StageCollecting {
		decide = decideCollecting
	}
	decision := decide(s)
	decision.Datasets = datasets(s)
	return decision
}

// foreignPause is how often a run is looked at that another release of the operator began, and this one cannot follow.
const foreignPause = time.Minute

// earlyDecisions come before those on the stage that a run is in, in this order.
var earlyDecisions = []func(*state) *Decision{
	salvaging,      // it ends, and its reports are waited for
	cancelled,      // it is to end
	startingOver,   // it had begun, and is to stop
	nameTaken,      // its target's name is taken
	databaseClosed, // the target does not let it write
	targetRefuses,  // the target does not let it act, or its database cannot
	awaitTurn,      // it is not its turn, or has just become so
}

// decideRunning goes on with a run unless there is a cause to end it. A cause that may have a better one behind it
// waits.
func decideRunning(s *state) Decision {
	cause := firstCause(s)
	if cause == nil {
		return Decision{
			Place: s.collecting().place(), Desired: runObjects(s), Status: s.running(), Wait: s.wait(),
			Deletions: s.actions().Deletions(),
		}
	}
	if left := cause.graceLeft(s.Now, s.attempts().grace(cause)); left > 0 {
		return Decision{Leave: true, Status: s.running(), Wait: min(left, s.wait())}
	}
	if s.attempts().retries(cause) {
		return s.attempts().startOver(cause)
	}
	return s.fail(cause)
}

// cancelled decides on a run that is to end, with what was measured until then.
func cancelled(s *state) *Decision {
	if !ptr.Deref(s.Run.Spec.Cancel, false) {
		return nil
	}
	cancelled := because(benchv1alpha1.ReasonCancelled, "spec.cancel is true")
	decision := s.fail(cancelled)
	decision.Datasets = datasets(s)
	return &decision
}

// awaitTurn decides on a run whose turn it is not, and on one whose turn it has just become: its status says so before
// anything of it is made. Whatever happens to the operator in between, a run that has begun is known to have.
func awaitTurn(s *state) *Decision {
	if admit.Holds(s.Run) {
		return nil
	}
	decision := Decision{Leave: true, Status: s.running(), Wait: s.wait()}
	switch {
	case !s.Quota.Asked:
	case admit.Suspended(s.Run) && s.Quota.Workload != nil:
		decision.Quota = quota.Remove
	case !admit.Suspended(s.Run) && s.Quota.Workload == nil:
		decision.Quota = quota.Ask
	case s.Quota.Evicted(): // There is nothing left to be taken down.
		decision.Quota = quota.Vacate
	}
	return &decision
}
