package statistics

import (
	"math"
	"slices"
)

// Holm adjusts the p-values of tests that are made together: whoever rejects what is at or below alpha is wrong about
// any of them with a probability of at most alpha, however the tests depend on each other (Holm 1979, "A simple
// sequentially rejective multiple test procedure"; p.adjust of R). The order is kept.
//
// A value that is no probability (NaN among them) stands for a test that could not be made: it becomes NaN and is not
// counted.
func Holm(p []float64) []float64 {
	adjusted := make([]float64, len(p))
	order := make([]int, 0, len(p))
	for i, value := range p {
		adjusted[i] = math.NaN()
		if value >= 0 && value <= 1 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int {
		switch {
		case p[x] < p[y]:
			return -1
		case p[x] > p[y]:
			return 1
		}
		return 0
	})
	largest := 0.0
	for position, i := range order {
		largest = max(largest, min(1, p[i]*float64(len(order)-position)))
		adjusted[i] = largest
	}
	return adjusted
}
