package result

import (
	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
)

// Corrected is a closed loop's latency with the operations that slow ones held up: HdrHistogram's correction for
// coordinated omission, as its copyCorrectedForCoordinatedOmission makes it. A thread that was expected to send one
// operation in every interval, and waited for one of them for v microseconds, would meanwhile have sent others, which
// would have taken v - interval, v - 2 * interval and so on. It is an estimate: the thread did not have to keep that
// pace, and the target did not have to bear what was not sent.
func Corrected(times *hdrhistogram.Histogram, interval int64) *hdrhistogram.Histogram {
	corrected := times.Clone()
	bars := times.Distribution()
	for at, slow := range bars {
		if slow.Count == 0 {
			continue
		}
		// Bucket by bucket: of an hour and an interval of a microsecond there are very many.
		for _, bar := range bars[:at+1] {
			if held := heldUp(slow.To, interval, bar); held > 0 {
				// A bar of a histogram of the same range is in range.
				_ = corrected.RecordValues(bar.From, held*slow.Count)
			}
		}
	}
	return corrected
}

// heldUp is how many of the operations that one of a time held up would have had a time within the bar: the numbers k
// from 1 on for which it is time - k * interval, and that is not below the interval.
func heldUp(time, interval int64, bar hdrhistogram.Bar) int64 {
	lowest := max(bar.From, interval)
	if lowest > bar.To || lowest > time-interval {
		return 0
	}
	first := max(1, (time-bar.To+interval-1)/interval)
	last := (time - lowest) / interval
	return max(0, last-first+1)
}
