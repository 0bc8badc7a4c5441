package statistics

import (
	"encoding/binary"
	"math"
	"testing"
)

// numbers reads every eight bytes as one number, whatever that is, and few enough for an execution to be short.
func numbers(data []byte) []float64 {
	var values []float64
	for ; len(data) >= 8 && len(values) < 30; data = data[8:] {
		values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
	}
	return values
}

func bytesOf(values ...float64) []byte {
	var data []byte
	for _, value := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(value))
	}
	return data
}

func FuzzSamples(f *testing.F) {
	f.Add(bytesOf(1, 2, 3, 4), bytesOf(2, 3, 5, 8), 0.95)
	f.Add(bytesOf(math.MaxFloat64, -math.MaxFloat64), bytesOf(5e-324, 0), 1e-300)
	f.Add(bytesOf(math.NaN()), bytesOf(math.Inf(-1)), 1-1e-16)
	f.Add(bytesOf(5e-324, 5e-324), bytesOf(1), 0.95)
	f.Fuzz(func(t *testing.T, first, second []byte, confidence float64) {
		a, b := numbers(first), numbers(second)
		CoefficientOfVariation(a)
		Quantile(a, confidence)
		if test, err := MannWhitney(a, b); err == nil && !(test.P > 0 && test.P <= 1 && test.U >= 0) {
			t.Errorf("%v against %v: %+v", a, b, test)
		}
		median, err := MedianInterval(a, confidence)
		if err == nil && !(median.Low <= Median(a) && Median(a) <= median.High && median.Confidence < 1) {
			t.Errorf("median of %v is %v in %+v", a, Median(a), median)
		}
		Holm(a)
	})
}

func FuzzEffect(f *testing.F) {
	f.Add(bytesOf(1, 2, 3, 4), bytesOf(2, 3, 5, 8), 0.95)
	f.Add(bytesOf(math.MaxFloat64, -math.MaxFloat64), bytesOf(5e-324, 0), 1e-300)
	f.Fuzz(func(t *testing.T, first, second []byte, confidence float64) {
		a, b := numbers(first), numbers(second)
		shift, err := HodgesLehmann(a, b, confidence)
		finite := check([]float64{shift.Low, shift.High}) == nil
		if err == nil && finite && !(shift.Low <= shift.Estimate && shift.Estimate <= shift.High) {
			t.Errorf("from %v to %v: %+v", a, b, shift)
		}
		if _, err := HodgesLehmannPercent(a, b, confidence); err == nil && check(append(a, b...)) != nil {
			t.Errorf("a ratio of %v and %v", a, b)
		}
	})
}

func FuzzPlan(f *testing.F) {
	f.Add(0.95, 10, 5.0, 10.0, 0.8)
	f.Add(1-1e-16, math.MaxInt, 5e-324, math.MaxFloat64, 1e-300)
	f.Fuzz(func(t *testing.T, confidence float64, tests int, effect, variation, power float64) {
		if count, err := SmallestSamples(confidence, tests); err == nil && count < 2 {
			t.Errorf("confidence %v, %d tests: %d", confidence, tests, count)
		}
		count, err := SamplesForPower(effect, variation, 1-confidence, power)
		if err == nil && (count < 1 || count > mostSamples) {
			t.Errorf("effect %v, variation %v: %d", effect, variation, count)
		}
	})
}

func FuzzChangePoints(f *testing.F) {
	f.Add(bytesOf(1, 1.1, 1.2, 5, 5.1, 5.2, 5.3), 0.05)
	f.Add(bytesOf(math.MaxFloat64, -math.MaxFloat64, 1, 5e-324), 0.9)
	f.Fuzz(func(t *testing.T, data []byte, alpha float64) {
		series := numbers(data)
		sequence, err := NewSequence(alpha, MostLooked)
		if err != nil {
			return
		}
		points, err := sequence.Points(series, anyChange)
		if err != nil {
			return
		}
		last := 0
		for _, point := range points {
			if point.Index <= last || point.Index > point.Found-fewestAfter+1 || !(point.P > 0 && point.P <= alpha) {
				t.Errorf("%v: %+v", series, points)
			}
			last = point.Index
		}
	})
}

func FuzzSequential(f *testing.F) {
	f.Add(bytesOf(1, 2, 3, 4, 3, 2, 1, 2, 5, 3, 2), 0.95, 100)
	f.Add(bytesOf(1e308, -1e308, 1e308, -1e308, 1e308, -1e308, 1e308, -1e308), 1-1e-16, 2)
	f.Add(bytesOf(5e-324, 0, 5e-324, 0, 5e-324, 0, 5e-324, 0, 5e-324, 0), 1e-300, 1<<40)
	f.Fuzz(func(t *testing.T, data []byte, confidence float64, narrowest int) {
		sequential, err := NewSequential(confidence, narrowest)
		if err != nil {
			return
		}
		for _, value := range numbers(data) {
			err := sequential.Add(value)
			interval, bounded := sequential.Interval()
			mean := sequential.Estimate()
			if err == nil && bounded && !(interval.Low <= mean && mean <= interval.High) {
				t.Errorf("the mean of %v is %v in %+v", sequential.values, mean, interval)
			}
		}
	})
}
