package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
)

// keeps says whether target and pods of a run that has ended stay.
func keeps(run *benchv1alpha1.BenchmarkRun) bool {
	switch ptr.Deref(run.Spec.CleanupPolicy, "") {
	case benchv1alpha1.CleanupKeep:
		return true
	case benchv1alpha1.CleanupKeepOnFailure:
		return condition.IsFalse(run.Status.Conditions, benchv1alpha1.RunSucceeded)
	default:
		return false
	}
}

// keptFor is for how much longer something is kept: not at all, for ever (0), or for a time.
func keptFor(o *Observation) (bool, time.Duration) {
	if !keeps(o.Run) {
		return false, 0
	}
	ttl := o.Run.Spec.TTLSecondsAfterFinished
	finished := condition.Find(o.Run.Status.Conditions, benchv1alpha1.RunProgressing)
	if ttl == nil || finished == nil || finished.Status != metav1.ConditionFalse {
		return true, 0
	}
	left := finished.LastTransitionTime.Add(time.Duration(*ttl) * time.Second).Sub(o.Now)
	return left > 0, max(left, 0)
}

// finished is the decision on a run that has nothing left to do: its status stays as it is. What it kept goes when its
// time is over, or when the cleanupPolicy was changed.
func finished(o *Observation) Decision {
	decision := Decision{Status: *o.Run.Status.DeepCopy(), Changes: act.Heal(o.Run, o.Members)}
	decision.Leave, decision.Wait = keptFor(o)
	return decision
}

// cleanUp removes, after the verdict, what the run made, and is finished when all of it is gone.
func cleanUp(o *Observation) Decision {
	decision := Decision{Changes: act.Heal(o.Run, o.Members)}
	decision.Leave, _ = keptFor(o)
	left := remaining(o)
	var over bool
	if entered := stageOf(o.Run.Status.Stages, benchv1alpha1.StageCleaningUp); entered != nil {
		over = o.Now.Sub(entered.StartTime.Time) >= cleaningTime
	}
	decision.Status = *o.Run.Status.DeepCopy()
	c := condition.In(&decision.Status.Conditions, o.Run.Generation, o.Now)
	stage := benchv1alpha1.ReasonFinished
	switch {
	case decision.Leave:
		c.False(benchv1alpha1.RunProgressing, stage, "the run has ended; what it made is kept, as its cleanupPolicy says")
		decision.Wait = ttlWait(o.Run)
	case len(left) == 0:
		c.False(benchv1alpha1.RunProgressing, stage, "the run has ended")
	case over:
		c.False(benchv1alpha1.RunProgressing, stage, condition.Short(fmt.Sprintf(
			"the run has ended; after %s these were still there: %s", cleaningTime, strings.Join(left, ", "))))
	default:
		stage = benchv1alpha1.StageCleaningUp
		c.True(benchv1alpha1.RunProgressing, stage, cleaningMessage)
		decision.Wait = pollPeriod
	}
	decision.Status.Stages = enter(o.Run.Status.Stages, stage, o.Now)
	return decision
}

func ttlWait(run *benchv1alpha1.BenchmarkRun) time.Duration {
	if run.Spec.TTLSecondsAfterFinished == nil {
		return 0
	}
	return max(time.Duration(*run.Spec.TTLSecondsAfterFinished)*time.Second, time.Millisecond)
}

// remaining names what a run has made and is still there: its objects, and pods that outlive their owners for a while.
func remaining(o *Observation) []string {
	left := make([]string, 0, len(o.Owned)+len(o.Pods)+len(o.CollectPods)+len(o.TargetPods))
	for _, object := range o.Owned {
		left = append(left, kindOf(object)+" "+object.GetName())
	}
	for _, pod := range slices.Concat(o.Pods, o.CollectPods, o.TargetPods) {
		left = append(left, "Pod "+pod.Name)
	}
	slices.Sort(left)
	return left
}

// kindOf is the kind by the type's name: objects that a client returned do not carry it.
func kindOf(object any) string {
	name := fmt.Sprintf("%T", object)
	return name[strings.LastIndexByte(name, '.')+1:]
}
