package decide

import (
	"fmt"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/admit"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// rejected is the status of a run whose specification makes no sense.
func rejected(o *Observation, errs field.ErrorList) benchv1alpha1.BenchmarkRunStatus {
	status := *o.Run.Status.DeepCopy()
	message := condition.Short(errs.ToAggregate().Error())
	c := condition.In(&status.Conditions, o.Run.Generation, o.Now)
	c.False(benchv1alpha1.RunAccepted, benchv1alpha1.ReasonInvalid, message)
	admit.Never(c)
	c.False(benchv1alpha1.RunProgressing, benchv1alpha1.ReasonFinished, "nothing was started")
	tellEnd(c, metav1.ConditionFalse, benchv1alpha1.ReasonInvalid, message)
	c.Unknown(benchv1alpha1.RunTrusted, benchv1alpha1.ReasonNotMeasured, notMeasured)
	return status
}

const (
	notMeasured = "there are no numbers"
	notEnded    = "the run has not ended"
)

// tellOpen says that the end of a run is not decided; the reason may already be that of the failure to come.
func tellOpen(c *condition.Setter, reason, message string) {
	c.Unknown(benchv1alpha1.RunSucceeded, reason, message)
	c.False(benchv1alpha1.RunComplete, benchv1alpha1.ReasonNotEnded, notEnded)
}

// tellEnd says how a run ended, and with the same words that it has. Nothing else writes these conditions.
func tellEnd(c *condition.Setter, status metav1.ConditionStatus, reason, message string) {
	c.Set(benchv1alpha1.RunSucceeded, status, reason, message)
	c.True(benchv1alpha1.RunComplete, reason, c.Find(benchv1alpha1.RunSucceeded).Message)
}

// running is the status of a run whose end is open.
func (s *state) running() benchv1alpha1.BenchmarkRunStatus {
	status := s.common()
	c := condition.In(&status.Conditions, s.Run.Generation, s.Now)
	tellAccepted(c, s.Prices)
	queued := s.stage.name == benchv1alpha1.StageQueued
	admit.Tell(c, s.Turn, s.Run, queued, held(s))
	mirrorTarget(c, &s.Observation, queued)
	s.dataLoaded(c)
	c.True(benchv1alpha1.RunProgressing, s.stage.name, condition.Short(s.stage.doing(s)+s.actions().Missed()))
	tellOpen(c, benchv1alpha1.ReasonNotEnded, notEnded)
	c.Unknown(benchv1alpha1.RunTrusted, benchv1alpha1.ReasonNotMeasured, notMeasured)
	apimeta.RemoveStatusCondition(&status.Conditions, benchv1alpha1.RunObjectivesKept)
	status.Stages = enter(status.Stages, s.stage.name, s.Now)
	status.Progress = nil
	if s.stage.atStep() {
		status.Progress = s.load.OfStep()
	}
	return status
}

// common is what the status of a run says from the first to the last.
func (s *state) common() benchv1alpha1.BenchmarkRunStatus {
	status := *s.Run.Status.DeepCopy()
	status.TargetName = TargetName(s.Run)
	if s.stage.name == benchv1alpha1.StageQueued { // It has not begun, or starts over.
		return benchv1alpha1.BenchmarkRunStatus{
			TargetName: status.TargetName, Conditions: status.Conditions, Stages: onlyQueued(status.Stages),
			Attempts: status.Attempts,
		}
	}
	status.PlanHash, status.Sharing = s.load.Hash, sharing(s)
	if s.Target != nil && s.Target.Status.Server != nil {
		status.Server = s.Target.Status.Server.DeepCopy()
	}
	return status
}

// failed is the status of a run that ends for a cause.
func (s *state) failed(cause *failure) benchv1alpha1.BenchmarkRunStatus {
	status := s.running()
	c := condition.In(&status.Conditions, s.Run.Generation, s.Now)
	if !condition.IsTrue(status.Conditions, benchv1alpha1.RunDataLoaded) {
		c.False(benchv1alpha1.RunDataLoaded, benchv1alpha1.ReasonLoadFailed, "the run ended before the dataset was in place")
	}
	tellEnd(c, metav1.ConditionFalse, cause.reason, condition.Short(cause.message))
	return s.ended(&status, c)
}

// succeeded is the status of a run whose report is stored.
func (s *state) succeeded(told reportv1alpha1.Collected) benchv1alpha1.BenchmarkRunStatus {
	status := s.running()
	c := condition.In(&status.Conditions, s.Run.Generation, s.Now)
	tellEnd(c, metav1.ConditionTrue, benchv1alpha1.ReasonCompleted, "every step was measured")
	status = s.ended(&status, c)
	s.measured(&status, told)
	return status
}

// measured adds to the status of a run that ends what was measured.
func (s *state) measured(status *benchv1alpha1.BenchmarkRunStatus, told reportv1alpha1.Collected) {
	told, cost := s.scene().Cost(told, s.Prices, s.Surroundings, status)
	status.Summary, status.Result = collect.Summary(told), collect.Result(told)
	status.Result.Cost = cost
	status.Fingerprint = s.scene().Fingerprint(s.load.Plan, s.Surroundings, told.Conditions)
	if s.Run.Spec.Duet != nil {
		other := collect.Scene{Target: s.Baseline, Members: s.BaselineMembers, Pods: s.current}
		status.Duet = collect.Duet(told.Duet, spec.BaselineName(s.Run.Spec.Duet), other, s.load.Plan, s.Surroundings)
		if status.Duet != nil {
			collect.Priced(status.Duet.Fingerprint, s.Prices)
		}
	}
	collect.Priced(status.Fingerprint, s.Prices)
	c := condition.In(&status.Conditions, s.Run.Generation, s.Now)
	status.Doubts = trusted(c, told.Doubts, told.Remarks)
	objectivesKept(c, told.Summary)
	collect.ReadBack(status.Server, told)
	collect.Fit(status)
}

const cleaningMessage = "the run has ended; what it made is being removed"

func (s *state) ended(status *benchv1alpha1.BenchmarkRunStatus, c *condition.Setter) benchv1alpha1.BenchmarkRunStatus {
	admit.Never(c)
	c.True(benchv1alpha1.RunProgressing, benchv1alpha1.StageCleaningUp, cleaningMessage)
	status.Stages = enter(s.Run.Status.Stages, benchv1alpha1.StageCleaningUp, s.Now)
	if condition.IsTrue(status.Conditions, benchv1alpha1.RunSucceeded) {
		status.Stages = enter(enter(s.Run.Status.Stages, s.stage.name, s.Now), benchv1alpha1.StageCleaningUp, s.Now)
	}
	status.Progress = nil
	collect.Fit(status)
	return *status
}

// mirrorTarget copies the target's Ready.
func mirrorTarget(c *condition.Setter, o *Observation, queued bool) {
	const conditionType = benchv1alpha1.RunTargetReady
	told := o.unready()
	name := told.name
	switch {
	case queued:
		c.Unknown(conditionType, benchv1alpha1.ReasonQueued, "the target is looked at when it is the run's turn")
	case told.target == nil && o.inline() && name == TargetName(o.Run):
		c.False(conditionType, benchv1alpha1.ReasonPodsStarting, fmt.Sprintf("target %q is being created", name))
	case told.target == nil:
		path := "spec.targetRef.name"
		if name != TargetName(o.Run) {
			path = "spec.duet.baseline.targetRef.name"
		}
		c.False(conditionType, benchv1alpha1.ReasonTargetNotFound,
			fmt.Sprintf("%s: no BenchmarkTarget %q exists in this namespace", path, name))
	default:
		ready := condition.Find(told.target.Status.Conditions, benchv1alpha1.TargetReady)
		switch {
		case ready == nil:
			c.False(conditionType, benchv1alpha1.ReasonPodsStarting, fmt.Sprintf("target %q has just been created", name))
		case ready.Status == metav1.ConditionTrue:
			c.True(conditionType, benchv1alpha1.ReasonTargetReady, condition.Short(ready.Message))
		default:
			message := ready.Message
			if name != TargetName(o.Run) {
				message = fmt.Sprintf("the baseline, target %q: %s", name, message)
			}
			c.Set(conditionType, ready.Status, ready.Reason, condition.Short(message))
		}
	}
}

func (s *state) dataLoaded(c *condition.Setter) {
	const conditionType = benchv1alpha1.RunDataLoaded
	switch {
	case s.stage.loaded && s.load.First().Reused:
		c.True(conditionType, benchv1alpha1.ReasonReused,
			"the dataset lay in the target already, unmodified, and was counted")
	case s.stage.loaded && s.load.Plan.DatedFromLoad():
		c.True(conditionType, benchv1alpha1.ReasonLoaded, "every document was written; it is so for every run of this "+
			"dataset, since its dates count from the instant at which the load begins")
	case s.stage.loaded:
		c.True(conditionType, benchv1alpha1.ReasonLoaded, "every document was written, and the server's count agrees")
	case s.stage.name == benchv1alpha1.StageLoading:
		c.False(conditionType, benchv1alpha1.ReasonLoading, "the dataset is being loaded")
	default:
		c.False(conditionType, benchv1alpha1.ReasonLoadPending, "the load has not begun")
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
	c := condition.In(&troubled.Conditions, run.Generation, said.LastTransitionTime.Time)
	c.True(benchv1alpha1.RunProgressing, said.Reason, condition.Short(trouble.Error()))
	return troubled
}

// objectivesKept says whether all objectives were kept, of a run that has any.
func objectivesKept(c *condition.Setter, summary reportv1alpha1.Summary) {
	count, missed := result.Missed(summary)
	switch {
	case len(missed) > 0:
		c.False(benchv1alpha1.RunObjectivesKept, benchv1alpha1.ReasonMissed, condition.Short(strings.Join(missed, "; ")))
	case count > 0:
		c.True(benchv1alpha1.RunObjectivesKept, benchv1alpha1.ReasonKept, "every objective was kept")
	}
}

// trusted says whether the numbers may be believed: the reason is that of the first doubt, the message tells them all,
// and what else a reader has to know. It returns the reasons of all doubts.
func trusted(c *condition.Setter, doubts []reportv1alpha1.Doubt, remarks []string) (reasons []string) {
	if len(doubts) == 0 {
		c.True(benchv1alpha1.RunTrusted, benchv1alpha1.ReasonNoConcern,
			condition.Short(result.Remarked("none of the checks found a reason for doubt", remarks)))
		return nil
	}
	messages := make([]string, 0, len(doubts))
	for _, doubt := range doubts {
		messages, reasons = append(messages, doubt.Reason+": "+doubt.Message), append(reasons, doubt.Reason)
	}
	c.False(benchv1alpha1.RunTrusted, doubts[0].Reason,
		condition.Short(result.Remarked(strings.Join(messages, "; "), remarks)))
	return reasons
}
