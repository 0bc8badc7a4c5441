package honesty

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// TestReportsThatAreTooLarge: what does not fit into a report as it is loses resolution.
func TestReportsThatAreTooLarge(t *testing.T) {
	for _, size := range []largeReport{{16, 8}, {48, 16}, {48, 32}} {
		Check(t, Scenario{
			Item: "A16", Name: fmt.Sprintf("a report of %d steps of %d operations", size.steps, size.operations),
			Truth: "the p50 and p99 of all times that were recorded, sorted", Doubt: benchv1alpha1.ReasonCoarsePercentiles,
			Run: size.told,
		})
	}
}

// largeReport has so many steps, each with so many operations.
type largeReport struct{ steps, operations int }

// told compares what is read from the report as it is stored with the times that went into it.
func (s largeReport) told(t *testing.T) Told {
	t.Helper()
	random := rand.New(rand.NewPCG(20261123, uint64(s.steps)))
	report := reportv1.Report{Version: reportv1.Version}
	truth := make([][][2]int64, s.steps)
	for step := range s.steps {
		made, quantiles := s.step(t, random, fmt.Sprint("step", step))
		report.Steps, truth[step] = append(report.Steps, made), quantiles
	}
	encoded, err := result.Encode(report)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := reportv1.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := result.Summarise(stored)
	if err != nil {
		t.Fatal(err)
	}
	doubts, err := result.Doubts(stored)
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for step := range summary.Steps {
		for i, operation := range summary.Steps[step].Operations {
			for of, reported := range []int64{operation.P50Micros, operation.P99Micros} {
				right := float64(truth[step][i][of])
				worst = max(worst, math.Abs(float64(reported)-right)/right)
			}
		}
	}
	return Told{
		Reported: fmt.Sprintf("%d digits in %d KB; a percentile is off by up to %.2f %%",
			cmp.Or(stored.Steps[0].Digits, reportv1.HistogramDigits), len(encoded)/1000, 100*worst),
		Wrong: worst > 0.005, Doubts: doubts,
	}
}

// step is one of an open loop for ten seconds, and the p50 and p99 of the response times of each of its operations.
func (s largeReport) step(t *testing.T, random *rand.Rand, name string) (reportv1.Step, [][2]int64) {
	t.Helper()
	const window, count = 10 * time.Second, 2000
	mix := make([]reportv1.Operation, s.operations)
	for i := range mix {
		mix[i] = reportv1.Operation{Name: fmt.Sprint("operation", i), Kind: "FindOne"}
	}
	recording := measure.NewRecording(mix, true, window)
	recorder := recording.Recorder()
	quantiles := make([][2]int64, s.operations)
	for i := range mix {
		times := make([]int64, count)
		for at := range times {
			micros := 500 * math.Exp(random.NormFloat64())
			times[at] = int64(micros)
			recorder.Success(i, measure.Sample{
				At: window * time.Duration(at) / count, Service: time.Duration(micros/2) * time.Microsecond,
				Response: time.Duration(times[at]) * time.Microsecond,
			})
		}
		slices.Sort(times)
		quantiles[i] = [2]int64{times[count/2-1], times[count*99/100-1]}
	}
	operations, err := recording.Operations()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Unix(1_000_000, 0)
	return reportv1.Step{
		Name: name, Kind: reportv1.KindMeasure, Start: start, IntendedStart: start, MeasureStart: start,
		End: start.Add(window), WindowMillis: window.Milliseconds(), IntervalMillis: recording.IntervalMillis(),
		Operations: operations,
	}, quantiles
}
