package statistics

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// noise is a series of normal values around a level that rises in the middle.
func noise(random *rand.Rand, length int, step float64) []float64 {
	series := make([]float64, length)
	for i := range series {
		series[i] = 100 + random.NormFloat64()
		if i >= length/2 {
			series[i] += step
		}
	}
	return series
}

func BenchmarkChangePoints(b *testing.B) {
	sequence, err := NewSequence(0.05, MostLooked)
	if err != nil {
		b.Fatal(err)
	}
	for _, length := range []int{50, 100, MostLooked} {
		for _, step := range []float64{0, 5} {
			series := noise(rand.New(rand.NewPCG(1, 1)), length, step)
			b.Run(fmt.Sprintf("values=%d/step=%v", length, step), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := sequence.Points(series, anyChange); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkMannWhitney(b *testing.B) {
	for _, length := range []int{5, 10, 30, 50, 1000} {
		first := noise(rand.New(rand.NewPCG(1, 1)), length, 0)
		second := noise(rand.New(rand.NewPCG(2, 1)), length, 1)
		b.Run(fmt.Sprintf("values=%d", length), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := MannWhitney(first, second); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkHodgesLehmannPercent(b *testing.B) {
	for _, length := range []int{5, 10, 30, 50, 1000} {
		first := noise(rand.New(rand.NewPCG(1, 1)), length, 0)
		second := noise(rand.New(rand.NewPCG(2, 1)), length, 1)
		b.Run(fmt.Sprintf("values=%d", length), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := HodgesLehmannPercent(first, second, 0.95); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
