package result

import (
	"slices"
	"time"

	"k8s.io/utils/ptr"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Slots are the samples of a member whose interval, which is the one before each, lies within two instants by the
// member's clock: from the first to before the last.
func Slots(member reportv1.Member, from, to time.Time) (first, last int) {
	interval := time.Duration(member.IntervalMillis) * time.Millisecond
	if interval <= 0 || !to.After(from) || !to.After(member.Start) {
		return 0, 0
	}
	first = int((max(0, from.Sub(member.Start)) + interval - 1) / interval)
	return first + 1, int(to.Sub(member.Start)/interval) + 1
}

// values of a series between two samples; nil when the server does not tell it.
func values(member reportv1.Member, name string, first, last int) []int64 {
	at := slices.IndexFunc(member.Series, func(series reportv1.Series) bool { return series.Name == name })
	if at < 0 {
		return nil
	}
	all := member.Series[at].Values
	last = min(last, len(all))
	return all[min(max(first, 0), max(last, 0)):max(last, 0)]
}

// during are the samples of a series whose interval lies within the window of a step.
func during(member reportv1.Member, step reportv1.Step, name string) []int64 {
	first, last := Slots(member, step.ByMember(step.MeasureStart), step.ByMember(step.WindowEnd()))
	return values(member, name, first, last)
}

// replicationLag is by how much the secondary that was behind most was behind its primary in the window of a step, in
// milliseconds; nil when no primary told.
func replicationLag(members []reportv1.Member, step reportv1.Step) *int64 {
	var most *int64
	for _, member := range members {
		if !slices.Contains(limited, member.Role) {
			continue
		}
		for _, lag := range known(during(member, step, reportv1.SeriesLargestLag)) {
			most = new(max(lag, ptr.Deref(most, 0)))
		}
	}
	return most
}

// rested is by how much the rates of a server in a step's samples are too small because it was at rest between the
// windows of a duet: how many times as long as its windows the step was, in whole numbers. What it was sent before each
// window makes it somewhat more, so that this is the least. It is 1 of every other step.
func rested(step reportv1.Step) int64 {
	if step.SpanMillis <= 0 || step.WindowMillis <= 0 {
		return 1
	}
	return max(1, step.SpanMillis/step.WindowMillis)
}

// known are the values that are.
func known(values []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(values), func(value int64) bool { return value < 0 })
}
