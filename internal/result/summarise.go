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
	"github.com/mongobench/mongobench-operator/internal/figure"
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
		case reportv1.KindMeasure:
			measured, err := summariseStep(step)
			if err != nil {
				return reportv1.Summary{}, fmt.Errorf("summarising step %q: %w", step.Name, err)
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

func summariseStep(step reportv1.Step) (reportv1.StepSummary, error) {
	summary := reportv1.StepSummary{
		Name:             step.Name,
		DurationMillis:   step.Duration().Milliseconds(),
		Threads:          step.Threads,
		Client:           step.Client,
		SweepOf:          step.SweepOf,
		GrowthOf:         step.GrowthOf,
		Documents:        step.GrowthDocuments,
		Operations:       make([]reportv1.OperationSummary, 0, len(step.Operations)),
		Search:           step.Search,
		Steady:           step.Steady,
		Drain:            step.Drain,
		Actions:          step.Actions,
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
		summary.Operations = append(summary.Operations, summariseOperation(operation, times, span(step, operation)))
		rate += ratePerSecond(operation.Count, span(step, operation))
		all.Count += operation.Count
		all.Errors += operation.Errors
		all.Documents += operation.Documents
		all.Retries += operation.Retries
		all.Unacknowledged += operation.Unacknowledged
		whole.Merge(times)
	}
	summary.Overall = summariseOperation(all, whole, step.Duration())
	if step.Drain != nil {
		summary.Overall.OperationsPerSecond = int64(math.Round(rate))
	}
	if step.Arrivals == nil {
		return summary, nil
	}
	var err error
	summary.Arrivals, err = summariseArrivals(step)
	return summary, err
}

// Times are the histograms of an operation, or of several.
type Times struct {
	// Latency is the response time in an open loop, and otherwise the service time.
	Latency, Service, First *hdrhistogram.Histogram
	// Open says that response times were recorded.
	Open bool
}

// NoTimes are empty histograms, to merge others into.
func NoTimes() Times {
	return Times{Latency: reportv1.NewHistogram(), Service: reportv1.NewHistogram(), First: reportv1.NewHistogram()}
}

// TimesOf decodes the histograms of an operation.
func TimesOf(operation reportv1.Operation) (Times, error) {
	found := NoTimes()
	if found.Open = operation.ResponseTime != ""; !found.Open {
		found.Latency = found.Service
	}
	return found, errors.Join(
		addEncoded(found.Service, "service time", operation.ServiceTime),
		addEncoded(found.First, "first document", operation.FirstDocument),
		addEncoded(found.Latency, "response time", operation.ResponseTime))
}

// Merge adds the times of another operation.
func (t *Times) Merge(more Times) {
	t.Latency.Merge(more.Latency)
	t.Service.Merge(more.Service)
	t.First.Merge(more.First)
	t.Open = t.Open || more.Open
}

func summariseOperation(operation reportv1.Operation, times Times, duration time.Duration) reportv1.OperationSummary {
	summary := reportv1.OperationSummary{
		Name:                operation.Name,
		Kind:                operation.Kind,
		Count:               operation.Count,
		Errors:              operation.Errors,
		OperationsPerSecond: perSecond(operation.Count, duration),
		TimesSummary:        figure.Summarise(times.Latency),
		Documents:           operation.Documents,
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
	return summary
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
		window = step.Duration()
	}
	if window <= 0 {
		return 0, 0
	}
	sent := arrivals.Due - arrivals.Dropped - arrivals.Late
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

// span is the time that the throughput of an operation is over: of unacknowledged writes it ends when the servers have
// taken them in, for it takes no time to send.
func span(s reportv1.Step, operation reportv1.Operation) time.Duration {
	if s.Drain == nil || !slices.Contains(s.Drain.Operations, operation.Name) {
		return s.Duration()
	}
	return s.Duration() + time.Duration(s.Drain.Micros)*time.Microsecond
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
	if m.CgroupVersion > 0 {
		add("cgroup", "v"+strconv.Itoa(m.CgroupVersion))
	}
	return strings.Join(parts, ", ")
}
