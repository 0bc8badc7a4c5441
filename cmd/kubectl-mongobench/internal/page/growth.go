package page

import (
	"fmt"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// sweeps are those of all runs: throughput and latency by the number of threads; nil when there are none.
func sweeps(runs []output.Run) *Part {
	part := &Part{
		Title: "Sweeps over the number of threads",
		Note:  "The knee is the number of threads beyond which more of them cost more latency than they bring throughput.",
	}
	throughput := Plot{Title: "Throughput", Unit: "operations/s", X: "threads"}
	latency := Plot{Title: "Latency", Unit: "µs", X: "threads", Logarithmic: true}
	for _, run := range runs {
		for _, sweep := range run.Summary.Sweeps {
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
			part.Tables = append(part.Tables, output.Sweep(prefix(runs, run.Name), sweep))
		}
	}
	if len(part.Tables) == 0 {
		return nil
	}
	part.Plots = []Plot{throughput, latency}
	return part
}

func (l *PlotLine) add(x, y float64) {
	l.X, l.Y = append(l.X, x), append(l.Y, y)
}

// growth is what a growing collection takes and how fast it is, by the number of documents; nil when none grew.
func growth(runs []output.Run) *Part {
	part := &Part{Title: "Growth of the collection"}
	space := Plot{Title: "Storage and indexes", Unit: "bytes", X: "documents"}
	speed := Plot{Title: "Throughput", Unit: "operations/s", X: "documents"}
	for _, run := range runs {
		if len(run.Summary.Growth) > 0 {
			lines := growthLines(prefix(runs, run.Name), run.Summary.Growth)
			space.Lines = append(space.Lines, lines[:spaceLines]...)
			speed.Lines = append(speed.Lines, lines[spaceLines:]...)
			part.Tables = append(part.Tables, output.Growth(prefix(runs, run.Name), run.Summary.Growth))
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

// sizes are what collections take on each shard, and how evenly; nil when nothing was looked at.
func sizes(runs []output.Run) *Part {
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

func sizeTable(prefix string, step reportv1.Step) present.Table {
	caption := fmt.Sprintf("%sStep %s (%s)", prefix, step.Name, step.Kind)
	if step.MaxImbalancePercent > 0 {
		caption += fmt.Sprintf(": the fullest shard has %d %% more than the mean, and %d %% are allowed",
			step.ImbalancePercent, step.MaxImbalancePercent)
	}
	if slices.ContainsFunc(step.Sizes, func(s reportv1.CollectionSize) bool { return s.Unsettled }) {
		caption += "; sizes on disk are those of the servers' last checkpoint"
	}
	table := present.Table{
		Caption: caption,
		Columns: slices.Concat(present.Columns("collection", "shard"),
			[]present.Column{{Name: "share of the data", Number: true, Bar: true}},
			present.Numbers("documents", "data", "storage", "of that free", "indexes", "chunks"),
			present.Columns("index sizes")),
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
			each = append(each, index.Name+" "+present.BytesCell(index.Bytes).Text)
		}
		share := 100 * float64(size.DataBytes) / float64(max(whole[size.Collection], 1))
		table.Rows = append(table.Rows, []present.Cell{
			present.Text(size.Collection), present.Text(size.Shard), shared(share), present.CountCell(size.Documents),
			present.BytesCell(size.DataBytes),
			present.BytesCell(size.StorageBytes), present.BytesCell(size.FreeBytes), present.BytesCell(indexes),
			present.CountCell(size.Chunks),
			present.Text(strings.Join(each, ", ")),
		})
	}
	return table
}
