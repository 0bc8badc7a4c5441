package measure

import (
	"iter"
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// The geometry of the report's histograms: 1 µs to 1 h with 3 significant digits. An HDR histogram of it counts in rows
// of halfRow buckets: row 0 has the values below halfRow one by one, and each further row covers twice the range of the
// one before, at half the resolution.
const (
	rowBits = 10
	halfRow = 1 << rowBits
	rows    = 23
)

// Histogram counts latencies exactly as an HDR histogram of the report's geometry does, but allocates only the rows
// that it needs. A whole one takes 190 KB, which a step of many operations could not afford for each of its tallies;
// latencies usually lie in five to ten rows of 4 KB.
type Histogram struct {
	rows [rows]*[halfRow]uint32
	// wrapped is how often the count of a row and slot ran over. That takes hours of one latency, so
	// that counters of twice the size would cost everyone and serve none.
	wrapped map[[2]int]int64
}

// Record counts one latency in microseconds. What lies outside the range is counted at its nearest end.
func (h *Histogram) Record(micros int64) {
	value := uint64(min(max(micros, 0), reportv1.HistogramHighestMicros))
	shift := bits.Len64(value|(2*halfRow-1)) - rowBits - 1
	slot := value >> shift
	row := shift
	if slot >= halfRow {
		row, slot = row+1, slot-halfRow
	}
	counts := h.rows[row]
	if counts == nil {
		counts = new([halfRow]uint32)
		h.rows[row] = counts
	}
	counts[slot]++
	if counts[slot] == 0 {
		h.wrap(row, int(slot))
	}
}

func (h *Histogram) wrap(row, slot int) {
	if h.wrapped == nil {
		h.wrapped = map[[2]int]int64{}
	}
	h.wrapped[[2]int{row, slot}]++
}

// AddTo adds the counts to an HDR histogram of the report's geometry.
func (h *Histogram) AddTo(to *hdrhistogram.Histogram) {
	for bucket := range h.buckets() {
		// Record has brought every value into the range.
		_ = to.RecordValues(bucket.Lowest, bucket.Count)
	}
}

// empty says that nothing was ever counted.
func (h *Histogram) empty() bool {
	return h.rows == [rows]*[halfRow]uint32{}
}

// Bucket is one bucket of a report's histogram that is not empty: how many values were from the lowest to the highest,
// in microseconds.
type Bucket struct {
	Lowest, Highest, Count int64
}

// buckets are those that are not empty, in their order.
func (h *Histogram) buckets() iter.Seq[Bucket] {
	return func(yield func(Bucket) bool) {
		for row, counts := range h.rows {
			if counts == nil {
				continue
			}
			width := int64(1) << max(0, row-1)
			for slot, low := range counts {
				count, lowest := h.count(row, slot, low), valueAt(row, slot)
				if count > 0 && !yield(Bucket{Lowest: lowest, Highest: lowest + width - 1, Count: count}) {
					return
				}
			}
		}
	}
}

// count is that of a row and slot, with what has run over.
func (h *Histogram) count(row, slot int, low uint32) int64 {
	if h.wrapped == nil {
		return int64(low)
	}
	return int64(low) + h.wrapped[[2]int{row, slot}]<<32
}

// valueAt is the smallest value of a bucket.
func valueAt(row, slot int) int64 {
	if row == 0 {
		return int64(slot)
	}
	return int64(slot+halfRow) << (row - 1)
}
