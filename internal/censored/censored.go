package censored

import (
	"math"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Latency is the distribution over all requests, with as many values as both histograms have: the estimate of Kaplan
// and Meier (1958), as Efron (1967) works it out. What failed before the slowest answer counts as likely to have taken
// as long as any of the answers and failures that took longer; what failed after it counts at its duration, which is
// the least that it took. So
//
//   - a request that timed out counts at no less than its timeout;
//   - a request that failed at once makes no percentile lower;
//   - every percentile is at least that of the answers alone, and at least that of all durations together.
//
// Without failures it is the distribution of the answers, which is returned as it is.
func Latency(answered, failed *hdrhistogram.Histogram) *hdrhistogram.Histogram {
	if failed.TotalCount() == 0 {
		return answered
	}
	if answered.TotalCount() == 0 {
		return failed
	}
	digits := min(answered.SignificantFigures(), failed.SignificantFigures())
	requests := answered.TotalCount() + failed.TotalCount()
	all := &estimate{
		to:       hdrhistogram.New(reportv1.HistogramLowestMicros, reportv1.HistogramHighestMicros, int(digits)),
		requests: requests, left: requests, mass: float64(requests),
	}
	answers, failures := filled(answered), filled(failed)
	for len(answers) > 0 {
		// At equal times the answer came first: the failure would have taken longer.
		if len(failures) > 0 && failures[0].From < answers[0].From {
			all.left -= failures[0].Count
			failures = failures[1:]
			continue
		}
		all.count(answers[0])
		answers = answers[1:]
	}
	for _, bar := range failures {
		all.count(bar)
	}
	return all.to
}

// filled are the bars of a histogram that are not empty, in the order of their times.
func filled(histogram *hdrhistogram.Histogram) []hdrhistogram.Bar {
	var bars []hdrhistogram.Bar
	for _, bar := range histogram.Distribution() {
		if bar.Count > 0 {
			bars = append(bars, bar)
		}
	}
	return bars
}

// estimate is a distribution at work, from its lowest time to its highest.
type estimate struct {
	to *hdrhistogram.Histogram
	// requests are all of them.
	requests int64
	// left are the requests that took longer than what was counted, and mass how many those stand for: themselves, and
	// the failures before them.
	left int64
	mass float64
	// counted is what was added to the histogram, in whole requests.
	counted int64
}

// count gives the requests of a bar their share of the mass. What is rounded off is not lost: the sum of all bars is
// rounded, not each bar.
func (e *estimate) count(bar hdrhistogram.Bar) {
	e.mass -= e.mass / float64(e.left) * float64(bar.Count)
	if e.left -= bar.Count; e.left == 0 {
		e.mass = 0
	}
	whole := e.requests - int64(math.Round(e.mass)) - e.counted
	// A bar of a histogram of the same range is in range.
	_ = e.to.RecordValues(bar.From, whole)
	e.counted += whole
}
