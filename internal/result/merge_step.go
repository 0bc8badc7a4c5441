package result

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

func mergeStep(parts []reportv1.Step) (reportv1.Step, error) {
	parts, err := alignIntervals(parts)
	if err != nil {
		return reportv1.Step{}, err
	}
	merged := parts[0]
	for _, part := range parts[1:] {
		merged.IntendedStart = earlier(merged.IntendedStart, part.IntendedStart)
		merged.Start = earlier(merged.Start, part.Start)
		merged.MeasureStart = earlier(merged.MeasureStart, part.MeasureStart)
		if part.End.After(merged.End) {
			merged.End = part.End
		}
		merged.StartSkewMicros = max(magnitude(merged.StartSkewMicros), magnitude(part.StartSkewMicros))
		merged.Threads += part.Threads
		merged.Client = cmp.Or(merged.Client, part.Client)
		merged.Documents += part.Documents
		merged.Generator = mergeGenerators(merged.Generator, part.Generator)
		merged.Traffic = mergeTraffic(merged.Traffic, part.Traffic)
		if merged.Search == nil {
			merged.Search = part.Search
		}
	}
	if merged.Operations, err = mergeOperations(parts); err != nil {
		return reportv1.Step{}, err
	}
	if merged.Arrivals, err = mergeArrivals(parts); err != nil {
		return reportv1.Step{}, err
	}
	merged.Drain = mergeDrains(merged.End, parts)
	merged.Steady = mergeSteady(merged, parts)
	merged.Actions = mergeActions(merged, parts)
	return merged, nil
}

// mergeArrivals adds up how the pods kept their parts of a schedule. It is nil when none had one.
func mergeArrivals(parts []reportv1.Step) (*reportv1.Arrivals, error) {
	var merged *reportv1.Arrivals
	var lags, wakeUps []string
	for _, part := range parts {
		if part.Arrivals == nil {
			continue
		}
		if merged == nil {
			merged = &reportv1.Arrivals{Process: part.Arrivals.Process}
		}
		merged.Due += part.Arrivals.Due
		merged.Dropped += part.Arrivals.Dropped
		merged.Late += part.Arrivals.Late
		merged.LargestQueue += part.Arrivals.LargestQueue
		merged.WindowMillis = max(merged.WindowMillis, part.Arrivals.WindowMillis)
		lags, wakeUps = append(lags, part.Arrivals.Lag), append(wakeUps, part.Arrivals.WakeUp)
	}
	if merged == nil {
		return nil, nil //nolint:nilnil // A closed loop has no arrivals, which is no error.
	}
	var err error
	if merged.Lag, err = mergeEncoded(lags); err != nil {
		return nil, fmt.Errorf("schedule lag: %w", err)
	}
	if merged.WakeUp, err = mergeEncoded(wakeUps); err != nil {
		return nil, fmt.Errorf("wake-up lag: %w", err)
	}
	return merged, nil
}

// mergeSteady looks at the throughput of all pods together. One pod's own answer stays, since its intervals may have
// become longer afterwards; so does the least steady one of several where they have become too long to tell.
func mergeSteady(merged reportv1.Step, parts []reportv1.Step) *reportv1.Steady {
	if len(parts) == 1 {
		return parts[0].Steady
	}
	var worst *reportv1.Steady
	for _, part := range parts {
		if part.Steady != nil && (worst == nil || !part.Steady.Reached) {
			worst = part.Steady
		}
	}
	if worst == nil {
		return nil
	}
	if found := FindSteady(merged); found != nil {
		return found
	}
	return worst
}

func mergeTraffic(a, b reportv1.Traffic) reportv1.Traffic {
	return reportv1.Traffic{
		BytesIn:           a.BytesIn + b.BytesIn,
		BytesOut:          a.BytesOut + b.BytesOut,
		Checkouts:         a.Checkouts + b.Checkouts,
		CheckoutMicros:    a.CheckoutMicros + b.CheckoutMicros,
		MaxCheckoutMicros: max(a.MaxCheckoutMicros, b.MaxCheckoutMicros),
	}
}

// alignIntervals gives every part the length of the longest interval. Lengths differ when a pod's report was too large.
func alignIntervals(parts []reportv1.Step) ([]reportv1.Step, error) {
	longest := 0
	for _, part := range parts {
		longest = max(longest, part.IntervalMillis)
	}
	aligned := slices.Clone(parts)
	for i, part := range aligned {
		if part.IntervalMillis == longest || intervalCount(part) == 0 {
			aligned[i].IntervalMillis = longest
			continue
		}
		if part.IntervalMillis <= 0 || longest%part.IntervalMillis != 0 {
			return nil, fmt.Errorf("intervals of %d ms and %d ms do not fit together", part.IntervalMillis, longest)
		}
		aligned[i] = stretchIntervals(part, longest/part.IntervalMillis)
	}
	return aligned, nil
}

// earlier ignores a time that is not set: a pod that had no part in a step.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

func magnitude(number int64) int64 {
	return max(number, -number)
}

func mergeGenerators(a, b reportv1.Generator) reportv1.Generator {
	return reportv1.Generator{
		CPUMicros:          a.CPUMicros + b.CPUMicros,
		AvailableCPUMicros: a.AvailableCPUMicros + b.AvailableCPUMicros,
		BusiestPodPercent:  max(a.BusiestPodPercent, b.BusiestPodPercent),
		ThrottledMicros:    max(a.ThrottledMicros, b.ThrottledMicros),
		GCPauseMicros:      a.GCPauseMicros + b.GCPauseMicros,
		GCCPUMicros:        a.GCCPUMicros + b.GCCPUMicros,
		WaitMicros:         a.WaitMicros + b.WaitMicros,
		Processors:         max(a.Processors, b.Processors),
		PeakMemoryBytes:    max(a.PeakMemoryBytes, b.PeakMemoryBytes),
	}
}
