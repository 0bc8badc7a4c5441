package madeup

import (
	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

// Growth is a suite of one server and of three shards, with two runs each, whose collection grows to each of the sizes.
// What its one step finds is less at every checkpoint, and with shards a half; the storage grows as the documents do.
func Growth(sizes ...int64) (cluster.Stored, error) {
	result := comparison.Result{Version: comparison.ResultVersion, Suite: "growth", Revision: "r001"}
	for _, of := range []struct {
		name  string
		share int64
	}{{"standalone", 1}, {"shards3", 2}} {
		side := comparison.Side{Name: of.name}
		side.Spec.Workload = benchv1alpha1.Workload{
			Growth: &benchv1alpha1.Growth{Sizes: sizes}, Steps: []benchv1alpha1.Step{{Name: "find"}},
		}
		for repetition := range int64(2) {
			side.Samples = append(side.Samples, comparison.Sample{
				Run: of.name, Variant: of.name, Repetition: int(repetition) + 1, Figures: grownFigures(sizes, of.share, repetition),
				Fingerprint: map[string]string{"version": "7.0.14"},
			})
		}
		result.Sides = append(result.Sides, side)
	}
	result.Lines = comparison.Compare([]comparison.Pair{{Baseline: result.Sides[0], Candidate: result.Sides[1]}},
		comparison.Settings{Thresholds: []benchv1alpha1.Threshold{
			{Metric: benchv1alpha1.MetricOperationsPerSecond}, {Metric: benchv1alpha1.MetricStorageBytes},
		}})
	files, err := comparison.Files(result, comparison.History{}, comparison.Settings{})
	return cluster.Stored{Result: result, Files: files}, err
}

func grownFigures(sizes []int64, share, repetition int64) []comparison.Figure {
	figures := []comparison.Figure{{
		Key: comparison.Key{Metric: benchv1alpha1.MetricLoadDocumentsPerSecond}, Value: float64(50_000 / share),
	}}
	for i, size := range sizes {
		add := func(metric benchv1alpha1.Metric, step, operation string, value int64) {
			key := comparison.Key{Metric: metric, Step: planv1.GrowthStepName(step, size), Operation: operation}
			figures = append(figures, comparison.Figure{Key: key, Value: float64(value)})
		}
		rate := (9000 - 1000*int64(i) + 10*repetition) / share
		add(benchv1alpha1.MetricOperationsPerSecond, "find", "", rate)
		add(benchv1alpha1.MetricP99Micros, "find", "by-number", 8_000_000/rate)
		add(benchv1alpha1.MetricStorageBytes, planv1.StepNameSize, "", 1024*size)
	}
	return figures
}
