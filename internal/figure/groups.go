package figure

import (
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Groups are the figures of a group of workers of a step. They are those of a step, over the group's own window.
var Groups = []Row[reportv1.GroupSummary, benchv1alpha1.GroupResult]{
	{
		Metric: "group_threads",
		Help:   "Threads that worked in a group of a step, over all load pods.",
		Of:     func(g *reportv1.GroupSummary) *int64 { return new(int64(g.Threads)) },
		In:     in32(func(g *benchv1alpha1.GroupResult) **int32 { return &g.Threads }),
	},
	{
		Unit:   Millis,
		Metric: "group_start_seconds",
		Help:   "When a group began, from the start of the step's measure window.",
		Of:     func(g *reportv1.GroupSummary) *int64 { return &g.BeginMillis },
		In:     in(func(g *benchv1alpha1.GroupResult) **int64 { return &g.StartMillis }),
	},
	{
		Unit:   Millis,
		Metric: "group_duration_seconds",
		Help:   "How long a group worked.",
		Of:     func(g *reportv1.GroupSummary) *int64 { return &g.DurationMillis },
		In:     in(func(g *benchv1alpha1.GroupResult) **int64 { return &g.DurationMillis }),
	},
	{
		Unit:   PerSecond,
		Metric: "group_operations_per_second",
		Help:   "Throughput of a group: operations that succeeded, over its own window.",
		Of:     func(g *reportv1.GroupSummary) *int64 { return &g.Overall.OperationsPerSecond },
		In:     in(func(g *benchv1alpha1.GroupResult) **int64 { return &g.OperationsPerSecond }),
	},
	{
		Unit:   Micros,
		Metric: "group_latency_p99_seconds",
		Help:   "99th percentile of the latency over all operations of a group.",
		Of:     shown(func(g *reportv1.GroupSummary) *reportv1.TimesSummary { return &g.Overall.TimesSummary }, "P99Micros"),
		In:     in(func(g *benchv1alpha1.GroupResult) **int64 { return &g.P99Micros }),
	},
	{
		Metric: "group_requested_operations_per_second",
		Help:   "Rate at which operations of a group were due; only of an open loop.",
		Of:     of(scheduleOf, func(a *reportv1.ArrivalsSummary) *int64 { return &a.RequestedPerSecond }),
		In:     in(func(g *benchv1alpha1.GroupResult) **int64 { return &g.RequestedOperationsPerSecond }),
	},
	{
		Metric: "group_achieved_operations_per_second",
		Help:   "Rate at which operations of a group were sent in time; only of an open loop.",
		Of:     of(scheduleOf, func(a *reportv1.ArrivalsSummary) *int64 { return &a.AchievedPerSecond }),
		In:     in(func(g *benchv1alpha1.GroupResult) **int64 { return &g.AchievedOperationsPerSecond }),
	},
	{
		Metric: "group_dropped_operations",
		Help:   "Operations of a group that were due and never sent; only of an open loop.",
		Of:     of(scheduleOf, func(a *reportv1.ArrivalsSummary) *int64 { return &a.Dropped }),
		In:     in(func(g *benchv1alpha1.GroupResult) **int64 { return &g.DroppedOperations }),
	},
}

func scheduleOf(g *reportv1.GroupSummary) *reportv1.ArrivalsSummary { return g.Arrivals }
