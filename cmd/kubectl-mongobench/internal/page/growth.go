package page

import (
	"fmt"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// sweeps are those of all runs: throughput and latency by the number of threads; nil when there are none.
func sweeps(runs []looked) *Part {
	part := &Part{
		Title: "Sweeps over the number of threads",
		Note:  "The knee is the number of threads beyond which more of them cost more latency than they bring throughput.",
	}
	throughput := Plot{Title: "Throughput", Unit: "operations/s", X: "threads"}
	latency := Plot{Title: "Latency", Unit: "µs", X: "threads", Logarithmic: true}
	for _, run := range runs {
		for _, sweep := range run.summary.Sweeps {
			label := prefix(runs, run.Name) + sweep.Name
			rate, mean, p99 := PlotLine{Label: label}, PlotLine{Label: label + " mean"}, PlotLine{Label: label + " p99"}
			for _, point := range sweep.Points {
				x := float64(point.Threads)
				rate.add(x, float64(point.OperationsPerSecond))
				mean.add(x, float64(point.MeanMicros))
				p99.add(x, float64(point.P99Micros))
			}
			throughput.Lines = append(throughput.Lines, rate)
			latency.Lines = append(latency.Lines, mean, p99)
			part.Tables = append(part.Tables, sweepTable(label, sweep))
		}
	}
	if len(part.Tables) == 0 {
		return nil
	}
	part.Plots = []Plot{throughput, latency}
	return part
}

func sweepTable(label string, sweep reportv1.SweepSummary) Table {
	found := "no knee among these numbers"
	if sweep.KneeThreads > 0 {
		found = fmt.Sprintf("knee at %d threads", sweep.KneeThreads)
	}
	table := Table{
		Caption: fmt.Sprintf("Sweep %s: %s; within 5 %% of the highest throughput from %d threads on", label, found,
			sweep.SaturationThreads),
		Columns: slices.Concat(columns("step"), numbers("threads", "ops/s", "mean", "p99", "errors")),
	}
	for _, point := range sweep.Points {
		table.Rows = append(table.Rows, []Cell{
			text(point.Step), counted(int64(point.Threads)), counted(point.OperationsPerSecond), timed(point.MeanMicros),
			timed(point.P99Micros), counted(point.Errors),
		})
	}
	return table
}

func (l *PlotLine) add(x, y float64) {
	l.X, l.Y = append(l.X, x), append(l.Y, y)
}

// growth is what a growing collection takes and how fast it is, by the number of documents; nil when none grew.
func growth(runs []looked) *Part {
	part := &Part{Title: "Growth of the collection"}
	space := Plot{Title: "Storage and indexes", Unit: "bytes", X: "documents"}
	speed := Plot{Title: "Throughput", Unit: "operations/s", X: "documents"}
	for _, run := range runs {
		if len(run.summary.Growth) > 0 {
			lines := growthLines(prefix(runs, run.Name), run.summary.Growth)
			space.Lines = append(space.Lines, lines[:spaceLines]...)
			speed.Lines = append(speed.Lines, lines[spaceLines:]...)
			part.Tables = append(part.Tables, growthTable(prefix(runs, run.Name), run.summary.Growth))
		}
	}
	if len(part.Tables) == 0 {
		return nil
	}
	if part.Plots = []Plot{space}; len(speed.Lines) > 0 {
		part.Plots = append(part.Plots, speed)
	}
	return part
}

// spaceLines are data, storage and indexes, which come before the lines of the steps.
const spaceLines = 3

func growthLines(prefix string, growth []reportv1.GrowthSummary) []PlotLine {
	var lines []PlotLine
	add := func(label string, documents, value int64) {
		at := slices.IndexFunc(lines, func(line PlotLine) bool { return line.Label == prefix+label })
		if at < 0 {
			at = len(lines)
			lines = append(lines, PlotLine{Label: prefix + label})
		}
		lines[at].add(float64(documents), float64(value))
	}
	for _, at := range growth {
		add("data", at.Documents, at.DataBytes)
		add("storage", at.Documents, at.StorageBytes)
		add("indexes", at.Documents, at.IndexBytes)
		for _, point := range at.Points {
			add("step "+point.Name, at.Documents, point.OperationsPerSecond)
		}
	}
	return lines
}

func growthTable(prefix string, growth []reportv1.GrowthSummary) Table {
	table := Table{
		Caption: prefix + "Sizes, and operations per second of each step, by the number of documents",
		Columns: numbers("loaded", "found", "data", "storage", "index", "load/s"),
	}
	var names []string
	for _, at := range growth {
		for _, point := range at.Points {
			if !slices.Contains(names, point.Name) {
				names = append(names, point.Name)
			}
		}
	}
	table.Columns = append(table.Columns, numbers(names...)...)
	for _, at := range growth {
		table.Rows = append(table.Rows, checkpointCells(at, names))
	}
	return table
}

func checkpointCells(at reportv1.GrowthSummary, names []string) []Cell {
	loaded := text(notKnown)
	if at.LoadedPerSecond > 0 {
		loaded = counted(at.LoadedPerSecond)
	}
	row := append(make([]Cell, 0, len(names)+6), counted(at.Documents), counted(at.Found), sized(at.DataBytes),
		sized(at.StorageBytes), sized(at.IndexBytes), loaded)
	for _, name := range names {
		cell := text(notKnown)
		for _, point := range at.Points {
			if point.Name == name {
				cell = counted(point.OperationsPerSecond)
			}
		}
		row = append(row, cell)
	}
	return row
}

// sizes are what collections take on each shard, and how evenly; nil when nothing was looked at.
func sizes(runs []looked) *Part {
	part := &Part{Title: "Storage, indexes and the balance of shards"}
	for _, run := range runs {
		for _, step := range run.Report.Steps {
			if len(step.Sizes) > 0 {
				part.Tables = append(part.Tables, sizeTable(prefix(runs, run.Name), step))
			}
		}
	}
	if len(part.Tables) == 0 {
		return nil
	}
	return part
}

func sizeTable(prefix string, step reportv1.Step) Table {
	caption := fmt.Sprintf("%sStep %s (%s)", prefix, step.Name, step.Kind)
	if step.MaxImbalancePercent > 0 {
		caption += fmt.Sprintf(": the fullest shard has %d %% more than the mean, and %d %% are allowed",
			step.ImbalancePercent, step.MaxImbalancePercent)
	}
	if slices.ContainsFunc(step.Sizes, func(s reportv1.CollectionSize) bool { return s.Unsettled }) {
		caption += "; sizes on disk are those of the servers' last checkpoint"
	}
	table := Table{
		Caption: caption,
		Columns: slices.Concat(columns("collection", "shard"),
			[]Column{{Name: "share of the data", Number: true, Bar: true}},
			numbers("documents", "data", "storage", "of that free", "indexes", "chunks"), columns("index sizes")),
	}
	whole := map[string]int64{}
	for _, size := range step.Sizes {
		whole[size.Collection] += size.DataBytes
	}
	for _, size := range step.Sizes {
		var indexes int64
		each := make([]string, 0, len(size.Indexes))
		for _, index := range size.Indexes {
			indexes += index.Bytes
			each = append(each, index.Name+" "+sized(index.Bytes).Text)
		}
		share := 100 * float64(size.DataBytes) / float64(max(whole[size.Collection], 1))
		table.Rows = append(table.Rows, []Cell{
			text(size.Collection), text(size.Shard), shared(share), counted(size.Documents), sized(size.DataBytes),
			sized(size.StorageBytes), sized(size.FreeBytes), sized(indexes), counted(size.Chunks),
			text(strings.Join(each, ", ")),
		})
	}
	return table
}
