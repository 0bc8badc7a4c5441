package result

import (
	"fmt"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// mergeHistograms adds encoded histograms up. An empty text is an empty histogram.
func mergeHistograms(encoded ...string) (*hdrhistogram.Histogram, error) {
	merged := reportv1.NewHistogram()
	for _, text := range encoded {
		if text == "" {
			continue
		}
		part, err := reportv1.DecodeHistogram(text)
		if err != nil {
			return nil, err
		}
		if dropped := merged.Merge(part); dropped != 0 {
			return nil, fmt.Errorf("merging histograms: %d values are out of range", dropped)
		}
	}
	return merged, nil
}
