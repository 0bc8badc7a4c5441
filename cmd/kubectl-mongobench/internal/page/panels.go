package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// Panel is a chart of a figure of the servers.
type Panel struct {
	Group string `json:"group"`
	Title string `json:"title"`
	Unit  string `json:"unit"`
	// Own says that the lines are not those of servers, so that the panel has a legend of its own.
	Own   bool        `json:"own,omitempty"`
	Lines []PanelLine `json:"lines"`
}

// PanelLine is the figure at one server of one run.
type PanelLine struct {
	Label string `json:"label"`
	Run   int    `json:"run"`
	// Colour is the number of the server, or of the line where the panel has a legend of its own.
	Colour int `json:"colour"`
	// At is when the first value was, Step the time between two, and End when the last was, in seconds.
	At     float64 `json:"at"`
	Step   float64 `json:"step"`
	End    float64 `json:"end"`
	Values Numbers `json:"values"`
}

// chunks are the figures of how many chunks each shard has, which are drawn together.
const chunks = "chunks."

// observed is a member with its place and its run.
type observed struct {
	reportv1.Member
	run, index int
	label      string
	report     reportv1.Report
}

// addPanels adds a panel for each figure that changed, and a line to Still for each that did not.
func (d *Data) addPanels(runs []output.Run) {
	d.Panels = []Panel{}
	members := observedIn(runs)
	joined := factor(samplesOf(members), panelBudget)
	still := present.Table{
		Caption: "Figures of the servers that never changed",
		Columns: present.Columns("figure", "value", "servers"),
	}
	for _, shown := range shownFigures(members) {
		panel, same := shown.panel(members, joined)
		still.Rows = append(still.Rows, same...)
		if len(panel.Lines) > 0 {
			d.Panels = append(d.Panels, panel)
		}
	}
	if len(still.Rows) > 0 {
		d.Still = &still
	}
	d.Timed = d.Timed || len(d.Panels) > 0
	if joined > 1 && len(members) > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("Of the servers, each point is of %d samples: the mean of rates and the "+
			"largest of levels. -o json has every sample.", joined))
	}
}

func observedIn(runs []output.Run) []observed {
	var members []observed
	for at, run := range runs {
		for i, short := range memberNames(run.Report) {
			member := run.Report.Members[i]
			if member.Role != "" {
				short += " (" + member.Role + ")"
			}
			members = append(members, observed{member, at, i, short, run.Report})
		}
	}
	return members
}

// memberNames are what tells the hosts of a report apart: the first part of each name, when no two are alike. An
// address of numbers has no first part that means anything.
func memberNames(report reportv1.Report) []string {
	names, short := make([]string, len(report.Members)), make([]string, len(report.Members))
	for i, member := range report.Members {
		names[i] = member.Name
		short[i], _, _ = strings.Cut(member.Name, ".")
	}
	unique := slices.Compact(slices.Sorted(slices.Values(short)))
	isNumber := func(name string) bool { return !strings.ContainsFunc(name, isLetter) }
	if len(unique) < len(names) || slices.ContainsFunc(short, isNumber) {
		return names
	}
	return short
}

func isLetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// samplesOf counts the values of what changed.
func samplesOf(members []observed) int {
	values := 0
	for _, member := range members {
		for _, series := range member.Series {
			if !constant(series.Values) {
				values += len(series.Values)
			}
		}
	}
	return values
}

// constant says whether all known values are the same.
func constant(values []int64) bool {
	first := max(0, slices.IndexFunc(values, func(value int64) bool { return value != unknown }))
	return !slices.ContainsFunc(values, func(value int64) bool { return value != unknown && value != values[first] })
}

// panel draws a figure. Lines that never changed are drawn beside others that did; where none did, they are rows.
func (f serverFigure) panel(members []observed, joined int) (Panel, [][]present.Cell) {
	panel := Panel{Group: f.group, Title: f.title, Unit: f.unit, Own: f.name == chunks}
	var same [][]present.Cell
	changed := false
	for _, member := range members {
		if panel.Own && len(panel.Lines) > 0 {
			// Every router and config server tells the same of the chunks.
			break
		}
		for _, series := range f.of(member.Member) {
			line := lineAt(member, joined)
			line.Values = f.joined(series, joined)
			if line.Label = member.label; panel.Own {
				line.Label, line.Colour = strings.TrimPrefix(series.Name, chunks), len(panel.Lines)
			}
			panel.Lines = append(panel.Lines, line)
			changed = changed || !constant(series.Values)
			same = append(same, []present.Cell{present.Text(f.title), f.still(series.Values), present.Text(line.Label)})
		}
	}
	if changed {
		return panel, nil
	}
	return Panel{}, together(same)
}

func lineAt(member observed, joined int) PanelLine {
	samples, at := 0, instants(member.report, member.Member)
	for _, series := range member.Series {
		samples = max(samples, len(series.Values))
	}
	return PanelLine{
		Run: member.run, Colour: member.index, At: at(min(joined, samples) - 1),
		Step: rounded(float64(member.IntervalMillis)/1000) * float64(joined), End: at(samples - 1),
	}
}

// joined makes one value of neighbours: the mean of rates and the largest of levels, which is how package observe makes
// room for a run that is long.
func (f serverFigure) joined(series reportv1.Series, joined int) Numbers {
	made := make(Numbers, 0, parts(len(series.Values), joined))
	for part := range slices.Chunk(series.Values, joined) {
		made = append(made, f.one(part, strings.HasSuffix(series.Unit, "/s")))
	}
	return made
}

func (f serverFigure) one(values []int64, rate bool) float64 {
	var sum, known, largest int64
	for _, value := range values {
		if value != unknown {
			sum += value
			known++
			largest = max(largest, value)
		}
	}
	switch {
	case known == 0:
		return math.NaN()
	case rate && known > 1:
		return math.Round(float64(sum)/float64(known)*f.scale*1000) / 1000
	default:
		return rounded(float64(largest) * f.scale)
	}
}

// still is the cell of a figure that never changed.
func (f serverFigure) still(values []int64) present.Cell {
	switch value := slices.Max(append([]int64{unknown}, values...)); {
	case value == unknown:
		return present.Text(present.Unknown)
	case f.unit == "bytes":
		return present.BytesCell(value)
	default:
		return present.Valued(present.Count(value)+" "+f.unit, float64(value), "")
	}
}

// together makes one row of those that have the same value.
func together(rows [][]present.Cell) [][]present.Cell {
	var made [][]present.Cell
	for _, row := range rows {
		at := slices.IndexFunc(made, func(other []present.Cell) bool { return other[1].Text == row[1].Text })
		if at < 0 {
			made = append(made, row)
		} else {
			made[at][2].Text += ", " + row[2].Text
		}
	}
	return made
}
