package spec

import (
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
)

func group(group *benchv1alpha1.Group, pods int32) {
	for i := range group.ThreadStages {
		product.Default(&group.ThreadStages[i].FromThreads, ptr.Deref(group.ThreadStages[i].Threads, 0))
	}
	if len(group.ThreadStages) > 0 {
		group.Threads = new(mostThreads(group.ThreadStages))
	}
	product.Default(&group.Threads, threads(group.Arrival, nil, pods))
	product.Default(&group.StartAfterSeconds, 0)
	thinkTime(group.ThinkTime)
	arrival(group.Arrival)
}

// mostThreads are the threads that a ramp needs.
func mostThreads(stages []benchv1alpha1.ThreadStage) int32 {
	most := int32(1)
	for _, stage := range stages {
		most = max(most, ptr.Deref(stage.Threads, 0), *stage.FromThreads)
	}
	return most
}

// stepThinkTime puts the short form of a step's think time into the long one.
func stepThinkTime(step *benchv1alpha1.Step) {
	if micros := ptr.Deref(step.ThinkTimeMicros, 0); step.ThinkTime == nil && micros > 0 {
		step.ThinkTime = &benchv1alpha1.ThinkTime{Micros: &micros}
	}
	step.ThinkTimeMicros = nil
	thinkTime(step.ThinkTime)
	for i := range step.Operations {
		thinkTime(step.Operations[i].ThinkTime)
	}
}

func thinkTime(declared *benchv1alpha1.ThinkTime) {
	if declared == nil {
		return
	}
	product.Default(&declared.Distribution, benchv1alpha1.ThinkTimeConstant)
	product.Default(&declared.From, benchv1alpha1.ThinkTimeFromReply)
}
