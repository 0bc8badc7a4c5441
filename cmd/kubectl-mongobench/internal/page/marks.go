package page

import (
	"cmp"
	"slices"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// Mark is what happened at an instant of a run, or from one to another.
type Mark struct {
	At float64  `json:"at"`
	To *float64 `json:"to,omitempty"`
	// Kind is step, warmup, checkpoint, migration, action, election, restart or silent.
	Kind  string `json:"kind"`
	Label string `json:"label"`
}

// The kinds of marks.
const (
	markStep       = "step"
	markWarmup     = "warmup"
	markCheckpoint = "checkpoint"
	markMigration  = "migration"
	markAction     = "action"
	markElection   = "election"
	markRestart    = "restart"
	markSilent     = "silent"
)

// primaryState is the value of replication.state at a primary.
const primaryState = 1

// fewestMissed samples in a row that are called a silence: one alone may just have come late.
const fewestMissed = 2

// marks are what a report tells of: its steps, what was done to the target, and what became of the servers, as far as
// samples show it.
func marks(report reportv1.Report) []Mark {
	all := []Mark{}
	at := func(instant time.Time) float64 { return since(report, instant) }
	for _, step := range report.Steps {
		if step.Start.Before(step.MeasureStart) {
			all = append(all, Mark{at(step.Start), new(at(step.MeasureStart)), markWarmup, "warm-up of " + step.Name})
		}
		all = append(all, Mark{at(step.MeasureStart), new(at(step.End)), markStep, step.Name})
		for _, action := range step.Actions {
			done := step.MeasureStart.Add(time.Duration(action.AtMillis) * time.Millisecond)
			all = append(all, Mark{at(done), nil, markAction, actionLabel(action)})
		}
	}
	names := make([]string, 0, len(report.Members))
	for _, member := range report.Members {
		names = append(names, member.Name)
	}
	for i, name := range shortened(names) {
		all = append(all, memberMarks(report, report.Members[i], name)...)
	}
	all = append(all, stretchMarks(report)...)
	slices.SortStableFunc(all, func(a, b Mark) int { return cmp.Compare(a.At, b.At) })
	return all
}

func actionLabel(action reportv1.Action) string {
	label := action.Name
	if action.Type != action.Name {
		label += " (" + action.Type + ")"
	}
	if action.Error != "" {
		label += " was not carried out"
	}
	return label
}

func memberMarks(report reportv1.Report, member reportv1.Member, name string) []Mark {
	at := instants(report, member)
	var found []Mark
	for _, series := range member.Series {
		switch series.Name {
		case "replication.state":
			for _, sample := range changes(series.Values, func(before, after int64) bool {
				return before != primaryState && after == primaryState
			}) {
				found = append(found, Mark{at(sample), nil, markElection, name + " became primary"})
			}
		case "checkpoint.count":
			// It is counted from the start of the server.
			for _, sample := range changes(series.Values, func(before, after int64) bool { return after < before }) {
				found = append(found, Mark{at(sample), nil, markRestart, name + " restarted"})
			}
		case "connections.current":
			for _, silence := range silences(series.Values) {
				found = append(found, Mark{at(silence[0]), nil, markSilent, name + " did not answer"})
			}
		}
	}
	return found
}

// changes are the samples at which a known value follows another one in a way.
func changes(values []int64, way func(before, after int64) bool) []int {
	var found []int
	before := int64(unknown)
	for i, value := range values {
		if value == unknown {
			continue
		}
		if before != unknown && way(before, value) {
			found = append(found, i)
		}
		before = value
	}
	return found
}

// silences are the first and the last of samples in a row that are not known, after one that is.
func silences(values []int64) [][2]int {
	var found [][2]int
	first := -1
	begun := false
	for i, value := range append(slices.Clone(values), 0) {
		switch {
		case value == unknown && begun && first < 0:
			first = i
		case value != unknown:
			if first >= 0 && i-first >= fewestMissed {
				found = append(found, [2]int{first, i - 1})
			}
			begun, first = true, -1
		}
	}
	return found
}

// events are the marks that are no steps, as a table; nil when nothing happened.
func events(runs []output.Run) *present.Table {
	several := len(runs) > 1
	table := &present.Table{
		Caption: "Actions, and what the samples of the servers show, from the begin of the run on",
		Columns: slices.Concat(output.HeadColumns(several, "what", "kind", "in step"), present.Numbers("after")),
	}
	for _, run := range runs {
		for _, mark := range marks(run.Report) {
			if mark.To != nil {
				continue
			}
			millis := int64(mark.At * 1000)
			table.Rows = append(table.Rows, output.Row(several, run.Name, mark.Label, present.Text(mark.Kind),
				present.Text(stepAt(run.Report, mark.At)), present.Valued(present.Millis(millis), float64(millis), "ms")))
		}
	}
	if len(table.Rows) == 0 {
		return nil
	}
	return table
}

// stepAt is the step that an instant is in.
func stepAt(report reportv1.Report, at float64) string {
	for _, step := range report.Steps {
		if at >= since(report, step.Start) && at <= since(report, step.End) {
			return step.Name
		}
	}
	return present.Unknown
}
