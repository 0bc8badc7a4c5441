package duets

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Delay is how long a part of all replies must be held back for a percentile to rise by so many percent, if nothing
// else changes by it. Quantile and part are from 0 to 1, and part is more than what lies above the quantile.
func Delay(latency *hdrhistogram.Histogram, quantile, part, risePercent float64) time.Duration {
	risen := int64(float64(latency.ValueAtQuantile(100*quantile)) * (1 + risePercent/100))
	total := float64(latency.TotalCount())
	above := func(micros int64) (count float64) {
		for _, bar := range latency.Distribution() {
			if bar.From > micros {
				count += float64(bar.Count)
			}
		}
		return count
	}
	unheld := (1 - part) * above(risen)
	low, high := int64(0), risen
	for low < high {
		middle := (low + high) / 2
		if unheld+part*above(risen-middle) >= (1-quantile)*total {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return time.Duration(low) * time.Microsecond
}
