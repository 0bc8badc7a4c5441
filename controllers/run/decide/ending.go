package decide

import (
	"fmt"
	"slices"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/quota"
)

// cleanUp removes, after the verdict, what the run made, and is finished when all of it is gone.
func cleanUp(o *Observation) Decision {
	var decision Decision
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
		decision.Wait, decision.Drop = keepWait(o.Run), passing(o)
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
	if !decision.Leave && stage == benchv1alpha1.ReasonFinished && o.Quota.Workload != nil {
		decision.Quota = quota.Remove
	}
	return decision
}

// remaining names what a run has made and is still there: its objects, and pods that outlive their owners for a while.
func remaining(o *Observation) []string {
	pods := slices.Concat(o.Pods, o.CollectPods, o.GatewayPods, o.TargetPods)
	left := make([]string, 0, len(o.Owned)+len(pods))
	for _, object := range o.Owned {
		left = append(left, kindOf(object)+" "+object.GetName())
	}
	for _, pod := range pods {
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
