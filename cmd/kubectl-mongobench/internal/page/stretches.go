package page

import (
	"cmp"
	"slices"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

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
	for _, series := range member.Series {
		if series.Name == name {
			return series.Values
		}
	}
	return nil
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
