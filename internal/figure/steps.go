package figure

import (
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

type stepRow = Row[reportv1.StepSummary, benchv1alpha1.StepResult]

// Steps are the figures of a step as a whole, in the order of CSV.
var Steps = slices.Concat([]stepRow{
	{
		Unit: Millis, Metric: "step_duration_seconds", Help: "Length of a step's measure window, without the warm-up.",
		Of: func(s *reportv1.StepSummary) *int64 { return &s.DurationMillis },
		In: in(func(s *benchv1alpha1.StepResult) **int64 { return &s.DurationMillis }),
	},
	{
		Unit: Millis, Sparse: true, Column: "overrunMillis", Metric: "step_overrun_seconds",
		Help: "How long after the planned end of a step's measure window its last reply came.",
		Of:   func(s *reportv1.StepSummary) *int64 { return &s.OverrunMillis },
		In:   in(func(s *benchv1alpha1.StepResult) **int64 { return &s.OverrunMillis }),
	},
	{
		Unit: PerSecond, Metric: "step_operations_per_second",
		Help: "Throughput of a step: operations of the whole mix that succeeded.",
		Of:   func(s *reportv1.StepSummary) *int64 { return &s.Overall.OperationsPerSecond },
		In:   in(func(s *benchv1alpha1.StepResult) **int64 { return &s.OperationsPerSecond }),
	},
	{
		Unit: Micros, Metric: "step_latency_p99_seconds",
		Help: "99th percentile of the latency over all operations of a step.",
		Of:   shown(wholeStep, "P99Micros"),
		In:   in(func(s *benchv1alpha1.StepResult) **int64 { return &s.P99Micros }),
	},
	{
		Sparse: true, Metric: "step_threads", Help: "Threads that worked, over all load pods.",
		Of: func(s *reportv1.StepSummary) *int64 { return new(int64(s.Threads)) },
		In: in32(func(s *benchv1alpha1.StepResult) **int32 { return &s.Threads }),
	},
	{
		Sparse: true, Metric: "step_documents", Help: "Documents of the growing collection while a step was measured.",
		Of: func(s *reportv1.StepSummary) *int64 { return &s.Documents },
		In: in(func(s *benchv1alpha1.StepResult) **int64 { return &s.Documents }),
	},
}, arrivals, []stepRow{
	{
		Unit: Micros, Column: "roundTripMicros", Metric: "step_round_trip_seconds",
		Help: "Median time of a question that needs no work, from the farthest load pod to the farthest server.",
		Of:   farthest,
		In:   in(func(s *benchv1alpha1.StepResult) **int64 { return &s.RoundTripMicros }),
	},
	{
		Unit: Millis, Column: "replicationLagMillis", Metric: "step_replication_lag_seconds",
		Help: "By how much the secondary that was behind most was behind its primary, of all samples of a step's window.",
		Of:   func(s *reportv1.StepSummary) *int64 { return s.ReplicationLagMillis },
		In:   in(func(s *benchv1alpha1.StepResult) **int64 { return &s.ReplicationLagMillis }),
		Compared: &Comparison{
			Metric: benchv1alpha1.MetricReplicationLagMillis, Name: "replication lag", Unit: Millis, UnitName: "milliseconds",
			BenchUnit: "lag-ms", Overall: true,
		},
	},
	{
		Metric: "search_operations_per_second",
		Help:   "Highest rate that kept the objective of a search and was confirmed.",
		Of:     of(search, func(s *reportv1.Search) *int64 { return &s.Found }),
		In:     in(of(searchResult, func(s *benchv1alpha1.SearchResult) **int64 { return &s.FoundOperationsPerSecond })),
	},
	{
		Sparse: true, Metric: "search_below_operations_per_second",
		Help: "Lowest rate that does not keep the objective of a search.",
		Of:   of(search, func(s *reportv1.Search) *int64 { return &s.Below }),
		In:   in(of(searchResult, func(s *benchv1alpha1.SearchResult) **int64 { return &s.BelowOperationsPerSecond })),
	},
	{
		Metric: "search_trials", Help: "Trials that a search made.",
		Of: of(search, func(s *reportv1.Search) *int64 { return new(int64(len(s.Trials))) }),
		In: in32(of(searchResult, func(s *benchv1alpha1.SearchResult) **int32 { return &s.Trials })),
	},
	{
		Unit: Millis, Column: "steadyAfterMillis", Metric: "steady_after_seconds",
		Help:   "From when on a step's throughput was steady, from the start of its measure window.",
		Absent: neverSteady,
		Of: func(s *reportv1.StepSummary) *int64 {
			if s.Steady == nil || !s.Steady.Reached {
				return nil
			}
			return &s.Steady.AfterMillis
		},
		In: in(func(s *benchv1alpha1.StepResult) **int64 { return &s.SteadyAfterMillis }),
	},
	{
		Column: "variationPercent",
		Of: of(func(s *reportv1.StepSummary) *reportv1.Steady { return s.Steady },
			func(s *reportv1.Steady) *int64 { return new(int64(s.VariationPercent)) }),
	},
	{
		Unit: Millis, Column: "drainMillis", Metric: "drain_seconds",
		Help: "How long after its window a step's unacknowledged writes were still taken in.",
		Of:   of(drain, func(d *reportv1.Drain) *int64 { return new(d.Micros / 1000) }),
		In:   in(func(s *benchv1alpha1.StepResult) **int64 { return &s.DrainMillis }),
	},
	{
		Column: "sentDocuments", Metric: "unacknowledged_sent_documents",
		Help: "Documents that were sent in unacknowledged inserts.",
		Of:   of(countedDrain, func(d *reportv1.Drain) *int64 { return &d.Sent }),
		In:   in(func(s *benchv1alpha1.StepResult) **int64 { return &s.SentDocuments }),
	},
	{
		Column: "arrivedDocuments", Metric: "unacknowledged_arrived_documents",
		Help: "Documents of unacknowledged inserts that were there afterwards.",
		Of:   of(countedDrain, func(d *reportv1.Drain) *int64 { return &d.Arrived }),
		In:   in(func(s *benchv1alpha1.StepResult) **int64 { return &s.ArrivedDocuments }), Signed: true,
	},
}, costs)

func wholeStep(s *reportv1.StepSummary) *reportv1.TimesSummary { return &s.Overall.TimesSummary }

// arrivals are the figures of an open loop.
var arrivals = []stepRow{
	{
		Column: "requestedPerSecond", Metric: "requested_operations_per_second",
		Help: "Rate at which operations were due; only of an open loop.",
		Of:   of(openLoop, func(a *reportv1.ArrivalsSummary) *int64 { return &a.RequestedPerSecond }),
		In:   in(func(s *benchv1alpha1.StepResult) **int64 { return &s.RequestedOperationsPerSecond }),
	},
	{
		Column: "achievedPerSecond", Metric: "achieved_operations_per_second",
		Help: "Rate at which operations were sent in time; only of an open loop.",
		Of:   of(openLoop, func(a *reportv1.ArrivalsSummary) *int64 { return &a.AchievedPerSecond }),
		In:   in(func(s *benchv1alpha1.StepResult) **int64 { return &s.AchievedOperationsPerSecond }),
	},
	{
		Column: "dropped", Metric: "dropped_operations",
		Help: "Operations that were due and never sent; only of an open loop.",
		Of:   of(openLoop, func(a *reportv1.ArrivalsSummary) *int64 { return &a.Dropped }),
		In:   in(func(s *benchv1alpha1.StepResult) **int64 { return &s.DroppedOperations }),
	},
	{
		Sparse: true, Metric: "skipped_operations",
		Help: "Operations that were never sent because they were due for too long; only of an open loop.",
		Of:   of(openLoop, func(a *reportv1.ArrivalsSummary) *int64 { return &a.Skipped }),
		In:   in(func(s *benchv1alpha1.StepResult) **int64 { return &s.SkippedOperations }),
	},
	{Column: "late", Of: of(openLoop, func(a *reportv1.ArrivalsSummary) *int64 { return &a.Late })},
	{Column: "lagP50Micros", Absent: fewArrivals, Of: shown(lag, "P50Micros")},
	{
		Unit: Micros, Column: "lagP99Micros", Metric: "schedule_lag_p99_seconds",
		Help:   "99th percentile of the time from when an operation was due until it was sent; only of an open loop.",
		Absent: fewArrivals, Of: shown(lag, "P99Micros"),
		In: in(func(s *benchv1alpha1.StepResult) **int64 { return &s.ScheduleLagP99Micros }),
	},
	{Column: "lagMaxMicros", Of: of(openLoop, func(a *reportv1.ArrivalsSummary) *int64 { return &a.Lag.MaxMicros })},
	{
		Column: "wakeUpP99Micros", Absent: fewArrivals,
		Of: shown(of(openLoop, func(a *reportv1.ArrivalsSummary) *reportv1.TimesSummary { return &a.WakeUp }), "P99Micros"),
	},
}

// lag are the times from when operations were due until they were sent.
func lag(s *reportv1.StepSummary) *reportv1.TimesSummary {
	if s.Arrivals == nil {
		return nil
	}
	return &s.Arrivals.Lag
}

// fewArrivals stands for a percentile of an open loop's lag that there are too few times for.
func fewArrivals(s *reportv1.StepSummary) string {
	if s.Arrivals == nil {
		return ""
	}
	return present.Few
}

func openLoop(s *reportv1.StepSummary) *reportv1.ArrivalsSummary           { return s.Arrivals }
func search(s *reportv1.StepSummary) *reportv1.Search                      { return s.Search }
func searchResult(s *benchv1alpha1.StepResult) *benchv1alpha1.SearchResult { return s.Search }
func drain(s *reportv1.StepSummary) *reportv1.Drain                        { return s.Drain }

func countedDrain(s *reportv1.StepSummary) *reportv1.Drain {
	if s.Drain == nil || !s.Drain.Counted {
		return nil
	}
	return s.Drain
}

// farthest is the longest of the median round trips.
func farthest(s *reportv1.StepSummary) *int64 {
	if ping := reportv1.Farthest(s.Pings); ping != nil {
		return new(ping.MedianMicros)
	}
	return nil
}

func neverSteady(s *reportv1.StepSummary) string {
	if s.Steady == nil {
		return "unchecked"
	}
	return "never"
}

// of reads a figure of a part that not every whole has.
func of[Whole, Part, Figure any](part func(*Whole) *Part, figure func(*Part) *Figure) func(*Whole) *Figure {
	return func(whole *Whole) *Figure {
		if found := part(whole); found != nil {
			return figure(found)
		}
		return nil
	}
}
