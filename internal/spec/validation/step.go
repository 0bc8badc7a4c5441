package validation

import (
	"fmt"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/formula"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// reservedSteps are the names of the steps that a plan begins with.
var reservedSteps = []string{"prepare", "load", "index", "balance", "verify", "survey"}

// growthSteps are the names, without the size, of those that each checkpoint of a growth has.
var growthSteps = []string{"grow", "size"}

const (
	// maxSteps is how many steps a result holds.
	maxSteps = 32
	// maxStepName is how long the name of a step in a result may be.
	maxStepName = 63
)

func validateWorkload(found *product.Findings, spec *benchv1alpha1.BenchmarkRunSpec, path *field.Path) {
	names := make([]string, 0, len(spec.Workload.Steps))
	for i := range spec.Workload.Steps {
		check := stepCheck{found, &spec.Workload.Steps[i], spec, path.Child("steps").Index(i)}
		check.run()
		check.names(names)
		names = append(names, check.namesInPlan()...)
	}
	if spec.Workload.Growth == nil && len(names) > maxSteps {
		found.Add(field.TooMany(path.Child("steps"), len(names), maxSteps))
	}
}

// stepCheck checks one step of a workload.
type stepCheck struct {
	*product.Findings
	step *benchv1alpha1.Step
	spec *benchv1alpha1.BenchmarkRunSpec
	path *field.Path
}

func (c stepCheck) run() {
	c.threads()
	c.replay()
	c.schedule(c.step.Arrival, c.path.Child("arrival"))
	c.groups()
	c.search()
	c.actions()
	c.thresholds()
	c.objectives()
	c.session()
	c.connections()
	for i := range c.step.Operations {
		operation, path := &c.step.Operations[i], c.path.Child("operations").Index(i)
		scope := scopeOf(c.step.Operations, operation)
		operationCheck{c.Findings, operation, c.spec, path, scope}.run()
		flowCheck{c.Findings, c.step.Operations, operation, scope, path}.run()
		documents, count := inserted(operation), ptr.Deref(c.step.OperationCount, 0)
		c.Refuse(documents > 1 && count > recordsPerStep/documents, path, documents,
			"this many documents, times operationCount %d, are more than the %d documents that a step may insert",
			count, recordsPerStep)
	}
}

// thresholds are about operations that the step has.
func (c stepCheck) thresholds() {
	for i, threshold := range c.step.AbortOn {
		named := ptr.Deref(threshold.Operation, "")
		has := func(o benchv1alpha1.Operation) bool { return o.Name == named }
		c.Refuse(named != "" && !slices.ContainsFunc(c.step.Operations, has),
			c.path.Child("abortOn").Index(i).Child("operation"), named, "the step has no operation of this name")
	}
}

// objectives are about operations that the step has, and no two of them nor of its percentiles are the same.
func (c stepCheck) objectives() {
	seen := map[string]bool{}
	for i, objective := range c.step.Objectives {
		path, named := c.path.Child("objectives").Index(i), ptr.Deref(objective.Operation, "")
		has := func(o benchv1alpha1.Operation) bool { return o.Name == named }
		c.Refuse(named != "" && !slices.ContainsFunc(c.step.Operations, has), path.Child("operation"), named,
			"the step has no operation of this name")
		same := fmt.Sprint(named, " ", objective.LimitMicros)
		c.Refuse(seen[same], path.Child("limitMicros"), objective.LimitMicros,
			"is the limit of another objective of the same operations")
		seen[same] = true
	}
	taken := map[int]bool{}
	for i, percentile := range c.step.Percentiles {
		millis := spec.PercentMillis(percentile)
		c.Refuse(taken[millis], c.path.Child("percentiles").Index(i), percentile, "is there already, written otherwise")
		taken[millis] = true
	}
}

// search refuses one that would be over before it has tried a rate and confirmed it.
func (c stepCheck) search() {
	search := c.step.Search
	if search == nil || c.step.DurationSeconds == nil {
		return
	}
	least := spec.TrialSeconds(search) + int64(*c.step.DurationSeconds)
	c.Refuse(int64(*search.MaxSeconds) <= least, c.path.Child("search", "maxSeconds"), *search.MaxSeconds,
		"must be more than %d: a trial of trialSeconds or 20 times limitMicros, whichever is longer, and a confirmation of "+
			"durationSeconds", least)
}

// namesInPlan are the names that the step has in the plan and in the result.
func (c stepCheck) namesInPlan() []string {
	sizes := benchv1alpha1.CheckpointSizes(c.spec.Workload.Growth)
	names := make([]string, 0, max(1, len(sizes), len(spec.Sweep(*c.step))))
	for _, size := range sizes {
		names = append(names, fmt.Sprintf("%s-%d", c.step.Name, size))
	}
	for _, number := range spec.Sweep(*c.step) {
		names = append(names, fmt.Sprintf("%s-%d", c.step.Name, number))
	}
	if len(names) == 0 {
		return []string{c.step.Name}
	}
	return names
}

// names checks the names of the step in the plan, where others have been taken.
func (c stepCheck) names(taken []string) {
	path := c.path.Child("name")
	for _, name := range c.namesInPlan() {
		switch {
		case c.spec.Workload.Growth != nil && slices.Contains(growthSteps, c.step.Name):
			c.Refuse(true, path, c.step.Name,
				"grow and size are the names of steps that every growth has; choose another")
		case slices.Contains(reservedSteps, name):
			c.Refuse(true, path, c.step.Name,
				"prepare, load, index, balance and verify are the names of steps that every run may have; choose another")
		case len(name) > maxStepName:
			c.Refuse(true, path, c.step.Name,
				"is too long for a sweep or growth: %s would have more than %d characters", name, maxStepName)
		case slices.Contains(taken, name):
			c.Add(field.Duplicate(path, name))
		default:
			continue
		}
		return
	}
}

func (c stepCheck) threads() {
	pods := *c.spec.LoadGenerator.Pods
	if c.step.Threads != nil {
		validateThreads(c.Findings, *c.step.Threads, pods, c.path.Child("threads"))
	}
	for i, threads := range c.step.ThreadSweep {
		validateThreads(c.Findings, threads, pods, c.path.Child("threadSweep").Index(i))
	}
}

// schedule checks what an arrival schedule as a whole must be.
func (c stepCheck) schedule(arrival *benchv1alpha1.Arrival, path *field.Path) {
	if arrival == nil {
		return
	}
	queued, pods := *arrival.MaxQueued, int64(*c.spec.LoadGenerator.Pods)
	c.Refuse(queued < pods, path.Child("maxQueued"), queued,
		"must be at least the number of load pods, %d, so that each may queue an operation", pods)
	somewhat := func(gap int64) bool { return gap > 0 }
	c.Refuse(*arrival.Process == benchv1alpha1.ArrivalTrace && !slices.ContainsFunc(arrival.GapsMicros, somewhat),
		path.Child("gapsMicros"), len(arrival.GapsMicros),
		"must have one gap that is more than 0: everything would be due at once")
	c.stages(arrival, path.Child("stages"))
	if arrival.Formula != nil {
		c.formula(*arrival.Formula, path.Child("formula"))
	}
}

// maxRate is the highest rate that a schedule may have, as the API limits it in its other forms.
const maxRate = 100_000_000

// formula refuses one that cannot be read, has no rate at some time of the step, or never one above 0.
func (c stepCheck) formula(text string, path *field.Path) {
	rate, err := formula.Parse(text)
	if err != nil {
		c.Refuse(true, path, text, "%s", err)
		return
	}
	seconds, sends := 24*60*60, false
	if c.step.DurationSeconds != nil {
		seconds = min(seconds, int(*c.step.DurationSeconds))
	}
	for second := range seconds {
		at := rate.At(float64(second))
		if math.IsNaN(at) || at > maxRate {
			c.Refuse(true, path, text, "is %g after %d seconds; a rate is a number and at most %d", at, second, maxRate)
			return
		}
		sends = sends || at > 0
	}
	c.Refuse(!sends, path, text, "is never above 0: nothing would be sent")
}

// stages refuses those that the step would never come to.
func (c stepCheck) stages(arrival *benchv1alpha1.Arrival, path *field.Path) {
	if c.step.DurationSeconds == nil {
		return
	}
	var begun int64
	for i, stage := range arrival.Stages {
		if begun >= int64(*c.step.DurationSeconds) {
			c.Refuse(true, path.Index(i).Child("seconds"), stage.Seconds,
				"the stage begins after %d seconds, and durationSeconds is %d", begun, *c.step.DurationSeconds)
			return
		}
		begun += int64(stage.Seconds)
	}
}

// leastSeconds is how long a step takes at least.
func leastSeconds(step *benchv1alpha1.Step) int64 {
	seconds := int64(ptr.Deref(step.WarmupSeconds, 0)) + int64(ptr.Deref(step.DurationSeconds, 0))
	if step.Search != nil {
		// The lowest and the highest rate are always tried, unless already the lowest is too much.
		seconds += 2 * spec.TrialSeconds(step.Search)
	}
	return seconds * int64(max(len(spec.Sweep(*step)), 1))
}

// recordsPerStep is how many new documents one step may insert: each has its own range of record numbers.
const recordsPerStep = int64(1) << 40

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
