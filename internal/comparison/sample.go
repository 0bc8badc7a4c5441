package comparison

import (
	"math"
	"slices"
	"strconv"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// SampleOf takes from a run that succeeded what is compared. Steps that the status left out for their number are not
// there: the status has the last ones.
func SampleOf(run *benchv1alpha1.BenchmarkRun) Sample {
	repetition, _ := strconv.Atoi(run.Labels[suite.RepetitionLabel]) // Of a run that no suite made it is 0.
	sample := Sample{
		Run:         run.Name,
		Variant:     run.Annotations[suite.VariantAnnotation],
		SpecHash:    run.Labels[suite.SpecHashLabel],
		Repetition:  repetition,
		Fingerprint: fingerprintOf(run.Status),
	}
	trusted := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunTrusted)
	if trusted != nil && trusted.Status == metav1.ConditionFalse {
		sample.Doubts = trusted.Reason
	}
	result := run.Status.Result
	if result == nil {
		return sample
	}
	if result.Load != nil && ptr.Deref(result.Load.DocumentsPerSecond, 0) > 0 {
		addFigures(&sample, Key{}, figure.Loads, result.Load)
	}
	for _, step := range result.Steps {
		sample.addStep(step)
	}
	sample.addSizes(result.Growth, benchv1alpha1.CheckpointSizes(run.Spec.Workload.Growth))
	return sample
}

// addSizes adds what a growing collection takes at each of the checkpoints that there are to be.
func (s *Sample) addSizes(found []benchv1alpha1.GrowthResult, checkpoints []int64) {
	for i := range min(len(found), len(checkpoints)) {
		step := planv1alpha1.GrowthStepName(planv1alpha1.StepNameSize, checkpoints[i])
		addFigures(s, Key{Step: step}, figure.Sizes, &found[i])
	}
}

func (s *Sample) addStep(step benchv1alpha1.StepResult) {
	var count, errors, rates int64
	for _, operation := range step.Operations {
		count += ptr.Deref(operation.Count, 0)
		errors += ptr.Deref(operation.Errors, 0)
		rates += ptr.Deref(operation.OperationsPerSecond, 0)
	}
	// The sum of rates that were rounded one by one can be off by one for each operation. There is nothing better where a
	// drain belongs to the time of some of them.
	if millis := ptr.Deref(step.DurationMillis, 0); millis > 0 && step.DrainMillis == nil {
		rates = int64(math.Round(float64(count) * 1000 / float64(millis)))
	}
	s.add(step.Name, "", benchv1alpha1.MetricOperationsPerSecond, &rates)
	s.addErrors(step.Name, "", count, errors)
	for _, operation := range step.Operations {
		s.addOperation(step.Name, operation)
	}
}

func (s *Sample) addOperation(step string, operation benchv1alpha1.OperationResult) {
	count := ptr.Deref(operation.Count, 0)
	rows := figure.Operations
	if count <= ptr.Deref(operation.Unacknowledged, 0) {
		// Latencies of nothing are written as 0 and are none.
		rows = figure.Untimed
	}
	addFigures(s, Key{Step: step, Operation: operation.Name}, rows, &operation)
	s.addErrors(step, operation.Name, count, ptr.Deref(operation.Errors, 0))
}

// addFigures adds the figures of a part of a result by which runs are compared.
func addFigures[F, S any](s *Sample, of Key, rows []figure.Row[F, S], part *S) {
	for _, row := range rows {
		if row.Compared != nil {
			s.add(of.Step, of.Operation, row.Compared.Metric, row.In.Get(part))
		}
	}
}

func (s *Sample) addErrors(step, operation string, count, errors int64) {
	if count+errors == 0 {
		return
	}
	perMillion := int64(math.Round(float64(errors) * 1e6 / float64(count+errors)))
	s.add(step, operation, benchv1alpha1.MetricErrorsPerMillion, &perMillion)
}

func (s *Sample) add(step, operation string, metric benchv1alpha1.Metric, value *int64) {
	if value != nil {
		s.Figures = append(s.Figures, Figure{Key: Key{Metric: metric, Step: step, Operation: operation}, Value: *value})
	}
}

// Median of a figure over the samples that have it; nil when none has.
func (s Side) Median(key Key) *int64 { return median(values(s.Samples, key)) }

// Value of a figure; nil when the sample has none.
func (s *Sample) Value(key Key) *int64 {
	at := slices.IndexFunc(s.Figures, func(figure Figure) bool { return figure.Key == key })
	if at < 0 {
		return nil
	}
	return &s.Figures[at].Value
}

// values of a key in those samples that have one.
func values(samples []Sample, key Key) []float64 {
	found := make([]float64, 0, len(samples))
	for i := range samples {
		if value := samples[i].Value(key); value != nil {
			found = append(found, float64(*value))
		}
	}
	return found
}
