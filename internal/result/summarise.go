package result

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/censored"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/price"
)

// Summarise reads rates and percentiles out of a report. Those of a whole step come from the histograms of its
// operations merged, because a mean of percentiles is no percentile.
func Summarise(report reportv1.Report) (reportv1.Summary, error) {
	summary := reportv1.Summary{Steps: []reportv1.StepSummary{}}
	for _, step := range report.Steps {
		switch step.Kind {
		case reportv1.KindLoad:
			if step.GrowthDocuments == 0 {
				summary.Load, summary.LoadSkipped = summariseLoad(step), step.Skipped
			}
		case reportv1.KindSurvey:
			summary.Found = summariseFound(step)
		case reportv1.KindMeasure:
			measured, err := summariseStep(step)
			if err != nil {
				return reportv1.Summary{}, fmt.Errorf("summarising step %q: %w", step.Name, err)
			}
			measured.ReplicationLagMillis = replicationLag(report.Members, step)
			measured.Cost = price.OfStep(report.Cost, &measured)
			if measured.LimitedBy, err = limitedBy(report, step, measured); err != nil {
				return reportv1.Summary{}, fmt.Errorf("looking for what limits step %q: %w", step.Name, err)
			}
			summary.Steps = append(summary.Steps, measured)
		}
	}
	summary.Sweeps = summariseSweeps(summary.Steps)
	summary.Growth = summariseGrowth(report, summary.Steps)
	return summary, nil
}

func summariseLoad(step reportv1.Step) *reportv1.LoadSummary {
	if step.Documents == 0 {
		return nil
	}
	return &reportv1.LoadSummary{
		Documents:          step.Documents,
		DurationMillis:     step.Duration().Milliseconds(),
		DocumentsPerSecond: perSecond(step.Documents, step.Duration()),
		Threads:            step.Threads,
		Client:             step.Client,
	}
}

// summariseFound adds up a dataset that was there already.
func summariseFound(step reportv1.Step) *reportv1.FoundSummary {
	found := &reportv1.FoundSummary{Documents: step.Documents}
	for _, size := range step.Sizes {
		found.DataBytes += size.DataBytes
	}
	return found
}

func summariseStep(step reportv1.Step) (reportv1.StepSummary, error) {
	summary := reportv1.StepSummary{
		Name:             step.Name,
		DurationMillis:   step.Window().Milliseconds(),
		OverrunMillis:    step.OverrunMicros / 1000,
		Digits:           step.Digits,
		Threads:          step.Threads,
		Client:           step.Client,
		Sent:             step.Sent,
		SweepOf:          step.SweepOf,
		GrowthOf:         step.GrowthOf,
		Documents:        step.GrowthDocuments,
		Operations:       make([]reportv1.OperationSummary, 0, len(step.Operations)),
		Search:           step.Search,
		Steady:           step.Steady,
		NotChecked:       NotChecked(step),
		Drain:            step.Drain,
		Gateways:         step.Gateways,
		Pings:            step.Pings,
		Actions:          step.Actions,
		BytesIn:          step.Traffic.BytesIn,
		BytesOut:         step.Traffic.BytesOut,
		DispersionMillis: int64(math.Round(1000 * Vary(Throughput(step)).Dispersion)),
	}
	whole := NoTimes()
	var all reportv1.Operation
	var rate float64
	for _, operation := range step.Operations {
		times, err := TimesOf(operation)
		if err != nil {
			return reportv1.StepSummary{}, fmt.Errorf("operation %q: %w", operation.Name, err)
		}
		each := throughput(step, operation)
		summary.Operations = append(summary.Operations, asked(step, times, summariseOperation(operation, times, each)))
		if operation.PartOf != "" {
			continue // It is in the flow.
		}
		rate += each
		if group := step.Group(operation); group != nil {
			// Of all together it is over the window of the step, in which not every group may work all the time.
			rate += ratePerSecond(operation.Replies(), step.Window()) - each
		}
		all.Count += operation.Count
		all.Stragglers += operation.Stragglers
		all.CarriedOver += operation.CarriedOver
		all.BusyMicros += operation.BusyMicros
		all.Errors += operation.Errors
		all.Documents += operation.Documents
		addOutcomes(&all, operation)
		all.Within = addWithin(all.Within, operation.Within)
		all.Retries += operation.Retries
		all.Unacknowledged += operation.Unacknowledged
		whole.Merge(times)
	}
	summary.Overall = asked(step, whole, summariseOperation(all, whole, rate))
	summary.Objectives = judgeObjectives(step, all)
	var err error
	if summary.Groups, err = summariseGroups(step); err != nil || step.Arrivals == nil {
		return summary, err
	}
	summary.Arrivals, err = summariseArrivals(step)
	return summary, err
}

// summariseGroups is nil for a step without groups.
func summariseGroups(step reportv1.Step) ([]reportv1.GroupSummary, error) {
	if len(step.Groups) == 0 {
		return nil, nil
	}
	var groups []reportv1.GroupSummary
	parts := step.Parts()
	for i, group := range step.Groups {
		part, err := summariseStep(parts[i])
		if err != nil {
			return nil, fmt.Errorf("group %q: %w", group.Name, err)
		}
		groups = append(groups, reportv1.GroupSummary{
			Name: group.Name, Threads: group.Threads, BeginMillis: group.BeginMicros / 1000,
			DurationMillis: group.Window().Milliseconds(), Overall: part.Overall, Arrivals: part.Arrivals,
		})
	}
	return groups, nil
}

// Times are the histograms of an operation, or of several.
type Times struct {
	// Latency is the response time in an open loop, and otherwise the service time. Both are of all requests, those that
	// failed included, as the package censored counts them; First and Database are of those that succeeded.
	Latency, Service, First, Database *hdrhistogram.Histogram
	// Failed is the Latency of those that failed alone, until the failure was known.
	Failed *hdrhistogram.Histogram
	// Open says that response times were recorded.
	Open bool
}

// NoTimes are empty histograms, to merge others into.
func NoTimes() Times {
	return Times{
		Latency: reportv1.NewHistogram(), Service: reportv1.NewHistogram(), First: reportv1.NewHistogram(),
		Database: reportv1.NewHistogram(), Failed: reportv1.NewHistogram(),
	}
}

// TimesOf decodes the histograms of an operation. They are only to be read: those that are empty are one for all.
func TimesOf(operation reportv1.Operation) (Times, error) {
	raw, err := decode(operation)
	if err != nil {
		return Times{}, err
	}
	found := Times{
		Latency: raw.latency, Service: raw.service, First: raw.first, Database: raw.database, Failed: raw.failedLatency,
		Open: raw.open,
	}
	if operation.Count > 0 && operation.Count == operation.Unacknowledged {
		// What takes no time when it succeeds has no latency that a failure could be a part of.
		return found, nil
	}
	found.Service = censored.Latency(raw.service, raw.failedService)
	if found.Latency = found.Service; raw.open {
		found.Latency = censored.Latency(raw.latency, raw.failedLatency)
	}
	return found, nil
}

// raw are the histograms of an operation as they were recorded. In a closed loop the latency is the service time.
type raw struct {
	service, latency, first, database, failedService, failedLatency *hdrhistogram.Histogram

	open bool
}

func decode(operation reportv1.Operation) (raw, error) {
	found := raw{open: operation.ResponseTime != "" || operation.FailedResponseTime != ""}
	var errs [6]error
	found.service, errs[0] = decoded("service time", operation.ServiceTime)
	found.first, errs[1] = decoded("first document", operation.FirstDocument)
	found.failedService, errs[2] = decoded("service time of failures", operation.FailedServiceTime)
	found.database, errs[5] = decoded("database time", operation.DatabaseTime)
	found.latency, found.failedLatency = found.service, found.failedService
	if found.open {
		found.latency, errs[3] = decoded("response time", operation.ResponseTime)
		found.failedLatency, errs[4] = decoded("response time of failures", operation.FailedResponseTime)
	}
	return found, errors.Join(errs[:]...)
}

// Merge adds the times of another operation.
func (t *Times) Merge(more Times) {
	t.Latency.Merge(more.Latency)
	t.Service.Merge(more.Service)
	t.First.Merge(more.First)
	t.Database.Merge(more.Database)
	t.Failed.Merge(more.Failed)
	t.Open = t.Open || more.Open
}

func summariseOperation(operation reportv1.Operation, times Times, rate float64) reportv1.OperationSummary {
	summary := reportv1.OperationSummary{
		Name:                operation.Name,
		Group:               operation.Group,
		Kind:                operation.Kind,
		Count:               operation.Count,
		Errors:              operation.Errors,
		OperationsPerSecond: int64(math.Round(rate)),
		Stragglers:          operation.Stragglers,
		CarriedOver:         operation.CarriedOver,
		BusyMicros:          operation.BusyMicros,
		TimesSummary:        figure.Summarise(times.Latency),
		Documents:           operation.Documents,
		Returned:            operation.Documents - operation.Inserted - operation.Matched - operation.Deleted,
		Inserted:            operation.Inserted,
		Matched:             operation.Matched,
		Modified:            operation.Modified,
		Deleted:             operation.Deleted,
		Empty:               operation.Empty,
		Unexpected:          operation.Unexpected,
		PartOf:              operation.PartOf,
		Checks:              operation.Checks,
		Recall:              operation.Recall,
		Retries:             operation.Retries,
		Unacknowledged:      operation.Unacknowledged,
	}
	if times.Open {
		service := figure.Summarise(times.Service)
		summary.ServiceTime = &service
	}
	if times.First.TotalCount() > 0 {
		first := figure.Summarise(times.First)
		summary.FirstDocument = &first
	}
	if times.Database.TotalCount() > 0 {
		database := figure.Summarise(times.Database)
		summary.DatabaseTime = &database
	}
	if times.Failed.TotalCount() > 0 {
		failed := figure.Summarise(times.Failed)
		summary.Failed = &failed
	}
	return summary
}

// addOutcomes adds what an operation did to documents to that of others.
func addOutcomes(sum *reportv1.Operation, operation reportv1.Operation) {
	sum.Inserted += operation.Inserted
	sum.Matched += operation.Matched
	sum.Modified += operation.Modified
	sum.Deleted += operation.Deleted
	sum.Empty += operation.Empty
	sum.Unexpected += operation.Unexpected
	sum.Skipped += operation.Skipped
}

func summariseArrivals(step reportv1.Step) (*reportv1.ArrivalsSummary, error) {
	arrivals := step.Arrivals
	lag, wakeUp := reportv1.NewHistogram(), reportv1.NewHistogram()
	err := errors.Join(
		addEncoded(lag, "schedule lag", arrivals.Lag), addEncoded(wakeUp, "wake-up lag", arrivals.WakeUp))
	if err != nil {
		return nil, err
	}
	requested, achieved := arrivalRates(step)
	return &reportv1.ArrivalsSummary{
		Process:            arrivals.Process,
		RequestedPerSecond: int64(math.Round(requested)),
		AchievedPerSecond:  int64(math.Round(achieved)),
		Due:                arrivals.Due,
		Dropped:            arrivals.Dropped,
		Skipped:            arrivals.Skipped,
		Late:               arrivals.Late,
		LargestQueue:       arrivals.LargestQueue,
		Lag:                figure.Summarise(lag),
		WakeUp:             figure.Summarise(wakeUp),
	}, nil
}

// arrivalRates are the rates per second at which operations were due, and sent within the window.
func arrivalRates(step reportv1.Step) (requested, achieved float64) {
	arrivals := step.Arrivals
	window := time.Duration(arrivals.WindowMillis) * time.Millisecond
	if window <= 0 {
		window = step.Window()
	}
	if window <= 0 {
		return 0, 0
	}
	sent := arrivals.Due - arrivals.Dropped - arrivals.Skipped - arrivals.Late
	return float64(arrivals.Due) / window.Seconds(), float64(sent) / window.Seconds()
}

// perSecond rounds to the nearest whole number, which is what the API can hold.
func perSecond(count int64, duration time.Duration) int64 {
	return int64(math.Round(ratePerSecond(count, duration)))
}

func ratePerSecond(count int64, duration time.Duration) float64 {
	if duration <= 0 {
		return 0
	}
	return float64(count) / duration.Seconds()
}

// throughput is an operation's successes per second. What was replied after the measure window is left out, as the time
// after it is: one operation that takes long would otherwise lower the rate of all others. Unacknowledged writes take
// no time to send, so that theirs is over the time until the servers have taken all of them in.
func throughput(s reportv1.Step, operation reportv1.Operation) float64 {
	if s.Drain == nil || !slices.Contains(s.Drain.Operations, operation.Name) {
		if group := s.Group(operation); group != nil {
			return ratePerSecond(operation.Replies(), group.Window())
		}
		return ratePerSecond(operation.Replies(), s.Window())
	}
	return ratePerSecond(operation.Count, s.Duration()+time.Duration(s.Drain.Micros)*time.Microsecond)
}

// Settings are those of the kernel that can spoil a result, in one line; empty when none is known.
func Settings(m reportv1.Machine) string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	add("CPU governor", m.CPUGovernor)
	add("transparent huge pages", m.TransparentHugePages)
	add("swappiness", m.Swappiness)
	add("clock source", m.ClockSource)
	if m.CgroupVersion > 0 {
		add("cgroup", "v"+strconv.Itoa(m.CgroupVersion))
	}
	return strings.Join(parts, ", ")
}
