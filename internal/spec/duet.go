package spec

import (
	"fmt"

	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

// BaselineName is what the baseline of a duet is called in results.
func BaselineName(declared *benchv1alpha1.Duet) string {
	normal := declared.DeepCopy()
	duet(normal)
	return *normal.Baseline.Name
}

// differing is what the baseline of a duet may declare otherwise than the run.
type differing struct {
	Preset   *benchv1alpha1.Preset   `json:"preset,omitempty"`
	Dataset  *benchv1alpha1.Dataset  `json:"dataset,omitempty"`
	Workload *benchv1alpha1.Workload `json:"workload,omitempty"`
}

// Baseline is the specification of the other side of a run with a duet, as if it were a run of its own. The error is
// that what it declares otherwise cannot be read.
func Baseline(declared benchv1alpha1.BenchmarkRunSpec) (benchv1alpha1.BenchmarkRunSpec, error) {
	side := *declared.DeepCopy()
	side.Duet, side.Target = nil, nil
	side.TargetRef = &declared.Duet.Baseline.TargetRef
	if declared.Duet.Baseline.Spec == nil {
		return side, nil
	}
	var other differing
	if err := strictjson.Decode(declared.Duet.Baseline.Spec.Raw, &other); err != nil {
		return side, fmt.Errorf("only preset, dataset and workload may be here, as in a run: %w", err)
	}
	if other.Preset != nil {
		side.Preset, side.Dataset, side.Workload = other.Preset, benchv1alpha1.Dataset{}, benchv1alpha1.Workload{}
	}
	if other.Dataset != nil {
		side.Preset, side.Dataset = nil, *other.Dataset
	}
	if other.Workload != nil {
		side.Preset, side.Workload = nil, *other.Workload
	}
	return side, nil
}

// duet fills in the defaults of a duet.
func duet(declared *benchv1alpha1.Duet) {
	if declared == nil {
		return
	}
	product.Default(&declared.Baseline.Name, benchv1alpha1.DefaultBaselineName)
	product.Default(&declared.Form, benchv1alpha1.DefaultDuetForm)
	declared.Thresholds = Thresholds(declared.Thresholds)
}

// CompileDuet is CompileNormal for a run whose duet, if it has one, has this target on its other side.
func CompileDuet(spec benchv1alpha1.BenchmarkRunSpec, baseline benchv1alpha1.BenchmarkTargetSpec) planv1.Plan {
	plan := CompileNormal(spec)
	if spec.Duet == nil {
		return plan
	}
	side, err := Baseline(spec)
	if err != nil {
		return plan // Validation reports it.
	}
	lines := 0
	for i := range plan.Steps {
		if plan.Steps[i].Kind == planv1.StepMeasure {
			plan.Steps[i].Compare = linesOf(plan.Steps[i], spec.Duet.Thresholds)
			lines += len(plan.Steps[i].Compare)
		}
	}
	plan.Duet = &planv1.Duet{
		Baseline:     CompileNormal(NormaliseOn(side, baseline)),
		Form:         *spec.Duet.Form,
		WindowMillis: 1000 * int64(ptr.Deref(spec.Duet.WindowSeconds, 0)),
		Lines:        max(lines, int(ptr.Deref(spec.Duet.ComparedLines, 0))),
	}
	return plan
}

// linesOf a step are what the thresholds compare in it. Where several are about the same, the one that names the most
// counts, and of equals the first.
func linesOf(step planv1.Step, thresholds []benchv1alpha1.Threshold) []planv1.Line {
	type subject struct {
		metric    benchv1alpha1.Metric
		operation string
	}
	places, named := map[subject]int{}, map[subject]int{}
	var lines []planv1.Line
	for _, threshold := range thresholds {
		names := namedBy(threshold)
		for _, operation := range operationsOf(step, threshold) {
			of := subject{threshold.Metric, operation}
			line := planv1.Line{
				Metric: threshold.Metric, Operation: operation,
				LowerIsBetter:     *threshold.Direction == benchv1alpha1.LowerIsBetter,
				MinEffectPercent:  int(*threshold.MinEffectPercent),
				ConfidencePercent: int(*threshold.ConfidencePercent),
			}
			if at, known := places[of]; !known {
				places[of], named[of] = len(lines), names
				lines = append(lines, line)
			} else if names > named[of] {
				lines[at], named[of] = line, names
			}
		}
	}
	return lines
}

// namedBy is how much a threshold names: a step counts 1, and an operation 2.
func namedBy(threshold benchv1alpha1.Threshold) int {
	names := 0
	if threshold.Step != nil {
		names++
	}
	if threshold.Operation != nil {
		names += 2
	}
	return names
}

// operationsOf a step are those that a threshold is about; the empty name is that of all together.
func operationsOf(step planv1.Step, threshold benchv1alpha1.Threshold) []string {
	if threshold.Step != nil && *threshold.Step != step.Name && *threshold.Step != step.SweepOf {
		return nil
	}
	if threshold.Operation == nil && figure.ComparedBy(threshold.Metric).Overall {
		return []string{""}
	}
	var names []string
	for _, operation := range step.Operations {
		if operation.PartOf != "" {
			continue // A duet compares flows as wholes.
		}
		if threshold.Operation == nil || operation.Name == *threshold.Operation {
			names = append(names, operation.Name)
		}
	}
	return names
}
