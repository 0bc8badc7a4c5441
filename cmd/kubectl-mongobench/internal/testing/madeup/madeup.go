package madeup

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/figure"
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

// SuiteShape is how large a suite is. Its variants are all combinations of two engines and the numbers of shards.
type SuiteShape struct {
	Name   string
	Shards []int32
	// Repetitions of each variant, and Revisions of the history with the present one.
	Repetitions, Revisions int
	Seed                   uint64
}

// epoch is when everything that is made up began.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// variant is one side before it was measured.
type variant struct {
	name   string
	engine benchv1alpha1.EngineName
	shards int32
	kernel string
	spec   benchv1alpha1.BenchmarkRunSpec
}

// Suite is a suite in which throughput grows with the shards, less than in proportion, and does not change with the
// engine. Its second variant has half of it since the middle of the history, which is less than the first one has, that
// all are compared with; the last one ran on another kernel, so that nothing can be told.
func Suite(shape SuiteShape) (cluster.Stored, error) {
	random := rand.New(rand.NewPCG(shape.Seed, 1))
	variants := shape.variants()
	var history comparison.History
	var result comparison.Result
	for revision := range shape.Revisions {
		result = comparison.Result{
			Version: comparison.ResultVersion, Suite: shape.Name, Revision: fmt.Sprintf("r%03d", revision+1),
		}
		for _, v := range variants {
			factor := 1.0
			if v.name == variants[1].name && revision >= shape.Revisions/2 {
				factor = 0.5
			}
			result.Sides = append(result.Sides, v.side(shape, factor, random))
		}
		completed := epoch.AddDate(0, 0, revision)
		history = history.With(comparison.PointOf(result, comparison.Settings{}, completed))
	}
	pairs := make([]comparison.Pair, 0, len(variants))
	for _, side := range result.Sides[1:] {
		pairs = append(pairs, comparison.Pair{Baseline: result.Sides[0], Candidate: side, Paired: true})
	}
	result.Lines = comparison.Compare(pairs, comparison.Settings{AllowDoubts: []string{benchv1alpha1.ReasonNotSteady}})
	files, err := comparison.Files(result, history, comparison.Settings{})
	return cluster.Stored{Result: result, Files: files, Object: shape.object(result, history)}, err
}

// object is the suite itself, as it is when its last revision is complete.
func (s SuiteShape) object(result comparison.Result, history comparison.History) *benchv1alpha1.BenchmarkSuite {
	worst := comparison.Worst(result.Lines)
	made := &benchv1alpha1.BenchmarkSuite{}
	made.Name, made.Generation = s.Name, 1
	made.Status.Revision = result.Revision
	made.Status.Conditions = []metav1.Condition{
		{
			Type: benchv1alpha1.SuiteComplete, Status: metav1.ConditionTrue, Reason: benchv1alpha1.ReasonAllSucceeded,
			Message: "every run succeeded", ObservedGeneration: 1,
		},
		{
			Type: benchv1alpha1.SuiteRegressed, Status: metav1.ConditionTrue, Reason: benchv1alpha1.ReasonRegressed,
			Message: "the throughput is a half", ObservedGeneration: 1,
		},
	}
	for _, point := range slices.Backward(history.Points) {
		made.Status.History = append(made.Status.History, benchv1alpha1.RevisionStatus{
			Revision: point.Revision, StartTime: metav1.NewTime(point.Time.Add(-time.Hour)),
			CompletionTime: new(metav1.NewTime(point.Time)),
		})
	}
	made.Status.History[0].Verdict = &worst
	return made
}

func (s SuiteShape) variants() []variant {
	variants := make([]variant, 0, 2*len(s.Shards))
	for _, engine := range []benchv1alpha1.EngineName{benchv1alpha1.EngineWiredTiger, benchv1alpha1.EngineInMemory} {
		for _, shards := range s.Shards {
			variants = append(variants, variant{
				name: fmt.Sprintf("%s-shards%d", strings.ToLower(string(engine)), shards), engine: engine, shards: shards,
				kernel: "6.1.0-20",
				spec: benchv1alpha1.BenchmarkRunSpec{Target: &benchv1alpha1.BenchmarkTargetSpec{
					MongoDB: &benchv1alpha1.MongoDBTarget{
						Sharded: &benchv1alpha1.ShardedSpec{Shards: new(shards)},
						Engine:  &benchv1alpha1.EngineSpec{Name: new(engine)},
					},
				}},
			})
		}
	}
	variants[len(variants)-1].kernel = "6.1.0-28"
	return variants
}

func (v variant) side(shape SuiteShape, factor float64, random *rand.Rand) comparison.Side {
	side := comparison.Side{Name: v.name, Spec: v.spec}
	for repetition := range shape.Repetitions {
		sample := comparison.Sample{
			Run:     fmt.Sprintf("%s-%s-%08x-%d", shape.Name, v.name, v.shards*0x1f3d5b7, repetition+1),
			Variant: v.name, SpecHash: fmt.Sprintf("%08x", v.shards*0x1f3d5b7), Repetition: repetition + 1,
			Figures: v.figures(factor, random),
			Fingerprint: map[string]string{
				"version": "7.0.14", "topology": "Sharded", "storageEngine": string(v.engine),
				"shards": strconv.Itoa(int(v.shards)), "kernels": v.kernel, "datasetHash": "8a1c", "workloadHash": "77b0",
			},
		}
		if repetition%7 == 3 {
			sample.Doubts = []string{"NotSteady"}
		}
		side.Samples = append(side.Samples, sample)
	}
	return side
}

// figures of a run: a load, and a step of each kind with two operations.
func (v variant) figures(factor float64, random *rand.Rand) []comparison.Figure {
	rate := 4000 * math.Pow(float64(v.shards), 0.85) * factor
	var figures []comparison.Figure
	add := func(step, operation string, metric benchv1alpha1.Metric, value float64) {
		key := comparison.Key{Metric: metric, Step: step, Operation: operation}
		noise := 1 + v.spread(step, operation)*random.NormFloat64()
		figures = append(figures, comparison.Figure{Key: key, Value: math.Round(value * max(0.5, noise))})
	}
	add("", "", benchv1alpha1.MetricLoadDocumentsPerSecond, rate*20)
	for _, step := range []string{"read-heavy", "write-heavy"} {
		add(step, "", benchv1alpha1.MetricOperationsPerSecond, rate)
		add(step, "", benchv1alpha1.MetricErrorsPerMillion, float64(random.IntN(3)))
		for i, operation := range []string{"find", "update"} {
			latency := 8e6 / rate * float64(i+1) * v.share(step, operation)
			add(step, operation, benchv1alpha1.MetricOperationsPerSecond, rate/2)
			add(step, operation, benchv1alpha1.MetricMeanMicros, latency)
			for _, percentile := range figure.Percentiles {
				// A tail with p99 at six times the mean.
				add(step, operation, benchv1alpha1.Metric(percentile.Name), latency*0.6/math.Sqrt(1-percentile.Quantile))
			}
			add(step, operation, benchv1alpha1.MetricErrorsPerMillion, float64(random.IntN(3)))
		}
	}
	return figures
}

// spread is how much a figure varies. Of one server in memory there are updates of which nothing can be shown.
func (v variant) spread(step, operation string) float64 {
	if v.alone() && step == "write-heavy" && operation == "update" {
		return 0.5
	}
	return 0.03
}

// share is how much of the usual time an operation takes. Of one server in memory there are reads that are not slower,
// and may be faster.
func (v variant) share(step, operation string) float64 {
	if v.alone() && step == "write-heavy" && operation == "find" {
		return 0.96
	}
	return 1
}

func (v variant) alone() bool { return v.engine == benchv1alpha1.EngineInMemory && v.shards == 1 }
