package validation

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// reservedSteps are the names of the steps that a plan begins with.
var reservedSteps = []string{"prepare", "load", "index", "balance", "verify"}

// growthSteps are the names, without the size, of those that each checkpoint of a growth has.
var growthSteps = []string{"grow", "size"}

const (
	// maxSteps is how many steps a result holds.
	maxSteps = 32
	// maxStepName is how long the name of a step in a result may be.
	maxStepName = 63
)

func validateWorkload(spec *benchv1alpha1.BenchmarkRunSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := make([]string, 0, len(spec.Workload.Steps))
	for i := range spec.Workload.Steps {
		check := stepCheck{step: &spec.Workload.Steps[i], spec: spec, path: path.Child("steps").Index(i)}
		errs = append(errs, check.run()...)
		errs = append(errs, check.names(names)...)
		names = append(names, check.namesInPlan()...)
	}
	if spec.Workload.Growth == nil && len(names) > maxSteps {
		errs = append(errs, field.TooMany(path.Child("steps"), len(names), maxSteps))
	}
	return errs
}

// stepCheck checks one step of a workload.
type stepCheck struct {
	step *benchv1alpha1.Step
	spec *benchv1alpha1.BenchmarkRunSpec
	path *field.Path
}

func (c stepCheck) run() field.ErrorList {
	errs := c.threads()
	errs = append(errs, c.arrival()...)
	errs = append(errs, c.search()...)
	errs = append(errs, c.actions()...)
	for i := range c.step.Operations {
		check := operationCheck{
			operation: &c.step.Operations[i], spec: c.spec, path: c.path.Child("operations").Index(i),
		}
		errs = append(errs, check.run()...)
		errs = append(errs, validateRecordNumbers(c.step, &c.step.Operations[i], check.path)...)
	}
	return errs
}

// namesInPlan are the names that the step has in the plan and in the result.
func (c stepCheck) namesInPlan() []string {
	sizes := benchv1alpha1.CheckpointSizes(c.spec.Workload.Growth)
	names := make([]string, 0, max(1, len(sizes), len(c.step.ThreadSweep)))
	for _, size := range sizes {
		names = append(names, fmt.Sprintf("%s-%d", c.step.Name, size))
	}
	for _, threads := range c.step.ThreadSweep {
		names = append(names, fmt.Sprintf("%s-%d", c.step.Name, threads))
	}
	if len(names) == 0 {
		return []string{c.step.Name}
	}
	return names
}

// names checks the names of the step in the plan, where others have been taken.
func (c stepCheck) names(taken []string) field.ErrorList {
	path := c.path.Child("name")
	for _, name := range c.namesInPlan() {
		switch {
		case c.spec.Workload.Growth != nil && slices.Contains(growthSteps, c.step.Name):
			return field.ErrorList{field.Invalid(path, c.step.Name,
				"grow and size are the names of steps that every growth has; choose another")}
		case slices.Contains(reservedSteps, name):
			return field.ErrorList{field.Invalid(path, c.step.Name,
				"prepare, load, index, balance and verify are the names of steps that every run may have; choose another")}
		case len(name) > maxStepName:
			return field.ErrorList{field.Invalid(path, c.step.Name, fmt.Sprintf(
				"is too long for a threadSweep or growth: %s would have more than %d characters", name, maxStepName))}
		case slices.Contains(taken, name):
			return field.ErrorList{field.Duplicate(path, name)}
		}
	}
	return nil
}

func (c stepCheck) threads() field.ErrorList {
	if len(c.step.ThreadSweep) == 0 {
		return validateThreads(*c.step.Threads, *c.spec.LoadGenerator.Pods, c.path.Child("threads"))
	}
	var errs field.ErrorList
	for i, threads := range c.step.ThreadSweep {
		errs = append(errs, validateThreads(threads, *c.spec.LoadGenerator.Pods, c.path.Child("threadSweep").Index(i))...)
	}
	return errs
}

// arrival checks what the schedule as a whole must be.
func (c stepCheck) arrival() field.ErrorList {
	arrival, path := c.step.Arrival, c.path.Child("arrival")
	if arrival == nil {
		return nil
	}
	var errs field.ErrorList
	queued := *arrival.MaxQueued
	if pods := int64(*c.spec.LoadGenerator.Pods); queued < pods {
		errs = append(errs, field.Invalid(path.Child("maxQueued"), queued, fmt.Sprintf(
			"must be at least the number of load pods, %d, so that each may queue an operation", pods)))
	}
	somewhat := func(gap int64) bool { return gap > 0 }
	if *arrival.Process == benchv1alpha1.ArrivalTrace && !slices.ContainsFunc(arrival.GapsMicros, somewhat) {
		errs = append(errs, field.Invalid(path.Child("gapsMicros"), len(arrival.GapsMicros),
			"must have one gap that is more than 0: everything would be due at once"))
	}
	return append(errs, c.stages(path.Child("stages"))...)
}

// stages refuses those that the step would never come to.
func (c stepCheck) stages(path *field.Path) field.ErrorList {
	if c.step.DurationSeconds == nil {
		return nil
	}
	var begun int64
	for i, stage := range c.step.Arrival.Stages {
		if begun >= int64(*c.step.DurationSeconds) {
			return field.ErrorList{field.Invalid(path.Index(i).Child("seconds"), stage.Seconds, fmt.Sprintf(
				"the stage begins after %d seconds, and durationSeconds is %d", begun, *c.step.DurationSeconds))}
		}
		begun += int64(stage.Seconds)
	}
	return nil
}

func (c stepCheck) search() field.ErrorList {
	pods := *c.spec.LoadGenerator.Pods
	if c.step.Search == nil || pods == 1 {
		return nil
	}
	return field.ErrorList{field.Forbidden(c.path.Child("search"), fmt.Sprintf(
		"a search is made by one load pod, and spec.loadGenerator.pods is %d", pods))}
}

// leastSeconds is how long a step takes at least.
func leastSeconds(step *benchv1alpha1.Step) int64 {
	seconds := int64(ptr.Deref(step.WarmupSeconds, 0)) + int64(ptr.Deref(step.DurationSeconds, 0))
	if step.Search != nil {
		// The lowest and the highest rate are always tried, unless already the lowest is too much.
		seconds += 2 * int64(*step.Search.TrialSeconds)
	}
	return seconds * int64(max(len(step.ThreadSweep), 1))
}

// recordsPerStep is how many new documents one step may insert: each has its own range of record numbers.
const recordsPerStep = int64(1) << 40

func validateRecordNumbers(
	step *benchv1alpha1.Step, operation *benchv1alpha1.Operation, path *field.Path,
) field.ErrorList {
	documents := inserted(operation)
	if documents <= 1 || step.OperationCount == nil || *step.OperationCount <= recordsPerStep/documents {
		return nil
	}
	return field.ErrorList{field.Invalid(path, documents, fmt.Sprintf(
		"this many documents, times operationCount %d, are more than the %d documents that a step may insert",
		*step.OperationCount, recordsPerStep))}
}

// inserted is how many documents an operation inserts each time.
func inserted(operation *benchv1alpha1.Operation) int64 {
	documents := insertedBy(&operation.Request)
	for i := range operation.Operations {
		documents += insertedBy(&operation.Operations[i])
	}
	return documents
}

func insertedBy(request *benchv1alpha1.Request) int64 {
	row := operation.Of(request.Kind)
	switch {
	case row.Takes(operation.BatchDocuments):
		return int64(request.BatchDocuments)
	case row.Effect == operation.Inserts:
		return 1
	default:
		return 0
	}
}
