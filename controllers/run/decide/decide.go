package decide

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// Decide says what is to be done about a run.
func Decide(o Observation) Decision {
	switch {
	case o.Run.DeletionTimestamp != nil: // Its objects go with it, by their owner references.
		return Decision{Leave: true, Status: *o.Run.Status.DeepCopy(), Changes: healing(&o)}
	case verdictWritten(o.Run) && condition.IsFalse(o.Run.Status.Conditions, benchv1alpha1.RunProgressing):
		return finished(&o)
	case verdictWritten(o.Run):
		return cleanUp(&o)
	}
	// What was accepted stays accepted, whatever a later version of the operator would say.
	if !condition.IsTrue(o.Run.Status.Conditions, benchv1alpha1.RunAccepted) {
		if errs := validation.ValidateRun(o.Run); len(errs) > 0 {
			return Decision{Leave: true, Status: rejected(&o, errs)}
		}
	}
	v, err := look(&o)
	if err != nil {
		return Decision{Leave: true, Status: rejected(&o, field.ErrorList{field.InternalError(field.NewPath("spec"), err)})}
	}
	for _, early := range earlier {
		if decision := early(v); decision != nil {
			return *decision
		}
	}
	decision := v.decideStage()
	decision.Datasets = v.datasets()
	return decision
}

// earlier decisions come before those on the stage that a run is in, in this order.
var earlier = []func(*view) *Decision{
	(*view).cancelled,      // it is to end
	(*view).suspended,      // it had begun, and is to stop
	(*view).nameTaken,      // its target's name is somebody else's
	(*view).databaseClosed, // the target does not let it write
	(*view).targetRefuses,  // the target does not let it act, or its database cannot
	(*view).waiting,        // it is not its turn
	(*view).admission,      // it is, as of now
}

func (v *view) decideStage() Decision {
	if v.stage == benchv1alpha1.StageCollecting {
		return v.decideCollecting()
	}
	return v.decideRunning()
}

// decideRunning goes on with a run unless there is a cause to end it. A cause that may have a better one behind it
// waits.
func (v *view) decideRunning() Decision {
	cause := v.cause()
	if cause == nil {
		return Decision{Desired: v.desired(), Status: v.running(), Wait: v.wait(), Changes: v.changes()}
	}
	if left := cause.graceLeft(v.Now); left > 0 {
		return Decision{Leave: true, Status: v.running(), Wait: min(left, v.wait())}
	}
	return Decision{Leave: true, Status: v.failed(cause)}
}

// decideCollecting takes a run whose pods are done to its result.
func (v *view) decideCollecting() Decision {
	c := v.collect()
	if c.stored != nil {
		return v.decideResult(*c.stored, c.digest)
	}
	if missing := v.reportMissing(c); missing != nil {
		return Decision{Leave: true, Status: v.failed(missing)}
	}
	decision := Decision{Desired: v.desired(), Status: v.running(), Wait: v.wait(), Changes: v.changes()}
	if c.store != nil {
		decision.Desired = append(decision.Desired, c.store)
	}
	return decision
}

func (v *view) decideResult(stored reportv1alpha1.Report, digest string) Decision {
	summary, err := Result(v.Run.Name, stored, digest)
	var doubts []result.Doubt
	if err == nil {
		doubts, err = result.Doubts(stored)
	}
	if err != nil {
		unreadable := &finding{reason: benchv1alpha1.ReasonReportMissing, message: err.Error()}
		return Decision{Leave: true, Status: v.failed(unreadable)}
	}
	status := v.succeeded(summary, v.fingerprint(stored), doubts)
	readBack(status.Server, stored.Server)
	fit(&status)
	return Decision{Leave: true, Status: status}
}

// nameTaken decides on a run whose own target would have the name of somebody else's. What an earlier run of the same
// name left is waited for; anybody else's stays.
func (v *view) nameTaken() *Decision {
	if !v.inline() || v.Target == nil || metav1.IsControlledBy(v.Target, v.Run) {
		return nil
	}
	if v.Job != nil || v.began() { // Its own was there, and was replaced: it is lost.
		v.Target = nil
		return nil
	}
	owner := metav1.GetControllerOf(v.Target)
	if owner != nil && owner.Kind == "BenchmarkRun" && owner.Name == v.Run.Name {
		v.Target = nil
		if !Holds(v.Run) {
			return nil
		}
		status := v.running()
		c := condition.New(status.Conditions, v.Run.Generation, v.Now)
		c.True(benchv1alpha1.RunProgressing, v.stage, "the target of an earlier run of the same name is being removed")
		status.Conditions = c.List
		if cause := late(v); cause != nil {
			return &Decision{Leave: true, Status: v.failed(cause)}
		}
		return &Decision{Leave: true, Status: status, Wait: pollPeriod}
	}
	taken := field.Invalid(field.NewPath("metadata", "name"), v.Run.Name,
		fmt.Sprintf("a BenchmarkTarget %q exists that is not this run's own; choose another name, or measure it by "+
			"spec.targetRef", v.Run.Name))
	return &Decision{Leave: true, Status: rejected(&v.Observation, field.ErrorList{taken})}
}
