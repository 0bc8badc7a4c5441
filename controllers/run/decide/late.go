package decide

import (
	"fmt"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
)

// late tells what was seen when a stage did not end in time.
func late(s *state) *failure {
	due, name := s.stage.due(s)
	if due.IsZero() || s.Now.Before(due) {
		return nil
	}
	found := &failure{reason: benchv1alpha1.ReasonDeadlineExceeded}
	seen := s.seen()
	switch {
	case s.stage.name != benchv1alpha1.StageProvisioning:
	case s.Job != nil:
		if fault, ok := s.podFault(); ok {
			found.reason, seen = fault.Reason, fault.Message
		}
	case s.Target == nil && !s.inline():
		found.reason = benchv1alpha1.ReasonTargetNotFound
	}
	found.message = fmt.Sprintf("%s is over (%s): %s", name, due.UTC().Format(time.RFC3339), seen)
	return found
}

// seen is where the run is, in words.
func (s *state) seen() string {
	if s.stage.name == benchv1alpha1.StageProvisioning {
		return s.withTrouble(s.waitsFor())
	}
	step := s.load.OfStep()
	where := fmt.Sprintf("step %q was at %d %%, with %d per second", step.Step, *step.Percent,
		*step.OperationsPerSecond)
	if s.load.Waiting() {
		where = fmt.Sprintf("step %q was not begun by all load pods", step.Step)
	}
	if last := s.load.Last(); last != "" {
		where += "; the last were " + last
	}
	return where
}

// withTrouble adds what the last pass could not write, which it left in the status (see Troubled).
func (s *state) withTrouble(seen string) string {
	said := condition.Find(s.Run.Status.Conditions, benchv1alpha1.RunProgressing)
	if said == nil || said.Message == condition.Short(seen) {
		return seen
	}
	return seen + "; " + said.Message
}
