package decide

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
)

// Refused decides again on a run of which the API server refused an object for good; nil when it goes on. Only before
// load pods have begun is there nothing to lose.
func Refused(o Observation, fault podfault.Fault) *Decision {
	o.Refused = fault
	decision := Decide(o)
	judged := o.Run.DeepCopy()
	judged.Status = decision.Status
	if !condition.Ended(judged) {
		return nil
	}
	return &decision
}

// refused is the verdict on a run that cannot begin because of what the API server refuses.
func refused(s *state) *failure {
	if !s.Refused.Terminal || !triedToBegin(s) {
		return nil
	}
	return because(s.Refused.Reason, "%s", s.Refused.Message)
}

// triedToBegin says whether a run has tried for long enough to begin, and has not.
func triedToBegin(s *state) bool {
	entered := stageOf(s.Run.Status.Stages, benchv1alpha1.StageProvisioning)
	return s.stage.name == benchv1alpha1.StageProvisioning && !s.began() && entered != nil &&
		s.Now.Sub(entered.StartTime.Time) >= podfault.RefusalGrace
}

// Plain is a verdict that the API server takes, in place of a status that it refused as invalid, such as one with a
// figure that no honest load generator reports: without one the run would be tried for ever, and keep its place. A
// report that is stored stays.
func Plain(o *Observation, refused benchv1alpha1.BenchmarkRunStatus, why error) benchv1alpha1.BenchmarkRunStatus {
	cause := because(benchv1alpha1.ReasonConfigError, "the API server refuses the status of the run: %s", why)
	if refused.Result != nil {
		cause = because(benchv1alpha1.ReasonReportMissing,
			"the steps were measured, and the report is stored in ConfigMap %s; the API server refuses its summary: %s",
			refused.Result.Report.ConfigMapName, why)
	}
	status := benchv1alpha1.BenchmarkRunStatus{
		TargetName: TargetName(o.Run), PlanHash: o.Run.Status.PlanHash, Conditions: o.Run.Status.Conditions,
	}
	status = *status.DeepCopy()
	c := condition.In(&status.Conditions, o.Run.Generation, o.Now)
	tellEnd(c, metav1.ConditionFalse, cause.reason, condition.Short(cause.message))
	c.Unknown(benchv1alpha1.RunTrusted, benchv1alpha1.ReasonNotMeasured, notMeasured)
	c.True(benchv1alpha1.RunProgressing, benchv1alpha1.StageCleaningUp, cleaningMessage)
	status.Stages = enter(o.Run.Status.Stages, benchv1alpha1.StageCleaningUp, o.Now)
	return status
}
