package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Limits and defaults of ChangePoints.
const (
	mostPoints          = 500
	mostPermutations    = 100_000
	defaultPermutations = 499
	defaultAlpha        = 0.05
	defaultMinSegment   = 3
)

// ChangePointOptions are the settings of ChangePoints. What is 0 has its default.
type ChangePointOptions struct {
	// Seed of the permutations: the same seed and series give the same points.
	Seed uint64
	// Permutations of each test, at least 1/Alpha-1 and at most 100,000. Default 499.
	Permutations int
	// Alpha is the probability, between 0 and 1, of finding any point in a series that has none. Default 0.05.
	Alpha float64
	// MinSegment is the smallest number of values between two points, at least 2. Default 3.
	MinSegment int
}

// ChangePoint is where a series changed.
type ChangePoint struct {
	// Index of the first value after the change, counted from 0.
	Index int
	// P is the p-value of the permutation test, no smaller than 1/(permutations+1).
	P float64
	// Before and After are the means, in the unit of the series, of the values since the previous point and up to the next
	// one.
	Before, After float64
}

// ChangePoints finds where the distribution of a series changed, in the order of the series: E-divisive of Matteson and
// James (2014), "A nonparametric approach for multiple change point analysis of multivariate data", with the distance
// to the power of 1, for a series of single numbers. It supposes neither a distribution nor a number of points, only
// that values between two points are independent.
//
// Step by step, the series is split where the energy statistic of the parts (how much further apart values of different
// parts are than values of the same part) is largest, over all ends of the right part as well, so that a change that
// was taken back is found. The split stands if at most a share of alpha of the permutations within the parts found so
// far reaches as large a statistic; the first that doesn't ends the search.
//
// The time grows with permutations times the square of the length, once for each point found and once more. A series
// has at most 500 values. One that is shorter than two segments, or constant, has no points.
func ChangePoints(series []float64, options ChangePointOptions) ([]ChangePoint, error) {
	options = options.withDefaults()
	if err := options.check(); err != nil {
		return nil, err
	}
	if len(series) == 0 {
		return nil, nil
	}
	if err := check(series); err != nil {
		return nil, err
	}
	if len(series) > mostPoints {
		return nil, fmt.Errorf("the series has %d values and may have %d", len(series), mostPoints)
	}
	return newDivision(unit(series), options).points(series), nil
}

func (o ChangePointOptions) withDefaults() ChangePointOptions {
	if o.Permutations == 0 {
		o.Permutations = defaultPermutations
	}
	if o.Alpha == 0 {
		o.Alpha = defaultAlpha
	}
	if o.MinSegment == 0 {
		o.MinSegment = defaultMinSegment
	}
	return o
}

func (o ChangePointOptions) check() error {
	switch {
	case !(o.Alpha > 0 && o.Alpha < 1):
		return fmt.Errorf("alpha is %g and must lie between 0 and 1", o.Alpha)
	case o.MinSegment < 2:
		return fmt.Errorf("the smallest segment is %d and must be 2 at least", o.MinSegment)
	case o.Permutations < 0 || o.Permutations > mostPermutations:
		return fmt.Errorf("there are %d permutations and may be 1 to %d", o.Permutations, mostPermutations)
	case o.significance(0) > o.Alpha+tolerance:
		return fmt.Errorf("%d permutations cannot reach an alpha of %g", o.Permutations, o.Alpha)
	}
	return nil
}

// significance is the p-value when this many permutations reached the statistic. The series itself is one of them.
func (o ChangePointOptions) significance(reached int) float64 {
	return float64(reached+1) / float64(o.Permutations+1)
}

// division is a series with the points found so far.
type division struct {
	series  []float64
	options ChangePointOptions
	random  *rand.Rand
	scan    energyScan
	// bounds of the parts: 0, the points, the length. p has the p-value of each point.
	bounds []int
	p      map[int]float64
}

func newDivision(series []float64, options ChangePointOptions) *division {
	return &division{
		series:  series,
		options: options,
		random:  rand.New(rand.NewPCG(options.Seed, 0)),
		scan:    newEnergyScan(len(series), options.MinSegment),
		bounds:  []int{0, len(series)},
		p:       map[int]float64{},
	}
}

func (d *division) points(original []float64) []ChangePoint {
	for {
		index, statistic := d.best(d.series)
		if index == 0 {
			break
		}
		p := d.test(statistic)
		if p > d.options.Alpha+tolerance {
			break
		}
		d.p[index] = p
		d.bounds = append(d.bounds, index)
		slices.Sort(d.bounds)
	}
	var points []ChangePoint
	for i := 1; i+1 < len(d.bounds); i++ {
		points = append(points, ChangePoint{
			Index:  d.bounds[i],
			P:      d.p[d.bounds[i]],
			Before: mean(original[d.bounds[i-1]:d.bounds[i]]),
			After:  mean(original[d.bounds[i]:d.bounds[i+1]]),
		})
	}
	return points
}

// best is where some part is to be split, and how large the statistic is there; 0 when no part can be split.
func (d *division) best(series []float64) (index int, statistic float64) {
	statistic = math.Inf(-1)
	for i := 1; i < len(d.bounds); i++ {
		start := d.bounds[i-1]
		at, value := d.scan.best(series[start:d.bounds[i]])
		if at > 0 && value > statistic {
			index, statistic = start+at, value
		}
	}
	return index, statistic
}

// test is the p-value of a statistic, or some value above alpha once it is known to be above.
func (d *division) test(statistic float64) float64 {
	permuted := slices.Clone(d.series)
	// What is equal on paper may differ by rounding, and must count as reached.
	bound := statistic - 1e-9*math.Abs(statistic) - 1e-12
	reached := 0
	for range d.options.Permutations {
		for i := 1; i < len(d.bounds); i++ {
			part := permuted[d.bounds[i-1]:d.bounds[i]]
			d.random.Shuffle(len(part), func(x, y int) { part[x], part[y] = part[y], part[x] })
		}
		if _, value := d.best(permuted); value >= bound {
			reached++
		}
		if d.options.significance(reached) > d.options.Alpha+tolerance {
			break
		}
	}
	return d.options.significance(reached)
}

// unit moves and shrinks a series to 0 to 1: the points do not depend on that, and rounding then has a known size.
func unit(series []float64) []float64 {
	moved := scale(series)
	lowest := slices.Min(moved)
	for i := range moved {
		moved[i] -= lowest
	}
	return scale(moved)
}

func mean(values []float64) float64 {
	average := 0.0
	for i, value := range values {
		average += value/float64(i+1) - average/float64(i+1)
	}
	return average
}

// energyScan looks for the best split of one part after another, in memory that is had once. All slices are indexed by
// a number of values, or by the end of what they tell of.
type energyScan struct {
	minSegment int
	// pairs is the sum of the distances of all pairs before an end, and right of those that are right of the split.
	pairs, right []float64
	// inverse is 1/n, so that the loop over all pairs has no division.
	inverse []float64
}

func newEnergyScan(length, minSegment int) energyScan {
	scan := energyScan{
		minSegment: minSegment,
		pairs:      make([]float64, length+1),
		right:      make([]float64, length+1),
		inverse:    make([]float64, length+1),
	}
	for n := 1; n <= length; n++ {
		scan.inverse[n] = 1 / float64(n)
	}
	return scan
}

// best is the split of a part with the largest statistic, as the index of the first value of the right part: over all
// left parts from the beginning, and over all right parts from there that end anywhere. It is 0 when the part is too
// short. With t values on the left and k on the right, a mean distance of b between the sides and of l and r between
// two values of the left and the right one, the statistic is
//
//	t k / (t+k)  *  (2 b - l - r)
//
// and with sums of distances, A of all pairs, L of the left ones and R of the right ones, what is left of it is
//
//	2 / n  *  (A - (n-1) * (L/(t-1) + R/(k-1)))        n = t+k
//
// L is A of the left part alone, and when a value leaves the right side R loses its distances to those that stay: each
// statistic takes a few steps, whatever the lengths.
func (s *energyScan) best(part []float64) (split int, largest float64) {
	largest = math.Inf(-1)
	if len(part) < 2*s.minSegment {
		return 0, largest
	}
	for i, value := range part {
		sum := 0.0
		for _, earlier := range part[:i] {
			sum += math.Abs(value - earlier)
		}
		s.pairs[i+1] = s.pairs[i] + sum
	}
	copy(s.right, s.pairs)
	for t := 1; t <= len(part)-s.minSegment; t++ {
		s.leave(part, t)
		if t < s.minSegment {
			continue
		}
		if value := s.largest(len(part), t); value > largest {
			split, largest = t, value
		}
	}
	return split, largest
}

// leave takes the last of t values from the right side.
func (s *energyScan) leave(part []float64, t int) {
	leaving, sum := part[t-1], 0.0
	rest := part[t:]
	right := s.right[t+1:][:len(rest)]
	for i, value := range rest {
		sum += math.Abs(leaving - value)
		right[i] -= sum
	}
}

// largest statistic over all ends of the right part, when the left one has t values.
func (s *energyScan) largest(length, t int) float64 {
	largest, left := math.Inf(-1), s.pairs[t]*s.inverse[t-1]
	first := t + s.minSegment
	right := s.right[first : length+1]
	pairs, inverse := s.pairs[first:][:len(right)], s.inverse[first:][:len(right)]
	fewer := s.inverse[s.minSegment-1:][:len(right)]
	all := float64(first)
	for i, sum := range right {
		// The maximum is rarely a new one, so a branch costs less than max does.
		if value := inverse[i] * (pairs[i] - (all-1)*(left+sum*fewer[i])); value > largest {
			largest = value
		}
		all++
	}
	return 2 * largest
}
