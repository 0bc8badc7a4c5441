package statistics

import (
	"errors"
	"math"
	"slices"
)

var (
	errEmpty     = errors.New("there are no values")
	errNotFinite = errors.New("a value is NaN or infinite")
)

// Median is the middle of the values in their unit, or the mean of the two middle ones. It is NaN when there are none
// or one of them is not finite.
func Median(values []float64) float64 {
	return Quantile(values, 0.5)
}

// Quantile is the value below which the given share (0 to 1) of the values lies, in their unit, interpolated linearly
// between order statistics: type 7 of Hyndman and Fan (1996), "Sample quantiles in statistical packages", the default
// of R and NumPy. It is NaN when there are no values, one of them is not finite, or the share is outside 0 to 1.
func Quantile(values []float64, share float64) float64 {
	if check(values) != nil || !(share >= 0 && share <= 1) {
		return math.NaN()
	}
	return quantileOfSorted(slices.Sorted(slices.Values(values)), share)
}

func quantileOfSorted(sorted []float64, share float64) float64 {
	position := share * float64(len(sorted)-1)
	below := int(position)
	part := position - float64(below)
	if part == 0 {
		return sorted[below]
	}
	low, high := sorted[below], sorted[below+1]
	// A difference of the two could overflow where both are finite, and a part of the smallest of numbers is 0.
	return min(max(low*(1-part)+high*part, low), high)
}

// CoefficientOfVariation is the standard deviation (that of a sample, with n-1) over the absolute mean, as a fraction:
// it has no unit and compares the spread of metrics of different size. It is the ordinary one, not a robust one,
// because a single slow repetition is what it shall show. It is NaN for fewer than two values, for one that is not
// finite, and for a mean of 0.
func CoefficientOfVariation(values []float64) float64 {
	if len(values) < 2 {
		return math.NaN()
	}
	count := float64(len(values))
	return spreadOverMean(values) * math.Sqrt(count/(count-1))
}

// spreadOverMean is the standard deviation of a whole population over the absolute mean, or NaN.
func spreadOverMean(values []float64) float64 {
	if check(values) != nil {
		return math.NaN()
	}
	scaled := scale(values)
	var mean, squares float64
	for i, value := range scaled {
		step := value - mean
		mean += step / float64(i+1)
		squares += step * (value - mean)
	}
	if mean == 0 {
		return math.NaN()
	}
	return math.Sqrt(squares/float64(len(scaled))) / math.Abs(mean)
}

// scale divides by the largest absolute value, so that sums and squares of what is finite remain finite. Zeros stay.
func scale(values []float64) []float64 {
	var largest float64
	for _, value := range values {
		largest = max(largest, math.Abs(value))
	}
	scaled := slices.Clone(values)
	if largest == 0 {
		return scaled
	}
	for i := range scaled {
		scaled[i] /= largest
	}
	return scaled
}

// check says why nothing can be said of values.
func check(values []float64) error {
	if len(values) == 0 {
		return errEmpty
	}
	for _, value := range values {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return errNotFinite
		}
	}
	return nil
}
