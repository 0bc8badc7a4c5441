package decide

import (
	"strings"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/admit"
)

// cancelled decides on a run that is to end without a result.
func cancelled(s *state) *Decision {
	if !ptr.Deref(s.Run.Spec.Cancel, false) {
		return nil
	}
	cancelled := &failure{reason: benchv1alpha1.ReasonCancelled, message: "spec.cancel is true"}
	return &Decision{Leave: true, Status: s.failed(cancelled), Datasets: datasets(s)}
}

// suspended decides on a run that had begun and is to stop. First the status says so, so that nobody takes what is
// missing for lost; then what the run made is removed; and when all of it is gone the place is free. A run that is
// resumed meanwhile goes that way to its end as well, and gets in line again. One whose load pods are done is finished
// rather than thrown away.
func suspended(s *state) *Decision {
	if !admit.Holds(s.Run) {
		return nil
	}
	begun := admit.Stopping(s.Run)
	if !begun && (!admit.Suspended(s.Run) || s.stage.name == benchv1alpha1.StageCollecting) {
		return nil
	}
	decision := &Decision{Leave: !begun, Changes: act.Heal(s.Run, s.Members), Datasets: datasets(s), Wait: pollPeriod}
	left := remaining(&s.Observation)
	s.stage = stages[0] // Queued
	decision.Status = s.running()
	if begun && len(left) == 0 {
		return decision
	}
	c := condition.New(decision.Status.Conditions, s.Run.Generation, s.Now)
	c.True(benchv1alpha1.RunAdmitted, benchv1alpha1.ReasonAdmitted, removingMessage)
	c.True(benchv1alpha1.RunProgressing, s.stage.name, condition.Short(removingMessage+": "+strings.Join(left, ", ")))
	decision.Status.Conditions = c.List
	return decision
}

const removingMessage = "the run was suspended and will start over; what it created is being removed"

// awaitTurn decides on a run whose turn it is not, and on one whose turn it has just become: its status says so before
// anything of it is made. Whatever happens to the operator in between, a run that has begun is known to have.
func awaitTurn(s *state) *Decision {
	if admit.Holds(s.Run) {
		return nil
	}
	return &Decision{Leave: true, Status: s.running(), Wait: s.wait()}
}
