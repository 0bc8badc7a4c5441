package infer

import (
	"math"
	"slices"
)

// addDouble leaves out what is no number.
func (n *node) addDouble(value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		n.unusable++
		return
	}
	n.doubles = append(n.doubles, value)
}

func floats(values []int64) []float64 {
	converted := make([]float64, len(values))
	for place, value := range values {
		converted[place] = float64(value)
	}
	return converted
}

// stepOf says whether sorted values look like start + step × record number, with no number twice, of a collection with
// so many documents; and which step that is. A sample shows it when all differences have a common divisor by which the
// range is about as long as the collection.
func stepOf(sorted []int64, documents int64) (step int64, ok bool) {
	if len(sorted) < minimumForSequence {
		return 0, false
	}
	first := sorted[0]
	for i, value := range sorted[1:] {
		difference := value - sorted[i]
		if difference <= 0 {
			return 0, false // Twice the same, or beyond 64 bits.
		}
		step = divisor(step, value-first)
	}
	span := float64(sorted[len(sorted)-1]-first) / float64(step)
	// Of a sample, the ends of the range are missing.
	missing := 4 * float64(documents) / float64(len(sorted))
	return step, span <= 1.01*float64(documents) && span+1+missing >= float64(documents)
}

// minimumForSequence is how many values it takes to call them a sequence.
const minimumForSequence = 10

func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// middle keeps the mean: when lengths lean to one end of their range, the other end is cut, so that drawing evenly from
// what is left gives documents of the right size.
func middle(lengths []int64) (least, largest int64, cut bool) {
	least, largest = slices.Min(lengths), slices.Max(lengths)
	var sum int64
	for _, length := range lengths {
		sum += length
	}
	mean := float64(sum) / float64(len(lengths))
	center := float64(least+largest) / 2
	// What chance alone does to the mean of that many draws, three times over, and half a byte.
	noise := 3*float64(largest-least)/math.Sqrt(12*float64(len(lengths))) + 0.5
	switch {
	case mean < center-noise:
		return least, max(least, int64(math.Round(2*mean))-least), true
	case mean > center+noise:
		return min(largest, int64(math.Round(2*mean))-largest), largest, true
	default:
		return least, largest, false
	}
}

// critical is the distance between two distributions, in units of 1/√n, that chance alone exceeds once in a hundred
// times (Kolmogorov and Smirnov).
const critical = 1.63

// uniform says whether sorted values from a range may be evenly distributed. Of whole numbers, items is how many there
// are in the range, else its width.
func uniform(sorted []float64, least, items float64, whole bool) bool {
	offset := 0.0
	if whole {
		offset = 1
	}
	even := func(value float64) float64 { return (value - least + offset) / items }
	return items <= 0 || distance(sorted, even) <= critical/math.Sqrt(float64(len(sorted)))
}

// distance is the largest one between the shares of sorted values and what a distribution says.
func distance(sorted []float64, cumulative func(float64) float64) float64 {
	count, largest := float64(len(sorted)), 0.0
	for i := 0; i < len(sorted); {
		next := i + 1
		for next < len(sorted) && sorted[next] == sorted[i] {
			next++
		}
		// Of integers, where several are equal, only the upper end of a step is on the curve.
		largest = max(largest, math.Abs(float64(next)/count-cumulative(sorted[i])))
		i = next
	}
	return largest
}

// zipfianTolerance is more than chance does, because the method that draws follows Zipf's law approximately.
const zipfianTolerance = 0.04

// zipfian finds the skew with which Zipf's law explains the values best: item 0 of the range is the most frequent one.
// ok is false when none does.
func zipfian(sorted []float64, least, items float64) (thetaThousandths int32, ok bool) {
	if items < 3 || len(sorted) < minimumForZipf {
		return 0, false
	}
	var logarithms float64
	for _, value := range sorted {
		logarithms += math.Log(value - least + 1)
	}
	best, bestTheta := math.Inf(-1), 0.0
	for thousandths := 50; thousandths <= 995; thousandths += 5 {
		theta := float64(thousandths) / 1000
		// The logarithm of how likely the values are.
		if likely := -theta*logarithms - float64(len(sorted))*math.Log(zeta(items, theta)); likely > best {
			best, bestTheta = likely, theta
		}
	}
	total := zeta(items, bestTheta)
	far := distance(sorted, func(value float64) float64 { return zeta(value-least+1, bestTheta) / total })
	return int32(math.Round(bestTheta * 1000)), far <= zipfianTolerance
}

// minimumForZipf is how many values it takes to tell a skew.
const minimumForZipf = 200

// exactTerms of zeta are added up; the rest is an integral, which is as good by then.
const exactTerms = 64

// zeta is the sum of 1/i^theta over the first n integers.
func zeta(n, theta float64) float64 {
	var sum float64
	last := min(n, exactTerms)
	for i := 1.0; i <= last; i++ {
		sum += math.Pow(i, -theta)
	}
	if n <= exactTerms {
		return sum
	}
	return sum + (math.Pow(n+0.5, 1-theta)-math.Pow(last+0.5, 1-theta))/(1-theta)
}
