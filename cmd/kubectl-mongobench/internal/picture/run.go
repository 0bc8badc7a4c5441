package picture

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Sizes of the picture of a run.
const (
	runWidth  = 24 * vg.Centimeter
	runHeight = 8 * vg.Centimeter
)

// mostOperations is how many operations have a line of their own; more would hide one another.
const mostOperations = 8

// quantiles that are drawn over time.
var quantiles = []struct {
	name  string
	share float64
}{{"p50", 0.5}, {"p99", 0.99}}

// Run draws the throughput and the latency of a run over time, all measured steps one after the other. A run without
// intervals has no such picture, which is an error.
func Run(name string, report reportv1.Report) (Picture, error) {
	lines := runLines(report)
	if len(lines.rates) == 0 {
		return Picture{}, fmt.Errorf("%w: run %s has no interval; -o text has its figures", ErrNothing, name)
	}
	throughput := newChart(name + ": throughput, operations per second")
	throughput.Y.Tick.Marker = labelled(plot.DefaultTicks{}, plain)
	for i, line := range lines.rates {
		if err := add(throughput, line.name, line.points, i); err != nil {
			return Picture{}, err
		}
	}
	throughput.Y.Min, throughput.Y.Max = 0, throughput.Y.Max*headroom
	picture := Picture{charts: []*plot.Plot{throughput}, heights: []vg.Length{runHeight}, width: runWidth}
	if len(lines.latencies) > 0 {
		latency := newChart("Latency of all operations, of each interval by itself (to 22 %)")
		latency.Y.Scale = plot.LogScale{}
		latency.Y.Tick.Marker = labelled(plot.LogTicks{Prec: -1}, micros)
		for i, line := range lines.latencies {
			if err := add(latency, line.name, line.points, i); err != nil {
				return Picture{}, err
			}
		}
		// Whole decades, so that there is more than one label.
		latency.Y.Min = math.Pow(10, math.Floor(math.Log10(latency.Y.Min)))
		latency.Y.Max = math.Pow(10, math.Ceil(math.Log10(latency.Y.Max)))
		picture.charts = append(picture.charts, latency)
		picture.heights = append(picture.heights, runHeight)
	}
	for _, chart := range picture.charts {
		chart.X.Label.Text = "seconds since the run's first step"
		chart.Legend.Top = true
		chart.X.Min, chart.X.Max = throughput.X.Min, throughput.X.Max
	}
	return picture, nil
}

// headroom is for the legend.
const headroom = 1.3

type line struct {
	name   string
	points plotter.XYs
}

// drawn is what the picture of a run has.
type drawn struct {
	rates, latencies []line
}

// runLines are the rates of all operations together and of each, and percentiles of all together. The last interval of
// a step is left out: it is shorter than the others.
func runLines(report reportv1.Report) drawn {
	var found drawn
	rates, latencies := map[string]plotter.XYs{}, map[string]plotter.XYs{}
	names := []string{}
	for _, step := range report.Steps {
		whole := wholeIntervals(step)
		if step.Kind != reportv1.KindMeasure || whole == 0 {
			continue
		}
		at := places(report, step, whole)
		sum := make([]int64, whole)
		times := make([][]int64, whole)
		for _, operation := range step.Operations {
			if !slices.Contains(names, operation.Name) {
				names = append(names, operation.Name)
			}
			rates[operation.Name] = append(rates[operation.Name], rateOf(operation.Intervals, at, step)...)
			addUp(sum, operation.Intervals)
			for i := range min(whole, len(operation.IntervalTimes)) {
				times[i] = result.AddCounts(times[i], operation.IntervalTimes[i])
			}
		}
		rates[allOperations] = append(rates[allOperations], rateOf(sum, at, step)...)
		for _, quantile := range quantiles {
			latencies[quantile.name] = append(latencies[quantile.name], quantileOf(times, quantile.share, at)...)
		}
	}
	found.rates = linesOf(rates, rateNames(names))
	found.latencies = linesOf(latencies, []string{quantiles[0].name, quantiles[1].name})
	return found
}

const allOperations = "all operations"

// rateNames are the lines of rates: one operation alone is all of them.
func rateNames(operations []string) []string {
	if len(operations) < 2 || len(operations) > mostOperations {
		return []string{allOperations}
	}
	return append([]string{allOperations}, operations...)
}

func linesOf(points map[string]plotter.XYs, names []string) []line {
	var lines []line
	for _, name := range names {
		if len(points[name]) > 0 {
			lines = append(lines, line{name, points[name]})
		}
	}
	return lines
}

// wholeIntervals is how many whole intervals the measure window of a step has.
func wholeIntervals(step reportv1.Step) int {
	if step.IntervalMillis <= 0 {
		return 0
	}
	longest := 0
	for _, operation := range step.Operations {
		longest = max(longest, len(operation.Intervals))
	}
	return min(longest, int(step.Duration()/interval(step)))
}

func interval(step reportv1.Step) time.Duration {
	return time.Duration(step.IntervalMillis) * time.Millisecond
}

// places are the ends of the intervals, in seconds from the begin of the first step.
func places(report reportv1.Report, step reportv1.Step, whole int) []float64 {
	at := make([]float64, whole)
	for i := range at {
		at[i] = step.MeasureStart.Add(time.Duration(i+1) * interval(step)).Sub(report.Steps[0].Start).Seconds()
	}
	return at
}

func rateOf(counts []int64, at []float64, step reportv1.Step) plotter.XYs {
	points := make(plotter.XYs, 0, len(at))
	for i := range at {
		count := int64(0)
		if i < len(counts) {
			count = counts[i]
		}
		points = append(points, plotter.XY{X: at[i], Y: float64(count) / interval(step).Seconds()})
	}
	return points
}

// quantileOf reads a percentile of each interval that has any times.
func quantileOf(times [][]int64, share float64, at []float64) plotter.XYs {
	var points plotter.XYs
	for i := range at {
		if micros := result.IntervalQuantile(times[i], share); micros > 0 {
			points = append(points, plotter.XY{X: at[i], Y: float64(micros)})
		}
	}
	return points
}

func addUp(sum, counts []int64) {
	for i := range min(len(sum), len(counts)) {
		sum[i] += counts[i]
	}
}

func plain(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

func micros(value float64) string { return present.Micros(int64(math.Round(value))) }
