package figure

import (
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// costs are the figures of a step whose target has a price.
var costs = []stepRow{
	{
		Unit: MoneyMicros, Column: "costPerMillionOperationsMicros", Metric: "cost_per_million_operations",
		Help: "What a million operations of a step cost that succeed, in the currency that mongobench_run_cost_info names.",
		Of:   of(stepCost, func(c *reportv1.StepCost) *int64 { return &c.PerMillionOperationsMicros }),
		In:   in(func(s *benchv1alpha1.StepResult) **int64 { return &s.CostPerMillionOperationsMicros }),
		Compared: comparedCost(benchv1alpha1.MetricCostPerMillionOperationsMicros, "cost of a million operations",
			"micros/million-ops"),
	},
	{
		Unit: MoneyMicros, Column: "costPerMonthAtRateMicros", Metric: "cost_per_month_at_rate",
		Help: "What a month of 730 hours at the rate of a step costs, in the currency that mongobench_run_cost_info names.",
		Of:   of(stepCost, func(c *reportv1.StepCost) *int64 { return &c.PerMonthAtRateMicros }),
		In:   in(func(s *benchv1alpha1.StepResult) **int64 { return &s.CostPerMonthAtRateMicros }),
		Compared: comparedCost(benchv1alpha1.MetricCostPerMonthAtRateMicros, "cost of a month at the rate",
			"micros/month"),
	},
}

// Costs are the figures of what a target costs by an hour.
var Costs = []Row[reportv1.Cost, benchv1alpha1.CostResult]{
	{
		Unit: MoneyNanos, Metric: "cost_compute_per_hour",
		Help: "What the members of a target pay for their nodes, by the hour.",
		Of:   func(c *reportv1.Cost) *int64 { return &c.ComputeNanosPerHour },
		In:   in(func(c *benchv1alpha1.CostResult) **int64 { return &c.ComputeNanosPerHour }),
	},
	{
		Unit: MoneyNanos, Metric: "cost_storage_per_hour",
		Help: "What the volumes of a target's members cost, by the hour.",
		Of:   func(c *reportv1.Cost) *int64 { return &c.StorageNanosPerHour },
		In:   in(func(c *benchv1alpha1.CostResult) **int64 { return &c.StorageNanosPerHour }),
	},
	{
		Unit: MoneyNanos, Metric: "cost_network_in_per_gibibyte",
		Help: "What a GiB costs that load pods send to a target; nothing when it has no price.",
		Of:   func(c *reportv1.Cost) *int64 { return c.NetworkInNanosPerGibibyte },
		In:   in(func(c *benchv1alpha1.CostResult) **int64 { return &c.NetworkInNanosPerGibibyte }),
	},
	{
		Unit: MoneyNanos, Metric: "cost_network_out_per_gibibyte",
		Help: "What a GiB costs that a target answers; nothing when it has no price.",
		Of:   func(c *reportv1.Cost) *int64 { return c.NetworkOutNanosPerGibibyte },
		In:   in(func(c *benchv1alpha1.CostResult) **int64 { return &c.NetworkOutNanosPerGibibyte }),
	},
}

func stepCost(s *reportv1.StepSummary) *reportv1.StepCost { return s.Cost }

func comparedCost(metric benchv1alpha1.Metric, name, benchUnit string) *Comparison {
	return &Comparison{
		Metric: metric, Name: name, Unit: MoneyMicros, UnitName: "millionths of the currency", BenchUnit: benchUnit,
		Overall: true,
	}
}

// CostOf is what a status tells of a cost, as reports are read with it; nil where it tells of none.
func CostOf(status *benchv1alpha1.CostResult) *reportv1.Cost {
	if status == nil || status.ComputeNanosPerHour == nil || status.StorageNanosPerHour == nil {
		return nil
	}
	return &reportv1.Cost{
		Currency: status.Currency, Source: status.Source, ValidFrom: status.ValidFrom,
		ComputeNanosPerHour: *status.ComputeNanosPerHour, StorageNanosPerHour: *status.StorageNanosPerHour,
		NetworkInNanosPerGibibyte:  status.NetworkInNanosPerGibibyte,
		NetworkOutNanosPerGibibyte: status.NetworkOutNanosPerGibibyte,
	}
}
