package picture

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Sizes of the picture of a suite.
const (
	// frame is what a chart takes besides its rows, and row what each variant takes.
	frame = 2.2 * vg.Centimeter
	row   = 0.6 * vg.Centimeter
	// growthHeight is that of a chart over the documents.
	growthHeight = 7 * vg.Centimeter
)

// mostCharts is how many figures a picture has: those that are compared, in the order of the comparison, which begins
// with what regressed.
const mostCharts = 12

// Suite draws the repetitions of every variant as dots, with the median and its interval, a chart for each figure that
// is compared; a figure that every checkpoint of a growth has is a line of medians over the documents. A suite without
// any figure has no such picture, which is an error.
func Suite(stored cluster.Stored) (Picture, error) {
	data, err := page.SuiteOf(stored)
	if err != nil {
		return Picture{}, err
	}
	var picture Picture
	for _, figure := range compared(data) {
		drawn, height := dots, frame+vg.Length(len(data.Variants))*row
		if figure.GrowthOf != "" {
			drawn, height = overDocuments, growthHeight
		}
		chart, err := drawn(data, figure)
		if err != nil {
			return Picture{}, err
		}
		picture.add(chart, height)
	}
	if len(picture.charts) == 0 {
		return Picture{}, fmt.Errorf("%w: no run of suite %s has a figure", ErrNothing, stored.Suite)
	}
	return picture, nil
}

// compared are the figures that lines are about, or else those that there are. Of the checkpoints of a growth the first
// stands for all.
func compared(data page.SuiteData) []page.SuiteFigure {
	var chosen []int
	for _, line := range data.Lines {
		if line.Figure >= 0 && !slices.Contains(chosen, line.Figure) {
			chosen = append(chosen, line.Figure)
		}
	}
	if len(chosen) == 0 {
		for i := range data.Figures {
			chosen = append(chosen, i)
		}
	}
	figures := make([]page.SuiteFigure, 0, mostCharts)
	for _, index := range chosen {
		figure := data.Figures[index]
		if len(figures) < mostCharts && !slices.ContainsFunc(figures, figure.GrowsWith) {
			figures = append(figures, figure)
		}
	}
	return figures
}

// overDocuments draws the medians of each variant at the checkpoints of a growth. Checkpoints that lie far apart are on
// a logarithmic axis, on which their labels do not meet.
func overDocuments(data page.SuiteData, figure page.SuiteFigure) (*plot.Plot, error) {
	grown := data.Grown(figure)
	first := figure
	first.Step = figure.GrowthOf
	chart := newChart(titleOf(data, first))
	for i, variant := range data.Variants {
		if err := drawGrown(chart, variant.Name, i, grown); err != nil {
			return nil, fmt.Errorf("drawing variant %s: %w", variant.Name, err)
		}
	}
	var ticks []plot.Tick
	for _, one := range grown {
		ticks = append(ticks, plot.Tick{Value: float64(one.Documents), Label: present.Count(one.Documents)})
	}
	chart.X.Tick.Marker, chart.X.Label.Text = plot.ConstantTicks(ticks), "documents"
	if chart.X.Max >= 10*chart.X.Min {
		chart.X.Scale = plot.LogScale{}
	}
	chart.Y.Tick.Marker, chart.Y.Label.Text = ticksOf(figure), axisUnit(figure)
	chart.Y.Min, chart.Y.Max = 0, max(1, chart.Y.Max*headroom)
	chart.Legend.Top = true
	return chart, nil
}

// drawGrown draws a variant's medians, as far as it has them, with a line through them.
func drawGrown(chart *plot.Plot, name string, variant int, grown []page.SuiteFigure) error {
	var points plotter.XYs
	for _, one := range grown {
		if median := one.Variants[variant].Median; median != nil {
			points = append(points, plotter.XY{X: float64(one.Documents), Y: float64(*median)})
		}
	}
	if len(points) == 0 {
		return nil
	}
	style := draw.GlyphStyle{Color: colour(variant), Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}
	return errors.Join(scatter(chart, points, style), add(chart, name, points, variant))
}

func scatter(chart *plot.Plot, points plotter.XYs, style draw.GlyphStyle) error {
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	marks.GlyphStyle = style
	chart.Add(marks)
	return nil
}

func dots(data page.SuiteData, figure page.SuiteFigure) (*plot.Plot, error) {
	chart := newChart(titleOf(data, figure))
	chart.X.Tick.Marker, chart.X.Label.Text = ticksOf(figure), axisUnit(figure)
	names := make([]string, len(data.Variants))
	for i, variant := range data.Variants {
		// The first variant is at the top.
		at := len(data.Variants) - 1 - i
		names[at] = variant.Name
		if err := drawVariant(chart, figure.Variants[i], float64(at)); err != nil {
			return nil, fmt.Errorf("drawing variant %s: %w", variant.Name, err)
		}
	}
	chart.NominalY(names...)
	chart.Y.Min, chart.Y.Max = -0.5, float64(len(names))-0.5
	// Room on both sides, so that no dot lies on a name.
	room := max((chart.X.Max-chart.X.Min)*margin, 1)
	chart.X.Min, chart.X.Max = max(0, chart.X.Min-room), chart.X.Max+room
	return chart, nil
}

// margin is the room beside the least and the largest value, as a part of what lies between them.
const margin = 0.05

// ticksOf writes values of a figure as the text form does.
func ticksOf(figure page.SuiteFigure) plot.Ticker {
	return labelled(plot.DefaultTicks{}, func(value float64) string {
		whole := int64(value)
		if float64(whole) != value {
			return plain(value)
		}
		return show.Quantity(figure.Metric, &whole)
	})
}

// axisUnit is what the labels of the ticks do not say.
func axisUnit(figure page.SuiteFigure) string {
	if figure.Unit == "µs" || figure.Unit == "bytes" {
		return ""
	}
	return figure.Unit
}

func titleOf(data page.SuiteData, figure page.SuiteFigure) string {
	parts := []string{"Suite " + data.Suite, comparison.Name(figure.Metric), figure.Step, figure.Operation}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// drawVariant draws the runs of a variant as dots, the median as an upright bar, and its interval as a line.
func drawVariant(chart *plot.Plot, values page.SuiteValues, at float64) error {
	const half = 0.3
	if values.Median == nil {
		return nil
	}
	if values.Low != nil {
		low, high := float64(*values.Low), float64(*values.High)
		if _, err := stroke(chart, plotter.XYs{{X: low, Y: at}, {X: high, Y: at}}, 1, vg.Points(2.5)); err != nil {
			return err
		}
	}
	median := float64(*values.Median)
	bar := plotter.XYs{{X: median, Y: at - half}, {X: median, Y: at + half}}
	if _, err := stroke(chart, bar, 1, vg.Points(2)); err != nil {
		return err
	}
	var points plotter.XYs
	for _, value := range values.Values {
		if value != nil {
			points = append(points, plotter.XY{X: float64(*value), Y: at})
		}
	}
	return scatter(chart, points, draw.GlyphStyle{Color: colour(0), Radius: vg.Points(2.2), Shape: draw.RingGlyph{}})
}
