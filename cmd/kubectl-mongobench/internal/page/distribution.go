package page

import (
	"fmt"
	"math"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Distribution is the latency by percentile: values at as many of the page's levels as there are operations for, in
// microseconds. The last is the slowest operation.
type Distribution struct {
	// Name of the operation; empty for all together.
	Name string `json:"name"`
	// Time says which one it is where an operation has several.
	Time   string  `json:"time,omitempty"`
	Values Numbers `json:"values"`
}

// ticks are the levels within a decade, about equally far from each other on the logarithmic axis. The percentiles that
// tables have are among them: p50 is at 2, p95 at 20, p99 at 100, p99.9 at 1000.
var ticks = []float64{1, 1.12, 1.25, 1.4, 1.6, 1.8, 2, 2.25, 2.5, 2.8, 3.2, 3.6, 4, 4.5, 5, 5.6, 6.3, 7, 8, 9}

// decades of levels: ten to the ninth operations are more than a run has.
const decades = 9

// levels are the places 1/(1-quantile) of all distributions.
func levels() []float64 {
	all := make([]float64, 0, decades*len(ticks))
	for decade := range decades {
		for _, tick := range ticks {
			all = append(all, rounded(tick*math.Pow10(decade)))
		}
	}
	return all
}

// distributions are those of all operations of a step together, where there are several, and of each.
func distributions(step reportv1.Step) ([]Distribution, error) {
	var found []Distribution
	whole := result.NoTimes()
	for _, operation := range step.Operations {
		times, err := result.TimesOf(operation)
		if err != nil {
			return nil, fmt.Errorf("operation %q: %w", operation.Name, err)
		}
		found = append(found, distributionsOf(operation.Name, times)...)
		whole.Merge(times)
	}
	if len(step.Operations) > 1 {
		found = append(distributionsOf("", whole), found...)
	}
	return found, nil
}

func distributionsOf(name string, times result.Times) []Distribution {
	if times.Latency.TotalCount() == 0 {
		return nil
	}
	if times.Latency.Equals(times.Service) {
		return []Distribution{{Name: name, Values: atLevels(times.Latency)}}
	}
	return []Distribution{
		{Name: name, Time: "response time", Values: atLevels(times.Latency)},
		{Name: name, Time: "service time", Values: atLevels(times.Service)},
	}
}

// atLevels reads a histogram at the levels up to the first that only the slowest operation is beyond.
func atLevels(histogram *hdrhistogram.Histogram) Numbers {
	values := Numbers{}
	for _, level := range levels() {
		values = append(values, float64(histogram.ValueAtQuantile(100-100/level)))
		if level >= float64(histogram.TotalCount()) {
			break
		}
	}
	// The ends are exact.
	values[0] = float64(histogram.Min())
	values[len(values)-1] = float64(histogram.Max())
	return values
}
