package v1alpha1

import (
	"fmt"
	"math"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
)

// The percentiles that a summary gives.
const (
	percentile50  = 50
	percentile95  = 95
	percentile99  = 99
	percentile999 = 99.9
)

// Summary is a report in the numbers that people ask for.
type Summary struct {
	// Load is nil when no document was loaded.
	Load *LoadSummary `json:"load,omitempty"`
	// Steps of kind Measure, in their order.
	Steps []StepSummary `json:"steps"`
}

// LoadSummary is what the loading of the dataset came to.
type LoadSummary struct {
	Documents          int64 `json:"documents"`
	DurationMillis     int64 `json:"durationMillis"`
	DocumentsPerSecond int64 `json:"documentsPerSecond"`
}

// StepSummary is what one Measure step came to.
type StepSummary struct {
	Name           string `json:"name"`
	DurationMillis int64  `json:"durationMillis"`
	// Operations in the order of the mix.
	Operations []OperationSummary `json:"operations"`
	// Overall is all operations together; it has no name and no kind.
	Overall OperationSummary `json:"overall"`
}

// OperationSummary is what one operation of a mix came to. Latencies are service times of the operations that
// succeeded.
type OperationSummary struct {
	Name                string `json:"name,omitempty"`
	Kind                string `json:"kind,omitempty"`
	Count               int64  `json:"count"`
	Errors              int64  `json:"errors"`
	OperationsPerSecond int64  `json:"operationsPerSecond"`
	MeanMicros          int64  `json:"meanMicros"`
	P50Micros           int64  `json:"p50Micros"`
	P95Micros           int64  `json:"p95Micros"`
	P99Micros           int64  `json:"p99Micros"`
	P999Micros          int64  `json:"p999Micros"`
	MaxMicros           int64  `json:"maxMicros"`
}

// Summarise reads rates and percentiles out of a report. Those of a whole step come from the histograms of its
// operations merged, because a mean of percentiles is no percentile.
func Summarise(report Report) (Summary, error) {
	summary := Summary{Steps: []StepSummary{}}
	for _, step := range report.Steps {
		switch step.Kind {
		case kindLoad:
			summary.Load = summariseLoad(step)
		case kindMeasure:
			measured, err := summariseStep(step)
			if err != nil {
				return Summary{}, fmt.Errorf("summarising step %q: %w", step.Name, err)
			}
			summary.Steps = append(summary.Steps, measured)
		}
	}
	return summary, nil
}

func summariseLoad(step Step) *LoadSummary {
	if step.Documents == 0 {
		return nil
	}
	return &LoadSummary{
		Documents:          step.Documents,
		DurationMillis:     step.Duration().Milliseconds(),
		DocumentsPerSecond: perSecond(step.Documents, step.Duration()),
	}
}

func summariseStep(step Step) (StepSummary, error) {
	summary := StepSummary{
		Name:           step.Name,
		DurationMillis: step.Duration().Milliseconds(),
		Operations:     make([]OperationSummary, 0, len(step.Operations)),
	}
	var all Operation
	whole := NewHistogram()
	for _, operation := range step.Operations {
		histogram, err := mergeHistograms(operation.ServiceTime)
		if err != nil {
			return StepSummary{}, fmt.Errorf("operation %q: %w", operation.Name, err)
		}
		summary.Operations = append(summary.Operations, summariseOperation(operation, histogram, step.Duration()))
		all.Count += operation.Count
		all.Errors += operation.Errors
		whole.Merge(histogram)
	}
	summary.Overall = summariseOperation(all, whole, step.Duration())
	return summary, nil
}

func summariseOperation(
	operation Operation, times *hdrhistogram.Histogram, duration time.Duration,
) OperationSummary {
	return OperationSummary{
		Name:                operation.Name,
		Kind:                operation.Kind,
		Count:               operation.Count,
		Errors:              operation.Errors,
		OperationsPerSecond: perSecond(operation.Count, duration),
		MeanMicros:          int64(math.Round(times.Mean())),
		P50Micros:           times.ValueAtQuantile(percentile50),
		P95Micros:           times.ValueAtQuantile(percentile95),
		P99Micros:           times.ValueAtQuantile(percentile99),
		P999Micros:          times.ValueAtQuantile(percentile999),
		MaxMicros:           times.Max(),
	}
}

// perSecond rounds to the nearest whole number, which is what the API can hold.
func perSecond(count int64, duration time.Duration) int64 {
	if duration <= 0 {
		return 0
	}
	return int64(math.Round(float64(count) / duration.Seconds()))
}

// FormatMicros writes a number of microseconds for people, with three significant digits: 640µs, 1.84ms, 12.3s.
func FormatMicros(micros int64) string {
	const milli, second = 1_000, 1_000_000
	switch {
	case micros < milli:
		return fmt.Sprintf("%dµs", micros)
	case micros < second:
		return threeDigits(float64(micros)/milli) + "ms"
	default:
		return threeDigits(float64(micros)/second) + "s"
	}
}

func threeDigits(number float64) string {
	switch {
	case number < 9.995:
		return fmt.Sprintf("%.2f", number)
	case number < 99.95:
		return fmt.Sprintf("%.1f", number)
	default:
		return fmt.Sprintf("%.0f", number)
	}
}
