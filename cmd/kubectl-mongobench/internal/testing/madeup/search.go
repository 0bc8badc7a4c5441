package madeup

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
)

// Searched is a suite that searched the smallest number of shards for a throughput, and found it.
func Searched(shape SuiteShape) (cluster.Stored, error) {
	stored, err := Suite(shape)
	limit := &benchv1alpha1.SearchConstraint{Metric: benchv1alpha1.MetricOperationsPerSecond, Min: new(int64(40_000))}
	search := &benchv1alpha1.SuiteSearchStatus{
		Outcome: benchv1alpha1.SearchFound, Variant: stored.Sides[1].Name, Minimise: benchv1alpha1.MinimiseMembers,
		Runs: new(int32(5)), MatrixRuns: new(int32(25)),
		Message: stored.Sides[1].Name + " keeps the constraints, by 5 runs of 25",
	}
	for i, verdict := range []benchv1alpha1.SearchVerdict{benchv1alpha1.SearchBreaks, benchv1alpha1.SearchSmallest} {
		search.Tried = append(search.Tried, benchv1alpha1.SearchedVariant{
			Variant: stored.Sides[i].Name, Verdict: verdict, Runs: new(int32(2 + i)), Objective: new(int64(1 + i)),
			Constraint: limit, ValueMillis: new(int64(30_000_000 * (1 + i))), LowMillis: new(int64(28_000_000 * (1 + i))),
			HighMillis: new(int64(32_000_000 * (1 + i))),
		})
	}
	stored.Search, stored.Object.Status.Search, stored.Lines = search, search, nil
	return stored, err
}
