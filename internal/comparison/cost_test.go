package comparison_test

import (
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

// priced are runs whose steps cost so much a million operations, at so many operations a second.
func priced(costs, rates []int64, list string) comparison.Side {
	side := comparison.Side{Name: list}
	side.Spec.PriceList = &benchv1alpha1.PriceListReference{ConfigMapName: list}
	for i := range costs {
		run := finishedRun()
		run.Status.Conditions, run.Status.Server = nil, nil
		run.Status.Fingerprint = &benchv1alpha1.RunFingerprint{Currency: "EUR", PriceListHash: strings.Repeat(list, 64)}
		step := &run.Status.Result.Steps[0]
		step.OperationsPerSecond, step.CostPerMillionOperationsMicros = &rates[i], &costs[i]
		step.CostPerMonthAtRateMicros = new(int64(52_100_000))
		step.Operations[0].Count, step.Operations = new(10*rates[i]), step.Operations[:1]
		step.Operations[0].OperationsPerSecond = &rates[i]
		side.Samples = append(side.Samples, comparison.SampleOf(run))
	}
	return side
}

// TestCostsAreCompared compares two variants of which the second costs half as much again, and is as fast.
func TestCostsAreCompared(t *testing.T) {
	costs, more := []int64{1000, 1001, 1002, 1003, 1004}, []int64{1500, 1501, 1502, 1503, 1504}
	rates := []int64{2000, 2001, 2002, 2003, 2004}
	settings := comparison.Settings{Thresholds: []benchv1alpha1.Threshold{
		{Metric: benchv1alpha1.MetricCostPerMillionOperationsMicros}, {Metric: benchv1alpha1.MetricOperationsPerSecond},
	}}
	currency := func(pair *comparison.Pair) { set(&pair.Candidate, "currency", "USD") }
	prices := func(pair *comparison.Pair) { set(&pair.Candidate, "priceListHash", "other") }
	for name, tc := range map[string]struct {
		change func(*comparison.Pair)
		want   benchv1alpha1.Verdict
		says   string
	}{
		"by one list": {
			func(*comparison.Pair) {}, benchv1alpha1.VerdictRegressed,
			"cost of a million operations in step mixed: 0.00150, 50 % more than the baseline of 0.00100",
		},
		"by a list that changed meanwhile": {prices, benchv1alpha1.VerdictInconclusive, "priceListHash"},
		"by lists that are declared": {func(pair *comparison.Pair) {
			prices(pair)
			pair.Candidate.Spec.PriceList = &benchv1alpha1.PriceListReference{ConfigMapName: "b"}
		}, benchv1alpha1.VerdictRegressed, "50 % more"},
		"in two currencies": {func(pair *comparison.Pair) {
			currency(pair)
			pair.Candidate.Spec.PriceList = &benchv1alpha1.PriceListReference{ConfigMapName: "b"}
		}, benchv1alpha1.VerdictInconclusive, "currency"},
	} {
		t.Run(name, func(t *testing.T) {
			pair := comparison.Pair{Baseline: priced(costs, rates, "a"), Candidate: priced(more, rates, "a")}
			pair.Candidate.Name = "candidate"
			tc.change(&pair)
			checkCost(t, comparison.Compare([]comparison.Pair{pair}, settings), tc.want, tc.says)
		})
	}
}

// checkCost wants the cost of the step to be judged so, and its throughput to be what it was.
func checkCost(t *testing.T, lines []benchv1alpha1.ComparisonLine, want benchv1alpha1.Verdict, says string) {
	t.Helper()
	found := 0
	for _, line := range lines {
		if line.Operation != "" || line.Step != "mixed" {
			continue
		}
		found++
		wanted, said := want, says
		if line.Metric == benchv1alpha1.MetricOperationsPerSecond {
			wanted, said = benchv1alpha1.VerdictUnchanged, ""
		}
		if line.Verdict != wanted || !strings.Contains(line.Message, said) {
			t.Errorf("%s: got %s, %s, want %s, %s", line.Metric, line.Verdict, line.Message, wanted, said)
		}
	}
	if found != 2 {
		t.Errorf("%d lines, want one of the cost and one of the throughput", found)
	}
}
