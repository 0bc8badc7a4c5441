package comparison

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// SampleOf takes from a run that succeeded what is compared. Steps that the status left out for their size are counted,
// and not there: the status has the last ones.
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
		sample.Doubts = run.Status.Doubts
		if len(sample.Doubts) == 0 { // A run of an operator that did not list them.
			sample.Doubts = []string{trusted.Reason}
		}
	}
	result := run.Status.Result
	if result == nil {
		return sample
	}
	if result.Load != nil && ptr.Deref(result.Load.DocumentsPerSecond, 0) > 0 {
		addFigures(&sample, Key{}, figure.Loads, result.Load)
	}
	sample.OmittedSteps = int(ptr.Deref(result.OmittedSteps, 0))
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
	var count, errors, rounded int64
	var rates float64
	for _, operation := range step.Operations {
		if operation.PartOf != "" {
			continue
		}
		count += ptr.Deref(operation.Count, 0)
		errors += ptr.Deref(operation.Errors, 0)
		rounded += ptr.Deref(operation.OperationsPerSecond, 0)
		rates += rate(step, operation)
	}
	// The sum of rates that were rounded one by one can be off by one for each operation.
	if step.OperationsPerSecond != nil {
		rounded = *step.OperationsPerSecond
	}
	if math.Abs(rates-float64(rounded)) > 0.5 {
		rates = float64(rounded)
	}
	s.add(step.Name, "", benchv1alpha1.MetricOperationsPerSecond, rates)
	s.addErrors(step.Name, "", count, errors)
	addFigures(s, Key{Step: step.Name}, figure.Steps, &step)
	for _, operation := range step.Operations {
		s.addOperation(step, operation)
	}
}

// rate is an operation's successes per second, which the status rounds to whole ones. It is worked out from the counts
// where that leads to the same whole number; it does not where unacknowledged writes were waited for.
func rate(step benchv1alpha1.StepResult, operation benchv1alpha1.OperationResult) float64 {
	stated := float64(ptr.Deref(operation.OperationsPerSecond, 0))
	seconds := float64(ptr.Deref(step.DurationMillis, 0)) / 1000
	if seconds <= 0 {
		return stated
	}
	exact := float64(ptr.Deref(operation.Count, 0)-ptr.Deref(operation.Stragglers, 0)) / seconds
	if math.Abs(exact-stated) > 0.5 {
		return stated
	}
	return math.Round(exact*1000) / 1000
}

func (s *Sample) addOperation(step benchv1alpha1.StepResult, operation benchv1alpha1.OperationResult) {
	count := ptr.Deref(operation.Count, 0)
	rows := figure.Operations
	if count <= ptr.Deref(operation.Unacknowledged, 0) {
		// Latencies of nothing are written as 0 and are none.
		rows = figure.Untimed
	}
	from := len(s.Figures)
	addFigures(s, Key{Step: step.Name, Operation: operation.Name}, rows, &operation)
	for i := range s.Figures[from:] {
		if s.Figures[from+i].Metric == benchv1alpha1.MetricOperationsPerSecond {
			s.Figures[from+i].Value = rate(step, operation)
		}
	}
	s.addErrors(step.Name, operation.Name, count, ptr.Deref(operation.Errors, 0))
}

// addFigures adds the figures of a part of a result by which runs are compared.
func addFigures[F, S any](s *Sample, of Key, rows []figure.Row[F, S], part *S) {
	for _, row := range rows {
		if row.Compared != nil {
			if value := row.In.Get(part); value != nil {
				s.add(of.Step, of.Operation, row.Compared.Metric, float64(*value))
			}
		}
	}
}

func (s *Sample) addErrors(step, operation string, count, errors int64) {
	if count+errors == 0 {
		return
	}
	s.add(step, operation, benchv1alpha1.MetricErrorsPerMillion, math.Round(float64(errors)*1e6/float64(count+errors)))
}

func (s *Sample) add(step, operation string, metric benchv1alpha1.Metric, value float64) {
	s.Figures = append(s.Figures, Figure{Key: Key{Metric: metric, Step: step, Operation: operation}, Value: value})
}

// Median of a figure, to a whole number, over the samples that have it; nil when none has.
func (s Side) Median(key Key) *int64 { return median(values(s.Samples, key)) }

// Value of a figure; nil when the sample has none.
func (s *Sample) Value(key Key) *float64 {
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
			found = append(found, *value)
		}
	}
	return found
}

// durabilityField is the one that nothing declares: that two variants are declared with different durability makes
// their figures no more alike. Only ignoring it by name compares them.
const durabilityField = "durability"

func fingerprintOf(status benchv1alpha1.BenchmarkRunStatus) map[string]string {
	fingerprint := make(map[string]string, len(spec.ComparedFields))
	for _, part := range []any{status.Server, status.Fingerprint} {
		// It fails for a part that is not there, which has no field.
		fields, _ := runtime.DefaultUnstructuredConverter.ToUnstructured(part)
		for name, value := range fields {
			if text := textOf(value); text != "" && !slices.Contains(spec.NotComparedFields, name) {
				fingerprint[name] = text
			}
		}
	}
	return fingerprint
}

// textOf a field of a fingerprint. A list is a set: in which order nodes were seen influences no result.
func textOf(value any) string {
	list, ok := value.([]any)
	if !ok {
		return fmt.Sprint(value)
	}
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = fmt.Sprint(item)
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), ", ")
}

// Difference is a field of the fingerprint in which runs differ that are to be compared.
type Difference struct {
	Field string
	// Baseline and Candidate are the values on each side, sorted. More than one value is a difference within the side. An
	// empty one stands for runs of which the value is not known.
	Baseline, Candidate []string
	// Declared says that the specifications of the two sides differ in what the field follows from.
	Declared bool
}

// Differences are the fields in which the runs of a pair differ, without those that the specifications of the two sides
// declare to be different and those that are ignored by name. They have the order of the fingerprint.
func Differences(pair Pair, ignored []string) []Difference {
	var left []Difference
	for _, difference := range AllDifferences(pair) {
		if !difference.Declared && !slices.Contains(ignored, difference.Field) {
			left = append(left, difference)
		}
	}
	return left
}

// costFields are those that only costs depend on. The currency is, like the durability, one that nothing declares.
var costFields = []string{"currency", "priceListHash"}

// concerning are the differences that a metric may depend on: prices change no throughput.
func concerning(metric benchv1alpha1.Metric, differences []Difference) []Difference {
	if figure.ComparedBy(metric).Unit == figure.MoneyMicros {
		return differences
	}
	return slices.DeleteFunc(slices.Clone(differences), func(one Difference) bool {
		return slices.Contains(costFields, one.Field)
	})
}

// AllDifferences are all fields in which the runs of a pair differ, in the order of the fingerprint.
func AllDifferences(pair Pair) []Difference {
	declared := declaredFields(pair)
	var differences []Difference
	for _, name := range fieldNames(pair) {
		baseline, candidate := valuesOf(pair.Baseline, name), valuesOf(pair.Candidate, name)
		if tolerated(name, slices.Concat(baseline, candidate)) {
			continue
		}
		within := len(baseline) > 1 || len(candidate) > 1
		if within || len(baseline) > 0 && len(candidate) > 0 && !slices.Equal(baseline, candidate) {
			differences = append(differences, Difference{
				Field: name, Baseline: baseline, Candidate: candidate, Declared: !within && declared[name],
			})
		}
	}
	return differences
}

// fieldNames are the known fields in their order, and then what samples of another release have besides.
func fieldNames(pair Pair) []string {
	var others []string
	for _, sample := range slices.Concat(pair.Baseline.Samples, pair.Candidate.Samples) {
		for name := range sample.Fingerprint {
			if !slices.Contains(spec.ComparedFields, name) && !slices.Contains(spec.NotComparedFields, name) {
				others = append(others, name)
			}
		}
	}
	slices.Sort(others)
	return slices.Concat(spec.ComparedFields, slices.Compact(others))
}

func valuesOf(side Side, field string) []string {
	found := make([]string, 0, len(side.Samples))
	for _, sample := range side.Samples {
		found = append(found, sample.Fingerprint[field])
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// differingPaths are the paths of all fields that differ, in no order. A list counts as one value.
func differingPaths(baseline, candidate benchv1alpha1.BenchmarkRunSpec) []string {
	first, second := Leaves(baseline, false), Leaves(candidate, false)
	both := maps.Clone(first)
	maps.Copy(both, second)
	// A path that one of them does not have is empty there, which no value is.
	maps.DeleteFunc(both, func(path, _ string) bool { return first[path] == second[path] })
	return slices.Collect(maps.Keys(both))
}

// Leaves are the fields of a specification with their values as JSON, by their paths. A list is one value, unless its
// items are looked into: they go by their names, or else by their places. What is declared of a deployment is right
// below target, whichever product it is of, so that the same settings of two products are the same fields; which
// product and which topology it is are the fields target.product and target.topology.
func Leaves(spec benchv1alpha1.BenchmarkRunSpec, intoLists bool) map[string]string {
	found := make(map[string]string)
	// Of these types nothing fails to be encoded.
	encoded, _ := json.Marshal(spec)
	collectLeaves("", encoded, intoLists, found)
	if spec.Target != nil {
		targetLeaves(spec.Target, found)
	}
	return found
}

func targetLeaves(target *benchv1alpha1.BenchmarkTargetSpec, found map[string]string) {
	for path, value := range maps.Clone(found) {
		below, declared := strings.CutPrefix(path, "target."+target.Member()+".")
		if declared && target.Deployment() != nil {
			delete(found, path)
			found["target."+below] = value
		}
	}
	found["target.product"] = strconv.Quote(string(target.Product()))
	found["target.topology"] = strconv.Quote(string(target.Topology()))
}

func collectLeaves(path string, encoded json.RawMessage, intoLists bool, into map[string]string) {
	var fields map[string]json.RawMessage
	var items []json.RawMessage
	switch {
	case json.Unmarshal(encoded, &fields) == nil && len(fields) > 0:
	case intoLists && json.Unmarshal(encoded, &items) == nil && len(items) > 0:
		fields = make(map[string]json.RawMessage, len(items))
		for i, item := range items {
			named := struct {
				Name string `json:"name"`
			}{strconv.Itoa(i)}
			_ = json.Unmarshal(item, &named) // An item that is no object has no name.
			fields[named.Name] = item
		}
	default:
		into[path] = string(encoded)
	}
	for name, value := range fields {
		collectLeaves(strings.TrimPrefix(path+"."+name, "."), value, intoLists, into)
	}
}
