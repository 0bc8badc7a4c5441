package draw_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/hack/perf/draw"
)

func TestZipfianFavoursTheFirst(t *testing.T) {
	const n, count = 1000, 100_000
	counts := make([]int, n)
	for _, drawn := range draw.Zipfian(n, count) {
		counts[drawn]++
	}
	// The first of a thousand has the share 1 / sum of i^-0.99, the second 2^-0.99 times as much.
	if first := float64(counts[0]) / count; first < 0.125 || first > 0.135 {
		t.Errorf("the first has %.3f of the draws, want 0.130", first)
	}
	if half := float64(counts[1]) / float64(counts[0]); half < 0.47 || half > 0.54 {
		t.Errorf("the second has %.3f of what the first has, want 0.503", half)
	}
}
