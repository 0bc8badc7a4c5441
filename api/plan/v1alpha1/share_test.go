package v1alpha1_test

import (
	"math"
	"math/rand/v2"
	"testing"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

func TestShareCoversEverythingExactlyOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	totals := make([]int64, 0, 207)
	totals = append(totals, 0, 1, 2, 9, 10, 100_000_000_000, math.MaxInt64)
	for range 200 {
		totals = append(totals, random.Int64N(1_000_000))
	}
	for _, total := range totals {
		parts := 1 + random.IntN(300)
		next, least, most := int64(0), int64(math.MaxInt64), int64(0)
		for index := range parts {
			first, count := planv1alpha1.Share(total, parts, index)
			if count > 0 && first != next {
				t.Fatalf("Share(%d, %d, %d) begins at %d, want %d", total, parts, index, first, next)
			}
			next += count
			least, most = min(least, count), max(most, count)
		}
		if next != total {
			t.Errorf("Share(%d, %d, …) covers %d", total, parts, next)
		}
		if most-least > 1 {
			t.Errorf("Share(%d, %d, …) gives between %d and %d", total, parts, least, most)
		}
	}
}

func TestShareOfAPartThatDoesNotExistIsNothing(t *testing.T) {
	for _, tc := range []struct {
		total        int64
		parts, index int
	}{{10, 0, 0}, {10, 2, 2}, {10, 2, -1}, {-1, 2, 0}} {
		if first, count := planv1alpha1.Share(tc.total, tc.parts, tc.index); first != 0 || count != 0 {
			t.Errorf("Share(%d, %d, %d) = %d, %d", tc.total, tc.parts, tc.index, first, count)
		}
	}
}
