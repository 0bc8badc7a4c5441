package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// methods are ways to half an interval at 95 %, and its middle, that were looked at beside Sequential.
var methods = []struct {
	name  string
	width func(values []float64) (middle, half float64)
}{
	{"an ordinary interval", func(values []float64) (middle, half float64) {
		mean, deviation := described(values)
		return mean, normalExceededBy(0.025) * deviation / math.Sqrt(float64(len(values)))
	}},
	{"asymptotic, variance known", func(values []float64) (middle, half float64) {
		mean, deviation := described(values)
		const degrees = 1e8
		n := float64(len(values))
		return mean, usual.radius(n, degrees, 0.05) * deviation / math.Sqrt(n)
	}},
	{"t form, as if independent", independentForm},
	{"t form of batches", func(values []float64) (middle, half float64) {
		for size := 1; len(values) >= 8*size; size *= 2 {
			means := batches(values, size)
			if correlationAt(means, 1)+1/float64(len(means)) <= 0.5/math.Sqrt(float64(len(means))) {
				return independentForm(means)
			}
		}
		return 0, math.Inf(1)
	}},
}

// usual is the mixture of Sequential with narrowest 100.
var usual = mixtureFor(100, 0.05)

func described(values []float64) (mean, deviation float64) {
	mean = meanFrom(values, 0)
	return mean, math.Sqrt(products(around(values, mean), 0) / float64(len(values)-1))
}

func independentForm(values []float64) (middle, half float64) {
	mean, deviation := described(values)
	n := float64(len(values))
	return mean, usual.radius(n, n-1, 0.05) * deviation / math.Sqrt(n)
}

func batches(values []float64, size int) []float64 {
	var means []float64
	for start := 0; start+size <= len(values); start += size {
		means = append(means, meanFrom(values[start:start+size], 0))
	}
	return means
}

func sequentialForm(t *testing.T) func(values []float64) (middle, half float64) {
	t.Helper()
	return func(values []float64) (middle, half float64) {
		sequential := sequentialOf(t, nil)
		sequential.values = values
		interval, bounded := sequential.Interval()
		if !bounded {
			return 0, math.Inf(1)
		}
		return (interval.Low + interval.High) / 2, (interval.High - interval.Low) / 2
	}
}

// everBeyond looks after every value whether the interval holds 0.
func everBeyond(values []float64, width func([]float64) (middle, half float64)) bool {
	for n := fewestSequential; n <= len(values); n++ {
		if middle, half := width(values[:n]); math.Abs(middle) > half {
			return true
		}
	}
	return false
}

// TestLongSimulationOfMethods prints the table of what was looked at: how often a look of 500 misses, and half the
// interval in percent after 66 values.
func TestLongSimulationOfMethods(t *testing.T) {
	if !*longForm {
		return
	}
	const trials = 1000
	all := append(slices.Clip(methods), methods[0])
	all[len(methods)].name, all[len(methods)].width = "Sequential", sequentialForm(t)
	for _, method := range all {
		t.Run(method.name, func(t *testing.T) {
			for _, drawn := range noises {
				missed, widths := 0, make([]float64, trials)
				for trial := range trials {
					values := drawn.draw(rand.New(rand.NewPCG(23, uint64(trial))), simulatedQuads)
					if everBeyond(values, method.width) {
						missed++
					}
					_, half := method.width(values[:66])
					widths[trial] = min(100*half, math.MaxFloat64)
				}
				t.Logf("| %s | %.1f %% | %s |", drawn.name, 100*float64(missed)/trials, widthOf(widths))
			}
		})
	}
}
