package result

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Merge makes one report of those of all load pods of a run: counters are added up, histograms merged, times span all
// pods, and of what limits trust (skew, saturation) the worst is kept. Reports of different plans are refused, and so
// is one that lacks a step that all pods take part in.
func Merge(reports []reportv1.Report) (reportv1.Report, error) {
	if len(reports) == 0 {
		return reportv1.Report{}, errors.New("merging reports: there is none")
	}
	// Preparing and verifying is one pod's work, so the others may lack these steps.
	longest := slices.MaxFunc(reports, func(a, b reportv1.Report) int { return cmp.Compare(len(a.Steps), len(b.Steps)) })
	merged := longest
	merged.Pods, merged.Machines, merged.Outlets = 0, nil, nil
	merged.Partial = mergePartials(reports)
	longest.Steps = allSteps(longest.Steps, merged.Partial, reports)
	merged.Steps = make([]reportv1.Step, 0, len(longest.Steps))
	for _, report := range reports {
		if err := mergeable(longest, report); err != nil {
			return reportv1.Report{}, fmt.Errorf("merging reports: %w", err)
		}
		merged.Pods += max(report.Pods, 1)
		merged.Machines = addMachines(merged.Machines, report.Machines)
		merged.Outlets = addOutlets(merged.Outlets, report.Outlets)
		if merged.Server.Version == "" {
			merged.Server = report.Server
		}
		if len(merged.Members) == 0 {
			merged.Members = report.Members
		}
	}
	for _, step := range longest.Steps {
		parts := partsOf(step.Name, reports)
		shared := step.Kind == reportv1.KindLoad || step.Kind == reportv1.KindMeasure
		if shared && len(parts) != len(reports) && merged.Partial == nil {
			return reportv1.Report{}, fmt.Errorf("merging reports: %d of %d have step %q", len(parts), len(reports), step.Name)
		}
		whole, err := mergeStep(parts)
		if err != nil {
			return reportv1.Report{}, fmt.Errorf("merging reports of step %q: %w", step.Name, err)
		}
		merged.Steps = append(merged.Steps, whole)
	}
	return merged, nil
}

// mergeable says why two reports are not of the same run.
func mergeable(one, other reportv1.Report) error {
	if one.Version != other.Version {
		return fmt.Errorf("versions %q and %q differ", one.Version, other.Version)
	}
	if one.PlanHash != other.PlanHash {
		return fmt.Errorf("they are of different plans, %s and %s", one.PlanHash, other.PlanHash)
	}
	if one.FilesHash != other.FilesHash {
		return errors.New("load pods have read other files than others: what lies in a volume has changed while they began")
	}
	for _, step := range other.Steps {
		known := func(s reportv1.Step) bool { return s.Name == step.Name && s.Kind == step.Kind }
		if !slices.ContainsFunc(one.Steps, known) {
			return fmt.Errorf("only one has step %q of kind %s", step.Name, step.Kind)
		}
	}
	return nil
}

func partsOf(name string, reports []reportv1.Report) []reportv1.Step {
	var parts []reportv1.Step
	for _, report := range reports {
		for _, step := range report.Steps {
			if step.Name == name {
				parts = append(parts, step)
			}
		}
	}
	return parts
}

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
		merged.WindowMillis = max(merged.WindowMillis, part.WindowMillis)
		merged.Digits = fewerDigits(merged.Digits, part.Digits)
		merged.OverrunMicros = max(merged.OverrunMicros, part.OverrunMicros)
		merged.StartSkewMicros = max(magnitude(merged.StartSkewMicros), magnitude(part.StartSkewMicros))
		if magnitude(part.ClockStepMicros) > magnitude(merged.ClockStepMicros) {
			merged.ClockStepMicros = part.ClockStepMicros
		}
		merged.Pings = mergePings(merged.Pings, part.Pings)
		merged.Threads += part.Threads
		merged.Client, merged.Sent = cmp.Or(merged.Client, part.Client), cmp.Or(merged.Sent, part.Sent)
		merged.PoolSize += part.PoolSize
		merged.IdleConnections += part.IdleConnections
		merged.LostConnections += part.LostConnections
		merged.Documents += part.Documents
		merged.ResumedDocuments += part.ResumedDocuments
		merged.Generator = mergeGenerators(merged.Generator, part.Generator)
		merged.Traffic = mergeTraffic(merged.Traffic, part.Traffic)
		merged.Gateways = mergeGateways(merged.Gateways, part.Gateways)
		if merged.Search == nil {
			merged.Search = part.Search
		}
		if merged.Explained == nil {
			merged.Explained = part.Explained
		}
		if merged.Slow == nil {
			merged.Slow = part.Slow
		}
	}
	if err = mergeRecorded(&merged, parts); err != nil {
		return reportv1.Step{}, err
	}
	merged.Drain = mergeDrains(merged.End, parts)
	merged.Replay = mergeReplays(parts)
	merged.Steady = mergeSteady(merged, parts)
	merged.Actions = mergeActions(merged, parts)
	return merged, nil
}

// mergeRecorded merges what has histograms.
func mergeRecorded(merged *reportv1.Step, parts []reportv1.Step) (err error) {
	if err = mergeDelays(&merged.Generator, parts); err != nil {
		return err
	}
	if merged.Operations, err = mergeOperations(parts); err != nil {
		return err
	}
	if merged.Arrivals, err = mergeArrivals(parts); err != nil {
		return err
	}
	merged.Groups, err = mergeGroups(parts)
	return err
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
		merged.Skipped += part.Arrivals.Skipped
		merged.Late += part.Arrivals.Late
		merged.LargestQueue += part.Arrivals.LargestQueue
		merged.WindowMillis = max(merged.WindowMillis, part.Arrivals.WindowMillis)
		lags, wakeUps = append(lags, part.Arrivals.Lag), append(wakeUps, part.Arrivals.WakeUp)
	}
	if merged == nil {
		return nil, nil //nolint:nilnil // A closed loop has no arrivals, which is no error.
	}
	return merged, errors.Join(
		mergeEncoded(&merged.Lag, "schedule lag", lags), mergeEncoded(&merged.WakeUp, "wake-up lag", wakeUps))
}

// mergeDrains puts together how the writes of all pods ended, in a step that ended with the last of them. The documents
// of one pod cannot be told from those of the others, so they are not counted.
func mergeDrains(end time.Time, parts []reportv1.Step) *reportv1.Drain {
	if len(parts) == 1 {
		return parts[0].Drain
	}
	var merged *reportv1.Drain
	for _, part := range parts {
		if part.Drain == nil {
			continue
		}
		if merged == nil {
			merged = &reportv1.Drain{Operations: part.Drain.Operations}
		}
		after := part.End.Sub(end).Microseconds() + part.Drain.Micros
		merged.Micros = max(merged.Micros, after)
		if merged.Failed == "" {
			merged.Failed = part.Drain.Failed
		}
	}
	return merged
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

// mergeEncoded writes the sum of encoded histograms; of empty texts it is an empty text.
func mergeEncoded(into *string, what string, encoded []string) error {
	if !slices.ContainsFunc(encoded, func(text string) bool { return text != "" }) {
		return nil
	}
	sum := reportv1.NewHistogram()
	if err := addEncoded(sum, what, encoded...); err != nil {
		return err
	}
	text, err := reportv1.EncodeHistogram(sum)
	*into = text
	return err
}

// addClasses adds up the counts of equal classes, and keeps the first message that it sees of each.
func addClasses(sum, more []reportv1.ErrorClass) []reportv1.ErrorClass {
	for _, class := range more {
		like := reportv1.ErrorClass{Class: class.Class, FirstMessage: class.FirstMessage}
		entry(&sum, like, func(c reportv1.ErrorClass) string { return c.Class }).Count += class.Count
	}
	return sum
}

// AddCounts adds a series to a sum, which grows as needed and is changed.
func AddCounts(sum, more []int64) []int64 {
	if len(more) > len(sum) {
		sum = append(sum, make([]int64, len(more)-len(sum))...)
	}
	for i, count := range more {
		sum[i] += count
	}
	return sum
}

// AddTimes adds the times of intervals to a sum, which grows as needed and is changed.
func AddTimes(sum, more [][]int64) [][]int64 {
	for i, times := range more {
		if i == len(sum) {
			sum = append(sum, []int64{})
		}
		sum[i] = AddCounts(slices.Clone(sum[i]), times)
	}
	return sum
}

// IntervalQuantile reads a quantile, from 0 to 1, of one interval's times: the geometric middle of the bucket that it
// is in, in microseconds, which is off by 22 % at most. It is 0 when the interval has no times.
func IntervalQuantile(times []int64, quantile float64) int64 {
	wanted := max(1, int64(math.Ceil(quantile*float64(sum(times)))))
	var seen int64
	for bucket, count := range times {
		if seen += count; count > 0 && seen >= wanted {
			lowest, next := reportv1.IntervalBucketLowest(bucket), reportv1.IntervalBucketLowest(bucket+1)
			return int64(math.Round(math.Sqrt(float64(lowest) * float64(next))))
		}
	}
	return 0
}
