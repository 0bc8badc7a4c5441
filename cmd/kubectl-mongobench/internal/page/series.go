package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// How many values a page has at most, all runs together. They make it about 2 MB.
const (
	// seriesBudget is for rates and percentiles over time.
	seriesBudget = 100_000
	// heatBudget is for columns of heat maps; one is about as long as ten numbers.
	heatBudget = 5_000
	// panelBudget is for samples of the servers that are not the same all the time.
	panelBudget = 190_000
)

// StepSeries is a step with what is drawn of it. From, Measure and To are when it began, when counting began, and when
// it ended. A step that was not measured has its times only.
type StepSeries struct {
	Name    string  `json:"name"`
	From    float64 `json:"from"`
	Measure float64 `json:"measure"`
	To      float64 `json:"to"`
	// Interval is the length of the report's intervals in seconds, and Whole how many whole ones the window has. Each
	// point is of Joined of them, and each column of a heat map of HeatJoined; the last may be of fewer.
	Interval   float64 `json:"interval"`
	Whole      int     `json:"whole"`
	Joined     int     `json:"joined"`
	HeatJoined int     `json:"heatJoined"`
	// All operations together, and each of them.
	All        *Series  `json:"all,omitempty"`
	Operations []Series `json:"operations"`
	// Distributions are of all operations together, with an empty name, and of each.
	Distributions []Distribution `json:"distributions,omitempty"`
}

// Series is an operation over time.
type Series struct {
	Name string `json:"name"`
	// PartOf is the flow that the operation is a part of: it is in no sum.
	PartOf string `json:"partOf,omitempty"`
	// Rate and Errors are operations per second that succeeded and failed; Errors is left out where there are none.
	Rate   Numbers `json:"rate"`
	Errors Numbers `json:"errors,omitempty"`
	// Percentiles are those of Data.Percentiles, in microseconds; left out where the report has no times of single
	// intervals.
	Percentiles []Numbers `json:"percentiles,omitempty"`
	// Heat has for each column the first bucket that counts anything, and from it on the counts.
	Heat [][]int64 `json:"heat,omitempty"`
}

// joins are how many neighbours become one, so that a page is not too large.
type joins struct {
	series, heat int
}

func joinsOf(runs []output.Run) joins {
	var series, heat int
	for _, run := range runs {
		for _, step := range run.Report.Steps {
			if step.Kind == reportv1.KindMeasure {
				points := len(result.Throughput(step))
				series += points * (len(step.Operations) + 1) * (1 + len(figure.Percentiles))
				heat += points * len(step.Operations)
			}
		}
	}
	return joins{series: factor(series, seriesBudget), heat: factor(heat, heatBudget)}
}

// factor is how many neighbours are joined to keep a budget.
func factor(values, budget int) int { return max(1, parts(values, budget)) }

// parts is how many parts of a size there are; the last may be smaller.
func parts(whole, size int) int {
	return (whole + size - 1) / size
}

func (j joins) notes() []string {
	var said []string
	if j.series > 1 {
		said = append(said, fmt.Sprintf("Over time, each point is of %d intervals of the report: counts and histograms are "+
			"added, and percentiles read from the sum. -o json has every interval.", j.series))
	}
	if j.heat > 1 {
		said = append(said, fmt.Sprintf("Each column of the heat maps is of %d intervals of the report, added.", j.heat))
	}
	return said
}

// Steps are the steps of a report with every whole interval of each.
func Steps(report reportv1.Report) ([]StepSeries, error) {
	return stepSeries(report, joins{series: 1, heat: 1})
}

func stepSeries(report reportv1.Report, joins joins) ([]StepSeries, error) {
	all := make([]StepSeries, 0, len(report.Steps))
	for _, step := range report.Steps {
		at := func(instant time.Time) float64 { return since(report, instant) }
		series := StepSeries{
			Name: step.Name, From: at(step.Start), Measure: at(step.MeasureStart), To: at(step.End), Operations: []Series{},
		}
		if step.Kind == reportv1.KindMeasure {
			if err := series.measured(step, joins); err != nil {
				return nil, fmt.Errorf("step %q: %w", step.Name, err)
			}
		}
		all = append(all, series)
	}
	return all, nil
}

// since is when an instant was, in seconds from the start of a report's first step.
func since(report reportv1.Report, instant time.Time) float64 {
	if len(report.Steps) == 0 {
		return 0
	}
	return rounded(instant.Sub(report.Steps[0].Start).Seconds())
}

// measured adds what was counted.
func (s *StepSeries) measured(step reportv1.Step, joins joins) error {
	var err error
	if s.Distributions, err = distributions(step); err != nil {
		return err
	}
	s.Interval, s.Whole = float64(step.IntervalMillis)/1000, len(result.Throughput(step))
	s.Joined, s.HeatJoined = joins.series, joins.heat
	all := reportv1.Operation{}
	for _, operation := range step.Operations {
		s.Operations = append(s.Operations, s.seriesOf(operation))
		if operation.PartOf != "" {
			continue
		}
		all.Intervals = result.AddCounts(all.Intervals, operation.Intervals)
		all.IntervalErrors = result.AddCounts(all.IntervalErrors, operation.IntervalErrors)
		all.IntervalTimes = result.AddTimes(all.IntervalTimes, operation.IntervalTimes)
	}
	whole := s.seriesOf(all)
	// Its heat map is that of the operations added up, which JavaScript can do.
	whole.Heat = nil
	s.All = &whole
	return nil
}

func (s *StepSeries) seriesOf(operation reportv1.Operation) Series {
	series := Series{Name: operation.Name, PartOf: operation.PartOf, Rate: s.rates(operation.Intervals)}
	if slices.ContainsFunc(operation.IntervalErrors, func(errors int64) bool { return errors > 0 }) {
		series.Errors = s.rates(operation.IntervalErrors)
	}
	if len(operation.IntervalTimes) == 0 {
		return series
	}
	series.Percentiles = make([]Numbers, len(figure.Percentiles))
	for _, times := range s.joinTimes(operation.IntervalTimes, s.Joined) {
		for i, percentile := range figure.Percentiles {
			micros := float64(result.IntervalQuantile(times, percentile.Quantile))
			if micros == 0 {
				// There was no operation, which is not a latency of nothing.
				micros = math.NaN()
			}
			series.Percentiles[i] = append(series.Percentiles[i], micros)
		}
	}
	for _, times := range s.joinTimes(operation.IntervalTimes, s.HeatJoined) {
		series.Heat = append(series.Heat, sparse(times))
	}
	return series
}

// rates per second of counts, of as many intervals each as are joined.
func (s *StepSeries) rates(counts []int64) Numbers {
	rates := make(Numbers, 0, parts(s.Whole, s.Joined))
	for part := range slices.Chunk(padded(counts, s.Whole), s.Joined) {
		sum := int64(0)
		for _, count := range part {
			sum += count
		}
		rates = append(rates, rounded(float64(sum)/(float64(len(part))*s.Interval)))
	}
	return rates
}

// joinTimes adds up the histograms of neighbours.
func (s *StepSeries) joinTimes(times [][]int64, joined int) [][]int64 {
	made := make([][]int64, 0, parts(s.Whole, joined))
	for part := range slices.Chunk(padded(times, s.Whole), joined) {
		var all []int64
		for _, one := range part {
			all = result.AddCounts(all, one)
		}
		made = append(made, all)
	}
	return made
}

// padded is a list of a length: what is not there counted nothing.
func padded[T any](list []T, length int) []T {
	return append(slices.Clone(list[:min(length, len(list))]), make([]T, max(0, length-len(list)))...)
}

// sparse leaves out the empty buckets of both ends, and says in front which one is the first.
func sparse(times []int64) []int64 {
	first, last := len(times), -1
	for bucket, count := range times {
		if count > 0 {
			first, last = min(first, bucket), bucket
		}
	}
	if last < 0 {
		return []int64{}
	}
	return append([]int64{int64(first)}, times[first:last+1]...)
}

// bucketBounds are where the buckets begin, and where the last one ends.
func bucketBounds() []int64 {
	bounds := make([]int64, 0, reportv1.IntervalBuckets+1)
	for bucket := range reportv1.IntervalBuckets + 1 {
		bounds = append(bounds, reportv1.IntervalBucketLowest(bucket))
	}
	return bounds
}

// unknown is the value of a series that is not known.
const unknown = -1

// Numbers are values of a series. What is not a number is not known, and null in JSON.
type Numbers []float64

// MarshalJSON writes each number with as few digits as keep it.
func (n Numbers) MarshalJSON() ([]byte, error) {
	encoded := make([]byte, 0, 8*len(n)+2)
	encoded = append(encoded, '[')
	for i, number := range n {
		if i > 0 {
			encoded = append(encoded, ',')
		}
		if math.IsNaN(number) || math.IsInf(number, 0) {
			encoded = append(encoded, "null"...)
			continue
		}
		encoded = strconv.AppendFloat(encoded, number, 'f', -1, 64)
	}
	return append(encoded, ']'), nil
}

// rounded leaves three decimals, which is a millisecond of a second and a thousandth of a core.
func rounded(number float64) float64 {
	return math.Round(number*1000) / 1000
}

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
		if operation.PartOf == "" {
			whole.Merge(times)
		}
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
	found := []Distribution{{Name: name, Values: atLevels(times.Latency)}}
	if !times.Latency.Equals(times.Service) {
		found[0].Time = "response time"
		found = append(found, Distribution{Name: name, Time: "service time", Values: atLevels(times.Service)})
	}
	if times.Failed.TotalCount() > 0 {
		found = append(found, Distribution{Name: name, Time: "failed", Values: atLevels(times.Failed)})
	}
	return found
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
