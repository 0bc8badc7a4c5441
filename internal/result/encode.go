package result

import (
	"fmt"
	"slices"
	"strings"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Encode writes a report as compressed JSON of at most MaxReportBytes. One that is too large loses resolution but no
// total: the servers' own diagnostic data goes, its intervals become longer, then the heat maps, what was observed of
// the servers and how they carry out operations are dropped, and only then are its histograms coarser, for the
// percentiles are what a report is for. Those of a duet's baseline lose the same, and before any histogram does, how
// its lines were narrowed has fewer points and its windows are dropped. Only a report of many thousand operations can
// still be too large, which is an error.
func Encode(report reportv1.Report) ([]byte, error) {
	return EncodeWithin(report, reportv1.MaxReportBytes)
}

// EncodeWithin is the same with another limit, in bytes.
func EncodeWithin(report reportv1.Report, limit int) ([]byte, error) {
	encoded, err := reportv1.Encode(report)
	for _, reduce := range reductions {
		for reduced := true; reduced && err == nil && len(encoded) > limit; {
			if report, reduced, err = reduce(report); err == nil && reduced {
				encoded, err = reportv1.Encode(report)
			}
		}
	}
	if err == nil && len(encoded) > limit {
		err = fmt.Errorf("encoding report: %d bytes at the coarsest, and %d are allowed: use fewer operations",
			len(encoded), limit)
	}
	if err != nil {
		return nil, err
	}
	return encoded, nil
}

// reductions make a report smaller, the one that loses least first. Each does a part of what it can, and is false when
// there is nothing left for it to do. The report that it was given stays as it was.
var reductions = []reduction{
	ofBothSides(dropDiagnostics),
	ofBothSides(joinIntervals(240)),
	ofBothSides(dropIntervalTimes),
	ofBothSides(joinIntervals(60)),
	thinCourses(60),
	ofBothSides(dropMembers),
	ofBothSides(dropEvidence),
	dropWindows,
	ofBothSides(joinIntervals(1)),
	thinCourses(0),
	ofBothSides(coarsenHistograms(2)),
	ofBothSides(coarsenHistograms(1)),
}

// reduction is one of them.
type reduction func(reportv1.Report) (reportv1.Report, bool, error)

// joinIntervals doubles the length of the intervals of what has the most of them, steps or members, as long as that is
// more than enough.
func joinIntervals(enough int) reduction {
	return func(report reportv1.Report) (reportv1.Report, bool, error) {
		most := longestSeries(report)
		if most <= enough {
			return report, false, nil
		}
		report.Steps, report.Members = slices.Clone(report.Steps), slices.Clone(report.Members)
		// What is nearly as long loses resolution together, so that this ends after few rounds.
		for i, step := range report.Steps {
			if intervalCount(step) > most/2 {
				report.Steps[i] = stretchIntervals(step, 2)
			}
		}
		for i, member := range report.Members {
			if sampleCount(member) > most/2 {
				report.Members[i] = stretchSamples(member, 2)
			}
		}
		return report, true, nil
	}
}

func longestSeries(report reportv1.Report) int {
	most := 0
	for _, step := range report.Steps {
		most = max(most, intervalCount(step))
	}
	for _, member := range report.Members {
		most = max(most, sampleCount(member))
	}
	return most
}

func intervalCount(step reportv1.Step) int {
	most := 0
	for _, o := range step.Operations {
		most = max(most, len(o.Intervals), len(o.IntervalErrors), len(o.IntervalTimes))
	}
	return most
}

func sampleCount(member reportv1.Member) int {
	most := 0
	for _, series := range member.Series {
		most = max(most, len(series.Values))
	}
	return most
}

// stretchIntervals makes one interval of each factor that follow one another.
func stretchIntervals(step reportv1.Step, factor int) reportv1.Step {
	step.IntervalMillis *= factor
	step.Operations = slices.Clone(step.Operations)
	for i, operation := range step.Operations {
		step.Operations[i].Intervals = join(operation.Intervals, factor, sum)
		step.Operations[i].IntervalErrors = join(operation.IntervalErrors, factor, sum)
		step.Operations[i].IntervalTimes = join(operation.IntervalTimes, factor, sumTimes)
	}
	return step
}

// stretchSamples makes one sample of each factor that follow one another: the mean of rates, and the last of levels,
// which is what looking less often would have seen. The last of those that are joined is when the sample was taken, so
// that the start moves to it.
func stretchSamples(member reportv1.Member, factor int) reportv1.Member {
	member.Start = member.Start.Add(time.Duration((factor-1)*member.IntervalMillis) * time.Millisecond)
	member.IntervalMillis *= factor
	member.Series = slices.Clone(member.Series)
	for i, series := range member.Series {
		one := lastKnown
		if strings.HasSuffix(series.Unit, "/s") {
			one = MeanKnown
		}
		member.Series[i].Values = join(series.Values, factor, one)
	}
	return member
}

// join makes one of each factor elements that follow one another; the last may be of fewer.
func join[T any](series []T, factor int, one func([]T) T) []T {
	if len(series) == 0 {
		return series
	}
	joined := make([]T, 0, len(series)/factor+1)
	for part := range slices.Chunk(series, factor) {
		joined = append(joined, one(part))
	}
	return joined
}

func sum(counts []int64) int64 {
	var all int64
	for _, count := range counts {
		all += count
	}
	return all
}

func sumTimes(parts [][]int64) []int64 {
	all := []int64{}
	for _, part := range parts {
		all = AddCounts(all, part)
	}
	return all
}

func lastKnown(values []int64) int64 {
	last := int64(unknown)
	for _, value := range values {
		if value != unknown {
			last = value
		}
	}
	return last
}

// MeanKnown is the mean of the known values of a Series, rounded; -1 where none is.
func MeanKnown(values []int64) int64 {
	var all, known int64
	for _, value := range values {
		if value != unknown {
			all += value
			known++
		}
	}
	if known == 0 {
		return unknown
	}
	return (all + known/2) / known
}

// unknown is the value of a Series that is not known.
const unknown = -1

// dropIntervalTimes leaves the percentiles of single intervals out, and so the heat maps.
func dropIntervalTimes(report reportv1.Report) (reportv1.Report, bool, error) {
	dropped := false
	report.Steps = slices.Clone(report.Steps)
	for i, step := range report.Steps {
		report.Steps[i].Operations = slices.Clone(step.Operations)
		for k, operation := range step.Operations {
			dropped = dropped || operation.IntervalTimes != nil
			report.Steps[i].Operations[k].IntervalTimes = nil
		}
	}
	return report, dropped, nil
}

// dropDiagnostics leaves out the data that the servers have of themselves.
func dropDiagnostics(report reportv1.Report) (reportv1.Report, bool, error) {
	dropped := false
	report.Members = slices.Clone(report.Members)
	for i, member := range report.Members {
		if kept := member.Diagnostics; kept != nil && kept.Data != nil {
			dropped = true
			report.Members[i].Diagnostics = &reportv1.Diagnostics{
				Dropped: kept.Dropped + kept.Samples, Missing: "the report would have been too large with it",
			}
		}
	}
	return report, dropped, nil
}

// dropMembers leaves out what was observed of the servers.
func dropMembers(report reportv1.Report) (reportv1.Report, bool, error) {
	dropped := report.Members != nil
	report.Members = nil
	return report, dropped, nil
}

// dropEvidence leaves out how the servers carry out operations, and which commands were slow. What limited a step does
// not name scans then.
func dropEvidence(report reportv1.Report) (reportv1.Report, bool, error) {
	dropped := false
	report.Steps = slices.Clone(report.Steps)
	for i, step := range report.Steps {
		dropped = dropped || step.Explained != nil || step.Slow != nil
		report.Steps[i].Explained, report.Steps[i].Slow = nil, nil
	}
	return report, dropped, nil
}

// coarsenHistograms keeps fewer significant digits of every time.
func coarsenHistograms(digits int) reduction {
	return func(report reportv1.Report) (reportv1.Report, bool, error) {
		changed := false
		report.Steps = slices.Clone(report.Steps)
		for i := range report.Steps {
			step := &report.Steps[i]
			*step = withOwnGroups(*step)
			step.Operations = slices.Clone(step.Operations)
			if step.Arrivals != nil {
				arrivals := *step.Arrivals
				step.Arrivals = &arrivals
			}
			coarser, err := coarsenAll(histogramsOf(step), digits)
			if err != nil {
				return reportv1.Report{}, false, err
			}
			if coarser {
				changed, step.Digits = true, digits
			}
		}
		return report, changed, nil
	}
}

// coarsenAll is false when none of the histograms has more digits.
func coarsenAll(histograms []*string, digits int) (changed bool, err error) {
	for _, encoded := range histograms {
		coarser, err := coarsen(encoded, digits)
		if err != nil {
			return false, err
		}
		changed = changed || coarser
	}
	return changed, nil
}

// histogramsOf are all encoded histograms of a step.
func histogramsOf(step *reportv1.Step) []*string {
	var found []*string
	for i := range step.Operations {
		o := &step.Operations[i]
		found = append(found, &o.ServiceTime, &o.ResponseTime, &o.FirstDocument, &o.DatabaseTime,
			&o.FailedServiceTime, &o.FailedResponseTime)
	}
	if step.Arrivals != nil {
		found = append(found, &step.Arrivals.Lag, &step.Arrivals.WakeUp)
	}
	for _, group := range step.Groups {
		if group.Arrivals != nil {
			found = append(found, &group.Arrivals.Lag, &group.Arrivals.WakeUp)
		}
	}
	return found
}

// coarsen is false when the histogram has no more digits already.
func coarsen(encoded *string, digits int) (bool, error) {
	if *encoded == "" {
		return false, nil
	}
	fine, err := reportv1.DecodeHistogram(*encoded)
	if err != nil || fine.SignificantFigures() <= int64(digits) {
		return false, err
	}
	coarse := hdrhistogram.New(reportv1.HistogramLowestMicros, reportv1.HistogramHighestMicros, digits)
	coarse.Merge(fine)
	*encoded, err = reportv1.EncodeHistogram(coarse)
	return true, err
}
