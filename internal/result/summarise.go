package result

import (
	"fmt"
	"math"
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
		case kindLoad:
			if step.GrowthDocuments == 0 {
				summary.Load, summary.LoadSkipped = summariseLoad(step), step.Skipped
			}
		case kindMeasure:
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
	whole := noTimes()
	var all reportv1.Operation
	var rate float64
	for _, operation := range step.Operations {
		times, err := timesOf(operation)
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
		whole.merge(times)
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

// times are the histograms of an operation, or of all.
type times struct {
	// latency is the response time in an open loop, and otherwise the service time.
	latency, service, first *hdrhistogram.Histogram
	// open says that response times were recorded.
	open bool
}

func noTimes() times {
	return times{latency: reportv1.NewHistogram(), service: reportv1.NewHistogram(), first: reportv1.NewHistogram()}
}

func timesOf(operation reportv1.Operation) (times, error) {
	found := times{open: operation.ResponseTime != ""}
	var err error
	if found.service, err = mergeHistograms(operation.ServiceTime); err != nil {
		return times{}, fmt.Errorf("service time: %w", err)
	}
	if found.first, err = mergeHistograms(operation.FirstDocument); err != nil {
		return times{}, fmt.Errorf("first document: %w", err)
	}
	if found.latency = found.service; found.open {
		if found.latency, err = mergeHistograms(operation.ResponseTime); err != nil {
			return times{}, fmt.Errorf("response time: %w", err)
		}
	}
	return found, nil
}

func (t *times) merge(more times) {
	t.latency.Merge(more.latency)
	t.service.Merge(more.service)
	t.first.Merge(more.first)
	t.open = t.open || more.open
}

func summariseOperation(operation reportv1.Operation, times times, duration time.Duration) reportv1.OperationSummary {
	summary := reportv1.OperationSummary{
		Name:                operation.Name,
		Kind:                operation.Kind,
		Count:               operation.Count,
		Errors:              operation.Errors,
		OperationsPerSecond: perSecond(operation.Count, duration),
		TimesSummary:        figure.Summarise(times.latency),
		Documents:           operation.Documents,
		Retries:             operation.Retries,
		Unacknowledged:      operation.Unacknowledged,
	}
	if times.open {
		service := figure.Summarise(times.service)
		summary.ServiceTime = &service
	}
	if times.first.TotalCount() > 0 {
		first := figure.Summarise(times.first)
		summary.FirstDocument = &first
	}
	return summary
}

func summariseArrivals(step reportv1.Step) (*reportv1.ArrivalsSummary, error) {
	arrivals := step.Arrivals
	lag, err := mergeHistograms(arrivals.Lag)
	if err != nil {
		return nil, fmt.Errorf("schedule lag: %w", err)
	}
	wakeUp, err := mergeHistograms(arrivals.WakeUp)
	if err != nil {
		return nil, fmt.Errorf("wake-up lag: %w", err)
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
