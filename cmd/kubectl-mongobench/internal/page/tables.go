package page

import (
	"fmt"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

func labelsOf(times []figure.Time) []string {
	labels := make([]string, len(times))
	for i, time := range times {
		labels[i] = time.Label
	}
	return labels
}

// addOverview adds the table of all steps, where there are several, and the tiles of a single run.
func (d *Data) addOverview(runs []output.Run) {
	several := len(runs) > 1
	if !several {
		d.Tiles = tiles(runs[0].Summary)
	}
	if len(d.Steps) < 2 && !several {
		return
	}
	table := present.Table{
		Caption: "All steps, all operations of each together",
		Columns: slices.Concat(output.HeadColumns(several, "step"), present.Numbers("threads", "measured"),
			output.FigureColumns(several)),
	}
	for _, part := range d.Steps {
		for at, run := range runs {
			step := run.Step(part.Name)
			if step == nil {
				continue
			}
			row := output.Row(several, run.Name, step.Name, present.CountCell(int64(step.Threads)),
				present.MillisCell(step.DurationMillis))
			table.Rows = append(table.Rows, append(row, output.FigureCells(runs, at, part.Name, "")...))
		}
	}
	d.Overview = &table
}

// tiles are the figures of the last step that was measured.
func tiles(summary reportv1.Summary) []Tile {
	if len(summary.Steps) == 0 {
		return nil
	}
	step := summary.Steps[len(summary.Steps)-1]
	all := step.Overall
	more := "step " + step.Name
	if len(summary.Steps) > 1 {
		more += ", the last one"
	}
	latency := func(what string, micros int64) Tile {
		if !output.Timed(all) {
			return Tile{What: what, Figure: present.Unknown, More: more}
		}
		return Tile{What: what, Figure: present.Micros(micros), More: more}
	}
	made := []Tile{
		{"Throughput", output.Rate(all, step.DurationMillis).Text, "ops/s", more},
		latency("Latency p50", all.P50Micros), latency("Latency p99", all.P99Micros),
		latency("Latency max", all.MaxMicros),
		{"Errors", present.Count(all.Errors), "", fmt.Sprintf("of %s operations", present.Count(all.Count+all.Errors))},
	}
	if load := summary.Load; load != nil {
		made = append(made, Tile{
			"Load", present.Count(load.DocumentsPerSecond), "documents/s",
			fmt.Sprintf("%s in %s", present.Count(load.Documents), present.Millis(load.DurationMillis)),
		})
	}
	return made
}
