package spec

import (
	"cmp"
	"slices"

	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// compileGroups gives a step its groups, and its operations in their order.
func compileGroups(step *planv1.Step, declared []benchv1alpha1.Group) {
	places := make(map[string]int, len(declared))
	for i := range declared {
		group := compileGroup(&declared[i])
		places[group.Name] = i
		step.Threads += group.Threads
		step.Groups = append(step.Groups, group)
	}
	slices.SortStableFunc(step.Operations, func(a, b planv1.Operation) int {
		return cmp.Compare(places[a.Group], places[b.Group])
	})
}

func compileGroup(declared *benchv1alpha1.Group) planv1.Group {
	group := planv1.Group{
		Name:              declared.Name,
		Threads:           int(*declared.Threads),
		ThinkTime:         compileThinkTime(declared.ThinkTime),
		Arrival:           compileArrival(declared.Arrival),
		StartAfterSeconds: int(*declared.StartAfterSeconds),
		StartAfter:        ptr.Deref(declared.StartAfterGroup, ""),
		DurationSeconds:   int(ptr.Deref(declared.DurationSeconds, 0)),
		OperationCount:    ptr.Deref(declared.OperationCount, 0),
		StopWith:          ptr.Deref(declared.StopWithGroup, ""),
	}
	for _, stage := range declared.ThreadStages {
		group.ThreadStages = append(group.ThreadStages, planv1.ThreadStage{
			Seconds: int(stage.Seconds), From: int(*stage.FromThreads), To: int(*stage.Threads),
		})
	}
	return group
}

func compileThinkTime(declared *benchv1alpha1.ThinkTime) *planv1.ThinkTime {
	if declared == nil {
		return nil
	}
	return &planv1.ThinkTime{
		Distribution:    *declared.Distribution,
		Micros:          *declared.Micros,
		MaxMicros:       ptr.Deref(declared.MaxMicros, 0),
		DeviationMicros: ptr.Deref(declared.DeviationMicros, 0),
		FromStart:       *declared.From == benchv1alpha1.ThinkTimeFromStart,
	}
}
