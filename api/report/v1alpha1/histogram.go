package v1alpha1

import (
	"fmt"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
)

// What every histogram of a report covers: times from a microsecond to an hour, with three significant digits.
const (
	HistogramLowestMicros  = int64(1)
	HistogramHighestMicros = int64(3_600_000_000)
	HistogramDigits        = 3
)

// NewHistogram makes an empty histogram that a report can hold.
func NewHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(HistogramLowestMicros, HistogramHighestMicros, HistogramDigits)
}

// EncodeHistogram writes a histogram as an Operation holds it.
func EncodeHistogram(histogram *hdrhistogram.Histogram) (string, error) {
	encoded, err := histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encoding histogram: %w", err)
	}
	return string(encoded), nil
}

// DecodeHistogram reads what EncodeHistogram wrote. A histogram of another range is refused: merging it would lose
// values.
func DecodeHistogram(encoded string) (*hdrhistogram.Histogram, error) {
	histogram, err := hdrhistogram.Decode([]byte(encoded))
	if err != nil {
		return nil, fmt.Errorf("decoding histogram: %w", err)
	}
	lowest, highest := histogram.LowestTrackableValue(), histogram.HighestTrackableValue()
	if lowest != HistogramLowestMicros || highest != HistogramHighestMicros {
		return nil, fmt.Errorf("decoding histogram: it covers %d to %d, want %d to %d microseconds",
			lowest, highest, HistogramLowestMicros, HistogramHighestMicros)
	}
	return histogram, nil
}
