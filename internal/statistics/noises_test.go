package statistics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ratioNoise is one of log ratios of quads, of sides that do not differ.
type ratioNoise struct {
	name string
	draw func(random *rand.Rand, quads int) []float64
	// beyond says that it is more than the interval promises to bear.
	beyond bool
}

// windowDeviation is that of the logarithm of throughput in windows of 1 s on this project's own machine, whose
// autocorrelation at lags of 1, 2 and 3 s is 0.66, 0.37 and 0.24: near that of a second-order process with these two.
const windowDeviation, firstFactor, secondFactor = 0.19, 0.7367, -0.1162

var noises = []ratioNoise{
	{name: "independent", draw: correlated(0)},
	{name: "correlation 0.2", draw: correlated(0.2)},
	{name: "correlation 0.4", draw: correlated(0.4)},
	{name: "correlation 0.6", draw: correlated(0.6)},
	{name: "Student's t, 3 degrees", draw: student},
	{name: "short bursts", draw: bursts(0.02, 0.3)},
	{name: "long bursts", draw: bursts(0.005, 0.03)},
	{name: "windows of a real machine", draw: func(random *rand.Rand, quads int) []float64 {
		return quadsOf(machine(random, 4*quads))
	}},
	{name: "the same, warming up and slowing down", draw: func(random *rand.Rand, quads int) []float64 {
		windows := machine(random, 4*quads)
		for i := range windows {
			windows[i] += 0.5*math.Exp(-float64(i)/60) - 0.3*float64(i)/2000
		}
		return quadsOf(windows)
	}},
	{name: "one side works in the background, 20 s of 80 s", draw: background, beyond: true},
	{name: "one side stalls in one quad of ten", draw: stalls, beyond: true},
}

// correlated are values of a deviation of 0.1, each correlated with the one before.
func correlated(phi float64) func(*rand.Rand, int) []float64 {
	return func(random *rand.Rand, count int) []float64 {
		values, last := make([]float64, count), random.NormFloat64()
		for i := range values {
			last = phi*last + math.Sqrt(1-phi*phi)*random.NormFloat64()
			values[i] = 0.1 * last
		}
		return values
	}
}

func student(random *rand.Rand, count int) []float64 {
	return sample(random, func(random *rand.Rand) float64 {
		squares := 0.0
		for range 3 {
			squares += math.Pow(random.NormFloat64(), 2)
		}
		return 0.1 * random.NormFloat64() / math.Sqrt(squares/3)
	}, count)
}

// bursts of a neighbour, which begin and end with a probability per window and take a third to two thirds of
// throughput.
func bursts(begin, end float64) func(*rand.Rand, int) []float64 {
	return func(random *rand.Rand, quads int) []float64 {
		windows, busy := make([]float64, 4*quads), random.Float64() < begin/(begin+end)
		for i := range windows {
			busy = next(random, busy, begin, end)
			windows[i] = 0.05 * random.NormFloat64()
			if busy {
				windows[i] -= 0.25 + 0.5*random.Float64()
			}
		}
		return quadsOf(windows)
	}
}

// next is whether what is in one of two states is busy after another step.
func next(random *rand.Rand, busy bool, begin, end float64) bool {
	if busy {
		return random.Float64() >= end
	}
	return random.Float64() < begin
}

func background(random *rand.Rand, quads int) []float64 {
	const begin, end, cost = 1.0 / 15, 1.0 / 5, 0.15
	values, busy := correlated(0)(random, quads), random.Float64() < 0.25
	for i := range values {
		busy = next(random, busy, begin, end)
		if values[i] += cost / 4; busy {
			values[i] -= cost
		}
	}
	return values
}

func stalls(random *rand.Rand, quads int) []float64 {
	return sample(random, func(random *rand.Rand) float64 {
		value := 0.04 + 0.05*random.NormFloat64()
		if random.Float64() < 0.1 {
			value -= 0.4
		}
		return value
	}, quads)
}

// machine are the logarithms of the throughput of windows.
func machine(random *rand.Rand, count int) []float64 {
	const settled = 50
	fresh := windowDeviation * math.Sqrt((1+secondFactor)*((1-secondFactor)*(1-secondFactor)-firstFactor*firstFactor)/
		(1-secondFactor))
	windows := make([]float64, count+settled)
	for i := 2; i < len(windows); i++ {
		windows[i] = firstFactor*windows[i-1] + secondFactor*windows[i-2] + fresh*random.NormFloat64()
	}
	return windows[settled:]
}

// quadsOf are the log ratios of windows of sides in turn: one of A, two of B, one of A.
func quadsOf(windows []float64) []float64 {
	values := make([]float64, len(windows)/4)
	for i := range values {
		quad := windows[4*i:]
		values[i] = (quad[1] + quad[2] - quad[0] - quad[3]) / 2
	}
	return values
}

// everMisses looks after every value whether the interval holds 0, which is the mean.
func everMisses(t *testing.T, values []float64) bool {
	t.Helper()
	sequential := sequentialOf(t, nil)
	for _, value := range values {
		if err := sequential.Add(value); err != nil {
			t.Fatal(err)
		}
		if interval, bounded := sequential.Interval(); bounded && (interval.Low > 0 || interval.High < 0) {
			return true
		}
	}
	return false
}
