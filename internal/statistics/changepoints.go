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

// significance is the p-value when so many permutations reached the statistic. The series itself is one of them.
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
