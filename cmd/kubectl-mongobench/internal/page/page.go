package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// Source is a run whose page is asked for.
type Source struct {
	// Name of the run, as the page is to call it.
	Name   string
	Report reportv1.Report
	// Facts that the report does not have, such as the nodes; they are shown as they are.
	Facts []present.Fact
	// Object is the run; nil when the report was had without it. No page shows it.
	Object *benchv1alpha1.BenchmarkRun
}

// Data is all that the page of one run shows, or of several. Times are seconds from the start of a run's first step.
type Data struct {
	Title string   `json:"title"`
	Leads []string `json:"leads"`
	Runs  []Run    `json:"runs"`
	// Setup has the facts of several runs side by side; of one they are in Runs.
	Setup *present.Table `json:"setup,omitempty"`
	// Comparison has the verdicts, where runs were compared.
	Comparison *Part `json:"comparison,omitempty"`
	// Duet has how runs compare with what they were measured in turns with.
	Duet *Part `json:"duet,omitempty"`
	// Tiles are the figures of the last measured step of a single run.
	Tiles    []Tile         `json:"tiles,omitempty"`
	Overview *present.Table `json:"overview,omitempty"`
	Steps    []StepPart     `json:"steps"`
	Events   *present.Table `json:"events,omitempty"`
	Sweeps   *Part          `json:"sweeps,omitempty"`
	Growth   *Part          `json:"growth,omitempty"`
	Sizes    *Part          `json:"sizes,omitempty"`
	// Timed says that there is anything to draw over time.
	Timed  bool    `json:"timed"`
	Panels []Panel `json:"panels"`
	// Still are the figures of the servers that never changed.
	Still *present.Table `json:"still,omitempty"`
	// Percentiles are the labels of those that are drawn over time.
	Percentiles []string `json:"percentiles"`
	// Bounds are where the buckets of the heat maps begin, in microseconds, and Levels the places on the axis of the
	// distributions: 1/(1-quantile).
	Bounds []int64   `json:"bounds"`
	Levels []float64 `json:"levels"`
	// Notes say how the page is to be read, and what was joined.
	Notes []string `json:"notes"`
}

// Run is one of the runs.
type Run struct {
	Name     string         `json:"name"`
	Trust    Trust          `json:"trust"`
	Facts    []present.Fact `json:"facts"`
	Warnings []string       `json:"warnings,omitempty"`
	Steps    []StepSeries   `json:"steps"`
	Marks    []Mark         `json:"marks"`
}

// Trust says whether the numbers may be believed: yes, no, or nothing when nothing was measured.
type Trust struct {
	Verdict string         `json:"verdict"`
	Text    string         `json:"text"`
	Doubts  []result.Doubt `json:"doubts,omitempty"`
	// Notes are what a reader has to know besides.
	Notes []string `json:"notes,omitempty"`
}

// Tile is one figure, in large type.
type Tile struct {
	What   string `json:"what"`
	Figure string `json:"figure"`
	// Unit of the figure; empty where the figure says it.
	Unit string `json:"unit,omitempty"`
	More string `json:"more"`
}

// StepPart is what was measured in the step of one name, in all runs that have it.
type StepPart struct {
	Name   string          `json:"name"`
	Tables []present.Table `json:"tables"`
	Facts  []StepFacts     `json:"facts"`
	// Failures are the classes of errors, and the actions that were not carried out.
	Failures []string `json:"failures,omitempty"`
}

// StepFacts are what is known of the step in one run, by its index.
type StepFacts struct {
	Run   int            `json:"run"`
	Facts []present.Fact `json:"facts"`
}

// Part is a section of plots and tables.
type Part struct {
	Title  string          `json:"title"`
	Note   string          `json:"note,omitempty"`
	Plots  []Plot          `json:"plots,omitempty"`
	Tables []present.Table `json:"tables,omitempty"`
}

// Plot is a chart with an axis of its own. X is the name of its axis.
type Plot struct {
	Title       string     `json:"title"`
	Unit        string     `json:"unit"`
	X           string     `json:"x"`
	Logarithmic bool       `json:"logarithmic,omitempty"`
	Lines       []PlotLine `json:"lines"`
	// Timed says that the axis is of seconds.
	Timed bool `json:"timed,omitempty"`
	// Band fills what lies between the second line and the third.
	Band bool `json:"band,omitempty"`
	// Levels are values that others are seen against, and Marks instants and stretches of a time.
	Levels []Level `json:"levels,omitempty"`
	Marks  []Mark  `json:"marks,omitempty"`
	// Range is what is seen of the values; nil: all.
	Range *[2]float64 `json:"range,omitempty"`
}

// Level is a value that is drawn all over a Plot.
type Level struct {
	At     float64 `json:"at"`
	Label  string  `json:"label,omitempty"`
	Dashed bool    `json:"dashed,omitempty"`
}

// PlotLine is a line of a Plot.
type PlotLine struct {
	Label string  `json:"label"`
	X     Numbers `json:"x"`
	Y     Numbers `json:"y"`
	Thin  bool    `json:"thin,omitempty"`
}

// Write writes the page of a run, or of several runs that are laid over each other.
func Write(to io.Writer, sources []Source) error {
	data, err := Of(sources)
	if err != nil {
		return err
	}
	return write(to, data.Title, data, "run.js")
}

// Of works out what the page of some runs shows.
func Of(sources []Source) (Data, error) {
	if len(sources) == 0 {
		return Data{}, errors.New("making a page: there is no run to show")
	}
	runs := make([]output.Run, 0, len(sources))
	for _, source := range sources {
		run, err := output.Look(source.Name, source.Report)
		if err != nil {
			return Data{}, fmt.Errorf("run %s: %w", source.Name, err)
		}
		run.Facts = source.Facts
		runs = append(runs, run)
	}
	data := Data{
		Title: titleOf(sources), Steps: stepParts(runs), Bounds: bucketBounds(), Levels: levels(),
		Sweeps: sweeps(runs), Growth: growth(runs), Sizes: sizes(runs), Duet: duets(runs),
		Notes: notes(len(runs) > 1),
	}
	for _, percentile := range figure.Percentiles {
		data.Percentiles = append(data.Percentiles, percentile.Label)
	}
	if err := data.addRuns(runs); err != nil {
		return Data{}, err
	}
	data.addPanels(runs)
	data.addOverview(runs)
	data.Events = events(runs)
	return data, nil
}

// mostTitled is how many runs are named in a title.
const mostTitled = 3

func titleOf(sources []Source) string {
	if more := len(sources) - 1; more >= mostTitled {
		return fmt.Sprintf("%s and %d more", sources[0].Name, more)
	}
	names := make([]string, len(sources))
	for i, source := range sources {
		names[i] = source.Name
	}
	return strings.Join(names, " and ")
}

// addRuns adds what belongs to a single run, the series over time included.
func (d *Data) addRuns(runs []output.Run) error {
	joins := joinsOf(runs)
	for _, run := range runs {
		steps, err := stepSeries(run.Report, joins)
		if err != nil {
			return fmt.Errorf("report of %s: %w", run.Name, err)
		}
		facts := factsOf(run)
		d.Leads = append(d.Leads, prefix(runs, run.Name)+output.Head(run)[0].Text)
		d.Runs = append(d.Runs, Run{
			Name: run.Name, Trust: trustOf(run), Facts: facts, Warnings: run.Report.Server.StartupWarnings,
			Steps: steps, Marks: marks(run.Report),
		})
		for _, step := range steps {
			d.Timed = d.Timed || step.Whole > 0
		}
	}
	d.Notes = append(d.Notes, joins.notes()...)
	if len(runs) > 1 {
		d.Setup = sideBySide(d.Runs)
	}
	return nil
}

// notes say how the page is to be read.
func notes(several bool) []string {
	all := []string{
		"Latency is from the send until the last reply of an operation; where operations were due by a schedule, it is " +
			"from when they were due. Operations that failed are among them: each counts at no less than it took.",
		"A percentile stands as few where fewer than ten operations lie beyond it: p99 needs 1,000, p99.9 10,000.",
		"Percentiles of tables and distributions are read from the histograms of the whole measure window, merged over all " +
			"load pods, with three significant digits. They are the same as in the text, JSON and CSV of the report.",
		"Warm-up is in no figure. The last piece of a window that is no whole interval is in the tables and in no chart.",
	}
	if several {
		all = append(all, "Runs that are laid over each other show what differs and do not say whether that is more than "+
			"chance: kubectl mongobench compare does, with repetitions of each.")
	}
	return all
}

//go:embed assets
var assets embed.FS

// styles and commonScripts are the assets that every page has, in the order in which they need each other.
var (
	styles        = []string{"vendor/uPlot.min.css", "page.css"}
	commonScripts = []string{"vendor/uPlot.iife.min.js", "parts.js", "plot.js", "chart.js"}
)

// write writes a page: the title of its window, its data, and the scripts that draw them besides those of every page.
// Its scripts and its style are allowed by their hashes. Everything else is forbidden, so that not even a fault of ours
// lets the page load or send anything.
func write(to io.Writer, title string, data any, scripts ...string) error {
	encoded, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encoding the page's data: %w", err)
	}
	var style, drawing, hashes strings.Builder
	for _, name := range styles {
		style.WriteString("\n" + asset(name))
	}
	for _, name := range slices.Concat(commonScripts, scripts) {
		script := "\n" + asset(name)
		fmt.Fprintf(&drawing, "<script>%s</script>\n", script)
		fmt.Fprintf(&hashes, " '%s'", hashOf(script))
	}
	policy := fmt.Sprintf("default-src 'none'; script-src%s; style-src '%s'; img-src data:; base-uri 'none'; "+
		"form-action 'none'", hashes.String(), hashOf(style.String()))
	// One pass over the shell: what one of the parts holds is not looked at again. JSON has no <, > or & of its own: the
	// encoder writes them as escapes, so that no name can end the script that it lies in.
	_, err = strings.NewReplacer(
		"{{policy}}", policy, "{{title}}", html.EscapeString(title), "{{style}}", style.String(), "{{data}}", string(encoded),
		"{{scripts}}", drawing.String(),
	).WriteString(to, asset("page.html"))
	return err
}

// asset is a file that was compiled in, which can be read.
func asset(name string) string {
	content, _ := assets.ReadFile("assets/" + name)
	return string(content)
}

// hashOf is how a policy names an inline script or style.
func hashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
