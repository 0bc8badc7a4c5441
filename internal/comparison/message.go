package comparison

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/statistics"
)

const (
	// mostMessage is how many characters the message of a line may have.
	mostMessage = 512
	// mostNamed is how many differences, values and reasons a message names.
	mostNamed = 3
	// mostValue is how much is shown of a value of the fingerprint.
	mostValue = 60
	// enoughPower is the probability of finding a change for which a number of repetitions is told.
	enoughPower = 0.8
)

// message says for people what a verdict rests on.
func (m *match) message(e statistics.Effect, reason string) string {
	clauses := []string{m.numbers(e), reason, m.tested(), m.doubts}
	if m.barred != "" { // The reason names them.
		clauses = clauses[:3]
	}
	if m.hasFigures() && !m.comparable() {
		clauses[0], clauses[1] = clauses[1], clauses[0]
	}
	clauses = slices.DeleteFunc(clauses, func(clause string) bool { return clause == "" })
	return shorten(strings.Join(clauses, "; "), mostMessage)
}

// tested says that the runs were not compared as pairs although they were made as such.
func (m *match) tested() string {
	if m.paired || len(m.together[0]) == 0 || !m.comparable() {
		return ""
	}
	return "too few repetitions to compare them pair by pair"
}

// numbers are the two medians and how far they are apart.
func (m *match) numbers(e statistics.Effect) string {
	text := m.key.text()
	baseline, candidate := m.baselineMedian(), median(m.candidates)
	if baseline == nil || candidate == nil {
		return text
	}
	text += ": " + Quantity(m.key.Metric, *candidate)
	reference := "the baseline of " + Quantity(m.key.Metric, *baseline)
	if math.IsNaN(e.Estimate) {
		text += " against " + reference
	} else {
		text += ", " + change(e, reference)
	}
	if !math.IsNaN(m.adjusted) {
		text += ", " + Probability(m.adjusted)
	}
	return text
}

// missing says which side has no figure.
func (m *match) missing() string {
	text := "no run has it"
	switch {
	case len(m.candidates) > 0:
		text = "no run of the baseline has it"
	case len(m.baselines) > 0:
		text = "no run of the variant has it"
	}
	if m.omitted > 0 {
		text += fmt.Sprintf(" in its status, which had no room for the first %s; the stored reports have them",
			present.Plural(int64(m.omitted), "step"))
	}
	return text
}

func (m *match) tooFew(in family) string {
	wanted := max(1, in.wanted)
	needed := m.needed(wanted)
	confidence := compact(100*m.limits.confidence) + " % confidence"
	if wanted > 1 {
		confidence += fmt.Sprintf(" over %d lines", wanted)
	}
	more := func(have int) int { return max(0, needed-have) }
	if m.figure != nil {
		return fmt.Sprintf("%s takes %d runs, %d more", confidence, needed, more(len(m.candidates)))
	}
	if more(len(m.candidates)) == more(len(m.baselines)) {
		return fmt.Sprintf("%s takes %d runs of each, %d more", confidence, needed, more(len(m.candidates)))
	}
	return fmt.Sprintf("%s takes %d runs of each, %d more of the variant and %d more of the baseline",
		confidence, needed, more(len(m.candidates)), more(len(m.baselines)))
}

// between are the bounds by which a change is ruled out.
func (m *match) between(e evidence) string {
	return fmt.Sprintf("%s to %s %% at %s %% confidence", percentText(e.bounds.Low), percentText(e.bounds.High),
		compact(100*m.limits.confidence))
}

// undetected says which change would have been found, and how many runs would rule one out.
func (m *match) undetected(e evidence) string {
	text := "no more than chance gives"
	if m.adjusted <= m.limits.alpha()+rounding {
		text = fmt.Sprintf("a change, and it is not shown whether by the %s %% that matter", compact(m.limits.minEffect))
	}
	if !math.IsNaN(e.detectable) {
		text += fmt.Sprintf("; a change for the worse by %s %% would be found in %d of 100 such comparisons",
			percentText(e.detectable), int(100*enoughPower))
	}
	needed, err := statistics.SamplesForEquivalence(m.limits.minEffect, 100*m.deviation(), m.limits.alpha(), enoughPower)
	if err != nil {
		return text
	}
	needed = max(needed, min(len(m.candidates), len(m.baselines))+1)
	return text + fmt.Sprintf("; about %d runs of each would rule out %s %%, if nothing changed", needed,
		compact(m.limits.minEffect))
}

func (k Key) text() string {
	text := Name(k.Metric)
	if k.Operation != "" {
		text += " of " + k.Operation
	}
	if k.Step != "" {
		text += " in step " + k.Step
	}
	return text
}

// double is the change in percent from which on a factor says more.
const double = 100

// change writes an effect, as in "21 % more than the baseline (12 to 30 %)" or "23.5 times the baseline".
func change(e statistics.Effect, reference string) string {
	var text string
	switch {
	case math.IsInf(e.Estimate, 0):
		return "against " + reference + "; any change from 0 matters"
	case e.Estimate == 0:
		text = "the same as " + reference
	case e.Estimate >= double:
		text = factorText(e.Estimate) + " times " + reference
	case e.Estimate > 0:
		text = percentText(e.Estimate) + " % more than " + reference
	default:
		text = percentText(-e.Estimate) + " % less than " + reference
	}
	switch {
	case basisPoints(e.Low) == nil || basisPoints(e.High) == nil:
		return text
	case e.Estimate >= double:
		return text + fmt.Sprintf(" (%s to %s times)", factorText(e.Low), factorText(e.High))
	default:
		return text + fmt.Sprintf(" (%s to %s %%)", percentText(e.Low), percentText(e.High))
	}
}

// factorText is 1 for no change.
func factorText(percent float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(1+percent/100, 'f', 1, 64), ".0")
}

// percentText has one decimal below ten, where it counts.
func percentText(percent float64) string {
	decimals := 0
	if math.Abs(percent) < 9.95 {
		decimals = 1
	}
	text := strings.TrimSuffix(strconv.FormatFloat(percent, 'f', decimals, 64), ".0")
	if text == "-0" {
		return "0"
	}
	return text
}

func compact(value float64) string {
	return strconv.FormatFloat(value, 'g', 4, 64)
}

// Probability writes p, between 0 and 1, for people.
func Probability(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return "p = " + strconv.FormatFloat(p, 'g', 2, 64)
}

func differencesText(differences []Difference) string {
	texts := make([]string, 0, len(differences))
	for _, difference := range differences {
		texts = append(texts, difference.text())
	}
	return strings.Join(present.First(texts, mostNamed, "%d more fields"), ", ")
}

func (d Difference) text() string {
	baseline, candidate := valuesText(d.Baseline), valuesText(d.Candidate)
	switch {
	case len(d.Baseline) == 0:
		return fmt.Sprintf("%s is %s", d.Field, candidate)
	case len(d.Candidate) == 0:
		return fmt.Sprintf("%s is %s in the baseline", d.Field, baseline)
	}
	return fmt.Sprintf("%s is %s against %s", d.Field, candidate, baseline)
}

func valuesText(values []string) string {
	var texts []string
	for _, value := range values[:min(mostNamed, len(values))] {
		if value == "" {
			value = "unknown"
		}
		texts = append(texts, shorten(value, mostValue))
	}
	if len(values) > mostNamed {
		texts = append(texts, "others")
	}
	return strings.Join(texts, " and ")
}

// doubtsOf says how many runs of both sides are not to be trusted for a reason that is not allowed, and why; empty when
// there are none.
func doubtsOf(pair Pair, allowed []string) string {
	samples := slices.Concat(pair.Baseline.Samples, pair.Candidate.Samples)
	var reasons []string
	doubtful := 0
	for _, sample := range samples {
		left := slices.DeleteFunc(slices.Clone(sample.Doubts), func(doubt string) bool {
			return slices.Contains(allowed, doubt)
		})
		if len(left) > 0 {
			doubtful++
			reasons = append(reasons, left...)
		}
	}
	if doubtful == 0 {
		return ""
	}
	named := slices.Compact(slices.Sorted(slices.Values(reasons)))
	return fmt.Sprintf("%d of the %d runs in doubt: %s", doubtful, len(samples),
		strings.Join(named[:min(mostNamed, len(named))], ", "))
}

// shorten cuts a text to a number of characters.
func shorten(text string, most int) string {
	characters := []rune(text)
	if len(characters) <= most {
		return text
	}
	return string(characters[:most-1]) + "…"
}
