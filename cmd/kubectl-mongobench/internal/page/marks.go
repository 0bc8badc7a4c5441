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

// marks are what a report has: its steps, what was done to the target, and what became of the servers, as far as
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
	for i, name := range memberNames(report) {
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
	add := func(samples []int, kind, words string) {
		for _, sample := range samples {
			found = append(found, Mark{at(sample), nil, kind, name + words})
		}
	}
	for _, series := range member.Series {
		switch series.Name {
		case "replication.state":
			add(changes(series.Values, func(before, after int64) bool {
				return before != primaryState && after == primaryState
			}), markElection, " became primary")
		case "checkpoint.count":
			// It is counted from the start of the server.
			add(changes(series.Values, func(before, after int64) bool { return after < before }), markRestart, " restarted")
		case "connections.current":
			add(silences(series.Values), markSilent, " did not answer")
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

// silences are the first of samples in a row that are not known, after one that is.
func silences(values []int64) []int {
	var found []int
	known, missed := false, 0
	for i, value := range values {
		if value != unknown {
			known, missed = true, 0
		} else if missed++; known && missed == fewestMissed {
			found = append(found, i-fewestMissed+1)
		}
	}
	return found
}

// events are the marks that are no steps, as a table; nil when nothing happened.
func events(runs []output.Run) *present.Table {
	several := len(runs) > 1
	table := &present.Table{
		Caption: "Actions, and what the samples of the servers show, from the start of the run on",
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

// stretch is a time in which a server did something, in seconds.
type stretch struct{ from, to float64 }

// stretchMarks are when checkpoints were written and chunks were moved. Those of all servers are one, since what a
// client sees is the slowest of them.
func stretchMarks(report reportv1.Report) []Mark {
	flushes, moves := make([]stretch, 0, len(report.Members)), make([]stretch, 0, len(report.Members))
	for _, member := range report.Members {
		at := instants(report, member)
		running, count := seriesOf(member, "checkpoint.running"), seriesOf(member, "checkpoint.count")
		flushes = append(flushes, stretchesOf(at, max(len(running), len(count)), func(sample int) (now, before bool) {
			return sampleAt(running, sample) > 0, rose(count, sample)
		})...)
		started, moved := seriesOf(member, "migrations.started"), seriesOf(member, "migrations.documents")
		moves = append(moves, stretchesOf(at, max(len(started), len(moved)), func(sample int) (now, before bool) {
			return false, rose(started, sample) || sampleAt(moved, sample) > 0
		})...)
	}
	return slices.Concat(joinedMarks(flushes, markCheckpoint, "a checkpoint"),
		joinedMarks(moves, markMigration, "chunks move"))
}

// instants of the samples of a member.
func instants(report reportv1.Report, member reportv1.Member) func(sample int) float64 {
	return func(sample int) float64 {
		return since(report, member.Start.Add(time.Duration(sample*member.IntervalMillis)*time.Millisecond))
	}
}

func seriesOf(member reportv1.Member, name string) []int64 {
	at := slices.IndexFunc(member.Series, func(series reportv1.Series) bool { return series.Name == name })
	if at < 0 {
		return nil
	}
	return member.Series[at].Values
}

// sampleAt is a sample, or what is not known.
func sampleAt(values []int64, sample int) int64 {
	if sample < 0 || sample >= len(values) {
		return unknown
	}
	return values[sample]
}

func rose(values []int64, sample int) bool {
	before := sampleAt(values, sample-1)
	return before != unknown && sampleAt(values, sample) > before
}

// stretchesOf are the samples in a row that tell of something: that it goes on at their instant, or that it did since
// the sample before.
func stretchesOf(at func(int) float64, samples int, told func(sample int) (now, before bool)) []stretch {
	var found []stretch
	open := false
	for sample := range samples {
		now, before := told(sample)
		switch {
		case before && !open:
			found = append(found, stretch{at(sample - 1), at(sample)})
		case now && !open:
			// When it ends is not seen before the next sample.
			found = append(found, stretch{at(sample), at(sample + 1)})
		case now || before:
			found[len(found)-1].to = at(sample)
		}
		open = now || before
	}
	return found
}

// joinedMarks are stretches that overlap as one.
func joinedMarks(all []stretch, kind, label string) []Mark {
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	var marks []Mark
	for _, one := range all {
		if last := len(marks) - 1; last >= 0 && one.from <= *marks[last].To {
			*marks[last].To = max(*marks[last].To, one.to)
			continue
		}
		marks = append(marks, Mark{At: one.from, To: new(one.to), Kind: kind, Label: label})
	}
	return marks
}
