package figure

import (
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Groups are the figures of a group of workers of a step. They are those of a step, over the group's own window.
var Groups = []Row[reportv1.GroupSummary, benchv1alpha1.GroupResult]{
	{
		Of: func(g *reportv1.GroupSummary) *int64 { return new(int64(g.Threads)) },
		In: in32(func(g *benchv1alpha1.GroupResult) **int32 { return &g.Threads }),
	},
	{
		Unit: Millis,
		Of:   func(g *reportv1.GroupSummary) *int64 { return &g.BeginMillis },
		In:   in(func(g *benchv1alpha1.GroupResult) **int64 { return &g.StartMillis }),
	},
	{
		Unit: Millis,
		Of:   func(g *reportv1.GroupSummary) *int64 { return &g.DurationMillis },
		In:   in(func(g *benchv1alpha1.GroupResult) **int64 { return &g.DurationMillis }),
	},
	{
		Unit: PerSecond,
		Of:   func(g *reportv1.GroupSummary) *int64 { return &g.Overall.OperationsPerSecond },
		In:   in(func(g *benchv1alpha1.GroupResult) **int64 { return &g.OperationsPerSecond }),
	},
	{
		Unit: Micros,
		Of:   shown(func(g *reportv1.GroupSummary) *reportv1.TimesSummary { return &g.Overall.TimesSummary }, "P99Micros"),
		In:   in(func(g *benchv1alpha1.GroupResult) **int64 { return &g.P99Micros }),
	},
	{
		Of: of(scheduleOf, func(a *reportv1.ArrivalsSummary) *int64 { return &a.RequestedPerSecond }),
		In: in(func(g *benchv1alpha1.GroupResult) **int64 { return &g.RequestedOperationsPerSecond }),
	},
	{
		Of: of(scheduleOf, func(a *reportv1.ArrivalsSummary) *int64 { return &a.AchievedPerSecond }),
		In: in(func(g *benchv1alpha1.GroupResult) **int64 { return &g.AchievedOperationsPerSecond }),
	},
	{
		Of: of(scheduleOf, func(a *reportv1.ArrivalsSummary) *int64 { return &a.Dropped }),
		In: in(func(g *benchv1alpha1.GroupResult) **int64 { return &g.DroppedOperations }),
	},
}

func scheduleOf(g *reportv1.GroupSummary) *reportv1.ArrivalsSummary { return g.Arrivals }
