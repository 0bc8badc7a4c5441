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

const allOperations = "all operations"

// runLines are the rates of all operations together and of each, and percentiles of all together. The last interval of
// a step is left out: it is shorter than the others. One operation alone is all of them.
func runLines(report reportv1.Report) (drawn, error) {
	steps, err := page.Steps(report)
	if err != nil {
		return drawn{}, err
	}
	var found drawn
	for _, step := range steps {
		if step.All == nil {
			continue
		}
		extend(&found.rates, allOperations, step, step.All.Rate)
		for _, operation := range step.Operations {
			extend(&found.rates, operation.Name, step, operation.Rate)
		}
		for i, values := range step.All.Percentiles {
			if label := figure.Percentiles[i].Label; slices.Contains(percentiles, label) {
				extend(&found.latencies, label, step, values)
			}
		}
	}
	if operations := len(found.rates) - 1; operations == 1 || operations > mostOperations {
		found.rates = found.rates[:1]
	}
	return found, nil
}

// extend adds the known values of a step to the line of a name, at the ends of their intervals.
func extend(lines *[]line, name string, step page.StepSeries, values page.Numbers) {
	at := slices.IndexFunc(*lines, func(l line) bool { return l.name == name })
	for i, value := range values {
		if math.IsNaN(value) {
			continue
		}
		if at < 0 {
			at = len(*lines)
			*lines = append(*lines, line{name: name})
		}
		(*lines)[at].points = append((*lines)[at].points,
			plotter.XY{X: step.Measure + float64(i+1)*step.Interval, Y: value})
	}
}

func plain(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

func micros(value float64) string { return present.Micros(int64(math.Round(value))) }
