package spec

import (
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// compileStep makes one step of a plan, or one for each number of threads of a sweep.
func compileStep(declared benchv1alpha1.Step) []planv1.Step {
	step := planv1.Step{
		Name:            declared.Name,
		Kind:            planv1.StepMeasure,
		Threads:         int(ptr.Deref(declared.Threads, 0)),
		WarmupSeconds:   int(ptr.Deref(declared.WarmupSeconds, 0)),
		DurationSeconds: int(ptr.Deref(declared.DurationSeconds, 0)),
		OperationCount:  ptr.Deref(declared.OperationCount, 0),
		ThinkTimeMicros: ptr.Deref(declared.ThinkTimeMicros, 0),
		Arrival:         compileArrival(declared.Arrival),
		Search:          compileSearch(declared.Search),
		Retry:           *declared.Retry == benchv1alpha1.RetryOnce,
		Actions:         compileActions(declared.Actions),
		Operations:      make([]planv1.Operation, 0, len(declared.Operations)),
	}
	for _, operation := range declared.Operations {
		step.Operations = append(step.Operations, CompileOperation(operation))
	}
	if len(declared.ThreadSweep) == 0 {
		return []planv1.Step{step}
	}
	steps := make([]planv1.Step, 0, len(declared.ThreadSweep))
	for _, threads := range declared.ThreadSweep {
		one := step
		one.Name, one.SweepOf, one.Threads = planv1.SweepStepName(declared.Name, threads), declared.Name, int(threads)
		steps = append(steps, one)
	}
	return steps
}

func compileArrival(declared *benchv1alpha1.Arrival) *planv1.Arrival {
	if declared == nil {
		return nil
	}
	arrival := &planv1.Arrival{
		Process:    string(*declared.Process),
		GapsMicros: declared.GapsMicros,
		MaxQueued:  *declared.MaxQueued,
	}
	// The rate of a single stage goes on after it, so that any length means the same.
	if rate := declared.OperationsPerSecond; rate != nil {
		arrival.Stages = append(arrival.Stages, planv1.ArrivalStage{Seconds: 1, From: *rate, To: *rate})
	}
	for _, stage := range declared.Stages {
		arrival.Stages = append(arrival.Stages, planv1.ArrivalStage{
			Seconds: int(stage.Seconds),
			From:    *stage.FromOperationsPerSecond,
			To:      stage.OperationsPerSecond,
		})
	}
	return arrival
}

func compileSearch(declared *benchv1alpha1.Search) *planv1.Search {
	if declared == nil {
		return nil
	}
	return &planv1.Search{
		PercentileMillis: percentileMillis(*declared.Percentile),
		LimitMicros:      declared.LimitMicros,
		Lowest:           *declared.MinOperationsPerSecond,
		Highest:          declared.MaxOperationsPerSecond,
		TrialSeconds:     int(*declared.TrialSeconds),
		TolerancePercent: int(*declared.TolerancePercent),
	}
}

// percentileMillis reads the digits of a name: P999 is 99.9 %, in thousandths of a percent.
func percentileMillis(percentile benchv1alpha1.Percentile) int {
	digits := strings.TrimPrefix(string(percentile), "P") + "000"
	millis, _ := strconv.Atoi(digits[:5]) // The API lists the names.
	return millis
}
