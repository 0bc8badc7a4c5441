package main

import (
	"math"
	"slices"
)

// median is the middle of the values, or the mean of the two in the middle; NaN of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// spread is the distance between the largest and the smallest value, as a share of the median.
func spread(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return (slices.Max(values) - slices.Min(values)) / median(values)
}

// ratios divides round by round, since what disturbs a machine disturbs the neighbours in a round alike.
func ratios(of, by []float64) []float64 {
	result := make([]float64, 0, len(of))
	for i := range min(len(of), len(by)) {
		result = append(result, of[i]/by[i])
	}
	return result
}

// best takes, round by round, the best of several contenders, by a function that chooses between two values.
func best(choose func(a, b float64) float64, series ...[]float64) []float64 {
	if len(series) == 0 {
		return nil
	}
	chosen := slices.Clone(series[0])
	for _, other := range series[1:] {
		chosen = chosen[:min(len(chosen), len(other))]
		for i := range chosen {
			chosen[i] = choose(chosen[i], other[i])
		}
	}
	return chosen
}
