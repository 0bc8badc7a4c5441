package estimate

import (
	"slices"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// Time is how long a run takes.
type Time struct {
	// LeastSeconds are the warm-ups and durations of all steps, and what rates and pauses make of numbers of operations.
	LeastSeconds float64 `json:"leastSeconds"`
	// Steps that are measured, in their order.
	Steps []StepTime `json:"steps"`
	// Load is how long the dataset is loaded, and Rest what everything else takes, as a finished run did; nil if
	// unknown.
	Load *Span `json:"load,omitempty"`
	Rest *Span `json:"rest,omitempty"`
}

// StepTime is the least time of one step.
type StepTime struct {
	Name         string  `json:"name"`
	LeastSeconds float64 `json:"leastSeconds"`
	// Open says that it takes longer, by an unknown time.
	Open bool `json:"open,omitempty"`
}

// Span is a time between two bounds.
type Span struct {
	LowSeconds  float64 `json:"lowSeconds"`
	HighSeconds float64 `json:"highSeconds"`
}

// plus is a span after another one; with one that is unknown the sum is.
func (s *Span) plus(other *Span) *Span {
	if s == nil || other == nil {
		return nil
	}
	return &Span{s.LowSeconds + other.LowSeconds, s.HighSeconds + other.HighSeconds}
}

func (s *Span) times(n float64) *Span {
	if s == nil {
		return nil
	}
	return &Span{s.LowSeconds * n, s.HighSeconds * n}
}

// timeOf is the least time of the measured steps of a plan.
func timeOf(plan planv1alpha1.Plan) Time {
	found := Time{Steps: []StepTime{}}
	for _, step := range plan.Steps {
		if step.Kind != planv1alpha1.StepMeasure {
			continue
		}
		least, open := leastSeconds(step)
		if plan.Duet != nil { // It ends once it knows.
			least, open = float64(step.WarmupSeconds), true
		}
		found.Steps = append(found.Steps, StepTime{Name: step.Name, LeastSeconds: least, Open: open})
		found.LeastSeconds += least
	}
	return found
}

// leastSeconds is the least time of a step, and whether it is open how much longer it takes.
func leastSeconds(step planv1alpha1.Step) (seconds float64, open bool) {
	warmup := float64(step.WarmupSeconds)
	switch {
	case step.Search != nil:
		// Even a search whose lowest rate is too high tries that.
		return warmup + float64(step.Search.TrialSeconds), true
	case step.Replay != nil:
		// How long it was recorded for is not known here.
		return 0, true
	case step.OperationCount > 0:
		return warmup + paceSeconds(step), true
	default:
		return warmup + float64(step.DurationSeconds), false
	}
}

// paceSeconds is the least time in which a number of operations comes due: at the highest rate of its schedule, or with
// nothing but the pauses between them.
func paceSeconds(step planv1alpha1.Step) float64 {
	count := float64(step.OperationCount)
	if step.Arrival == nil {
		if step.ThinkTime == nil {
			return 0
		}
		return count * float64(step.ThinkTime.MeanMicros()) / 1e6 / float64(max(step.Threads, 1))
	}
	highest := int64(0)
	for _, stage := range step.Arrival.Stages {
		highest = max(highest, stage.From, stage.To)
	}
	if highest > 0 {
		return count / float64(highest)
	}
	micros := int64(0)
	for _, gap := range step.Arrival.GapsMicros {
		micros += gap
	}
	// Whole rounds of a trace have the mean gap; a part of one may have less.
	rounds := step.OperationCount / int64(max(len(step.Arrival.GapsMicros), 1))
	return float64(rounds) * float64(micros) / 1e6
}

// Reference is a finished run that others are reckoned by.
type Reference struct {
	Run string `json:"run"`
	// DocumentsPerSecond that it loaded, of DocumentBytes each.
	DocumentsPerSecond int64 `json:"documentsPerSecond"`
	DocumentBytes      int64 `json:"documentBytes"`
	// RestSeconds are those of the stages in which it neither loaded nor measured nor waited for its turn.
	RestSeconds float64 `json:"restSeconds"`
}

// ReferenceOf is the youngest run that loaded a dataset, has a result and did not fail; nil when there is none.
func ReferenceOf(runs []benchv1alpha1.BenchmarkRun) *Reference {
	youngest := youngestLoad(runs)
	if youngest == nil {
		return nil
	}
	collections, err := Dataset(spec.Compile(youngest.Spec))
	documents, bytes := sizeOf(collections)
	if err != nil || documents == 0 {
		return nil
	}
	found := &Reference{
		Run: youngest.Name, DocumentsPerSecond: *youngest.Status.Result.Load.DocumentsPerSecond,
		DocumentBytes: max(bytes/documents, 1),
	}
	for _, stage := range youngest.Status.Stages {
		rest := stage.Name != benchv1alpha1.StageQueued && !slices.Contains(benchv1alpha1.StepStages, stage.Name)
		if rest && stage.CompletionTime != nil {
			found.RestSeconds += stage.CompletionTime.Sub(stage.StartTime.Time).Seconds()
		}
	}
	return found
}

func youngestLoad(runs []benchv1alpha1.BenchmarkRun) *benchv1alpha1.BenchmarkRun {
	var youngest *benchv1alpha1.BenchmarkRun
	for i := range runs {
		run := &runs[i]
		result := ptr.Deref(run.Status.Result, benchv1alpha1.Result{})
		// One that was cut has spent its time otherwise.
		cut := apimeta.IsStatusConditionFalse(run.Status.Conditions, benchv1alpha1.RunSucceeded)
		if cut || result.Load == nil || ptr.Deref(result.Load.DocumentsPerSecond, 0) == 0 {
			continue
		}
		if youngest == nil || youngest.CreationTimestamp.Before(&run.CreationTimestamp) {
			youngest = run
		}
	}
	return youngest
}

// load is how long a dataset is loaded with as many documents a second as the reference loaded, or with as many bytes.
func (r *Reference) load(all []Collection) *Span {
	documents, bytes := sizeOf(all)
	if documents == 0 {
		return &Span{}
	}
	if r == nil {
		return nil
	}
	byDocuments := float64(documents) / float64(r.DocumentsPerSecond)
	byBytes := float64(bytes) / float64(r.DocumentsPerSecond*r.DocumentBytes)
	return &Span{min(byDocuments, byBytes), max(byDocuments, byBytes)}
}

func (r *Reference) rest() *Span {
	if r == nil {
		return nil
	}
	return &Span{r.RestSeconds, r.RestSeconds}
}
