package outlet_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/outlet"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// measured follows a plan of one open loop of two operations under fake time, of a target that stands still for 100 ms
// in every two seconds, with outlets that are made in it.
func measured(t *testing.T, outlets func() ([]loadgen.Outlet, loadgen.Sampler)) reportv1.Report {
	t.Helper()
	plan := planv1.Plan{
		Version: planv1.Version, Pods: 1, Database: "bench", Seed: 5,
		Collections: []planv1.Collection{{
			Name: "c", DocumentCount: 10,
			Fields: []planv1.Field{{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorObjectID}}},
		}},
		Steps: []planv1.Step{{
			Name: "mixed", Kind: planv1.StepMeasure, Threads: 64, WarmupSeconds: 1, DurationSeconds: 5,
			Arrival: &planv1.Arrival{
				Process: benchv1alpha1.ArrivalConstant, MaxQueued: 10_000,
				Stages: []planv1.ArrivalStage{{Seconds: 1, From: 1000, To: 1000}},
			},
			Operations: []planv1.Operation{
				{Name: "read", Weight: 9, Request: planv1.Request{Kind: "FindOne", Collection: "c"}},
				{Name: "write", Weight: 1, Request: planv1.Request{Kind: "InsertOne", Collection: "c"}},
			},
		}},
	}
	var report reportv1.Report
	synctest.Test(t, func(t *testing.T) {
		all, sampler := outlets()
		follower := &engine.Engine{
			Plan: plan, Target: &drivertest.Target{
				Latency: 3 * time.Millisecond, StallEvery: 2 * time.Second, StallFor: 100 * time.Millisecond,
			},
			Reporter: &drivertest.Reporter{}, Log: slog.New(slog.DiscardHandler),
			NewAlarm: func() alarm.Alarm { return alarm.Timer{} }, Outlets: all, Sampler: sampler,
		}
		var err error
		if report, err = follower.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	return report
}

func TestTheSumOfTheIntervalLogIsTheReport(t *testing.T) {
	var log bytes.Buffer
	report := measured(t, func() ([]loadgen.Outlet, loadgen.Sampler) {
		return []loadgen.Outlet{outlet.NewHistograms("the log", &log)}, nil
	})
	if folder := os.Getenv("GOLDEN_FOLDER"); folder != "" { // For HdrHistogram's own HistogramLogReader.
		if err := os.WriteFile(folder+"/mixed.hlog", log.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sums, lines := sumsOf(t, log.Bytes())
	for _, operation := range report.Steps[0].Operations {
		want, err := reportv1.DecodeHistogram(operation.ResponseTime)
		if err != nil {
			t.Fatal(err)
		}
		got := sums["mixed/"+operation.Name]
		if got == nil || !got.Equals(want) || want.TotalCount() == 0 {
			t.Errorf("%s: the sum of the log is not the histogram of the report, of %d", operation.Name, want.TotalCount())
		}
	}
	// Five seconds of two operations, and perhaps what came after the last.
	if len(sums) != 2 || lines < 10 || lines > 14 {
		t.Errorf("%d lines of %d operations:\n%s", lines, len(sums), log.String())
	}
	if diff := cmp.Diff([]reportv1.Outlet{{Name: "the log", Written: lines}}, report.Outlets); diff != "" {
		t.Errorf("outlets (-want +got):\n%s", diff)
	}
}

// sumsOf adds the lines of an interval log up by their tags, and counts them.
func sumsOf(t *testing.T, log []byte) (sums map[string]*hdrhistogram.Histogram, lines int64) {
	t.Helper()
	sums = map[string]*hdrhistogram.Histogram{}
	reader := hdrhistogram.NewHistogramLogReader(bytes.NewReader(log))
	for {
		interval, err := reader.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if interval == nil {
			return sums, lines
		}
		lines++
		if sums[interval.Tag()] == nil {
			sums[interval.Tag()] = reportv1.NewHistogram()
		}
		sums[interval.Tag()].Merge(interval)
		if took := interval.EndTimeMs() - interval.StartTimeMs(); took < 0 || took > 2000 {
			t.Errorf("an interval of %s takes %d ms", interval.Tag(), took)
		}
	}
}

func TestEveryOperationIsOfASampledClass(t *testing.T) {
	for _, format := range []outlet.Format{outlet.CSV, outlet.NDJSON} {
		t.Run(string(format), func(t *testing.T) {
			var log bytes.Buffer
			report := measured(t, func() ([]loadgen.Outlet, loadgen.Sampler) {
				operations := outlet.NewOperations(outlet.Sampling{Name: "log", Format: format, Most: 3, Seed: 7}, &log)
				return []loadgen.Outlet{operations}, operations
			})
			lines := parse(t, format, log.String())
			if int64(len(lines)) != report.Outlets[0].Written || report.Outlets[0].Error != "" {
				t.Errorf("%d lines, and %+v", len(lines), report.Outlets)
			}
			stood := standFor(t, lines)
			for _, operation := range report.Steps[0].Operations {
				if got := stood[operation.Name]; int64(got+0.5) != operation.Count || operation.Count == 0 {
					t.Errorf("the lines of %s stand for %g operations, want %d", operation.Name, got, operation.Count)
				}
			}
		})
	}
}

// standFor is how many operations the lines stand for, by name: a line says how many its class had, and how many of
// these have lines.
func standFor(t *testing.T, lines []map[string]any) map[string]float64 {
	t.Helper()
	stood := map[string]float64{}
	for _, l := range lines {
		checkLine(t, l)
		name, _ := l["operation"].(string)
		stood[name] += number(t, l, "classOperations") / number(t, l, "classSampled")
	}
	return stood
}

// checkLine compares the parts of a line with one another.
func checkLine(t *testing.T, l map[string]any) {
	t.Helper()
	if l["pod"] != 0.0 || l["outcome"] != "ok" || l["collection"] != "c" || l["step"] != "mixed" {
		t.Errorf("line %v", l)
	}
	latency := number(t, l, "latencyMicros")
	if latency != number(t, l, "repliedMicros")-number(t, l, "dueMicros") || number(t, l, "classSampled") > 3 ||
		latency < number(t, l, "classLowestMicros") {
		t.Errorf("line %v", l)
	}
}

// parse reads the lines of a log.
func parse(t *testing.T, format outlet.Format, log string) []map[string]any {
	t.Helper()
	var lines []map[string]any
	if format == outlet.NDJSON {
		for text := range strings.Lines(log) {
			var l map[string]any
			if err := json.Unmarshal([]byte(text), &l); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, l)
		}
		return lines
	}
	rows, err := csv.NewReader(strings.NewReader(log)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		l := map[string]any{}
		for i, name := range rows[0] {
			l[name] = row[i]
			if number, err := strconv.ParseFloat(row[i], 64); err == nil {
				l[name] = number
			}
		}
		lines = append(lines, l)
	}
	return lines
}

func number(t *testing.T, of map[string]any, name string) float64 {
	t.Helper()
	found, ok := of[name].(float64)
	if !ok {
		t.Fatalf("%s is %v", name, of[name])
	}
	return found
}

// logOf is what is written of operations that come in an order.
func logOf(t *testing.T, sampled []loadgen.Sampled) []map[string]any {
	t.Helper()
	var log bytes.Buffer
	operations := outlet.NewOperations(outlet.Sampling{Format: outlet.NDJSON, Most: 5}, &log)
	operations.Begin(planv1.Step{Operations: make([]planv1.Operation, 1)})
	for i := range sampled {
		operations.Sample(&sampled[i])
	}
	operations.End()
	operations.Finish()
	return parse(t, outlet.NDJSON, log.String())
}

func TestTheSlowAndTheFailedOnesAreThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := make([]loadgen.Sampled, 0, 10_002)
		all = append(all, loadgen.Sampled{Number: 10_000, Latency: 2 * time.Second},
			loadgen.Sampled{Number: 10_001, Latency: 150 * time.Microsecond, Class: reportv1.ClassTimeout})
		for i := range int64(10_000) {
			all = append(all, loadgen.Sampled{Number: i, Latency: 150 * time.Microsecond})
		}
		first := logOf(t, all)
		rare := map[any]any{}
		for _, l := range first {
			if number(t, l, "number") >= 10_000 {
				rare[l["number"]] = l["outcome"]
			}
		}
		if diff := cmp.Diff(map[any]any{10_000.0: "ok", 10_001.0: "timeout"}, rare); diff != "" || len(first) != 7 {
			t.Errorf("%d lines, want 7; of what is rare (-want +got):\n%s", len(first), diff)
		}
		// Which ones are kept does not depend on their order.
		random := rand.New(rand.NewPCG(1, 2))
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if diff := cmp.Diff(numbersOf(t, first), numbersOf(t, logOf(t, all))); diff != "" {
			t.Errorf("in another order (-first +shuffled):\n%s", diff)
		}
	})
}

// numbersOf are the numbers of the operations of lines, in ascending order.
func numbersOf(t *testing.T, lines []map[string]any) []float64 {
	t.Helper()
	numbers := make([]float64, 0, len(lines))
	for _, l := range lines {
		numbers = append(numbers, number(t, l, "number"))
	}
	slices.Sort(numbers)
	return numbers
}

// full is a disk without room after so many bytes.
type full struct{ room int }

func (f *full) Write(data []byte) (int, error) {
	if f.room -= len(data); f.room < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(data), nil
}

func TestADiskThatIsFullChangesNothingOfTheRun(t *testing.T) {
	report := measured(t, func() ([]loadgen.Outlet, loadgen.Sampler) {
		operations := outlet.NewOperations(outlet.Sampling{Name: "log", Most: 3}, &full{room: 300})
		return []loadgen.Outlet{operations, outlet.NewHistograms("histograms", &full{room: 300})}, operations
	})
	if report.Steps[0].Operations[0].Count == 0 {
		t.Error("nothing was measured")
	}
	for _, found := range report.Outlets {
		if found.Lost == 0 || found.Error != "writing: no space left on device" {
			t.Errorf("%+v", found)
		}
	}
}

func TestSamplingAllocatesNothing(t *testing.T) {
	operations := outlet.NewOperations(outlet.Sampling{Most: 10}, &bytes.Buffer{})
	operations.Begin(planv1.Step{Operations: make([]planv1.Operation, 1)})
	sampled := loadgen.Sampled{Latency: time.Millisecond}
	operations.Sample(&sampled)
	if allocated := testing.AllocsPerRun(10_000, func() {
		sampled.Number++
		operations.Sample(&sampled)
	}); allocated != 0 {
		t.Errorf("%g allocations an operation", allocated)
	}
	operations.Finish()
}

func BenchmarkSample(b *testing.B) {
	operations := outlet.NewOperations(outlet.Sampling{Most: 10}, &bytes.Buffer{})
	operations.Begin(planv1.Step{Operations: make([]planv1.Operation, 1)})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		sampled := loadgen.Sampled{Latency: time.Millisecond}
		for pb.Next() {
			sampled.Number++
			operations.Sample(&sampled)
		}
	})
	operations.Finish()
}
