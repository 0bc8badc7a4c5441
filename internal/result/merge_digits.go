package result

import (
	"fmt"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// addEncoded adds encoded histograms to a sum. An empty text is an empty histogram.
func addEncoded(sum *hdrhistogram.Histogram, what string, encoded ...string) error {
	for _, text := range encoded {
		if text == "" {
			continue
		}
		part, err := reportv1.DecodeHistogram(text)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if dropped := add(sum, part); dropped != 0 {
			return fmt.Errorf("%s: merging histograms: %d values are out of range", what, dropped)
		}
	}
	return nil
}

// noTimes is what an empty text stands for. It is read and never added to.
var noTimes = reportv1.NewHistogram()

// decoded is an encoded histogram with all digits. It may be shared with others, and is only to be read.
func decoded(what, text string) (*hdrhistogram.Histogram, error) {
	if text == "" {
		return noTimes, nil
	}
	found, err := reportv1.DecodeHistogram(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if found.SignificantFigures() >= reportv1.HistogramDigits {
		return found, nil
	}
	fine := reportv1.NewHistogram()
	add(fine, found) // The ranges are the same, so that no value is out of it.
	return fine, nil
}

// add adds a histogram to a sum, and returns how many of its values were out of range. A coarser one has its counts at
// the middle of each bucket: at its lowest value, where Merge puts them, every percentile would be too low by up to the
// width of a bucket; so it is off by half of that at most, which is 0.4 % of the value with two digits and 3.2 % with
// one.
func add(sum, part *hdrhistogram.Histogram) (dropped int64) {
	if part.SignificantFigures() >= sum.SignificantFigures() {
		return sum.Merge(part)
	}
	for _, bucket := range part.Distribution() {
		if bucket.Count > 0 && sum.RecordValues((bucket.From+bucket.To)/2, bucket.Count) != nil {
			dropped += bucket.Count
		}
	}
	return dropped
}

// fewerDigits is the smaller of two numbers of digits, of which 0 is all.
func fewerDigits(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
