package result_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// busyReport is one of four threads that did 1,000 operations of 40 ms in ten seconds, and so were with them all the
// time, and of the servers.
func busyReport(t *testing.T, members ...reportv1.Member) reportv1.Report {
	t.Helper()
	times := make([]int64, 1000)
	for i := range times {
		times[i] = 40_000
	}
	report := podReport(t, times...)
	report.Server.CPUCores, report.Members = 4, members
	report.Steps[1].WindowMillis = 10_000
	report.Steps[1].Operations[0].BusyMicros = 40_000_000
	report.Steps[1].Operations[0].Intervals = slices.Repeat([]int64{100}, 10)
	return report
}

// always are series of one value each, by name.
func always(values map[string]int64) []reportv1.Series {
	all := []reportv1.Series{steps("operations.all", 100)}
	for name, value := range values {
		all = slices.DeleteFunc(all, func(s reportv1.Series) bool { return s.Name == name })
		all = append(all, steps(name, value))
	}
	return all
}

// limit is the first cause of a report's step, and the names of all.
func limitOf(t *testing.T, report reportv1.Report) (first reportv1.Limit, all []string) {
	t.Helper()
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range summary.Steps[0].LimitedBy {
		all = append(all, limit.By)
		if limit.Because == "" || limit.Try == "" {
			t.Errorf("%+v does not say why, or what to try", limit)
		}
	}
	return summary.Steps[0].LimitedBy[0], all
}

// TestWhatAServerTellsLimitsAStep has the shapes that servers had in the situations of loadgen/limits, and those of
// what cannot be made there.
func TestWhatAServerTellsLimitsAStep(t *testing.T) {
	t.Parallel()
	const likely, possible = reportv1.CertaintyLikely, reportv1.CertaintyPossible
	for name, tc := range map[string]struct {
		series          map[string]int64
		change          func(*reportv1.Report)
		by, certainty   string
		because         string
		notWithThinking bool
	}{
		"nothing": {
			nil, nil, reportv1.LimitedByNothingSeen, likely, "4 threads were with operations for 100 % of their time", false,
		},
		"its cores": {
			map[string]int64{"cpu.user": 2500, "cpu.system": 600},
			nil, reportv1.LimitedByCPU, likely,
			"used 77 % of the 4 cores of its machine", false,
		},
		"its cores, of a server that rests for half of the time": {
			map[string]int64{"cpu.user": 1250, "cpu.system": 300},
			func(r *reportv1.Report) { r.Steps[1].SpanMillis = 24_000 }, reportv1.LimitedByCPU, likely,
			"used 77 % of the 4 cores of its machine", false,
		},
		"its CPU limit, of such a server": {
			map[string]int64{"cpu.user": 75, "cpu.system": 22, "cpu.periods": 5, "cpu.throttledPeriods": 4},
			func(r *reportv1.Report) { r.Server.CPULimitMillicores, r.Steps[1].SpanMillis = 200, 24_000 },
			reportv1.LimitedByCPU, likely, "97 % of its CPU limit of 0.2 cores", false,
		},
		"cores that it shares": {
			map[string]int64{"cpu.user": 1400, "cpu.system": 100, "host.cpuBusy": 3900, "host.cpuIdle": 100},
			nil,
			reportv1.LimitedByCPU, possible,
			"used 37 % of the 4 cores of its machine, whose processors were busy for 97 %", false,
		},
		"cores that others use": {
			map[string]int64{"cpu.user": 100, "cpu.system": 100, "host.cpuBusy": 3900, "host.cpuIdle": 100},
			nil,
			reportv1.LimitedByNothingSeen, likely, "used 5 %", false,
		},
		"its CPU limit": {
			map[string]int64{"cpu.user": 150, "cpu.system": 45, "cpu.periods": 10, "cpu.throttledPeriods": 9},
			func(r *reportv1.Report) { r.Server.CPULimitMillicores = 200 }, reportv1.LimitedByCPU, likely,
			"97 % of its CPU limit of 0.2 cores", false,
		},
		"a CPU limit that is not known": {
			map[string]int64{"cpu.periods": 10, "cpu.throttledPeriods": 9},
			nil, reportv1.LimitedByCPU, likely,
			"its CPU limit stopped server a:1 in 90 %", false,
		},
		"its CPU limit, while others keep it from running": {
			map[string]int64{"cpu.user": 110, "cpu.system": 34, "cpu.periods": 10, "cpu.throttledPeriods": 8},
			func(r *reportv1.Report) { r.Server.CPULimitMillicores = 200 }, reportv1.LimitedByCPU, likely,
			"in 80 % of the scheduler's periods in which it had work, and it used 72 % of it", false,
		},
		"bursts above its CPU limit": {
			map[string]int64{"cpu.user": 250, "cpu.system": 45, "cpu.periods": 10, "cpu.throttledPeriods": 2},
			func(r *reportv1.Report) { r.Server.CPULimitMillicores = 500 }, reportv1.LimitedByThrottling, likely,
			"in 20 % of the scheduler's periods in which it had work, although it used 59 % of it", false,
		},
		"threads that evict": {
			map[string]int64{
				"cache.maximum": 100, "cache.used": 81, "cache.dirty": 15, "cache.applicationWait": 2_000_000,
				"cache.applicationEvictions": 70, "cpu.user": 3500, "cpu.system": 200,
			}, nil, reportv1.LimitedByCache, likely, "waited for its cache of 100 B for 50 %", true,
		},
		"reads of what does not fit": {
			map[string]int64{"cache.maximum": 100 << 20, "cache.used": 81 << 20, "cache.readInto": 2 << 20},
			nil,
			reportv1.LimitedByCache, possible, "2 MiB/s were read into it", false,
		},
		"pages that InnoDB waits for": {
			map[string]int64{"cache.maximum": 100, "cache.used": 99, "cache.freeWaits": 5},
			nil, reportv1.LimitedByCache,
			possible, "99 % full", false,
		},
		"syncs of the journal": {
			map[string]int64{
				"journal.syncs": 40, "journal.syncTime": 1_000_000, "timed.writes": 100, "serverTime.writes": 39_000,
			}, durable("Synced"), reportv1.LimitedByJournal, likely, "takes 25.0 ms, of 39.0 ms that a write takes", true,
		},
		"syncs that no write waits for": {
			map[string]int64{
				"journal.syncs": 40, "journal.syncTime": 1_000_000, "timed.writes": 100, "serverTime.writes": 39_000,
			}, durable("Memory"), reportv1.LimitedByNothingSeen, likely, "", false,
		},
		"checkpoints of InnoDB": {
			map[string]int64{"checkpoint.age": 95, "checkpoint.maximumAge": 100},
			nil, reportv1.LimitedByCheckpoints, likely,
			"95 % of its redo log", false,
		},
		"its disk": {
			map[string]int64{"host.disk.vda": 950, "host.disk.vdb": 20, "disk.read": 9 << 20},
			nil, reportv1.LimitedByDisk,
			likely, "disk vda of server a:1's machine was busy for 95 %", false,
		},
		"a disk that others use": {
			map[string]int64{"host.disk.vda": 950, "disk.read": 9 << 10}, nil, reportv1.LimitedByNothingSeen, likely, "", false,
		},
		"tickets": {
			map[string]int64{"tickets.readAvailable": 0, "tickets.readOut": 5, "queue.readers": 11},
			nil,
			reportv1.LimitedByTickets, likely,
			"no read ticket left in 100 % of the samples, with 5 out and 11 operations", false,
		},
		"tickets, as 8.0 tells of them": {
			map[string]int64{"tickets.writeAvailable": 0, "queue.writers": 0, "tickets.writeQueueTime": 3_000_000},
			nil,
			reportv1.LimitedByTickets, likely, "no write ticket", true,
		},
		"locks, of a server that rests for half of the time": {
			map[string]int64{"locks.waitTime": 1500}, func(r *reportv1.Report) {
				r.Steps[1].SpanMillis = 24_000
				for i := range r.Members[0].Series {
					r.Members[0].Series[i].Unit = "ms/s"
				}
			}, reportv1.LimitedByLocks, likely, "for 75 % of their time", true,
		},
		"locks": {
			map[string]int64{"locks.waitTime": 3000}, nil, reportv1.LimitedByLocks, likely, "for 75 % of their time", true,
		},
		"writes of the same documents": {
			map[string]int64{"writeConflicts": 300, "timed.writes": 100, "cpu.user": 3900, "cpu.system": 1},
			nil,
			reportv1.LimitedByLocks, likely, "300 writes/s met another write", false,
		},
		"flow control": {
			map[string]int64{"flowControl.wait": 3_000_000, "replication.largestLag": 7000},
			nil,
			reportv1.LimitedByFlowControl, likely,
			"for 75 % of the time of operations, because of secondaries up to 7.00 s", true,
		},
		"a majority": {
			map[string]int64{"replication.majorityWait": 3000, "replication.majorityWaits": 100},
			durable("Majority"),
			reportv1.LimitedByMajority, likely, "for 75 % of the time of operations, 30.0 ms each", true,
		},
		"the server's connections": {
			map[string]int64{"connections.current": 1000, "connections.available": 0},
			nil, reportv1.LimitedByConnections,
			possible, "1000 connections, and 0 left", false,
		},
		"a long way": {
			map[string]int64{"timed.reads": 100, "serverTime.reads": 500},
			func(r *reportv1.Report) {
				r.Steps[1].Pings = []reportv1.Ping{{Member: "a:1", MedianMicros: 38_000}}
			}, reportv1.LimitedByNetwork, likely, "a round trip that needs no work takes 38.0 ms", true,
		},
		"a narrow way": {
			map[string]int64{"timed.reads": 100, "serverTime.reads": 500},
			func(r *reportv1.Report) {
				r.Steps[1].Pings = []reportv1.Ping{{Member: "a:1", MedianMicros: 200}}
				r.Steps[1].Traffic.BytesIn = 100 << 20
			}, reportv1.LimitedByNetwork, likely, "10 MiB/s came in", true,
		},
		"a way that takes long for no reason": {
			map[string]int64{"timed.reads": 100, "serverTime.reads": 500}, nil, reportv1.LimitedByNothingSeen, likely, "", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := busyReport(t, observed("a:1", "primary", always(tc.series)...))
			if tc.change != nil {
				tc.change(&report)
			}
			first, all := limitOf(t, report)
			if first.By != tc.by || first.Certainty != tc.certainty || !strings.Contains(first.Because, tc.because) {
				t.Errorf("limited by %+v, of %v; want %s (%s) because of %q", first, all, tc.by, tc.certainty, tc.because)
			}
			// Threads that think for most of the time hardly wait for it.
			report.Steps[1].Threads = 1000
			if first, _ := limitOf(t, report); tc.notWithThinking && first.By == tc.by && first.Certainty == likely {
				t.Errorf("1,000 threads that think are limited by %+v", first)
			}
		})
	}
}

func TestTheReplicationLagOfAStepIsTheLargest(t *testing.T) {
	t.Parallel()
	lag := func(name, role string, millis int64) reportv1.Member {
		return observed(name, role, always(map[string]int64{reportv1.SeriesLargestLag: millis})...)
	}
	for name, tc := range map[string]struct {
		members []reportv1.Member
		want    *int64
	}{
		"of two shards": {
			[]reportv1.Member{lag("a:1", "primary", 30), lag("b:1", "primary", 700)}, new(int64(700)),
		},
		"not of the configuration servers": {
			[]reportv1.Member{lag("a:1", "primary", 30), lag("c:1", "config", 700)}, new(int64(30)),
		},
		"none":            {[]reportv1.Member{lag("a:1", "primary", 0)}, new(int64(0))},
		"of no primary":   {[]reportv1.Member{lag("a:1", "secondary", -1)}, nil},
		"without samples": {nil, nil},
	} {
		summary, err := result.Summarise(busyReport(t, tc.members...))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, summary.Steps[0].ReplicationLagMillis); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func durable(durability string) func(*reportv1.Report) {
	return func(r *reportv1.Report) { r.Server.Durability = durability }
}

func TestACheckpointThatSlowsOperationsLimitsThem(t *testing.T) {
	t.Parallel()
	running := steps("checkpoint.running", 0, [2]int64{6, 1}, [2]int64{9, 0})
	for rate, want := range map[int64]string{
		20: reportv1.CertaintyLikely, 80: reportv1.CertaintyPossible, 95: "",
	} {
		rates := steps("operations.all", 100, [2]int64{6, rate}, [2]int64{9, 100})
		first, _ := limitOf(t, busyReport(t, observed("a:1", "standalone", running, rates)))
		if (first.By == reportv1.LimitedByCheckpoints) != (want != "") || want != "" && first.Certainty != want {
			t.Errorf("with %d operations/s of 100 during checkpoints, limited by %+v, want %q", rate, first, want)
		}
	}
}

func TestAHotShardLimitsThreadsThatAlwaysSend(t *testing.T) {
	t.Parallel()
	shard := func(name, role string, rate int64) reportv1.Member {
		return observed(name, role, always(map[string]int64{"operations.all": rate})...)
	}
	uneven := []reportv1.Member{shard("a:1", "primary", 90), shard("b:1", "primary", 10)}
	for name, tc := range map[string]struct {
		members []reportv1.Member
		threads int
		want    string
	}{
		"one of two":             {uneven, 4, reportv1.LimitedByHotShard},
		"one of two, by the way": {uneven, 400, reportv1.LimitedByNothingSeen},
		"both": {
			[]reportv1.Member{uneven[0], shard("b:1", "primary", 80)}, 4, reportv1.LimitedByNothingSeen,
		},
		"a primary and its secondary": {
			[]reportv1.Member{uneven[0], shard("b:1", "secondary", 10)}, 4, reportv1.LimitedByNothingSeen,
		},
		"a shard and a config server": {
			[]reportv1.Member{uneven[0], shard("b:1", "config", 10)}, 4, reportv1.LimitedByNothingSeen,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := busyReport(t, tc.members...)
			report.Steps[1].Threads = tc.threads
			if first, _ := limitOf(t, report); first.By != tc.want {
				t.Errorf("limited by %+v, want %s", first, tc.want)
			}
		})
	}
}

func TestTheLoadItselfLimitsAStep(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change  func(*reportv1.Step)
		want    string
		because string
	}{
		"a saturated load generator": {
			func(s *reportv1.Step) { s.Generator.BusiestPodPercent = 97 }, reportv1.LimitedByGenerator, "97 % of its CPU",
		},
		"a gateway without a free session": {
			func(s *reportv1.Step) {
				s.Gateways = []reportv1.Gateway{{Name: "g:1", PoolSize: 8, Requests: 10, RequestMicros: 1000, PoolWaitMicros: 400}}
			}, reportv1.LimitedByGateway, "gateway g:1 had requests wait for one of its 8 sessions for 40 % of their time",
		},
		"a pool that is too small": {
			func(s *reportv1.Step) { s.PoolSize, s.Traffic.CheckoutMicros = 1, 30_000_000 },
			reportv1.LimitedByConnections, "one of 1 connection of the client's pool was 75 %",
		},
		"a search that the load generator ended": {
			func(s *reportv1.Step) { s.Search = &reportv1.Search{LimitedBy: reportv1.LimitedByGenerator} },
			reportv1.LimitedByGenerator, "at higher rates",
		},
		"a search without a thread free": {
			func(s *reportv1.Step) { s.Search = &reportv1.Search{LimitedBy: reportv1.LimitedByThreads} },
			reportv1.LimitedByThreads, "at higher rates",
		},
		"a search up to its maximum": {
			func(s *reportv1.Step) { s.Search = &reportv1.Search{LimitedBy: reportv1.LimitedByMaximum, Found: 900} },
			reportv1.LimitedBySchedule, "900/s kept the objective",
		},
		"threads that think": {
			func(s *reportv1.Step) { s.Threads = 400 }, reportv1.LimitedByNothingSeen, "for 1 % of their time",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := busyReport(t, observed("a:1", "primary", always(nil)...))
			tc.change(&report.Steps[1])
			if first, all := limitOf(t, report); first.By != tc.want || !strings.Contains(first.Because, tc.because) {
				t.Errorf("limited by %+v, of %v; want %s because of %q", first, all, tc.want, tc.because)
			}
		})
	}
}

func TestAScheduleThatIsKeptLimitsAStepHoweverBusyItsServerIs(t *testing.T) {
	t.Parallel()
	report := openReport(t, 100_000, 110_000, 50, 9)
	report.Steps[1].Arrivals.Dropped, report.Steps[1].Traffic = 0, reportv1.Traffic{}
	report.Server.CPUCores = 1
	busy := always(map[string]int64{"cpu.user": 900, "cpu.system": 1})
	report.Members = []reportv1.Member{observed("a:1", "primary", busy...)}
	_, all := limitOf(t, report)
	if !slices.Equal(all, []string{reportv1.LimitedBySchedule, reportv1.LimitedByCPU}) {
		t.Errorf("limited by %v, want the schedule, and the CPU seen too", all)
	}
	report.Steps[1].Arrivals.Dropped = report.Steps[1].Arrivals.Due / 2
	if first, all := limitOf(t, report); first.By != reportv1.LimitedByCPU {
		t.Errorf("without keeping its schedule it is limited by %v, want the CPU", all)
	}
}

func TestWhatIsNotObservedIsSaid(t *testing.T) {
	t.Parallel()
	first, _ := limitOf(t, busyReport(t))
	if first.By != reportv1.LimitedByNothingSeen || first.Certainty != reportv1.CertaintyPossible ||
		!strings.Contains(first.Try, "clusterMonitor") {
		t.Errorf("limited by %+v, want nothing seen for the lack of a role", first)
	}
}

func TestTheFirstOfSeveralCausesIsTheOneThatExplainsTheOthers(t *testing.T) {
	t.Parallel()
	report := busyReport(t, observed("a:1", "primary", always(map[string]int64{
		"locks.waitTime": 500, "cpu.user": 3900, "cpu.system": 0, "flowControl.wait": 600_000,
		"host.disk.vda": 750, "disk.read": 9 << 20,
		"cache.maximum": 100, "cache.used": 90, "cache.applicationWait": 3_000_000,
		"tickets.readAvailable": 0, "queue.readers": 11,
	})...))
	_, all := limitOf(t, report)
	want := []string{
		reportv1.LimitedByCache, reportv1.LimitedByCPU, reportv1.LimitedByTickets, reportv1.LimitedByLocks,
	}
	if !slices.Equal(all, want) {
		t.Errorf("limited by %v, want what is likely, and then what is possible: %v", all, want)
	}
}
