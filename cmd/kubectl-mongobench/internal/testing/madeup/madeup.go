package madeup

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// RunShape is how large a report is.
type RunShape struct {
	// Seconds of the measured step, and the number of operations of its mix and of servers that were observed.
	Seconds, Operations, Servers int
	// Slowdown is what latencies are multiplied with; 0 is 1.
	Slowdown float64
	Seed     uint64
}

// perInterval is about how many operations of each kind an interval of a second has.
const perInterval = 60

// memberSeries are figures of servers, with a usual value.
var memberSeries = []struct {
	name, unit string
	usual      int64
}{
	{"operations.all", "operations/s", 4000},
	{"operations.query", "operations/s", 2600},
	{"operations.update", "operations/s", 1100},
	{"operations.insert", "operations/s", 300},
	{"timed.reads", "operations/s", 2600},
	{"timed.writes", "operations/s", 1400},
	{"serverTime.reads", "µs", 180},
	{"serverTime.writes", "µs", 260},
	{"cpu.user", "ms/s", 1500},
	{"cpu.system", "ms/s", 300},
	{"memory.resident", "bytes", 2 << 30},
	{"cache.used", "bytes", 700 << 20},
	{"cache.dirty", "bytes", 40 << 20},
	{"cache.maximum", "bytes", 1 << 30},
	{"cache.readInto", "bytes/s", 5 << 20},
	{"cache.writtenFrom", "bytes/s", 9 << 20},
	{"cache.applicationEvictions", "pages/s", 3},
	{"disk.read", "bytes/s", 4 << 20},
	{"disk.written", "bytes/s", 8 << 20},
	{"journal.syncs", "syncs/s", 10},
	{"tickets.readOut", "count", 6},
	{"tickets.writeOut", "count", 4},
	{"queue.readers", "count", 1},
	{"queue.writers", "count", 1},
	{"connections.current", "count", 70},
	{"network.in", "bytes/s", 800 << 10},
	{"network.out", "bytes/s", 3 << 20},
}

// Run is the report of a run whose one step has all operations and was observed on all servers, as it is read back
// from where it is kept: one that is too large has coarser intervals.
func Run(shape RunShape) (reportv1.Report, error) {
	random := rand.New(rand.NewPCG(shape.Seed, 2))
	start, length := epoch, time.Duration(shape.Seconds)*time.Second
	step := reportv1.Step{
		Name: "mixed", Kind: "Measure", IntendedStart: start, Start: start.Add(300 * time.Microsecond),
		MeasureStart: start.Add(2 * time.Second), End: start.Add(2*time.Second + length), StartSkewMicros: 300,
		Threads: 64, Client: "wire", IntervalMillis: 1000,
		Generator: reportv1.Generator{
			CPUMicros: length.Microseconds() / 2, AvailableCPUMicros: 4 * length.Microseconds(), BusiestPodPercent: 13,
			Processors: 4, PeakMemoryBytes: 60 << 20,
		},
		Traffic: reportv1.Traffic{BytesIn: 9 << 30, BytesOut: 2 << 30},
	}
	for i := range shape.Operations {
		operation, err := shape.operation(i, random)
		if err != nil {
			return reportv1.Report{}, err
		}
		step.Operations = append(step.Operations, operation)
	}
	report := reportv1.Report{
		Version: reportv1.Version, PlanHash: fmt.Sprintf("%064x", shape.Seed), LoadgenVersion: "made up",
		Driver: "wire", Pods: 2, Steps: []reportv1.Step{step},
		Server: reportv1.Server{
			Version: "7.0.14", Topology: "Sharded", StorageEngine: "wiredTiger", Members: shape.Servers,
			CacheMebibytes: 1024, CPUCores: 4,
		},
	}
	for i := range shape.Servers {
		report.Members = append(report.Members, shape.member(i, start, random))
	}
	encoded, err := result.Encode(report)
	if err != nil {
		return reportv1.Report{}, err
	}
	return reportv1.Decode(encoded)
}

// operation has times of a log-normal distribution, whose middle is another one for each operation.
func (s RunShape) operation(index int, random *rand.Rand) (reportv1.Operation, error) {
	kinds := []string{"FindOne", "UpdateOne", "InsertOne", "Find", "Aggregate", "DeleteOne", "ReplaceOne", "InsertMany"}
	kind := kinds[index%len(kinds)]
	operation := reportv1.Operation{Name: fmt.Sprintf("operation-%d", index+1), Kind: kind}
	slowdown := s.Slowdown
	if slowdown == 0 {
		slowdown = 1
	}
	middle := math.Log(400 * float64(index+1) * slowdown)
	histogram := reportv1.NewHistogram()
	for range s.Seconds {
		counted, times, err := interval(middle, histogram, random)
		if err != nil {
			return operation, err
		}
		operation.Count += counted
		operation.Intervals = append(operation.Intervals, counted)
		operation.IntervalErrors = append(operation.IntervalErrors, 0)
		operation.IntervalTimes = append(operation.IntervalTimes, times)
	}
	operation.Documents = operation.Count
	var err error
	operation.ServiceTime, err = reportv1.EncodeHistogram(histogram)
	return operation, err
}

// interval draws the times of one interval.
func interval(middle float64, into *hdrhistogram.Histogram, random *rand.Rand) (int64, []int64, error) {
	count := perInterval + random.IntN(perInterval/5)
	times := []int64{}
	for range count {
		micros := int64(math.Exp(middle + 0.5*random.NormFloat64()))
		if err := into.RecordValue(micros); err != nil {
			return 0, nil, err
		}
		bucket := reportv1.IntervalBucket(micros)
		for len(times) <= bucket {
			times = append(times, 0)
		}
		times[bucket]++
	}
	return int64(count), times, nil
}

// A checkpoint begins every minute and takes some seconds.
const checkpointEvery, checkpointTakes = 60, 4

// checkpoints of a server: whether one is under way, and how many there have been since the server was started.
func checkpoints(samples int) []reportv1.Series {
	running, count := make([]int64, samples), make([]int64, samples)
	for i := range samples {
		since := i % checkpointEvery
		if since >= checkpointEvery-checkpointTakes {
			running[i] = 1
		}
		count[i] = int64(i / checkpointEvery)
	}
	return []reportv1.Series{
		{Name: "checkpoint.running", Unit: "count", Values: running},
		{Name: "checkpoint.count", Unit: "count", Values: count},
	}
}

// member walks at random round the usual values. Nothing is known of the first sample of a rate.
func (s RunShape) member(index int, start time.Time, random *rand.Rand) reportv1.Member {
	member := reportv1.Member{
		Name: fmt.Sprintf("made-up-mongod-%d.made-up.svc:27017", index), Role: "secondary", Start: start,
		IntervalMillis: 1000, CostMicros: 500,
	}
	if index%3 == 0 {
		member.Role = "primary"
	}
	for _, one := range memberSeries {
		values := make([]int64, s.Seconds+2)
		share := 1.0
		for i := range values {
			share = max(0.2, min(1.8, share+0.02*random.NormFloat64()))
			values[i] = int64(float64(one.usual) * share)
		}
		values[0] = -1
		member.Series = append(member.Series, reportv1.Series{Name: one.name, Unit: one.unit, Values: values})
	}
	member.Series = append(member.Series, checkpoints(s.Seconds+2)...)
	return member
}
