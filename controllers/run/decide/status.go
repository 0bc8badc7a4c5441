package decide

import (
	"fmt"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// maxMessage bounds the message of each condition, so that six of them leave room for a result.
const maxMessage = 1024

// rejected is the status of a run whose specification makes no sense.
func rejected(o *Observation, errs field.ErrorList) benchv1alpha1.BenchmarkRunStatus {
	status := *o.Run.Status.DeepCopy()
	message := short(errs.ToAggregate().Error())
	c := condition.New(status.Conditions, o.Run.Generation, o.Now)
	c.False(benchv1alpha1.RunAccepted, benchv1alpha1.ReasonInvalid, message)
	neverAdmitted(c)
	c.False(benchv1alpha1.RunProgressing, benchv1alpha1.ReasonFinished, "nothing was started")
	c.False(benchv1alpha1.RunSucceeded, benchv1alpha1.ReasonInvalid, message)
	c.Unknown(benchv1alpha1.RunTrusted, benchv1alpha1.ReasonNotMeasured, notMeasured)
	status.Conditions = c.List
	return status
}

const notMeasured = "there are no numbers"

// running is the status of a run whose end is open.
func (v *view) running() benchv1alpha1.BenchmarkRunStatus {
	status := v.common()
	c := condition.New(status.Conditions, v.Run.Generation, v.Now)
	c.True(benchv1alpha1.RunAccepted, benchv1alpha1.ReasonValid, "every check was passed")
	v.admittedCondition(c)
	v.mirrorTarget(c)
	v.dataLoaded(c)
	c.True(benchv1alpha1.RunProgressing, v.stage, short(v.doing()+v.leftAlone()))
	c.Unknown(benchv1alpha1.RunSucceeded, benchv1alpha1.ReasonRunning, "the run has not ended")
	c.Unknown(benchv1alpha1.RunTrusted, benchv1alpha1.ReasonNotMeasured, notMeasured)
	status.Conditions = c.List
	status.Stages = enter(status.Stages, v.stage, v.Now)
	status.Progress = v.stepProgress()
	return status
}

// common is what the status of a run says from the first to the last.
func (v *view) common() benchv1alpha1.BenchmarkRunStatus {
	status := *v.Run.Status.DeepCopy()
	status.TargetName = targetName(v.Run)
	if v.stage == benchv1alpha1.StageQueued { // It has not begun, or will begin anew.
		return benchv1alpha1.BenchmarkRunStatus{
			TargetName: status.TargetName, Conditions: status.Conditions, Stages: onlyQueued(status.Stages),
		}
	}
	status.PlanHash = v.hash
	if v.Target != nil && v.Target.Status.Server != nil {
		status.Server = v.Target.Status.Server.DeepCopy()
	}
	return status
}

// failed is the status of a run that ends for a cause.
func (v *view) failed(cause *finding) benchv1alpha1.BenchmarkRunStatus {
	status := v.running()
	c := condition.New(status.Conditions, v.Run.Generation, v.Now)
	if !condition.IsTrue(c.List, benchv1alpha1.RunDataLoaded) {
		c.False(benchv1alpha1.RunDataLoaded, benchv1alpha1.ReasonLoadFailed, "the run ended before the dataset was in place")
	}
	c.False(benchv1alpha1.RunSucceeded, cause.reason, short(cause.message))
	return v.ended(status, c)
}

// succeeded is the status of a run whose report is stored.
func (v *view) succeeded(
	result *benchv1alpha1.Result, fingerprint *benchv1alpha1.RunFingerprint, doubts []result.Doubt,
) benchv1alpha1.BenchmarkRunStatus {
	status := v.running()
	status.Result, status.Fingerprint = result, fingerprint
	c := condition.New(status.Conditions, v.Run.Generation, v.Now)
	c.True(benchv1alpha1.RunSucceeded, benchv1alpha1.ReasonCompleted, "every step was measured")
	trusted(c, doubts)
	return v.ended(status, c)
}

func (v *view) ended(status benchv1alpha1.BenchmarkRunStatus, c *condition.Setter) benchv1alpha1.BenchmarkRunStatus {
	neverAdmitted(c)
	c.True(benchv1alpha1.RunProgressing, benchv1alpha1.StageCleaningUp, cleaningMessage)
	status.Conditions = c.List
	status.Stages = enter(v.Run.Status.Stages, benchv1alpha1.StageCleaningUp, v.Now)
	if condition.IsTrue(c.List, benchv1alpha1.RunSucceeded) {
		status.Stages = enter(enter(v.Run.Status.Stages, v.stage, v.Now), benchv1alpha1.StageCleaningUp, v.Now)
	}
	status.Progress = nil
	fit(&status)
	return status
}

// mirrorTarget copies the target's Ready.
func (v *view) mirrorTarget(c *condition.Setter) {
	const conditionType = benchv1alpha1.RunTargetReady
	name := targetName(v.Run)
	switch {
	case v.stage == benchv1alpha1.StageQueued:
		c.Unknown(conditionType, benchv1alpha1.ReasonQueued, "the target is looked at when it is the run's turn")
	case v.Target == nil && v.inline():
		c.False(conditionType, benchv1alpha1.ReasonPodsStarting, fmt.Sprintf("target %q is being created", name))
	case v.Target == nil:
		c.False(conditionType, benchv1alpha1.ReasonTargetNotFound,
			fmt.Sprintf("spec.targetRef.name: no BenchmarkTarget %q exists in this namespace", name))
	default:
		ready := condition.Find(v.Target.Status.Conditions, benchv1alpha1.TargetReady)
		switch {
		case ready == nil:
			c.False(conditionType, benchv1alpha1.ReasonPodsStarting, fmt.Sprintf("target %q has just been created", name))
		case ready.Status == metav1.ConditionTrue:
			c.True(conditionType, benchv1alpha1.ReasonTargetReady, short(ready.Message))
		default:
			c.Set(conditionType, ready.Status, ready.Reason, short(ready.Message))
		}
	}
}

func (v *view) dataLoaded(c *condition.Setter) {
	const conditionType = benchv1alpha1.RunDataLoaded
	switch {
	case v.loaded() && v.reused():
		c.True(conditionType, benchv1alpha1.ReasonReused,
			"the dataset lay in the target already, unmodified, and was counted")
	case v.loaded():
		c.True(conditionType, benchv1alpha1.ReasonLoaded, "every document was written, and the server's count agrees")
	case v.stage == benchv1alpha1.StageLoading:
		c.False(conditionType, benchv1alpha1.ReasonLoading, "the dataset is being loaded")
	default:
		c.False(conditionType, benchv1alpha1.ReasonLoadPending, "the load has not begun")
	}
}

// doing is what a run does, in words that stay the same while it does it.
func (v *view) doing() string {
	switch v.stage {
	case benchv1alpha1.StageQueued:
		return v.waitsForTurn()
	case benchv1alpha1.StageProvisioning:
		return v.waitsFor()
	case benchv1alpha1.StageCollecting:
		return "the reports of the load pods are being merged"
	}
	step := v.step()
	switch {
	case step.Kind != planv1alpha1.StepMeasure:
		return fmt.Sprintf("step %q runs", step.Name)
	case v.stage == benchv1alpha1.StageWarmingUp:
		return fmt.Sprintf("step %q warms up", step.Name)
	default:
		return fmt.Sprintf("step %q is measured", step.Name)
	}
}

// Troubled is a status that also says what could not be written, for people: the run is tried again, until a deadline.
func Troubled(
	run *benchv1alpha1.BenchmarkRun, status benchv1alpha1.BenchmarkRunStatus, trouble error,
) benchv1alpha1.BenchmarkRunStatus {
	said := condition.Find(status.Conditions, benchv1alpha1.RunProgressing)
	if said == nil || said.Status != metav1.ConditionTrue {
		return status
	}
	troubled := *status.DeepCopy()
	c := condition.New(troubled.Conditions, run.Generation, said.LastTransitionTime.Time)
	c.True(benchv1alpha1.RunProgressing, said.Reason, short(trouble.Error()))
	troubled.Conditions = c.List
	return troubled
}

// targetName is the name of the BenchmarkTarget that a run measures.
func targetName(run *benchv1alpha1.BenchmarkRun) string {
	if run.Spec.TargetRef != nil {
		return run.Spec.TargetRef.Name
	}
	return inlineTargetName(run)
}

// short cuts a message to what a condition of a run may take.
func short(message string) string { return cut(strings.TrimSpace(message), maxMessage) }

// cut cuts a text to so many bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most - len("...")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}
