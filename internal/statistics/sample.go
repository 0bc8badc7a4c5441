package statistics

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

var (
	errEmpty     = errors.New("there are no values")
	errNotFinite = errors.New("a value is NaN or infinite")
	errNoRatio   = errors.New("there is no ratio to or of a value that is not greater than 0")
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
	if len(values) < 2 || check(values) != nil {
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
	return math.Sqrt(squares/float64(len(scaled)-1)) / math.Abs(mean)
}

// Deviation is the standard deviation (that of a sample, with n-1), in the unit of the values; NaN for fewer than two,
// and for one that is not finite.
func Deviation(values []float64) float64 {
	if len(values) < 2 || check(values) != nil {
		return math.NaN()
	}
	var mean, squares float64
	for i, value := range values {
		step := value - mean
		mean += step / float64(i+1)
		squares += step * (value - mean)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

// LogDeviation is the Deviation of the logarithms, which is near the coefficient of variation where that is small. NaN
// where a value has none.
func LogDeviation(values []float64) float64 { return Deviation(logarithms(values)) }

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

// tolerance is by how much a probability may miss a bound through rounding and still count as reaching it.
const tolerance = 1e-12

// Interval is where an unknown figure lies, both ends included.
type Interval struct {
	// Low and High are in the unit of the values.
	Low, High float64
	// Confidence that was reached, 0 to 1: at least what was asked, since order statistics come in steps; less only when
	// there are too few values for it. Then the interval is as wide as the values allow.
	Confidence float64
}

// MedianInterval is the confidence interval of the median of what the values were drawn from, in their unit. It assumes
// no distribution: its ends are the k-th smallest and k-th largest value, with k from the binomial distribution
// (Conover, "Practical nonparametric statistics", 3rd edition, section 3.2; Hahn and Meeker, "Statistical intervals",
// section 5.2). 95% takes six values, 99% eight. With ties its confidence is larger than said.
//
// The confidence is between 0 and 1, both excluded.
func MedianInterval(values []float64, confidence float64) (Interval, error) {
	if err := check(values); err != nil {
		return Interval{}, err
	}
	if err := checkConfidence(confidence); err != nil {
		return Interval{}, err
	}
	sorted, tail := slices.Sorted(slices.Values(values)), 0.0
	half := (len(sorted) + 1) / 2
	// The median lies below the k-th smallest value when fewer than k values lie below the median.
	var k int
	for k < half {
		next := tail + binomialHalf(len(sorted), k)
		if k > 0 && 2*next > 1-confidence+tolerance {
			break
		}
		tail = next
		k++
	}
	return orderInterval(sorted, k, 1-2*tail, confidence), nil
}

// orderInterval reaches from the k-th smallest to the k-th largest of the values.
func orderInterval(sorted []float64, k int, reached, asked float64) Interval {
	if math.Abs(reached-asked) <= tolerance {
		reached = asked
	}
	return Interval{Low: sorted[k-1], High: sorted[len(sorted)-k], Confidence: max(0, reached)}
}

// binomialHalf is the probability that count tosses of a coin give this many heads.
func binomialHalf(count, heads int) float64 {
	return math.Exp(logChoose(count, heads) - float64(count)*math.Ln2)
}

// logChoose is the logarithm of how many ways there are to choose a number of all.
func logChoose(all, chosen int) float64 {
	a, _ := math.Lgamma(float64(all + 1))
	b, _ := math.Lgamma(float64(chosen + 1))
	c, _ := math.Lgamma(float64(all - chosen + 1))
	return a - b - c
}

func checkConfidence(confidence float64) error {
	if !(confidence > 0 && confidence < 1) {
		return fmt.Errorf("the confidence is %g and must lie between 0 and 1", confidence)
	}
	return nil
}

// normalAbove is the probability that a standard normal variable exceeds z.
func normalAbove(z float64) float64 {
	return math.Erfc(z/math.Sqrt2) / 2
}

// normalExceededBy is the z that a standard normal variable exceeds with the given probability.
func normalExceededBy(probability float64) float64 {
	return math.Sqrt2 * math.Erfcinv(2*probability)
}
