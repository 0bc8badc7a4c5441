package duets

import (
	"fmt"
	"math"
	"slices"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/duet"
	"github.com/mongobench/mongobench-operator/internal/statistics"
)

// stepName is what the only step is called in comparisons.
const stepName = "step"

// Interleaved are the comparisons of a suite with a number of repetitions.
type Interleaved struct {
	// Repetitions of each variant.
	Repetitions int
	// Trials is how many comparisons there were, and Regressed in how many of them the line was called that.
	Trials, Regressed int
	// Minutes are what such a comparison takes, the preparation included: the median of the trials.
	Minutes float64
}

// fewestGroups have the six pairs that the test of pairs takes at least for one line.
const fewestGroups = 3

// Interleave takes each window for a run, as a suite makes them that loads each variant once, and compares them with as
// many repetitions as it takes to call a line Regressed in so many of the trials, in percent. It is false if no number
// is enough for which there are at least so many trials; what is returned is then the last that was looked at. The
// trials share no window.
//
// Nothing is set aside: a suite does not know what the other variant's server did meanwhile.
func (s Series) Interleave(line int, percent float64, fewestTrials int) (found Interleaved, enough bool, err error) {
	for groups := fewestGroups; s.count(groups) >= max(1, fewestTrials); groups++ {
		if found, err = s.interleaved(line, groups); err != nil {
			return found, false, err
		}
		if 100*float64(found.Regressed) >= percent*float64(found.Trials) {
			return found, true, nil
		}
	}
	return found, false, nil
}

// count is how many comparisons of so many groups there are.
func (s Series) count(groups int) (count int) {
	for _, r := range s {
		count += len(r.Groups) / groups
	}
	return count
}

// interleaved makes the comparisons of so many groups each.
func (s Series) interleaved(line, groups int) (Interleaved, error) {
	found := Interleaved{}
	var took []time.Duration
	for _, r := range s {
		for first := 0; first+groups <= len(r.Groups); first += groups {
			pair, err := r.pair(first, groups)
			if err != nil {
				return found, err
			}
			found.Repetitions = len(pair.Baseline.Samples)
			found.Trials++
			took = append(took, r.Preparation+r.at(first+groups)-r.at(first))
			for _, judged := range comparison.Compare([]comparison.Pair{pair}, r.settings()) {
				if judged.Metric == r.Lines[line].Metric && judged.Operation == r.Lines[line].Operation &&
					judged.Verdict == benchv1alpha1.VerdictRegressed {
					found.Regressed++
				}
			}
		}
	}
	if len(took) > 0 {
		slices.Sort(took)
		found.Minutes = took[len(took)/2].Minutes()
	}
	return found, nil
}

// Estimate is how many repetitions a suite would need to find a loss of so many percent in so many percent of its
// comparisons, from what the pairs of windows vary by (statistics.SamplesForPower), and the minutes that takes. It
// needs no recording of that length. False if fewer than fewestPairs are known.
func (s Series) Estimate(line int, lossPercent, powerPercent float64) (found Interleaved, known bool, err error) {
	var baselines, candidates []float64
	var length time.Duration
	preparations := make([]time.Duration, 0, len(s))
	for _, r := range s {
		pair, err := r.pair(0, len(r.Groups))
		if err != nil {
			return found, false, err
		}
		for i, baseline := range pair.Baseline.Samples {
			one, other := r.figure(baseline, line), r.figure(pair.Candidate.Samples[i], line)
			if one > 0 && other > 0 {
				baselines, candidates = append(baselines, one), append(candidates, other)
			}
		}
		preparations = append(preparations, r.Preparation)
		length += r.Length()
	}
	if len(baselines) < fewestPairs {
		return found, false, nil
	}
	ratios, err := statistics.LogRatios(baselines, candidates)
	if err != nil {
		return found, false, fmt.Errorf("estimating repetitions: %w", err)
	}
	// The ratio of a pair varies by both sides.
	variation := 100 * statistics.Deviation(ratios) / math.Sqrt2
	alpha := (1 - float64(s[0].Lines[line].ConfidencePercent)/100) / float64(len(s[0].Lines))
	found.Repetitions, err = statistics.SamplesForPower(lossPercent, variation, alpha, powerPercent/100)
	if err != nil {
		return found, false, fmt.Errorf("estimating repetitions: %w", err)
	}
	slices.Sort(preparations)
	each := length.Minutes() / float64(len(baselines))
	found.Minutes = preparations[len(preparations)/2].Minutes() + each*float64(found.Repetitions)
	return found, true, nil
}

// fewestPairs say what pairs vary by to a fifth or so.
const fewestPairs = 16

// figure is what a sample has for a line; 0 if that is not known.
func (r *Recording) figure(sample comparison.Sample, line int) float64 {
	of := r.Lines[line]
	for _, figure := range sample.Figures {
		if figure.Metric == of.Metric && figure.Operation == of.Operation {
			return figure.Value
		}
	}
	return 0
}

// settings are those of a suite that compares the same lines.
func (r *Recording) settings() comparison.Settings {
	settings := comparison.Settings{}
	for _, line := range r.Lines {
		threshold := benchv1alpha1.Threshold{
			Metric: line.Metric, MinEffectPercent: new(int32(line.MinEffectPercent)),
			ConfidencePercent: new(int32(line.ConfidencePercent)), Step: new(stepName),
		}
		if line.Operation != "" {
			threshold.Operation = new(line.Operation)
		}
		settings.Thresholds = append(settings.Thresholds, threshold)
	}
	return settings
}

// pair has the windows of some groups as the runs of two variants; those at the same place of a group are one
// repetition.
func (r *Recording) pair(first, groups int) (comparison.Pair, error) {
	pair := comparison.Pair{
		Baseline: comparison.Side{Name: "baseline"}, Candidate: comparison.Side{Name: "candidate"}, Paired: true,
	}
	for number := first; number < first+groups; number++ {
		group, err := r.Group(number)
		if err != nil {
			return pair, err
		}
		for i := range min(len(group.Windows[duet.Baseline]), len(group.Windows[duet.Candidate])) {
			repetition := len(pair.Baseline.Samples) + 1
			pair.Baseline.Samples = append(pair.Baseline.Samples, r.sample(group.Windows[duet.Baseline][i], repetition))
			pair.Candidate.Samples = append(pair.Candidate.Samples, r.sample(group.Windows[duet.Candidate][i], repetition))
		}
	}
	return pair, nil
}

func (r *Recording) sample(window duet.Window, repetition int) comparison.Sample {
	sample := comparison.Sample{SpecHash: "interleaved", Repetition: repetition}
	for _, line := range r.Lines {
		var sum duet.Sum
		sum.Add(window, slices.Index(r.Operations, line.Operation))
		if value, known := sum.Value(line.Metric); known {
			key := comparison.Key{Metric: line.Metric, Step: stepName, Operation: line.Operation}
			sample.Figures = append(sample.Figures, comparison.Figure{Key: key, Value: value})
		}
	}
	return sample
}
