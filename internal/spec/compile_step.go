package spec

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

// compileStep makes one step of a plan, or one for each number of threads of a sweep.
func compileStep(declared benchv1alpha1.Step, client benchv1alpha1.Client, database string) []planv1.Step {
	step := planv1.Step{
		Name:            declared.Name,
		Kind:            planv1.StepMeasure,
		Threads:         int(ptr.Deref(declared.Threads, 0)),
		WarmupSeconds:   int(ptr.Deref(declared.WarmupSeconds, 0)),
		DurationSeconds: int(ptr.Deref(declared.DurationSeconds, 0)),
		OperationCount:  ptr.Deref(declared.OperationCount, 0),
		ThinkTime:       compileThinkTime(declared.ThinkTime),
		Arrival:         compileArrival(declared.Arrival),
		Search:          compileSearch(declared.Search),
		Retry:           compileRetry(*declared.Retry, client),
		Actions:         compileActions(declared.Actions),
		AbortOn:         compileThresholds(declared.AbortOn),
		Replay:          compileReplay(declared.Replay, database),
		Objectives:      compileObjectives(declared.Objectives),

		ExpectedIntervalMicros: ptr.Deref(declared.ExpectedIntervalMicros, 0),
		Operations:             make([]planv1.Operation, 0, len(declared.Operations)),
	}
	if declared.Session != benchv1alpha1.SessionNone {
		step.Session = declared.Session
	}
	step.Connections = compileConnections(declared.Connections)
	for _, percentile := range declared.Percentiles {
		step.Percentiles = append(step.Percentiles, PercentMillis(percentile))
	}
	for _, operation := range declared.Operations {
		step.Operations = append(step.Operations, CompileOperation(operation))
	}
	compileGroups(&step, declared.Groups)
	return sweep(step, declared)
}

// sweep makes one step for each number of what the step sweeps over, or one alone.
func sweep(step planv1.Step, declared benchv1alpha1.Step) []planv1.Step {
	steps := make([]planv1.Step, 0, max(1, len(Sweep(declared))))
	for _, threads := range declared.ThreadSweep {
		one := step
		one.Name, one.SweepOf, one.Threads = planv1.SweepStepName(step.Name, threads), step.Name, int(threads)
		steps = append(steps, one)
	}
	for _, idle := range idleSweep(declared) {
		one, connections := step, *step.Connections
		connections.Idle = int(idle)
		one.Name, one.SweepOf, one.Connections = planv1.SweepStepName(step.Name, idle), step.Name, &connections
		steps = append(steps, one)
	}
	if len(steps) == 0 {
		steps = append(steps, step)
	}
	return steps
}

// Sweep are the numbers that a step sweeps over, of threads or of idle connections; nil where it is measured once.
func Sweep(declared benchv1alpha1.Step) []int32 {
	if len(declared.ThreadSweep) > 0 {
		return declared.ThreadSweep
	}
	return idleSweep(declared)
}

func idleSweep(declared benchv1alpha1.Step) []int32 {
	if declared.Connections == nil {
		return nil
	}
	return declared.Connections.IdleSweep
}

func compileConnections(declared *benchv1alpha1.Connections) *planv1.Connections {
	if declared == nil {
		return nil
	}
	return &planv1.Connections{
		PoolSize: int(ptr.Deref(declared.PoolSize, 0)), Idle: int(ptr.Deref(declared.Idle, 0)),
		Fresh: declared.Reuse == benchv1alpha1.ConnectionReuseNever,
	}
}

// compileRetry is empty for what the client does by itself.
func compileRetry(declared benchv1alpha1.RetryPolicy, client benchv1alpha1.Client) benchv1alpha1.RetryPolicy {
	if declared == defaultRetry(client) {
		return ""
	}
	return declared
}

func compileArrival(declared *benchv1alpha1.Arrival) *planv1.Arrival {
	if declared == nil {
		return nil
	}
	arrival := &planv1.Arrival{
		Process:    *declared.Process,
		Formula:    ptr.Deref(declared.Formula, ""),
		GapsMicros: declared.GapsMicros,
		MaxQueued:  *declared.MaxQueued,

		SkipAfterMicros: ptr.Deref(declared.SkipAfterMicros, 0),
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
		Process:          *declared.Process,
		Lowest:           *declared.MinOperationsPerSecond,
		Highest:          declared.MaxOperationsPerSecond,
		TrialSeconds:     int(*declared.TrialSeconds),
		TolerancePercent: int(*declared.TolerancePercent),
		MaxSeconds:       int(*declared.MaxSeconds),
	}
}

func compileThresholds(declared []benchv1alpha1.AbortThreshold) []planv1.Threshold {
	if len(declared) == 0 {
		return nil
	}
	compiled := make([]planv1.Threshold, 0, len(declared))
	for _, one := range declared {
		threshold := planv1.Threshold{
			Operation:       ptr.Deref(one.Operation, ""),
			ForSeconds:      int(*one.ForSeconds),
			ErrorPercent:    int(ptr.Deref(one.ErrorPercent, 0)),
			ErrorsPerSecond: ptr.Deref(one.ErrorsPerSecond, 0),
			LimitMicros:     ptr.Deref(one.LimitMicros, 0),
			LowestRate:      ptr.Deref(one.MinOperationsPerSecond, 0),
		}
		if one.Percentile != nil {
			threshold.PercentileMillis = percentileMillis(*one.Percentile)
		}
		compiled = append(compiled, threshold)
	}
	return compiled
}

// percentileMillis reads the digits of a name: P999 is 99.9 %, in thousandths of a percent.
func percentileMillis(percentile benchv1alpha1.Percentile) int {
	digits := strings.TrimPrefix(string(percentile), "P") + "000"
	millis, _ := strconv.Atoi(digits[:5]) // The API lists the names.
	return millis
}

// CompileOperation makes the plan's form of one operation of a normalised specification.
func CompileOperation(declared benchv1alpha1.Operation) planv1.Operation {
	operation := planv1.Operation{
		Name:          declared.Name,
		Group:         declared.Group,
		ThinkTime:     compileThinkTime(declared.ThinkTime),
		Weight:        int(declared.Weight),
		Request:       compileRequest(declared.Request),
		WholeSettings: declared.WholeSettings,
		FlowSettings:  compileFlow(declared.FlowSettings),
	}
	operation.Command = compileWritten(operation.Command)
	if declared.Recall != nil {
		recall := *declared.Recall
		recall.Exact = compileWritten(recall.Exact)
		operation.Recall = &recall
	}
	operation.Operations = slices.Clone(operation.Operations)
	for i, nested := range operation.Operations {
		operation.Operations[i] = compileRequest(nested)
	}
	for i := range declared.Parameters {
		operation.Parameters = append(operation.Parameters, compileParameter(&declared.Parameters[i], declared.Name))
	}
	return operation
}

// compileActions puts the actions of a step into the order of their times; those of the same time stay as declared.
func compileActions(declared []benchv1alpha1.Action) []planv1.Action {
	if len(declared) == 0 {
		return nil
	}
	actions := make([]planv1.Action, 0, len(declared))
	for _, action := range declared {
		compiled := planv1.Action{
			Name:         action.Name,
			Type:         action.Type,
			AfterSeconds: int(ptr.Deref(action.AfterSeconds, 0)),
			Shard:        int(ptr.Deref(action.Shard, 0)),
			Secondary:    *action.Member == benchv1alpha1.ActionMemberSecondary,
		}
		switch action.Type {
		case benchv1alpha1.ActionFreeze, benchv1alpha1.ActionPartition:
			compiled.DurationSeconds = int(*action.DurationSeconds)
		case benchv1alpha1.ActionRefineShardKey, benchv1alpha1.ActionReshardCollection, benchv1alpha1.ActionAnalyzeShardKey:
			compiled.Collection = *action.Collection
			compiled.Key = CompileKey(action.Key)
		case benchv1alpha1.ActionCreateIndex:
			compiled.Collection = *action.Collection
			if action.Index != nil {
				compiled.Index = new(CompileIndex(*action.Index))
			}
		case benchv1alpha1.ActionMoveCollection, benchv1alpha1.ActionUnshardCollection, benchv1alpha1.ActionCompact:
			compiled.Collection = *action.Collection
		case benchv1alpha1.ActionDropIndex:
			compiled.Collection, compiled.IndexName = *action.Collection, ptr.Deref(action.IndexName, "")
		default:
		}
		actions = append(actions, compiled)
	}
	slices.SortStableFunc(actions, func(a, b planv1.Action) int { return cmp.Compare(a.AfterSeconds, b.AfterSeconds) })
	return actions
}

// stepNameGrow is the name, without the size, of the step that every checkpoint of a growth but the first begins with.
const stepNameGrow = "grow"

// grow makes the first collection one that begins with the size of the first checkpoint.
func grow(collections []planv1.Collection, sizes []int64) {
	if len(sizes) == 0 || len(collections) == 0 {
		return
	}
	collections[0].DocumentCount, collections[0].GrowsTo = sizes[0], sizes[len(sizes)-1]
}

// growingSteps repeats the measured steps at every checkpoint. Without checkpoints they are measured once.
//
//	load  size-100  read-100 │ grow-200  size-200  read-200 │ grow-300  size-300  read-300
func growingSteps(load *benchv1alpha1.Load, sizes []int64, measured []planv1.Step) []planv1.Step {
	if len(sizes) == 0 {
		return measured
	}
	steps := make([]planv1.Step, 0, len(sizes)*(len(measured)+2))
	for i, size := range sizes {
		if i > 0 {
			more := loadStep(load, planv1.GrowthStepName(stepNameGrow, size))
			more.From, more.To, more.Documents = sizes[i-1], size, size
			steps = append(steps, more)
		}
		steps = append(steps, planv1.Step{
			Name: planv1.GrowthStepName(planv1.StepNameSize, size), Kind: planv1.StepSize, Documents: size,
		})
		for _, step := range measured {
			step.GrowthOf, step.Documents = step.Name, size
			step.Name = planv1.GrowthStepName(step.GrowthOf, size)
			steps = append(steps, step)
		}
	}
	return steps
}

// declareDurability writes down what the target is declared with. Of a MongoDB it is the client that asks for it, with
// each write; of any other database it is a setting of the server, which the load generator reads back.
func declareDurability(plan *planv1.Plan, target benchv1alpha1.BenchmarkTargetSpec) {
	declared := ptr.Deref(target.Durability(), "")
	plan.Durability = string(declared)
	if declared == "" || !catalogue.Of(target).Traits().Concerns {
		return
	}
	for i := range plan.Steps {
		step := &plan.Steps[i]
		if step.Kind == planv1.StepLoad {
			step.WriteConcern = loadConcern(declared)
		}
		for k := range step.Operations {
			planned := &step.Operations[k]
			if planned.WriteConcern == nil && takes(planned, declared) &&
				(planned.PartOf == "" || declared != benchv1alpha1.DurabilityNone) { // A flow needs its answers.
				planned.WriteConcern = planv1.ConcernOf(plan.Durability)
			}
		}
	}
}

// loadConcern is that of a loading, which is always acknowledged: the measurement rests on it.
func loadConcern(declared benchv1alpha1.Durability) *planv1.WriteConcern {
	if declared == benchv1alpha1.DurabilityNone {
		return planv1.ConcernOf(string(benchv1alpha1.DurabilityMemory))
	}
	return planv1.ConcernOf(string(declared))
}

// takes says whether an operation can have the write concern of a durability: what returns a document, or commits, is
// always acknowledged.
func takes(planned *planv1.Operation, declared benchv1alpha1.Durability) bool {
	row := operation.Of(planned.Kind)
	return row.Takes(operation.WriteConcern) && (!row.Acknowledged || declared != benchv1alpha1.DurabilityNone)
}
