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
			for _, point := range sweep.Points {
				throughput.add(label, int64(point.Threads), point.OperationsPerSecond)
				latency.add(label+" mean", int64(point.Threads), point.MeanMicros)
				latency.add(label+" p99", int64(point.Threads), point.P99Micros)
			}
			part.Tables = append(part.Tables, output.Sweep(prefix(runs, run.Name), sweep))
		}
	}
	if len(part.Tables) == 0 {
		return nil
	}
	part.Plots = []Plot{throughput, latency}
	return part
}

// add adds a point to the line of a label.
func (p *Plot) add(label string, x, y int64) {
	at := slices.IndexFunc(p.Lines, func(line PlotLine) bool { return line.Label == label })
	if at < 0 {
		at = len(p.Lines)
		p.Lines = append(p.Lines, PlotLine{Label: label})
	}
	line := &p.Lines[at]
	line.X, line.Y = append(line.X, float64(x)), append(line.Y, float64(y))
}

// growth is what a growing collection takes and how fast it is, by the number of documents; nil when none grew.
func growth(runs []output.Run) *Part {
	part := &Part{Title: "Growth of the collection"}
	space := Plot{Title: "Storage and indexes", Unit: "bytes", X: "documents"}
	speed := Plot{Title: "Throughput", Unit: "operations/s", X: "documents"}
	for _, run := range runs {
		prefix := prefix(runs, run.Name)
		for _, at := range run.Summary.Growth {
			space.add(prefix+"data", at.Documents, at.DataBytes)
			space.add(prefix+"storage", at.Documents, at.StorageBytes)
			space.add(prefix+"indexes", at.Documents, at.IndexBytes)
			for _, point := range at.Points {
				speed.add(prefix+"step "+point.Name, at.Documents, point.OperationsPerSecond)
			}
		}
		if len(run.Summary.Growth) > 0 {
			part.Tables = append(part.Tables, output.Growth(prefix, run.Summary.Growth))
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
			present.Text(size.Collection), present.Text(size.Shard),
			present.Valued(fmt.Sprintf("%.1f %%", share), share, ""), present.CountCell(size.Documents),
			present.BytesCell(size.DataBytes),
			present.BytesCell(size.StorageBytes), present.BytesCell(size.FreeBytes), present.BytesCell(indexes),
			present.CountCell(size.Chunks),
			present.Text(strings.Join(each, ", ")),
		})
	}
	return table
}
