package figure

import (
	"math"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// beyond is how many times have to lie beyond a percentile before it is one: the textbooks' rule for when the normal
// distribution describes a share, n(1-p) >= 10 (Moore, McCabe and Craig, Introduction to the Practice of Statistics).
// By the binomial distribution of ranks, the p99.9 that is read from 10,000 times then lies, in 19 of 20 samples,
// between the true p99.82 and p99.95; of 1,000 times it could as well be the true p99.5 as the maximum.
const beyond = 10

// Needed is the smallest number of times that carries a percentile: 20 for the median, 10,000 for p99.9.
func Needed(quantile float64) int64 {
	return int64(math.Round(beyond / (1 - quantile)))
}

// CarriesPercent says whether as many times carry a percentile that is given in thousandths of a percent.
func CarriesPercent(millis int, timed int64) bool {
	const hundredPercent = 100_000
	return timed >= Needed(float64(millis)/hundredPercent)
}

// Carries says whether as many times are enough for the figure. One time is enough for a mean or a maximum.
func (t Time) Carries(timed int64) bool {
	if t.Quantile == 0 {
		return timed > 0
	}
	return timed >= Needed(t.Quantile)
}

// Shown is the figure of a summary of times; nil when the times are too few for it.
func (t Time) Shown(times *reportv1.TimesSummary) *int64 {
	if times == nil || !t.Carries(times.Timed) {
		return nil
	}
	return t.Of(times)
}

// shown is the Shown of the figure with a name.
func shown[Whole any](times func(*Whole) *reportv1.TimesSummary, name string) func(*Whole) *int64 {
	return func(whole *Whole) *int64 {
		for _, time := range Times {
			if time.Name == name {
				return time.Shown(times(whole))
			}
		}
		return nil
	}
}

// Highest is the largest quantile of Times that as many times carry; 0 when they carry none.
func Highest(timed int64) float64 {
	highest := 0.0
	for _, percentile := range Percentiles {
		if percentile.Carries(timed) {
			highest = max(highest, percentile.Quantile)
		}
	}
	return highest
}

// Withhold sets the figures to 0 that the times are too few for.
func Withhold(times *reportv1.TimesSummary) {
	if times == nil {
		return
	}
	for _, time := range Times {
		if !time.Carries(times.Timed) {
			*time.Of(times) = 0
		}
	}
}
