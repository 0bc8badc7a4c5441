package fleet

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// metrics are what a program says on /metrics, by name.
type metrics map[string]*dto.MetricFamily

func parseMetrics(text string) (metrics, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	found, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("reading metrics: %w", err)
	}
	return found, nil
}

// sum adds up what has a name, whatever its labels.
func (m metrics) sum(name string) float64 {
	var sum float64
	for _, one := range m[name].GetMetric() {
		sum += one.GetCounter().GetValue() + one.GetGauge().GetValue() + one.GetUntyped().GetValue()
	}
	return sum
}

// Histogram is one of Prometheus: how many values lie at or below each bound. Its last bound is infinite.
type Histogram []Bucket

// Bucket is one bound of a Histogram.
type Bucket struct {
	UpTo  float64
	Count float64
}

// histogram adds up the histograms of a name, whatever their other labels.
func (m metrics) histogram(name string) Histogram {
	counts := map[float64]float64{}
	for _, one := range m[name].GetMetric() {
		for _, bucket := range one.GetHistogram().GetBucket() {
			counts[bucket.GetUpperBound()] += float64(bucket.GetCumulativeCount())
		}
	}
	h := make(Histogram, 0, len(counts))
	for _, upTo := range slices.Sorted(maps.Keys(counts)) {
		h = append(h, Bucket{UpTo: upTo, Count: counts[upTo]})
	}
	return h
}

// since is what came to a histogram after an earlier look at it.
func (h Histogram) since(before Histogram) Histogram {
	was := map[float64]float64{}
	for _, b := range before {
		was[b.UpTo] = b.Count
	}
	added := slices.Clone(h)
	for i := range added {
		added[i].Count -= was[added[i].UpTo]
	}
	return added
}

// Total is the number of values.
func (h Histogram) Total() float64 {
	if len(h) == 0 {
		return 0
	}
	return h[len(h)-1].Count
}

// Quantile is the value below which a share of the values lies, as if those of a bucket lay evenly in it. NaN of none;
// the last finite bound when it lies above that.
func (h Histogram) Quantile(share float64) float64 {
	if h.Total() == 0 {
		return math.NaN()
	}
	rank := share * h.Total()
	at := slices.IndexFunc(h, func(b Bucket) bool { return b.Count >= rank })
	var below Bucket
	if at > 0 {
		below = h[at-1]
	}
	if math.IsInf(h[at].UpTo, 1) {
		return below.UpTo
	}
	return below.UpTo + (h[at].UpTo-below.UpTo)*(rank-below.Count)/(h[at].Count-below.Count)
}
