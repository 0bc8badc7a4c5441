package picture

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// ErrNothing is a result that has nothing to draw.
var ErrNothing = errors.New("nothing to draw")

// dotsPerInch of a PNG: sharp on a screen of twice the usual density, and in print.
const dotsPerInch = 192

// Picture is charts below one another.
type Picture struct {
	charts  []*plot.Plot
	heights []vg.Length
}

// width of every picture.
const width = 24 * vg.Centimeter

func (p *Picture) add(chart *plot.Plot, height vg.Length) {
	p.charts, p.heights = append(p.charts, chart), append(p.heights, height)
}

// colours of lines, which are told apart in print and by most people who confuse colours.
var colours = []color.Color{
	color.RGBA{R: 0x0b, G: 0x57, B: 0xd0, A: 0xff},
	color.RGBA{R: 0xc5, G: 0x50, B: 0x0a, A: 0xff},
	color.RGBA{R: 0x13, G: 0x73, B: 0x33, A: 0xff},
	color.RGBA{R: 0x84, G: 0x30, B: 0xce, A: 0xff},
	color.RGBA{R: 0xb8, G: 0x06, B: 0x72, A: 0xff},
	color.RGBA{R: 0x00, G: 0x7b, B: 0x83, A: 0xff},
	color.RGBA{R: 0x7a, G: 0x59, B: 0x00, A: 0xff},
	color.RGBA{R: 0x5f, G: 0x63, B: 0x68, A: 0xff},
}

func colour(index int) color.Color { return colours[index%len(colours)] }

// WriteSVG writes the picture as SVG. The places of its texts are worked out for Liberation Sans; where that is not
// there, fonts as wide as it are asked for.
func (p Picture) WriteSVG(to io.Writer) error {
	canvas := vgsvg.New(width, p.height())
	p.draw(draw.New(canvas))
	var svg strings.Builder
	if _, err := canvas.WriteTo(&svg); err != nil {
		return fmt.Errorf("writing SVG: %w", err)
	}
	const asked = "font-family:Liberation Sans"
	fonts := strings.NewReplacer(asked, asked+",Arial,Helvetica,sans-serif")
	if _, err := fonts.WriteString(to, svg.String()); err != nil {
		return fmt.Errorf("writing SVG: %w", err)
	}
	return nil
}

// WritePNG writes the picture as PNG.
func (p Picture) WritePNG(to io.Writer) error {
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, p.height()), vgimg.UseDPI(dotsPerInch))}
	p.draw(draw.New(canvas))
	if _, err := canvas.WriteTo(to); err != nil {
		return fmt.Errorf("writing PNG: %w", err)
	}
	return nil
}

func (p Picture) height() vg.Length {
	height := vg.Length(0)
	for _, one := range p.heights {
		height += one
	}
	return height
}

// draw puts each chart below the one before, on white.
func (p Picture) draw(canvas draw.Canvas) {
	least, most := canvas.Min, canvas.Max
	canvas.FillPolygon(color.White, []vg.Point{
		least, {X: most.X, Y: least.Y}, most, {X: least.X, Y: most.Y},
	})
	const edge = 4 * vg.Millimeter
	top := most.Y
	for i, chart := range p.charts {
		chart.Draw(draw.Canvas{Canvas: canvas.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: least.X + edge, Y: top - p.heights[i] + edge/2},
			Max: vg.Point{X: most.X - edge, Y: top - edge/2},
		}})
		top -= p.heights[i]
	}
}

// newChart is an empty chart. Its ticks are written by label.
func newChart(title string) *plot.Plot {
	chart := plot.New()
	chart.Title.Text = title
	chart.Title.Padding = vg.Points(4)
	for _, text := range []*font.Font{
		&chart.Title.TextStyle.Font, &chart.X.Label.TextStyle.Font, &chart.Y.Label.TextStyle.Font,
		&chart.X.Tick.Label.Font, &chart.Y.Tick.Label.Font, &chart.Legend.TextStyle.Font,
	} {
		text.Variant = "Sans"
		text.Size = font.Points(9)
	}
	chart.Title.TextStyle.Font.Size = font.Points(11)
	grid := plotter.NewGrid()
	grid.Vertical.Color = color.Gray{Y: 0xe0}
	grid.Horizontal.Color = color.Gray{Y: 0xe0}
	chart.Add(grid)
	return chart
}

// labelled writes the labels of ticks as people read them.
func labelled(ticks plot.Ticker, label func(value float64) string) plot.Ticker {
	return plot.TickerFunc(func(least, most float64) []plot.Tick {
		all := ticks.Ticks(least, most)
		for i := range all {
			if !all[i].IsMinor() {
				all[i].Label = label(all[i].Value)
			}
		}
		return all
	})
}

// add adds a line to a chart and its legend. A line without points is left out.
func add(chart *plot.Plot, name string, points plotter.XYs, index int) error {
	if len(points) == 0 {
		return nil
	}
	line, err := stroke(chart, points, index, vg.Points(1.2))
	if err != nil {
		return fmt.Errorf("drawing %s: %w", name, err)
	}
	chart.Legend.Add(name, line)
	return nil
}

// stroke adds a line to a chart.
func stroke(chart *plot.Plot, points plotter.XYs, index int, width vg.Length) (*plotter.Line, error) {
	line, err := plotter.NewLine(points)
	if err != nil {
		return nil, err
	}
	line.Color, line.Width = colour(index), width
	chart.Add(line)
	return line, nil
}

// runHeight is that of a chart of a run.
const runHeight = 8 * vg.Centimeter

// mostOperations is how many operations have a line of their own; more would hide one another.
const mostOperations = 8

// percentiles that are drawn over time, by their labels.
var percentiles = []string{"p50", "p99"}

// Run draws the throughput and the latency of a run over time, all measured steps one after the other. A run without
// intervals has no such picture, which is an error.
func Run(name string, report reportv1.Report) (Picture, error) {
	rates, latencies, err := runLines(report)
	if err != nil {
		return Picture{}, err
	}
	if len(rates) == 0 {
		return Picture{}, fmt.Errorf("%w: run %s has no interval; -o text has its figures", ErrNothing, name)
	}
	throughput, err := runChart(name+": throughput, operations per second", rates)
	if err != nil {
		return Picture{}, err
	}
	throughput.Y.Tick.Marker = labelled(plot.DefaultTicks{}, plain)
	throughput.Y.Min, throughput.Y.Max = 0, throughput.Y.Max*headroom
	var picture Picture
	picture.add(throughput, runHeight)
	if len(latencies) > 0 {
		latency, err := runChart("Latency of all operations, of each interval by itself (to 22 %)", latencies)
		if err != nil {
			return Picture{}, err
		}
		latency.Y.Scale = plot.LogScale{}
		latency.Y.Tick.Marker = labelled(plot.LogTicks{Prec: -1}, micros)
		// Whole decades, so that there is more than one label.
		latency.Y.Min = math.Pow(10, math.Floor(math.Log10(latency.Y.Min)))
		latency.Y.Max = math.Pow(10, math.Ceil(math.Log10(latency.Y.Max)))
		picture.add(latency, runHeight)
	}
	for _, chart := range picture.charts {
		chart.X.Min, chart.X.Max = throughput.X.Min, throughput.X.Max
	}
	return picture, nil
}

// runChart draws lines over the time of a run.
func runChart(title string, lines []line) (*plot.Plot, error) {
	chart := newChart(title)
	chart.X.Label.Text, chart.Legend.Top = "seconds since the run's first step", true
	for i, line := range lines {
		if err := add(chart, line.name, line.points, i); err != nil {
			return nil, err
		}
	}
	return chart, nil
}

// headroom is for the legend.
const headroom = 1.3

type line struct {
	name   string
	points plotter.XYs
}

const allOperations = "all operations"

// runLines are the rates of all operations together and of each, and percentiles of all together. The last interval of
// a step is left out: it is shorter than the others. One operation alone is all of them.
func runLines(report reportv1.Report) (rates, latencies []line, err error) {
	steps, err := page.Steps(report)
	if err != nil {
		return nil, nil, err
	}
	for _, step := range steps {
		if step.All == nil {
			continue
		}
		extend(&rates, allOperations, step, step.All.Rate)
		for _, operation := range step.Operations {
			extend(&rates, operation.Name, step, operation.Rate)
		}
		for i, values := range step.All.Percentiles {
			if label := figure.Percentiles[i].Label; slices.Contains(percentiles, label) {
				extend(&latencies, label, step, values)
			}
		}
	}
	if operations := len(rates) - 1; operations == 1 || operations > mostOperations {
		rates = rates[:1]
	}
	return rates, latencies, nil
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
