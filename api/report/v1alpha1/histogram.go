package v1alpha1

import (
	"fmt"
	"math/bits"

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

// IntervalBuckets is how many buckets Operation.IntervalTimes has at most: two for each octave of the 32 bits that an
// hour in microseconds takes.
const IntervalBuckets = 64

// IntervalBucket is the bucket of Operation.IntervalTimes that counts a time. There are two an octave, so that a
// percentile read from them is off by a third at most: bucket 2k has the times from 2^k microseconds to less than
// 1.5*2^k, bucket 2k+1 those from there to less than 2^(k+1). Of the first octave, which has no half, bucket 0 has all,
// and the zeros too. What lies outside 0 to 1 h is counted at the nearer end.
func IntervalBucket(micros int64) int {
	value := uint64(min(max(micros, 1), HistogramHighestMicros))
	octave := bits.Len64(value) - 1
	// The bit below the leading one says which half of the octave it is.
	return 2*octave + int(value<<1>>octave&1)
}

// IntervalBucketLowest is the smallest time, in microseconds, that the bucket counts: where it begins on a heat map's
// axis. Bucket 0 has the zeros too.
func IntervalBucketLowest(bucket int) int64 {
	octave := bucket / 2
	lowest := int64(1) << octave
	if bucket%2 == 1 {
		// Rounded up: the second half of the first octave has no whole number, so that the bucket is never used.
		lowest += (lowest + 1) / 2
	}
	return lowest
}
