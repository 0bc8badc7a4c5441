package statistics

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var longForm = flag.Bool("long", false, "run the long simulation of sequential comparisons, and print its tables")

const (
	simulatedTrials = 2000
	simulatedQuads  = 500
	// simulatedMargin is the smallest change that matters, in percent.
	simulatedMargin = 5.0
)

// simulated is what became of the trials of one row.
type simulated struct {
	answers map[Answer]int
	counts  []float64
}

func (s simulated) percent(answer Answer) float64 {
	return 100 * float64(s.answers[answer]) / float64(len(s.counts))
}

// wrong counts the answers that are wrong for a change; one smaller than the margin may be a loss or none.
func (s simulated) wrong(change float64) int {
	switch {
	case change == 0:
		return s.answers[Regressed] + s.answers[Improved]
	case change <= -simulatedMargin:
		return s.answers[Unchanged] + s.answers[Improved]
	}
	return s.answers[Improved]
}

// simulate compares sides that differ by a change, in percent, until it is settled or the quads are used up.
func simulate(t *testing.T, drawn ratioNoise, change, confidence float64, most int) simulated {
	t.Helper()
	result := simulated{answers: map[Answer]int{}}
	for trial := range simulatedTrials {
		values := drawn.draw(rand.New(rand.NewPCG(21, uint64(trial))), most)
		comparison, err := NewComparison(Rule{HigherIsBetter, simulatedMargin}, confidence, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range values {
			answer, err := comparison.Add(percent(change) + value)
			if err != nil {
				t.Fatal(err)
			}
			if answer != Unsettled {
				break
			}
		}
		result.answers[comparison.Answer()]++
		result.counts = append(result.counts, float64(comparison.Count()))
	}
	return result
}

// halfWidths are the medians of half the interval, in percent, after so many quads.
func halfWidths(t *testing.T, drawn ratioNoise, counts []int) string {
	t.Helper()
	widths := make([][]float64, len(counts))
	for trial := range simulatedTrials / 10 {
		values := drawn.draw(rand.New(rand.NewPCG(22, uint64(trial))), slices.Max(counts))
		for i, count := range counts {
			width := math.MaxFloat64
			if interval, bounded := sequentialOf(t, values[:count]).Interval(); bounded {
				width = 50 * (interval.High - interval.Low)
			}
			widths[i] = append(widths[i], width)
		}
	}
	medians := make([]string, 0, len(widths))
	for _, all := range widths {
		medians = append(medians, widthOf(all))
	}
	return strings.Join(medians, " | ")
}

// widthOf is the median of what is half an interval, in percent; none has the largest number there is.
func widthOf(halves []float64) string {
	if median := Median(halves); median < math.MaxFloat64 {
		return fmt.Sprintf("%.1f %%", median)
	}
	return "none"
}

// TestLongSimulationOfCoverage prints the first table of docs/design/011-answers.md. Of series that the interval is to
// bear, no more than one in twenty may ever miss.
func TestLongSimulationOfCoverage(t *testing.T) {
	if !*longForm {
		return
	}
	counts := []int{30, 66, 200}
	t.Logf("| noise of quads | a look ever misses | told as Regressed | half the interval after %v quads |", counts)
	for _, drawn := range noises {
		missed := 0
		for trial := range simulatedTrials {
			if everMisses(t, drawn.draw(rand.New(rand.NewPCG(20, uint64(trial))), simulatedQuads)) {
				missed++
			}
		}
		result := simulate(t, drawn, 0, 0.95, simulatedQuads)
		t.Logf("| %s | %.1f %% | %.1f %% | %s |", drawn.name, 100*float64(missed)/simulatedTrials,
			result.percent(Regressed), halfWidths(t, drawn, counts))
		if limit := atMost(simulatedTrials, 0.05); !drawn.beyond && missed > limit {
			t.Errorf("%s: %d of %d miss, want no more than %d", drawn.name, missed, simulatedTrials, limit)
		}
	}
}

// TestLongSimulationOfAnswers prints the second table: windows of 1 s of a real machine, which vary by 19 %.
func TestLongSimulationOfAnswers(t *testing.T) {
	if !*longForm {
		return
	}
	const most = 2000
	ofMachine := noises[slices.IndexFunc(noises, func(n ratioNoise) bool { return n.name == "windows of a real machine" })]
	t.Log("| confidence | change | Regressed | Unchanged | Improved | quads: median | nine of ten | all | minutes |")
	for _, confidence := range []float64{0.95, 0.995} {
		for _, change := range []float64{0, -1, -2.5, -3.75, -5, -6.25, -7.5, -10, -20, -50} {
			result := simulate(t, ofMachine, change, confidence, most)
			t.Logf("| %.1f %% | %.2f %% | %.1f %% | %.1f %% | %.1f %% | %.0f | %.0f | %.0f | %.1f |", 100*confidence, change,
				result.percent(Regressed), result.percent(Unchanged), result.percent(Improved), Median(result.counts),
				Quantile(result.counts, 0.9), slices.Max(result.counts), Median(result.counts)*4/60)
			if result.answers[Unsettled] > 0 {
				t.Errorf("%d are not settled", result.answers[Unsettled])
			}
			wrong := result.wrong(change)
			if limit := atMost(simulatedTrials, 1-confidence); wrong > limit {
				t.Errorf("a change of %v %%: %d wrong answers, want no more than %d", change, wrong, limit)
			}
		}
	}
}
