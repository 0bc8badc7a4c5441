package result

import (
	"cmp"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// mergePings puts together what pods found of the same servers, in the order of their names.
func mergePings(a, b []reportv1.Ping) []reportv1.Ping {
	merged := slices.Clone(a)
	for _, ping := range b {
		at := slices.IndexFunc(merged, func(known reportv1.Ping) bool { return known.Member == ping.Member })
		if at < 0 {
			merged = append(merged, ping)
			continue
		}
		merged[at] = mergePing(merged[at], ping)
	}
	slices.SortFunc(merged, func(a, b reportv1.Ping) int { return cmp.Compare(a.Member, b.Member) })
	return merged
}

func mergePing(a, b reportv1.Ping) reportv1.Ping {
	return reportv1.Ping{
		Member: a.Member, Pods: a.Pods + b.Pods, Exchanges: a.Exchanges + b.Exchanges,
		MinMicros: min(a.MinMicros, b.MinMicros), NearestMicros: min(a.NearestMicros, b.NearestMicros),
		MedianMicros: max(a.MedianMicros, b.MedianMicros), P99Micros: max(a.P99Micros, b.P99Micros),
		Clock: mergeClocks(a.Clock, b.Clock),
	}
}

// mergeClocks is nil unless every pod could compare its clock: of some it would not say how far apart all began.
func mergeClocks(a, b *reportv1.Clock) *reportv1.Clock {
	if a == nil || b == nil {
		return nil
	}
	merged := &reportv1.Clock{
		LeastAheadMicros:  min(a.LeastAheadMicros, b.LeastAheadMicros),
		MostAheadMicros:   max(a.MostAheadMicros, b.MostAheadMicros),
		UncertaintyMicros: max(a.UncertaintyMicros, b.UncertaintyMicros),
		FirstStart:        earlier(a.FirstStart, b.FirstStart),
		LastStart:         a.LastStart,
	}
	if b.LastStart.After(merged.LastStart) {
		merged.LastStart = b.LastStart
	}
	return merged
}

// RoundTripMicros is the longest median round trip of any step, from the farthest pod to the farthest server; nil when
// it is not known.
func RoundTripMicros(report reportv1.Report) *int64 {
	var longest *int64
	for _, step := range report.Steps {
		for _, ping := range step.Pings {
			if longest == nil || ping.MedianMicros > *longest {
				longest = new(ping.MedianMicros)
			}
		}
	}
	return longest
}

// ClockSpreadMicros is by how much the clocks of the pods differed at most, in any step; nil for one pod, or when it is
// not known.
func ClockSpreadMicros(report reportv1.Report) *int64 {
	var most *int64
	for _, step := range report.Steps {
		by, _ := apart(step)
		if by.Clock == nil || by.Pods < 2 {
			continue
		}
		if spread := by.Clock.SpreadMicros(); most == nil || spread > *most {
			most = new(spread)
		}
	}
	return most
}

// StealPercent is the most that the hypervisor took of a machine's processors in any step, in percent of its window;
// nil when nothing was measured.
func StealPercent(report reportv1.Report) *int32 {
	var most *int32
	for _, step := range report.Steps {
		if step.Kind != reportv1.KindMeasure || step.Duration() <= 0 {
			continue
		}
		if percent := int32(step.Generator.StealMicros * hundred / step.Duration().Microseconds()); most == nil ||
			percent > *most {
			most = new(percent)
		}
	}
	return most
}
