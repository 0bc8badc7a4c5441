package decide

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
)

// podFault is why load pods do not run.
func (s *state) podFault() (podfault.Fault, bool) {
	if fault, ok := podfault.Diagnose(s.Pods, s.Now); ok {
		return fault, true
	}
	return podfault.DiagnoseEvents(s.FailedCreates)
}

// waitsFor is what a run in Provisioning waits for.
func (s *state) waitsFor() string {
	switch {
	case s.Job == nil && s.targetReady():
		return "the Job of the load pods is being made"
	case s.Job == nil:
		return s.waitsForTarget()
	case load.Suspended(s.Job):
		return load.WaitsFor(s.Job)
	}
	if fault, ok := s.podFault(); ok {
		return "the load pods do not run: " + fault.Message
	}
	return "not begun: load " + strings.Join(s.load.Unheard(), ", ")
}

func (s *state) waitsForTarget() string {
	if s.Target == nil && s.inline() {
		return "the target is being created"
	}
	if s.Target == nil {
		return fmt.Sprintf("no BenchmarkTarget %q exists in this namespace", TargetName(s.Run))
	}
	said := condition.Find(s.Target.Status.Conditions, benchv1alpha1.TargetReady)
	if said == nil || said.Status == metav1.ConditionTrue {
		return fmt.Sprintf("target %q has not been looked at", s.Target.Name)
	}
	return fmt.Sprintf("target %q is not ready: %s: %s", s.Target.Name, said.Reason, said.Message)
}
