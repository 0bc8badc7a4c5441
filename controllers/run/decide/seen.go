package decide

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
)

// podFault is why load pods do not run.
func (v *view) podFault() (podfault.Fault, bool) {
	if fault, ok := podfault.Diagnose(v.Pods, v.Now); ok {
		return fault, true
	}
	return podfault.DiagnoseEvents(v.FailedCreates)
}

// seen is where the run is, in words.
func (v *view) seen() string {
	if v.stage == benchv1alpha1.StageProvisioning {
		return v.withTrouble(v.waitsFor())
	}
	progress := v.stepProgress()
	where := fmt.Sprintf("step %q was at %d %%, with %d per second", progress.Step, *progress.Percent,
		*progress.OperationsPerSecond)
	if v.least%2 == 0 {
		where = fmt.Sprintf("step %q was not begun by all load pods", progress.Step)
	}
	if last := v.lastPods(); last != "" {
		where += "; the last were " + last
	}
	return where
}

// withTrouble adds what the last pass could not write, which it left in the status (see Troubled).
func (v *view) withTrouble(seen string) string {
	said := condition.Find(v.Run.Status.Conditions, benchv1alpha1.RunProgressing)
	if said == nil || said.Message == short(seen) {
		return seen
	}
	return seen + "; " + said.Message
}

// waitsFor is what a run in Provisioning waits for.
func (v *view) waitsFor() string {
	switch {
	case v.Job == nil && v.targetReady():
		return "the Job of the load pods is being made"
	case v.Job == nil:
		return v.waitsForTarget()
	case jobSuspended(v.Job):
		return waitsForJob(v.Job)
	}
	if fault, ok := v.podFault(); ok {
		return "the load pods do not run: " + fault.Message
	}
	var silent []string
	for i, progress := range v.progress {
		if progress == nil {
			silent = append(silent, podLabel(i))
		}
	}
	return "not begun: load " + strings.Join(silent, ", ")
}

func (v *view) waitsForTarget() string {
	if v.Target == nil && v.inline() {
		return "the target is being created"
	}
	if v.Target == nil {
		return fmt.Sprintf("no BenchmarkTarget %q exists in this namespace", targetName(v.Run))
	}
	said := condition.Find(v.Target.Status.Conditions, benchv1alpha1.TargetReady)
	if said == nil || said.Status == metav1.ConditionTrue {
		return fmt.Sprintf("target %q has not been looked at", v.Target.Name)
	}
	return fmt.Sprintf("target %q is not ready: %s: %s", v.Target.Name, said.Reason, said.Message)
}

// lastPods names the least advanced pods when there are others.
func (v *view) lastPods() string {
	var last []string
	for i, progress := range v.progress {
		if position(progress) == v.least {
			last = append(last, podLabel(i))
		}
	}
	if len(last) == len(v.progress) {
		return ""
	}
	return strings.Join(last, ", ")
}

func podLabel(index int) string { return fmt.Sprintf("pod %d", index) }
