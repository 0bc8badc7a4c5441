package comparison_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/statistics"
)

const (
	// recordedFile has samples of one and the same run, in the order in which they were made (make bench
	// ONLY=calibration).
	recordedFile = "testdata/recorded.json"
	// calibrationSeed makes every run of these tests the same.
	calibrationSeed = 20261121
	nullTrials      = 300
	powerTrials     = 100
	// promisedPower is what the number of repetitions is chosen for.
	promisedPower = 0.8
	// estimateError is by how much Noether's formula, made for a normal distribution, may promise too much.
	estimateError = 0.08
	// mostRepetitions leaves out of the test what takes more of them than anybody makes.
	mostRepetitions = 50
)

// recorded are the samples of the file, or lognormal ones that vary as a small machine does as long as there is no
// file.
func recorded(t *testing.T) (samples []comparison.Sample, origin string) {
	t.Helper()
	content, err := os.ReadFile(recordedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return lognormal(60), "lognormal"
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &samples); err != nil {
		t.Fatal(err)
	}
	if len(samples) < 20 {
		t.Fatalf("%s has %d samples, and 20 are the least to draw two sides of ten from", recordedFile, len(samples))
	}
	return samples, recordedFile
}

func lognormal(count int) []comparison.Sample {
	random := rand.New(rand.NewPCG(calibrationSeed, 0))
	around := func(middle, variation float64) float64 {
		return math.Round(middle * math.Exp(variation*random.NormFloat64()))
	}
	samples := make([]comparison.Sample, 0, count)
	for range count {
		samples = append(samples, comparison.Sample{Figures: []comparison.Figure{
			{Key: readRate, Value: around(12_000, 0.02)},
			{Key: keyOf(benchv1alpha1.MetricP50Micros), Value: around(800, 0.03)},
			{Key: readP99, Value: around(4_000, 0.08)},
		}})
	}
	return samples
}

// drawn are two sides of that many samples: no sample twice where there are enough, so that under the null hypothesis
// the two are exchangeable.
func drawn(random *rand.Rand, from []comparison.Sample, count int) comparison.Pair {
	chosen := make([]comparison.Sample, 2*count)
	order := random.Perm(len(from))
	for i := range chosen {
		if len(order) >= len(chosen) {
			chosen[i] = from[order[i]]
		} else {
			chosen[i] = from[random.IntN(len(from))]
		}
	}
	return comparison.Pair{
		Baseline:  comparison.Side{Name: "a", Samples: chosen[:count]},
		Candidate: comparison.Side{Name: "b", Samples: chosen[count:]},
	}
}

// deviations is three standard deviations of a share that is counted in that many trials.
func deviations(share float64, trials int) float64 {
	return 3 * math.Sqrt(share*(1-share)/float64(trials))
}

// TestCalibrationOfNothingChanged compares A with A over and over, drawn from all samples in any order. No more than
// the asked share of the comparisons may find a change in any of their lines.
func TestCalibrationOfNothingChanged(t *testing.T) {
	samples, origin := recorded(t)
	t.Logf("A versus A, %d comparisons each, from %d samples (%s)", nullTrials, len(samples), origin)
	t.Log("repetitions  confidence  lines  found a change  not detected  not worse or unchanged")
	for _, confidence := range []int32{80, 95} {
		for _, count := range []int{5, 10} {
			random := rand.New(rand.NewPCG(calibrationSeed, uint64(count)))
			settings := confident(confidence)
			verdicts, lines := make(map[benchv1alpha1.Verdict]int), 0
			for range nullTrials {
				found := comparison.Compare([]comparison.Pair{drawn(random, samples, count)}, settings)
				lines = len(found)
				verdicts[overall(found)]++
			}
			share := func(verdict benchv1alpha1.Verdict) float64 { return float64(verdicts[verdict]) / nullTrials }
			t.Logf("%11d  %8d %%  %5d  %12.1f %%  %10.1f %%  %20.1f %%", count, confidence, lines,
				100*share(benchv1alpha1.VerdictRegressed), 100*share(benchv1alpha1.VerdictNotDetected),
				100*(share(benchv1alpha1.VerdictNotWorse)+share(benchv1alpha1.VerdictUnchanged)))
			allowed := 1 - float64(confidence)/100
			if got := share(benchv1alpha1.VerdictRegressed); got > allowed+deviations(allowed, nullTrials) {
				t.Errorf("%.3f of the comparisons found a change, and %.3f are allowed", got, allowed)
			}
		}
	}
}

// TestCalibrationAsASuiteMakesIt takes each twenty samples that were made one after the other and gives them to two
// sides in the order of a suite of ten repetitions, ABBAABBAAB. What drifts with time falls on both sides of a pair
// then, which it does not in samples that are drawn.
func TestCalibrationAsASuiteMakesIt(t *testing.T) {
	const runs = 20
	samples, origin := recorded(t)
	verdicts, all := make(map[benchv1alpha1.Verdict]int), 0
	for first := 0; first+runs <= len(samples); first++ {
		pair := comparison.Pair{
			Baseline: comparison.Side{Name: "a"}, Candidate: comparison.Side{Name: "b"}, Paired: true,
		}
		for i, sample := range samples[first : first+runs] {
			side := &pair.Baseline
			if i%4 == 1 || i%4 == 2 {
				side = &pair.Candidate
			}
			sample.Repetition = 1 + i/2
			side.Samples = append(side.Samples, sample)
		}
		lines := comparison.Compare([]comparison.Pair{pair}, comparison.Settings{})
		if lines[0].Test != benchv1alpha1.TestSignedRank {
			t.Fatalf("compared by %s", lines[0].Test)
		}
		verdicts[overall(lines)]++
		all++
	}
	t.Logf("A versus A in the order of %s: of %d comparisons %d found a change, %d did not detect any, %d show that "+
		"there is none", origin, all, verdicts[benchv1alpha1.VerdictRegressed], verdicts[benchv1alpha1.VerdictNotDetected],
		verdicts[benchv1alpha1.VerdictUnchanged]+verdicts[benchv1alpha1.VerdictNotWorse])
	// The comparisons share samples, so that a wrong one comes with its neighbours.
	if got := float64(verdicts[benchv1alpha1.VerdictRegressed]) / float64(all); !(got <= 0.15) {
		t.Errorf("%.3f of the comparisons found a change", got)
	}
}

// confident is the usual thresholds at another confidence.
func confident(percent int32) comparison.Settings {
	settings := comparison.Settings{Thresholds: spec.Thresholds(nil)}
	for i := range settings.Thresholds {
		settings.Thresholds[i].ConfidencePercent = &percent
	}
	return settings
}

// overall is the worst verdict, in which an improvement that is none is as wrong as a regression.
func overall(lines []benchv1alpha1.ComparisonLine) benchv1alpha1.Verdict {
	for _, line := range lines {
		if line.Verdict == benchv1alpha1.VerdictImproved {
			return benchv1alpha1.VerdictRegressed
		}
	}
	return comparison.Worst(lines)
}

// TestCalibrationOfSlowDowns makes one side slower by what is known, with as many repetitions as SamplesForPower asks
// for, and counts how often that is found. What five repetitions find is in the table too, and is no promise.
func TestCalibrationOfSlowDowns(t *testing.T) {
	samples, origin := recorded(t)
	t.Logf("found of %d slow-downs each, from %d samples (%s), at 95 %% confidence and a limit of 1 %%",
		powerTrials, len(samples), origin)
	t.Log("figure                            varies by  slower by  repetitions for 80 %  found  by")
	for _, figure := range samples[0].Figures {
		for _, slower := range []int{2, 5, 10} {
			checkPower(t, samples, figure.Key, slower)
		}
	}
}

func checkPower(t *testing.T, samples []comparison.Sample, key comparison.Key, slower int) {
	t.Helper()
	variation := 100 * statistics.CoefficientOfVariation(valuesOf(samples, key))
	factor, effect := 1+float64(slower)/100, float64(slower)
	if key.Metric == benchv1alpha1.MetricOperationsPerSecond {
		factor = 1 / factor
		effect = 100 * (factor - 1)
	}
	name := strings.TrimSpace(fmt.Sprintf("%s %s %s", key.Metric, key.Step, key.Operation))
	needed, err := statistics.SamplesForPower(effect, variation, 0.05, promisedPower)
	if err != nil {
		t.Fatal(err)
	}
	five := found(samples, key, factor, 5)
	if needed > mostRepetitions {
		t.Logf("%-32s  %7.1f %%  %7d %%  %20d      -  %8.0f %%", name, variation, slower, needed, 100*five)
		return
	}
	share := found(samples, key, factor, needed)
	t.Logf("%-32s  %7.1f %%  %7d %%  %20d  %3.0f %%  %8.0f %%", name, variation, slower, needed, 100*share, 100*five)
	if lowest := promisedPower - estimateError - deviations(promisedPower, powerTrials); share < lowest {
		t.Errorf("%s: %.2f of the slow-downs of %d %% were found by %d repetitions, and %.2f were promised",
			name, share, slower, needed, promisedPower)
	}
}

// found is the share of slow-downs by a factor that this number of repetitions of each side finds.
func found(samples []comparison.Sample, key comparison.Key, factor float64, count int) float64 {
	random := rand.New(rand.NewPCG(calibrationSeed, uint64(count)))
	limit := int32(1)
	settings := comparison.Settings{Thresholds: []benchv1alpha1.Threshold{
		{Metric: key.Metric, Step: &key.Step, Operation: &key.Operation, MinEffectPercent: &limit},
	}}
	regressed := 0
	for range powerTrials {
		pair := drawn(random, samples, count)
		for i, sample := range pair.Candidate.Samples {
			pair.Candidate.Samples[i].Figures = scaled(sample.Figures, key, factor)
		}
		lines := comparison.Compare([]comparison.Pair{pair}, settings)
		if comparison.Worst(lines) == benchv1alpha1.VerdictRegressed {
			regressed++
		}
	}
	return float64(regressed) / powerTrials
}

func scaled(figures []comparison.Figure, key comparison.Key, factor float64) []comparison.Figure {
	for _, figure := range figures {
		if figure.Key == key {
			return []comparison.Figure{{Key: key, Value: math.Round(figure.Value * factor)}}
		}
	}
	return nil
}

func valuesOf(samples []comparison.Sample, key comparison.Key) []float64 {
	values := make([]float64, 0, len(samples))
	for _, sample := range samples {
		for _, figure := range sample.Figures {
			if figure.Key == key {
				values = append(values, figure.Value)
			}
		}
	}
	return values
}
