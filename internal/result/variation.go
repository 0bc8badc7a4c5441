package result

import "math"

// Variation says how evenly a series goes on.
type Variation struct {
	Mean float64
	// Coefficient of variation: the standard deviation over the mean. 0 is a series that never changes.
	Coefficient float64
	// Dispersion is the index of dispersion, the variance over the mean. For counts it says how bursty they are: 1 when
	// what is counted comes at random (Poisson), less when it comes evenly, more when it comes in bursts. It depends on
	// the length of the intervals (Cox and Lewis 1966, "The statistical analysis of series of events"; Gusella 1991).
	Dispersion float64
	// PeakToMean is the largest value over the mean.
	PeakToMean float64
}

// Vary looks at a series. Values below 0 are not known and are left out; of fewer than two there is only a mean, and
// without a mean nothing.
func Vary(values []int64) Variation {
	known := make([]float64, 0, len(values))
	var peak int64
	for _, value := range values {
		if value >= 0 {
			known = append(known, float64(value))
			peak = max(peak, value)
		}
	}
	average := mean(known)
	if len(known) < 2 || average == 0 {
		return Variation{Mean: average}
	}
	spread := variance(known)
	return Variation{
		Mean: average, Coefficient: math.Sqrt(spread) / average, Dispersion: spread / average,
		PeakToMean: float64(peak) / average,
	}
}

func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	var sum float64
	for _, value := range values {
		sum += value
	}
	return sum / float64(len(values))
}

// variance is that of a whole population, as MSER has it.
func variance(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	average := mean(values)
	var sum float64
	for _, value := range values {
		sum += (value - average) * (value - average)
	}
	return sum / float64(len(values))
}
