package output

import (
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

// notKnown stands for a number that is not known.
const notKnown = "-"

// writeSearch shows what a search for the highest rate tried, and what it found.
func writeSearch(whole *layout, search *reportv1.Search) {
	percentile := fmt.Sprintf("p%g", float64(search.PercentileMillis)/1000)
	found := "not even the lowest rate kept it"
	if search.Found > 0 {
		found = thousands(search.Found) + "/s is the highest rate that kept it"
	}
	whole.line("Search for a %s of at most %s: %s", percentile, reportv1.FormatMicros(search.LimitMicros), found)
	table := &columns{}
	table.add("rate", "achieved", percentile, "errors", "dropped", "kept")
	for _, trial := range search.Trials {
		kept := "no"
		if trial.Kept {
			kept = "yes"
		}
		if trial.Confirmation {
			kept = "confirmation: " + kept
		}
		table.add(thousands(trial.Rate), thousands(trial.Achieved), reportv1.FormatMicros(trial.Micros),
			thousands(trial.Errors), thousands(trial.Dropped), kept)
	}
	whole.table(table)
}

// writeSweep shows how throughput and latency go with the number of threads.
func writeSweep(whole *layout, sweep reportv1.SweepSummary) {
	whole.heading("Sweep %s: %s, and %s the throughput within 5 %% of the highest", sweep.Name, knee(sweep),
		plural(int64(sweep.SaturationThreads), "thread")+have(sweep.SaturationThreads))
	table := &columns{}
	table.add("threads", "ops/s", "mean", "p99", "errors")
	for _, point := range sweep.Points {
		row := []string{
			thousands(int64(point.Threads)), thousands(point.OperationsPerSecond), reportv1.FormatMicros(point.MeanMicros),
			reportv1.FormatMicros(point.P99Micros), thousands(point.Errors),
		}
		if point.Threads == sweep.KneeThreads {
			row = append(row, "< knee")
		}
		table.add(row...)
	}
	whole.table(table)
}

func knee(sweep reportv1.SweepSummary) string {
	if sweep.KneeThreads == 0 {
		return "no knee among these numbers"
	}
	return "the knee is at " + plural(int64(sweep.KneeThreads), "thread")
}

func have(threads int) string {
	if threads == 1 {
		return " has"
	}
	return " have"
}

// writeMembers shows what each server did in a step's measure window.
func writeMembers(whole *layout, step reportv1.Step, members []reportv1.Member) {
	if len(members) == 0 {
		return
	}
	table := &columns{left: 2}
	table.add("server", "role", "cores", "cache", "dirty", "read", "written", "evicted", "checkpoints", "longest",
		"ops/s in them", "outside", "dispersion")
	for _, member := range members {
		did := observe.Summarise(member, step.MeasureStart, step.End)
		if max(did.CPUMillis, did.CacheBytes, did.Outside) < 0 {
			// Nothing was observed in this window.
			continue
		}
		table.add(did.Name, did.Role, known(did.CPUMillis, cpu), known(did.CacheBytes, size), known(did.DirtyBytes, size),
			known(did.ReadBytes, bytesPerSecond), known(did.WrittenBytes, bytesPerSecond), known(did.Evictions, thousands),
			known(did.Checkpoints, thousands), known(did.LongestCheckpointMillis, millis),
			known(did.DuringCheckpoints, thousands), known(did.Outside, thousands),
			fmt.Sprintf("%.1f", did.Operations.Dispersion))
	}
	if len(table.rows) > 1 {
		whole.table(table)
	}
}

func known(number int64, write func(int64) string) string {
	if number < 0 {
		return notKnown
	}
	return write(number)
}

func cpu(thousandths int64) string {
	return fmt.Sprintf("%.2f", float64(thousandths)/1000)
}

func bytesPerSecond(number int64) string {
	return size(number) + "/s"
}

func millis(number int64) string {
	return reportv1.FormatMicros(number * 1000)
}
