package picture

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// ErrNothing is a result that has nothing to draw.
var ErrNothing = errors.New("nothing to draw")

// dotsPerInch of a PNG: sharp on a screen of twice the usual density, and in print.
const dotsPerInch = 192

// Picture is charts below one another.
type Picture struct {
	charts  []*plot.Plot
	heights []vg.Length
	width   vg.Length
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
	canvas := vgsvg.New(p.width, p.height())
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
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(p.width, p.height()), vgimg.UseDPI(dotsPerInch))}
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
