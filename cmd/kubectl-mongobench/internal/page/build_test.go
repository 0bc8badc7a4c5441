package page_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// begin of every report of these tests.
var begin = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// shape is how large a report is.
type shape struct {
	seconds, operations, servers int
	// open says that operations were due by a schedule.
	open bool
	seed uint64
}

// built is a report whose histograms count real values, so that nothing in it is only claimed.
func built(t *testing.T, s shape) reportv1.Report {
	t.Helper()
	random := rand.New(rand.NewPCG(s.seed, 1))
	start := begin.Add(10 * time.Second)
	step := reportv1.Step{
		Name: "mixed", Kind: "Measure", IntendedStart: start, Start: start, MeasureStart: start.Add(5 * time.Second),
		End: start.Add(time.Duration(5+s.seconds)*time.Second + 120*time.Millisecond), Threads: 16, Client: "wire",
		IntervalMillis: 1000,
		Generator: reportv1.Generator{
			CPUMicros: 3_000_000, AvailableCPUMicros: 60_000_000, BusiestPodPercent: 12, Processors: 2,
			PeakMemoryBytes: 40 << 20,
		},
		Traffic: reportv1.Traffic{BytesIn: 1 << 30, BytesOut: 1 << 28},
	}
	for i := range s.operations {
		step.Operations = append(step.Operations, operationOf(t, s, i, random))
	}
	step.Steady = result.FindSteady(step)
	if s.open {
		lag := encoded(t, 1, 900)
		step.Arrivals = &reportv1.Arrivals{Process: "Poisson", Due: 1000, Lag: lag, WakeUp: lag, LargestQueue: 3}
	}
	report := reportv1.Report{
		Version: reportv1.Version, PlanHash: fmt.Sprintf("%064x", s.seed), LoadgenVersion: "test", Driver: "none", Pods: 1,
		Steps: []reportv1.Step{{
			Name: "load", Kind: "Load", Start: begin, MeasureStart: begin, End: begin.Add(8 * time.Second), Documents: 100_000,
			Threads: 4, Client: "wire",
		}, step},
		Server: reportv1.Server{
			Version: "6.0.5", Topology: "ReplicaSet", Members: s.servers, StorageEngine: "wiredTiger", CacheMebibytes: 256,
			CPUCores: 2, Persistence: "Durable", DefaultWriteConcern: "w: majority",
		},
	}
	for i := range s.servers {
		report.Members = append(report.Members, memberOf(s, i, random))
	}
	return report
}

func operationOf(t *testing.T, s shape, index int, random *rand.Rand) reportv1.Operation {
	t.Helper()
	made := reportv1.Operation{Name: fmt.Sprintf("operation-%d", index+1), Kind: "FindOne"}
	service, response := reportv1.NewHistogram(), reportv1.NewHistogram()
	for second := range s.seconds {
		count := 80 + random.IntN(40)
		times := make([]int64, 0, reportv1.IntervalBuckets)
		for range count {
			micros := int64(math.Exp(math.Log(300*float64(index+1)) + 0.7*random.NormFloat64()))
			latency := micros + int64(second%7)
			if err := errors.Join(service.RecordValue(micros), response.RecordValue(latency)); err != nil {
				t.Fatal(err)
			}
			times = counted(times, latency)
		}
		made.Count += int64(count)
		made.Intervals = append(made.Intervals, int64(count))
		made.IntervalTimes = append(made.IntervalTimes, times)
		made.IntervalErrors = append(made.IntervalErrors, 0)
	}
	if index == 0 && s.seconds > 0 {
		made.Errors, made.IntervalErrors[s.seconds/2] = 2, 2
		made.ErrorClasses = []reportv1.ErrorClass{{Class: "network", Count: 2, FirstMessage: "connection reset"}}
	}
	made.Documents = made.Count
	var err error
	if made.ServiceTime, err = reportv1.EncodeHistogram(service); err != nil {
		t.Fatal(err)
	}
	if s.open {
		if made.ResponseTime, err = reportv1.EncodeHistogram(response); err != nil {
			t.Fatal(err)
		}
	}
	return made
}

// counted adds a time to those of an interval.
func counted(times []int64, micros int64) []int64 {
	bucket := reportv1.IntervalBucket(micros)
	for len(times) <= bucket {
		times = append(times, 0)
	}
	times[bucket]++
	return times
}

func encoded(t *testing.T, from, to int64) string {
	t.Helper()
	histogram := reportv1.NewHistogram()
	for micros := from; micros <= to; micros++ {
		if err := histogram.RecordValue(micros); err != nil {
			t.Fatal(err)
		}
	}
	text, err := reportv1.EncodeHistogram(histogram)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// observedFigures are those that a server of the tests tells, with a usual value of each.
var observedFigures = []struct {
	name, unit string
	usual      int64
}{
	{"operations.all", "operations/s", 4000},
	{"operations.query", "operations/s", 2600},
	{"operations.insert", "operations/s", 300},
	{"operations.update", "operations/s", 1100},
	{"operations.command", "operations/s", 40},
	{"operations.replicated", "operations/s", 1400},
	{"timed.reads", "operations/s", 2600},
	{"timed.writes", "operations/s", 1400},
	{"serverTime.reads", "µs", 180},
	{"serverTime.writes", "µs", 260},
	{"documents.returned", "documents/s", 9000},
	{"documents.scanned", "documents/s", 12_000},
	{"documents.updated", "documents/s", 1100},
	{"cpu.user", "ms/s", 1500},
	{"cpu.system", "ms/s", 300},
	{"memory.resident", "bytes", 2 << 30},
	{"pageFaults", "faults/s", 20},
	{"cache.used", "bytes", 700 << 20},
	{"cache.dirty", "bytes", 40 << 20},
	{"cache.readInto", "bytes/s", 5 << 20},
	{"cache.writtenFrom", "bytes/s", 9 << 20},
	{"cache.applicationEvictions", "pages/s", 30},
	{"disk.read", "bytes/s", 4 << 20},
	{"disk.written", "bytes/s", 8 << 20},
	{"journal.written", "bytes/s", 3 << 20},
	{"journal.syncs", "syncs/s", 100},
	{"journal.syncTime", "µs/s", 40_000},
	{"tickets.readOut", "count", 60},
	{"tickets.writeOut", "count", 40},
	{"queue.readers", "count", 10},
	{"queue.writers", "count", 10},
	{"activeClients.readers", "count", 30},
	{"connections.current", "count", 700},
	{"network.in", "bytes/s", 800 << 10},
	{"network.out", "bytes/s", 3 << 20},
	{"network.requests", "requests/s", 4100},
	{"replication.lag", "ms", 900},
	{"flowControl.wait", "µs/s", 200},
	{"size.data", "bytes", 900 << 20},
	{"size.storage", "bytes", 500 << 20},
	{"size.indexes", "bytes", 60 << 20},
}

func memberOf(s shape, index int, random *rand.Rand) reportv1.Member {
	made := reportv1.Member{
		Name: fmt.Sprintf("db-%d.members.svc:27017", index), Role: "secondary", Start: begin, IntervalMillis: 1000,
	}
	if index == 0 {
		made.Role = "primary"
	}
	samples := s.seconds + 16
	for _, figure := range observedFigures {
		values := make([]int64, samples)
		for i := range values {
			values[i] = figure.usual/2 + random.Int64N(figure.usual)
		}
		values[0] = -1
		made.Series = append(made.Series, reportv1.Series{Name: figure.name, Unit: figure.unit, Values: values})
	}
	for name, value := range map[string]int64{"cache.maximum": 1 << 30, "flowControl.lagged": 0} {
		values := make([]int64, samples)
		for i := range values {
			values[i] = value
		}
		made.Series = append(made.Series, reportv1.Series{Name: name, Unit: "bytes", Values: values})
	}
	return made
}
