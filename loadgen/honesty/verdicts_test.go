package honesty

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
)

// How the project's own measurements vary from run to run (make bench ONLY=calibration), and how many repetitions a
// suite makes unless told otherwise.
const (
	rateNoise    = 0.06
	latencyNoise = 0.12
	repetitions  = 10
)

// noisySuite is a suite in which two variants are measured in turn.
type noisySuite struct {
	repetitions, lines int
	// noise of a value, and drift of the machine from the first run to the last, as shares.
	noise, drift float64
	// loss is how much slower the second variant really is.
	loss float64
}

// verdicts compare a suite as the operator does: throughputs, of which a loss is a lower one.
func (s noisySuite) verdicts(random *rand.Rand) []benchv1alpha1.ComparisonLine {
	pair := comparison.Pair{
		Baseline: comparison.Side{Name: "a"}, Candidate: comparison.Side{Name: "b"}, Paired: true,
	}
	for turn := range 2 * s.repetitions {
		side, factor := &pair.Baseline, 1.0
		if turn%4 == 1 || turn%4 == 2 { // In turn, as ABBA.
			side, factor = &pair.Candidate, 1-s.loss
		}
		factor *= 1 - s.drift*float64(turn)/float64(2*s.repetitions)
		sample := comparison.Sample{Repetition: 1 + turn/2}
		for line := range s.lines {
			sample.Figures = append(sample.Figures, comparison.Figure{
				Key:   comparison.Key{Metric: benchv1alpha1.MetricOperationsPerSecond, Step: fmt.Sprint("step", line)},
				Value: 1e7 * factor * math.Exp(s.noise*random.NormFloat64()),
			})
		}
		side.Samples = append(side.Samples, sample)
	}
	return comparison.Compare([]comparison.Pair{pair}, throughputs)
}

// throughputs are all that is compared.
var throughputs = comparison.Settings{
	Thresholds: []benchv1alpha1.Threshold{{Metric: benchv1alpha1.MetricOperationsPerSecond}},
}

// shares of many such suites: those with any line that regressed or improved, and of all lines those that regressed,
// those that are shown not to be worse, and those of which nothing is shown.
type shares struct{ suitesChanged, regressed, ruledOut, open float64 }

func (s noisySuite) shares(trials int) shares {
	random := rand.New(rand.NewPCG(20261123, uint64(s.lines)))
	var found shares
	each := 1 / float64(trials*s.lines)
	for range trials {
		changed := 0.0
		for _, line := range s.verdicts(random) {
			switch line.Verdict {
			case benchv1alpha1.VerdictRegressed:
				found.regressed += each
				changed = 1
			case benchv1alpha1.VerdictImproved:
				changed = 1
			case benchv1alpha1.VerdictUnchanged, benchv1alpha1.VerdictNotWorse:
				found.ruledOut += each
			default:
				found.open += each
			}
		}
		found.suitesChanged += changed / float64(trials)
	}
	return found
}

// trials are as many as the form has time for.
func trials(short, longForm int) int {
	if Long() {
		return longForm
	}
	return short
}

// above says whether a share, of that many trials, is more than what is allowed and what chance adds to it.
func above(share, allowed float64, trials int) bool {
	return share > allowed+3*math.Sqrt(allowed*(1-allowed)/float64(trials))
}

// TestVerdictsSayWhatWasShown is A10: a true loss of 10 % passes as unchanged in no more than one of twenty suites, and
// nothing that is the same regresses in more.
func TestVerdictsSayWhatWasShown(t *testing.T) {
	worstUnchanged, count := 0.0, trials(100, 1000)
	t.Log("repetitions  lines  noise  drift  loss  suites with a change  lines: regressed  not worse  open")
	for _, made := range []noisySuite{
		{repetitions, 1, rateNoise, 0, 0.1},
		{repetitions, 1, latencyNoise, 0, 0.1},
		{repetitions, 6, rateNoise, 0, 0.1},
		{repetitions, 6, latencyNoise, 0, 0.1},
		{repetitions, 20, rateNoise, 0, 0.1},
		{repetitions, 20, latencyNoise, 0, 0.1},
		{5, 1, rateNoise, 0, 0.1},
		{5, 1, latencyNoise, 0, 0.1},
		{repetitions, 1, rateNoise, 0.5, 0.1},
		{20, 6, rateNoise, 0, 0.1},
		{repetitions, 1, rateNoise, 0, 0},
		{repetitions, 6, latencyNoise, 0, 0},
		{repetitions, 20, rateNoise, 0, 0},
		{repetitions, 6, rateNoise, 0.5, 0},
		{5, 6, rateNoise, 0, 0},
		{20, 6, rateNoise, 0, 0},
		{repetitions, 6, 0.02, 0, 0},
	} {
		truth := "nothing changed"
		if made.loss > 0 {
			truth = fmt.Sprintf("each line lost %.0f %%", 100*made.loss)
		}
		name := fmt.Sprintf("%d repetitions, %d lines, noise %.0f %%, drift %.0f %%, loss %.0f %%", made.repetitions,
			made.lines, 100*made.noise, 100*made.drift, 100*made.loss)
		Check(t, Scenario{Item: "A10", Name: name, Truth: truth, Run: func(t *testing.T) Told {
			t.Helper()
			found := made.shares(count)
			t.Logf("%11d  %5d  %3.0f %%  %3.0f %%  %2.0f %%  %18.1f %%  %14.1f %%  %7.1f %%  %4.1f %%", made.repetitions,
				made.lines, 100*made.noise, 100*made.drift, 100*made.loss, 100*found.suitesChanged, 100*found.regressed,
				100*found.ruledOut, 100*found.open)
			told := Told{Reported: fmt.Sprintf("regressed %.1f %%, not worse %.1f %%, not detected %.1f %%",
				100*found.regressed, 100*found.ruledOut, 100*found.open)}
			if made.loss > 0 {
				worstUnchanged = max(worstUnchanged, found.ruledOut)
				told.Wrong = above(found.ruledOut, 0.05, count)
			} else {
				told.Wrong = above(found.suitesChanged, 0.05, count)
			}
			return told
		}})
	}
	Figure("unchanged_false_percent", 100*worstUnchanged, "%")
}

// TestRunsInDoubtDoNotDecide is A11.
func TestRunsInDoubtDoNotDecide(t *testing.T) {
	Check(t, Scenario{
		Item: "A11", Name: "half of the runs in doubt", Truth: "the generator was saturated in five of ten runs of one side",
		Run: func(*testing.T) Told {
			pair := comparison.Pair{Baseline: comparison.Side{Name: "a"}, Candidate: comparison.Side{Name: "b"}}
			key := comparison.Key{Metric: benchv1alpha1.MetricOperationsPerSecond, Step: "read"}
			for i := range 10 {
				fast := comparison.Sample{Repetition: i, Figures: []comparison.Figure{{Key: key, Value: float64(10_000 + i)}}}
				slow := comparison.Sample{Repetition: i, Figures: []comparison.Figure{{Key: key, Value: float64(5_000 + i)}}}
				if i%2 == 0 {
					slow.Doubts = []string{benchv1alpha1.ReasonGeneratorSaturated}
				}
				pair.Baseline.Samples = append(pair.Baseline.Samples, fast)
				pair.Candidate.Samples = append(pair.Candidate.Samples, slow)
			}
			line := comparison.Compare([]comparison.Pair{pair}, throughputs)[0]
			decided := line.Verdict != benchv1alpha1.VerdictInconclusive
			return Told{Reported: string(line.Verdict) + ": " + line.Message, Wrong: decided}
		},
	})
}

// quietHistory is a history of figures that do not change but for noise: a figure is the median of five runs.
type quietHistory struct {
	revisions, figures int
	noise              float64
	// step is by how much the first figure is larger from revision at on.
	step float64
	at   int
}

func (h quietHistory) made(random *rand.Rand) comparison.History {
	var history comparison.History
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	for revision := range h.revisions {
		point := comparison.Point{Revision: fmt.Sprint("r", revision), Time: start.AddDate(0, 0, revision)}
		for of := range h.figures {
			runs := comparison.Side{}
			key := comparison.Key{Metric: benchv1alpha1.MetricOperationsPerSecond, Step: fmt.Sprint("step", of)}
			level := 1e7
			if of == 0 && revision >= h.at {
				level *= 1 + h.step
			}
			for range 5 {
				value := level * math.Exp(h.noise*random.NormFloat64())
				runs.Samples = append(runs.Samples, comparison.Sample{Figures: []comparison.Figure{{Key: key, Value: value}}})
			}
			point.Medians = append(point.Medians, comparison.Median{
				Variant: "a", Figure: comparison.Figure{Key: key, Value: float64(*runs.Median(key))},
			})
		}
		history.Points = append(history.Points, point)
	}
	return history
}

// lookedAt is a history as it is looked at after every second revision, and after which a change point was seen first.
func (h quietHistory) lookedAt(history comparison.History) (first int) {
	for length := 2; length <= h.revisions; length += 2 {
		grown := comparison.History{Points: history.Points[:length]}
		if len(comparison.ChangePoints(grown, comparison.Settings{})) > 0 {
			return length
		}
	}
	return 0
}

// TestChangePointsKeepTheirPromiseOverTime is A12: histories of 100 revisions and 20 figures. That a point which was
// found stays is tested in internal/statistics, so that the last look tells of all before.
func TestChangePointsKeepTheirPromiseOverTime(t *testing.T) {
	worst := 0.0
	for _, noise := range []float64{0.03, 0.06, 0.12} {
		Check(t, Scenario{
			Item: "A12", Name: fmt.Sprintf("a history of noise of %.0f %%", 100*noise), Truth: "nothing ever changed",
			Run: func(t *testing.T) Told {
				t.Helper()
				count, wrongOnes := trials(20, 400), 0
				random := rand.New(rand.NewPCG(20261123, uint64(1000*noise)))
				made := quietHistory{revisions: 100, figures: 20, noise: noise}
				for trial := range count {
					history := made.made(random)
					found := len(comparison.ChangePoints(history, comparison.Settings{})) > 0
					if trial < 2 && (made.lookedAt(history) > 0) != found {
						t.Error("a look on the way saw another thing than the last one")
					}
					if found {
						wrongOnes++
					}
				}
				share := float64(wrongOnes) / float64(count)
				worst = max(worst, share)
				return Told{
					Reported: fmt.Sprintf("a change point in %d of %d histories", wrongOnes, count),
					Wrong:    above(share, 0.05, count),
				}
			},
		})
	}
	Figure("changepoint_false_percent", 100*worst, "%")
}

// foundWithin counts in how many of the histories the step has a change point after so many revisions.
func (h quietHistory) foundWithin(histories int, revisions ...int) map[int]int {
	random, within := rand.New(rand.NewPCG(1, 1)), map[int]int{}
	for range histories {
		history := h.made(random)
		for _, after := range revisions {
			grown := comparison.History{Points: history.Points[:h.at+after]}
			if len(comparison.ChangePoints(grown, comparison.Settings{})) > 0 {
				within[after]++
			}
		}
	}
	return within
}

// TestChangePointsFindSteps prints after how many revisions a step is found, for the table of docs/how-to/suites.md. A
// step of more than three times the noise must be found within ten revisions in all histories, and one of more than one
// and a half times within twenty.
func TestChangePointsFindSteps(t *testing.T) {
	histories := trials(10, 100)
	for _, noise := range []float64{0.03, 0.06, 0.12} {
		for _, step := range []float64{0.1, 0.2} {
			made := quietHistory{revisions: 70, figures: 20, noise: noise, step: step, at: 30}
			within := made.foundWithin(histories, 10, 20, 40)
			t.Logf("noise %2.0f %%, step %2.0f %%: found within 10, 20, 40 revisions in %d, %d, %d of %d histories", 100*noise,
				100*step, within[10], within[20], within[40], histories)
			if step > 3*noise && within[10] < histories || step > 1.5*noise && within[20] < histories {
				t.Errorf("it is not found in all histories")
			}
		}
	}
}

// TestRepetitionsDoNotShareTheirKeys is A20.14.
func TestRepetitionsDoNotShareTheirKeys(t *testing.T) {
	Check(t, Scenario{
		Item: "A20.14", Name: "the seeds of repetitions",
		Truth: "each repetition draws keys of its own, the same for all variants",
		Run: func(t *testing.T) Told {
			t.Helper()
			made := suitetest.Suite("bench", "s")
			plan, errs := suite.Compile(made)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			seeds := map[int]map[int64]bool{}
			for _, slot := range plan.Slots {
				if seeds[slot.Repetition] == nil {
					seeds[slot.Repetition] = map[int64]bool{}
				}
				seeds[slot.Repetition][spec.Compile(suite.Run(made, plan, slot).Spec).DrawSeed()] = true
			}
			all := map[int64]bool{}
			wrong := false
			for _, of := range seeds {
				wrong = wrong || len(of) != 1
				for seed := range of {
					all[seed] = true
				}
			}
			return Told{
				Reported: fmt.Sprintf("%d seeds in %d repetitions", len(all), len(seeds)), Wrong: wrong || len(all) != len(seeds),
			}
		},
	})
}
