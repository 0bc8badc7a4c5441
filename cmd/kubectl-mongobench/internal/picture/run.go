package picture

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Sizes of the picture of a run.
const (
	runWidth  = 24 * vg.Centimeter
	runHeight = 8 * vg.Centimeter
)

// mostOperations is how many operations have a line of their own; more would hide one another.
const mostOperations = 8

// percentiles that are drawn over time, by their labels.
var percentiles = []string{"p50", "p99"}

// Run draws the throughput and the latency of a run over time, all measured steps one after the other. A run without
// intervals has no such picture, which is an error.
func Run(name string, report reportv1.Report) (Picture, error) {
	lines, err := runLines(report)
	if err != nil {
		return Picture{}, err
	}
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
func runLines(report reportv1.Report) (drawn, error) {
	steps, err := page.Steps(report)
	if err != nil {
		return drawn{}, err
	}
	rates, latencies := map[string]plotter.XYs{}, map[string]plotter.XYs{}
	names := []string{}
	for _, step := range steps {
		if step.All == nil {
			continue
		}
		for _, operation := range step.Operations {
			if !slices.Contains(names, operation.Name) {
				names = append(names, operation.Name)
			}
			rates[operation.Name] = append(rates[operation.Name], pointsOf(step, operation.Rate)...)
		}
		rates[allOperations] = append(rates[allOperations], pointsOf(step, step.All.Rate)...)
		for i, values := range step.All.Percentiles {
			label := figure.Percentiles[i].Label
			latencies[label] = append(latencies[label], pointsOf(step, values)...)
		}
	}
	return drawn{rates: linesOf(rates, rateNames(names)), latencies: linesOf(latencies, percentiles)}, nil
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

// pointsOf are the known values of a step at the ends of its intervals.
func pointsOf(step page.StepSeries, values page.Numbers) plotter.XYs {
	var points plotter.XYs
	for i, value := range values {
		if !math.IsNaN(value) {
			points = append(points, plotter.XY{X: step.Measure + float64(i+1)*step.Interval, Y: value})
		}
	}
	return points
}

func plain(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

func micros(value float64) string { return present.Micros(int64(math.Round(value))) }
