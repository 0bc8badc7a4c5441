package suite

import (
	"fmt"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/statistics"
)

// Warning says that the repetitions of a suite are too few for any line of its comparison to find anything, however
// large, and how many it takes; empty when they are not.
func Warning(suite *benchv1alpha1.BenchmarkSuite, plan Plan) string {
	if Duet(suite) || suite.Spec.Search != nil { // They go on until they know, in windows or in runs.
		return ""
	}
	normal := spec.NormaliseSuite(suite.Spec)
	baseline := ptr.Deref(suite.Spec.Baseline, benchv1alpha1.Baseline{})
	thresholds := normal.Thresholds
	if len(baseline.Figures) > 0 {
		thresholds = spec.Thresholds(spec.FigureThresholds(baseline.Figures))
	}
	lines, confidence := 0, int32(0)
	for _, variant := range plan.Variants {
		if baseline.Variant != nil && variant.Name == *baseline.Variant {
			continue
		}
		for _, threshold := range thresholds {
			lines += linesOf(threshold, variant)
			confidence = max(confidence, *threshold.ConfidencePercent)
		}
	}
	if lines == 0 {
		return ""
	}
	// The API bounds the confidence. Two samples need the fewest repetitions; pairs, and a fixed figure, need more.
	needed, _ := statistics.SmallestSamples(float64(confidence)/100, lines)
	if len(baseline.Figures) > 0 {
		needed, _ = statistics.SmallestPairs(float64(confidence)/100, lines)
	}
	if int(*normal.Repetitions) >= needed {
		return ""
	}
	return fmt.Sprintf("%s can find nothing at %d %% confidence over %s: that takes %d of each variant",
		present.Plural(int64(*normal.Repetitions), "repetition"), confidence,
		present.Plural(int64(lines), "compared line"), needed)
}

// linesOf a variant are those that a threshold asks for. Where several thresholds are about the same they count more
// than once, which asks for a repetition too many at most.
func linesOf(threshold benchv1alpha1.Threshold, variant Variant) int {
	count := 0
	for _, step := range variant.Steps {
		if threshold.Step != nil && !step.Is(*threshold.Step) {
			continue
		}
		switch {
		case threshold.Operation == nil && figure.ComparedBy(threshold.Metric).Overall:
			count++
		case threshold.Operation == nil:
			count += len(step.Operations)
		default:
			count++
		}
	}
	if threshold.Metric == benchv1alpha1.MetricLoadDocumentsPerSecond {
		return 1
	}
	return count
}
