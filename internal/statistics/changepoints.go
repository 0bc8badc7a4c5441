package statistics

import (
	"fmt"
	"math"
)

const (
	// MostLooked is how many values of a series ChangePoints looks at, one after the other, and keeps its promise for.
	MostLooked = 200
	// fewestAfter is how many values there are after a change before it is one: two could be a bad night.
	fewestAfter = 3
	// looks is for how many independent looks the splits of a series of MostLooked values, each looked at when it came,
	// count together: of 200,000 series that did not change, at most alpha have somewhere a split whose p-value is at
	// most alpha/looks, for every alpha from 5 % to 1 in 10,000. TestLooksAreCounted measures it.
	looks = 1500
	// mostTabled is up to how many values of the smaller part the distribution of the rank sum is the exact one.
	mostTabled = 24
)

// ChangePoint is where a series changed.
type ChangePoint struct {
	// Index of the first value after the change, counted from 0.
	Index int
	// Found is the index of the value with which it was found.
	Found int
	// P is the two-sided p-value of the rank sum at the split, not corrected.
	P float64
	// Before and After are the means, in the unit of the series, of the values since the previous point and up to the next
	// one.
	Before, After float64
}

// Sequence finds the change points of series that grow. It is made once for all series of one alpha.
type Sequence struct {
	// threshold of the p-value of one split.
	threshold float64
	// deviations is how far U is from its mean at that p-value, by the normal approximation.
	deviations float64
	// longest series that it was made for.
	longest int
	// critical[m][n] is the largest U of m and n values whose two-sided p-value is at most the threshold, -1 for none. The
	// smaller part is m, and both together are no more values than the longest series.
	critical [][]int
}

// NewSequence prepares for an alpha: the probability of finding any point, at any time while a series that does not
// change grows to 200 values and is looked at after each of them. For several series together give each its share. The
// longest of the series has at most MostLooked values; preparing for few is much faster.
func NewSequence(alpha float64, longest int) (*Sequence, error) {
	if !(alpha > 0 && alpha < 1) {
		return nil, fmt.Errorf("alpha is %g and must lie between 0 and 1", alpha)
	}
	if longest < 0 || longest > MostLooked {
		return nil, fmt.Errorf("the longest series has %d values and may have %d", longest, MostLooked)
	}
	smaller := min(mostTabled, longest/2)
	s := &Sequence{
		threshold: alpha / looks, deviations: normalExceededBy(alpha / looks / 2),
		longest: longest, critical: make([][]int, smaller+1),
	}
	// The number of ways to reach U with m and n values: the largest of all is of the one side or of the other.
	previous := make([][]float64, longest+1)
	for n := range previous {
		previous[n] = []float64{1}
	}
	for m := 1; m <= smaller; m++ {
		current := make([][]float64, longest-m+1)
		current[0] = []float64{1}
		s.critical[m] = make([]int, longest-m+1)
		for n := 1; n <= longest-m; n++ {
			current[n] = mixed(previous[n], current[n-1], m, n)
			s.critical[m][n] = largestWithin(current[n], s.threshold/2)
		}
		previous = current
	}
	return s, nil
}

// mixed is the distribution of U of m and n values: the largest value is one of the m with the probability m/(m+n), and
// then exceeds all n others.
func mixed(fewer, before []float64, m, n int) []float64 {
	probabilities := make([]float64, m*n+1)
	share := float64(m) / float64(m+n)
	for u, p := range fewer {
		probabilities[u+n] += share * p
	}
	for u, p := range before {
		probabilities[u] += (1 - share) * p
	}
	return probabilities
}

// largestWithin is the largest index up to which the probabilities sum up to no more than a bound; -1 when there is
// none.
func largestWithin(probabilities []float64, bound float64) int {
	tail := 0.0
	for i, p := range probabilities {
		if tail += p; tail > bound {
			return i - 1
		}
	}
	return len(probabilities) - 1
}

// Points are the change points of a series, in its order, each as it was found when the series had grown to there:
// later values neither move a point nor take it back. At every value the splits of what came since the last point are
// tested by the rank sum of the two parts; the one with the smallest p-value is a point if that is at most the
// threshold and worth says, given the means of the two parts, that the change matters. No distribution is supposed,
// only that values between two points are exchangeable.
//
// The p-value of a split is exact up to 24 values of the smaller part, and by the normal approximation beyond; equal
// values share the mean of their ranks, which makes points rarer. A series has at most as many values as the sequence
// was made for.
func (s *Sequence) Points(series []float64, worth func(before, after float64) bool) ([]ChangePoint, error) {
	if len(series) == 0 {
		return nil, nil
	}
	if err := check(series); err != nil {
		return nil, err
	}
	if len(series) > s.longest {
		return nil, fmt.Errorf("the series has %d values and may have %d", len(series), s.longest)
	}
	var points []ChangePoint
	start := 0
	// larger[k] is twice the number of pairs of one of the first k values and one after them in which the latter is
	// larger.
	larger := make([]int, len(series)+1)
	for end := 1; end <= len(series); end++ {
		part := series[start:end]
		count(part, larger)
		split, p := s.best(part, larger, worth)
		if split == 0 {
			continue
		}
		points = append(points, ChangePoint{Index: start + split, Found: end - 1, P: p})
		start += split
		clear(larger)
		for length := 1; length <= end-start; length++ {
			count(series[start:start+length], larger)
		}
	}
	return withMeans(points, series), nil
}

// count adds the last value of a part to the pairs.
func count(part []float64, larger []int) {
	last, before := part[len(part)-1], 0
	larger[len(part)] = 0
	for k, value := range part[:len(part)-1] {
		switch {
		case last > value:
			before += 2
		case last == value:
			before++
		}
		larger[k+1] += before
	}
}

// best is the split of a part that is a point, as the number of values before it; 0 when none is.
func (s *Sequence) best(
	part []float64, larger []int, worth func(before, after float64) bool,
) (split int, smallest float64) {
	all, before := 0.0, 0.0
	for _, value := range part {
		all += value
	}
	smallest = s.threshold
	for k := 1; k <= len(part)-fewestAfter; k++ {
		before += part[k-1]
		after := len(part) - k
		// The smaller of the two numbers of pairs, rounded up where a tie makes it a half.
		u := (min(larger[k], 2*k*after-larger[k]) + 1) / 2
		if !s.reaches(u, min(k, after), max(k, after)) {
			continue
		}
		p := rankSumP(u, k, after)
		if p > smallest || split > 0 && p == smallest {
			continue
		}
		if worth(before/float64(k), (all-before)/float64(after)) {
			split, smallest = k, p
		}
	}
	return split, smallest
}

// reaches says whether the p-value of U, the smaller of the two, is at most the threshold.
func (s *Sequence) reaches(u, fewer, more int) bool {
	if fewer <= mostTabled {
		return u <= s.critical[fewer][more]
	}
	distance := distanceOf(u, fewer, more)
	return distance > 0 && distance*distance >= s.deviations*s.deviations*varianceOf(fewer, more)
}

// distanceOf U from its mean, with the correction for continuity.
func distanceOf(u, first, second int) float64 { return float64(first*second)/2 - float64(u) - 0.5 }

func varianceOf(first, second int) float64 { return float64(first*second*(first+second+1)) / 12 }

// rankSumP is the two-sided p-value of U, the smaller of the two: exact for small parts.
func rankSumP(u, first, second int) float64 {
	if min(first, second) > mostTabled {
		return min(1, 2*normalAbove(distanceOf(u, first, second)/math.Sqrt(varianceOf(first, second))))
	}
	tail := 0.0
	for i, p := range untied(first, second) {
		if i > u {
			break
		}
		tail += p
	}
	return min(1, 2*tail)
}

// withMeans fills in the means of the parts that points divide a series into.
func withMeans(points []ChangePoint, series []float64) []ChangePoint {
	for i := range points {
		start, end := 0, len(series)
		if i > 0 {
			start = points[i-1].Index
		}
		if i+1 < len(points) {
			end = points[i+1].Index
		}
		points[i].Before, points[i].After = mean(series[start:points[i].Index]), mean(series[points[i].Index:end])
	}
	return points
}

func mean(values []float64) float64 {
	average := 0.0
	for i, value := range values {
		average += value/float64(i+1) - average/float64(i+1)
	}
	return average
}
