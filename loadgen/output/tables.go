package output

import (
	"fmt"
	"slices"
	"strconv"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

// Actions are what was done to the target in a step, and what that did to the operations.
func Actions(step string, runs []Run) present.Table {
	several := len(runs) > 1
	table := present.Table{
		Caption: "Actions of step " + step,
		Columns: slices.Concat(HeadColumns(several, "action", "type", "member"),
			present.Numbers("after", "took", "no success for", "recovered after")),
	}
	answered := slices.ContainsFunc(runs, func(run Run) bool {
		return slices.ContainsFunc(run.Reported(step).Actions, func(a reportv1.Action) bool { return a.Outcome != "" })
	})
	if answered {
		table.Columns = append(table.Columns, present.Column{Name: "answer", Wrap: true})
	}
	for _, run := range runs {
		for _, action := range run.Reported(step).Actions {
			row := Row(several, run.Name, action.Name, present.Text(action.Type),
				present.Text(action.Member), present.MillisCell(action.AtMillis), took(action),
				present.MicrosCell(action.OutageMicros),
				recovered(action.RecoveryMillis))
			if answered {
				row = append(row, present.Text(action.Outcome))
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return table
}

// took is how long the command of an action took, where there was one.
func took(action reportv1.Action) present.Cell {
	if action.TookMicros == 0 {
		return present.Text("")
	}
	return present.MicrosCell(action.TookMicros)
}

func recovered(millis *int64) present.Cell {
	switch {
	case millis == nil:
		return present.Text(present.Unknown)
	case *millis == reportv1.NeverRecovered:
		return present.Text("never")
	default:
		return present.MillisCell(*millis)
	}
}

// Groups are what each group of threads of a step came to, over its own window.
func Groups(step string, runs []Run) present.Table {
	several := len(runs) > 1
	table := present.Table{
		Caption: "Groups of step " + step,
		Columns: slices.Concat(HeadColumns(several, "group"), present.Numbers("threads", "from", "for"),
			FigureColumns(false), present.Numbers("due/s", "sent/s", "dropped")),
	}
	for _, run := range runs {
		summary := run.Step(step)
		if summary == nil {
			continue
		}
		for _, group := range summary.Groups {
			row := Row(several, run.Name, group.Name, present.CountCell(int64(group.Threads)),
				present.MillisCell(group.BeginMillis), present.MillisCell(group.DurationMillis),
				present.CountCell(group.Overall.Count), present.CountCell(group.Overall.Errors),
				Rate(group.Overall, group.DurationMillis))
			row = append(row, timeCells(&group.Overall.TimesSummary)...)
			table.Rows = append(table.Rows, append(row, scheduleCells(group.Arrivals)...))
		}
	}
	return table
}

// scheduleCells are how a schedule was kept; unknown for a closed loop.
func scheduleCells(arrivals *reportv1.ArrivalsSummary) []present.Cell {
	if arrivals == nil {
		return present.Texts(present.Unknown, present.Unknown, present.Unknown)
	}
	return []present.Cell{
		present.CountCell(arrivals.RequestedPerSecond), present.CountCell(arrivals.AchievedPerSecond),
		present.CountCell(arrivals.Dropped),
	}
}

// Trials are what a search for the highest rate tried.
func Trials(step string, runs []Run) present.Table {
	several := len(runs) > 1
	table := present.Table{}
	for _, run := range runs {
		search := run.Reported(step).Search
		if search == nil {
			continue
		}
		percentile := fmt.Sprintf("p%g", float64(search.PercentileMillis)/1000)
		table.Caption = fmt.Sprintf("Search for a %s of at most %s", percentile, present.Micros(search.LimitMicros))
		table.Columns = slices.Concat(HeadColumns(several, "trial"),
			present.Numbers("rate", "achieved", "lasted", "slow", percentile, "errors", "dropped"),
			present.Columns("kept", "limited by"))
		for i, trial := range search.Trials {
			table.Rows = append(table.Rows, Row(several, run.Name, strconv.Itoa(i+1), present.CountCell(trial.Rate),
				present.CountCell(trial.Achieved), present.MillisCell(trial.Millis), present.CountCell(trial.Slow),
				present.MicrosCell(trial.Micros), present.CountCell(trial.Errors),
				present.CountCell(trial.Dropped), present.Text(kept(trial)),
				present.Text(trial.LimitedBy)))
		}
	}
	return table
}

func kept(trial reportv1.Trial) string {
	words := "no"
	if trial.Kept {
		words = "yes"
	}
	if trial.OddsToOne > 0 {
		words += fmt.Sprintf(", %g to 1", trial.OddsToOne)
	}
	if trial.Confirmation {
		return "confirmation: " + words
	}
	return words
}

// Servers are what each server did in the measure window of a step. Where a run is about connections, they are what
// these cost it, too.
func Servers(step string, runs []Run) present.Table {
	several, connections := len(runs) > 1, slices.ContainsFunc(runs, connects)
	table := present.Table{
		Caption: "Servers in step " + step,
		Columns: slices.Concat(HeadColumns(several, "server", "role"),
			present.Numbers("cores", "cache", "dirty", "read", "written",
				"evicted", "checkpoints", "longest", "ops/s in them", "outside", "dispersion")),
	}
	if connections {
		table.Columns = append(table.Columns, present.Numbers("connections", "memory")...)
	}
	for _, run := range runs {
		window := run.Reported(step)
		for _, member := range run.Report.Members {
			did := observe.Summarise(member, window.ByMember(window.MeasureStart), window.ByMember(window.WindowEnd()))
			if max(did.CPUMillis, did.CacheBytes, did.WrittenBytes, did.Outside) < 0 {
				// Nothing was observed in this window.
				continue
			}
			cells := serverCells(did)
			if connections {
				cells = append(cells, present.KnownCell(did.Connections, present.CountCell),
					present.KnownCell(did.ResidentBytes, present.BytesCell))
			}
			table.Rows = append(table.Rows, Row(several, run.Name, did.Name, cells...))
		}
	}
	return table
}

// connects says whether any step of a run has connections beside those of its threads.
func connects(run Run) bool {
	return slices.ContainsFunc(run.Report.Steps, func(step reportv1.Step) bool {
		return step.IdleConnections > 0 || slices.ContainsFunc(step.Operations, func(o reportv1.Operation) bool {
			return o.Kind == string(benchv1alpha1.OperationConnect)
		})
	})
}

func serverCells(did observe.Summary) []present.Cell {
	cores := func(millis int64) present.Cell {
		return present.Valued(fmt.Sprintf("%.2f", float64(millis)/1000), float64(millis)/1000, "")
	}
	known := present.KnownCell
	return []present.Cell{
		present.Text(did.Role), known(did.CPUMillis, cores), known(did.CacheBytes, present.BytesCell),
		known(did.DirtyBytes, present.BytesCell), known(did.ReadBytes, present.BytesRateCell),
		known(did.WrittenBytes, present.BytesRateCell), known(did.Evictions, present.CountCell),
		known(did.Checkpoints, present.CountCell), known(did.LongestCheckpointMillis, present.MillisCell),
		known(did.DuringCheckpoints, present.CountCell), known(did.Outside, present.CountCell),
		present.Valued(fmt.Sprintf("%.1f", did.Operations.Dispersion), did.Operations.Dispersion, ""),
	}
}

// Sweep is how throughput and latency go with the number of threads.
func Sweep(prefix string, sweep reportv1.SweepSummary) present.Table {
	knee := "no knee among these numbers"
	if sweep.KneeThreads > 0 {
		knee = "the knee is at " + present.Plural(int64(sweep.KneeThreads), "thread")
	}
	table := present.Table{
		Caption: fmt.Sprintf("Sweep %s%s: %s; within 5 %% of the highest throughput from %s on", prefix, sweep.Name, knee,
			present.Plural(int64(sweep.SaturationThreads), "thread")),
		Columns: slices.Concat(present.Columns("step"), present.Numbers("threads", "ops/s", "mean", "p99", "errors"),
			present.Columns("")),
	}
	for _, point := range sweep.Points {
		mark := ""
		if point.Threads == sweep.KneeThreads {
			mark = "< knee"
		}
		table.Rows = append(table.Rows, []present.Cell{
			present.Text(point.Step), present.CountCell(int64(point.Threads)), present.CountCell(point.OperationsPerSecond),
			present.MicrosCell(point.MeanMicros), p99Cell(point), present.CountCell(point.Errors),
			present.Text(mark),
		})
	}
	return table
}

// p99Cell is the percentile, or that there were too few operations for it.
func p99Cell(point reportv1.SweepPoint) present.Cell {
	if point.P99Micros == 0 {
		return present.Text(present.Few)
	}
	return present.MicrosCell(point.P99Micros)
}

// Growth has sizes and throughput by the number of documents: a row for each checkpoint, and a column for each step.
func Growth(prefix string, growth []reportv1.GrowthSummary) present.Table {
	var names []string
	for _, at := range growth {
		for _, point := range at.Points {
			if !slices.Contains(names, point.Name) {
				names = append(names, point.Name)
			}
		}
	}
	table := present.Table{
		Caption: prefix + "Growth: sizes, and operations per second of each step, by the number of documents",
		Columns: present.Numbers(append([]string{"loaded", "found", "data", "storage", "index", "load/s"}, names...)...),
	}
	for _, at := range growth {
		loaded := present.Text(present.Unknown)
		if at.LoadedPerSecond > 0 {
			loaded = present.CountCell(at.LoadedPerSecond)
		}
		row := make([]present.Cell, 0, len(table.Columns))
		row = append(row,
			present.CountCell(at.Documents), present.CountCell(at.Found), present.BytesCell(at.DataBytes),
			present.BytesCell(at.StorageBytes), present.BytesCell(at.IndexBytes), loaded)
		for _, name := range names {
			row = append(row, throughput(at, name))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// throughput of a step at a checkpoint, with its errors.
func throughput(at reportv1.GrowthSummary, name string) present.Cell {
	for _, point := range at.Points {
		if point.Name != name {
			continue
		}
		cell := present.CountCell(point.OperationsPerSecond)
		if point.Errors > 0 {
			cell.Text += " !" + present.Count(point.Errors)
		}
		return cell
	}
	return present.Text(present.Unknown)
}
