package statistics

import "math"

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
