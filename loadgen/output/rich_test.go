package output_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// encodedTimes are spread evenly over a range.
func encodedTimes(t *testing.T, count, leastMicros, mostMicros int64) string {
	t.Helper()
	return operation(t, "", "", count, [2]int64{leastMicros, mostMicros}).ServiceTime
}

// richReport has an open loop, a search, a sweep, and what was observed of two servers.
func richReport(t *testing.T) reportv1.Report {
	t.Helper()
	rich := report(t)
	rich.Pods = 1
	loaded := rich.Steps[1]
	loaded.Client = "wire"
	rich.Steps = []reportv1.Step{loaded, openStep(t), searchStep(t)}
	for _, threads := range []int{1, 4, 16} {
		rich.Steps = append(rich.Steps, sweepStep(t, threads))
	}
	rich.Members = []reportv1.Member{
		member("db-0.example:27017", "primary", 1), member("db-1.example:27017", "secondary", 2),
	}
	rich.Members[0].Diagnostics = &reportv1.Diagnostics{Data: make([]byte, 43_000), Samples: 118, Dropped: 240}
	rich.Members[1].Diagnostics = &reportv1.Diagnostics{Missing: "(Unauthorized) not allowed"}
	return rich
}

// openStep asks for 1,000 operations a second for 40 seconds, and gets the most of them.
func openStep(t *testing.T) reportv1.Step {
	t.Helper()
	start := time.Date(2026, time.March, 1, 12, 5, 0, 0, time.UTC)
	find := operation(t, "find", "Find", 30_000, [2]int64{300, 45_000})
	find.ResponseTime, find.FirstDocument = encodedTimes(t, 30_000, 310, 145_000), encodedTimes(t, 30_000, 200, 5000)
	find.Documents, find.Retries, find.Errors = 300_000, 3, 2
	find.ErrorClasses = []reportv1.ErrorClass{{Class: "network", Count: 2, FirstMessage: "connection reset"}}
	find.Intervals = nil
	for second := range 40 {
		find.Intervals = append(find.Intervals, int64(614+100*(second%2)+min(second, 10)*10))
	}
	find.Stragglers, find.CarriedOver, find.Intervals = 54, 64, append(find.Intervals, 0, 54)
	blind := operation(t, "log", "InsertOne", 0, [2]int64{})
	blind.Count, blind.Unacknowledged, blind.ServiceTime, blind.Documents = 9000, 9000, "", 9000
	blind.Intervals = append(make([]int64, 4), slices.Repeat([]int64{250}, 36)...)
	step := reportv1.Step{
		Name: "open", Kind: "Measure", IntendedStart: start, Start: start, MeasureStart: start.Add(10 * time.Second),
		End: start.Add(51*time.Second + 200*time.Millisecond), WindowMillis: 40_000, OverrunMicros: 1_200_000,
		Threads: 64, Client: "mongo-driver v2.8.0",
		IntervalMillis: 1000, Operations: []reportv1.Operation{find, blind},
		Generator: reportv1.Generator{
			CPUMicros: 19_000_000, AvailableCPUMicros: 80_000_000, BusiestPodPercent: 24, GCPauseMicros: 1200,
			GCCPUMicros: 700_000, WaitMicros: 2_300_000, Processors: 2, PeakMemoryBytes: 37 << 20, ThrottledMicros: 5000,
		},
		Arrivals: &reportv1.Arrivals{
			Process: "Poisson", Due: 40_000, Dropped: 800, Skipped: 100, Late: 100, WindowMillis: 40_000, LargestQueue: 1000,
			Lag: encodedTimes(t, 39_100, 5, 100_000), WakeUp: encodedTimes(t, 30_000, 3, 190),
		},
		Traffic: reportv1.Traffic{
			BytesIn: 1 << 32, BytesOut: 12_345_678, Checkouts: 39_100, CheckoutMicros: 78_200, MaxCheckoutMicros: 4000,
		},
	}
	step.Drain = &reportv1.Drain{
		Operations: []string{"log"}, Micros: 4_880_000, Counted: true, Sent: 9000, Arrived: 8990,
	}
	step.Steady = result.FindSteady(step)
	step.Pings = []reportv1.Ping{
		{
			Member: "db-0.example:27017", Pods: 1, Exchanges: 100, MinMicros: 98, NearestMicros: 143, MedianMicros: 143,
			P99Micros: 411,
		},
		{
			Member: "db-1.example:27017", Pods: 2, Exchanges: 140, MinMicros: 400, NearestMicros: 450, MedianMicros: 1200,
			Clock: &reportv1.Clock{
				LeastAheadMicros: -900, MostAheadMicros: 300, UncertaintyMicros: 210, FirstStart: start,
				LastStart: start.Add(1100 * time.Microsecond),
			},
		},
	}
	step.Actions = []reportv1.Action{
		{
			Name: "kill", Type: "DeletePod", Member: "db-0.example:27017", AtMillis: 10_002, UntilMillis: 20_000,
			OutageMicros: 2_193_400, RecoveryMillis: new(int64(3998)),
		},
		{
			Name: "move", Type: "StartBalancer", AtMillis: 20_000, UntilMillis: 30_000, OutageMicros: 9_100,
			RecoveryMillis: new(int64(reportv1.NeverRecovered)),
		},
		{
			Name: "stop", Type: "StopBalancer", AtMillis: 30_000, UntilMillis: 40_000, OutageMicros: 8_000,
			Error: "(Unauthorized) not allowed",
		},
		{
			Name: "look", Type: "AnalyzeShardKey", AtMillis: 40_000, UntilMillis: 50_000, TookMicros: 1_200_000,
			Outcome: "12 distinct values in 10000 of 64000 documents, not monotonic",
		},
	}
	step.Percentiles = []int{75_000, 99_999}
	step.Objectives = []reportv1.Objective{
		{LimitMicros: 5000, PercentMillis: 99_900}, {Operation: "log", LimitMicros: 100_000, PercentMillis: 50_000},
	}
	step.Operations[0].Within = []reportv1.Within{{LimitMicros: 5000, Count: 20_000}}
	step.Explained = []reportv1.Explained{
		{
			Operation: "find", Stages: "LIMIT < FETCH < IXSCAN name_1",
			Examined: &reportv1.Examined{Keys: 1200, Documents: 1, Found: 1},
		},
		{Operation: "buy", Part: 2, Stages: "UPDATE < COLLSCAN"},
		{Operation: "buy", Part: 3, Missing: "(Unauthorized) not allowed"},
	}
	step.Slow = []reportv1.SlowCommands{
		{
			Member: "db-0.example:27017", Logged: 14, LogFromMillis: 31_500, Slowest: []reportv1.SlowCommand{
				{
					Namespace: "bench.things", Shape: "find {filter: {name: ?}, limit: ?}", Plan: "IXSCAN { name: 1 }", Count: 13,
					DurationMillis: 2412, Examined: &reportv1.Examined{Keys: 5000, Documents: 12, Found: 1},
				},
				{Namespace: "bench.things", Shape: "insert {}", Count: 1, DurationMillis: 102},
			},
		},
		{Member: "db-1.example:27017"},
		{Member: "db-2.example:27017", Missing: "servers before 4.4 write a log of another form"},
	}
	return step
}

// searchStep is a search whose confirmation is its measurement.
func searchStep(t *testing.T) reportv1.Step {
	t.Helper()
	step := openStep(t)
	step.WindowMillis, step.OverrunMicros = 10_000, 0
	step.Name, step.Steady, step.Traffic, step.Generator = "search", nil, reportv1.Traffic{}, reportv1.Generator{}
	step.Actions, step.Slow = nil, nil
	step.Explained = []reportv1.Explained{{Missing: "MariaDB Connector is not asked for explain"}}
	step.MeasureStart = step.End.Add(time.Hour)
	step.End = step.MeasureStart.Add(10 * time.Second)
	step.Operations = []reportv1.Operation{operation(t, "read", "FindOne", 22_500, [2]int64{200, 18_500})}
	step.Operations[0].ResponseTime = encodedTimes(t, 22_500, 210, 19_500)
	step.Arrivals = &reportv1.Arrivals{
		Process: "Constant", Due: 22_500, WindowMillis: 10_000, LargestQueue: 12,
		Lag: encodedTimes(t, 22_500, 5, 900), WakeUp: encodedTimes(t, 20_000, 3, 190),
	}
	step.Search = &reportv1.Search{
		PercentileMillis: 99_000, LimitMicros: 20_000, Process: "Constant", ConfidencePercent: 95,
		Found: 2250, Below: 2350, LimitedBy: reportv1.LimitedByTarget,
		Trials: []reportv1.Trial{
			{Rate: 1000, Achieved: 1000, Millis: 10_000, Micros: 4_100, Kept: true, OddsToOne: 9},
			{
				Rate: 4000, Achieved: 2610, Millis: 3000, Slow: 11_020, Micros: 1_930_000, Errors: 4, Dropped: 12_345,
				OddsToOne: 9, LimitedBy: reportv1.LimitedByTarget,
			},
			{
				Rate: 2500, Achieved: 2500, Millis: 22_500, Slow: 702, Micros: 23_400, OddsToOne: 4.3,
				LimitedBy: reportv1.LimitedByThreads, Because: "operations waited for one of 64 threads",
				RecoveryMillis: 30_000, Unsettled: "a:1 has filled 97 % of its cache",
			},
			{Rate: 2250, Achieved: 2250, Millis: 14_000, Slow: 200, Micros: 19_100, Kept: true, OddsToOne: 9},
			{
				Rate: 2250, Achieved: 2250, Millis: 10_000, Slow: 190, Micros: 19_300, Kept: true, Confirmation: true,
				OddsToOne: 2.1,
			},
		},
	}
	return step
}

// sweepStep is one of a sweep over a server with four places.
func sweepStep(t *testing.T, threads int) reportv1.Step {
	t.Helper()
	micros := int64(500 * max(1, threads/4))
	count := int64(threads) * 1_000_000 / micros
	start := time.Date(2026, time.March, 1, 13, threads, 0, 0, time.UTC)
	return reportv1.Step{
		Name: fmt.Sprintf("threads-%d", threads), Kind: "Measure", SweepOf: "threads", Threads: threads, Client: "wire",
		Start: start, MeasureStart: start, End: start.Add(time.Second), IntervalMillis: 1000,
		Operations: []reportv1.Operation{operation(t, "read", "FindOne", count, [2]int64{micros - 100, micros + 100})},
	}
}

// member was observed from a little before the open loop until after it.
func member(name, role string, scale int64) reportv1.Member {
	const samples = 70
	series := func(name, unit string, value func(second int64) int64) reportv1.Series {
		made := reportv1.Series{Name: name, Unit: unit}
		for second := range int64(samples) {
			made.Values = append(made.Values, value(second))
		}
		return made
	}
	constant := func(value int64) func(int64) int64 { return func(int64) int64 { return value } }
	running := func(second int64) int64 {
		if second%30 < 5 {
			return 1
		}
		return 0
	}
	return reportv1.Member{
		Name: name, Role: role, Start: time.Date(2026, time.March, 1, 12, 4, 50, 0, time.UTC), IntervalMillis: 1000,
		Series: []reportv1.Series{
			series("operations.all", "operations/s", func(second int64) int64 { return 1000 - 400*running(second) }),
			series("cpu.user", "ms/s", constant(900/scale)),
			series("cpu.system", "ms/s", constant(330/scale)),
			series("cache.used", "bytes", func(second int64) int64 { return (500 + second) << 20 }),
			series("cache.dirty", "bytes", constant(12<<20)),
			series("disk.read", "bytes/s", constant(0)),
			series("disk.written", "bytes/s", constant(33<<20)),
			series("journal.written", "bytes/s", constant(4<<20)),
			series("checkpoint.running", "count", running),
			series("checkpoint.count", "count", func(second int64) int64 { return second / 30 }),
			series("checkpoint.duration", "ms", constant(4700)),
		},
	}
}
