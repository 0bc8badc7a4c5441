package comparison

import (
	"cmp"
	"math"
	"slices"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// Key names a metric of a run.
type Key struct {
	Metric    benchv1alpha1.Metric `json:"metric"`
	Step      string               `json:"step,omitempty"`
	Operation string               `json:"operation,omitempty"`
}

// Figure is the value of one metric. Rates have fractions: an operation a second is a third less than one and a half.
type Figure struct {
	Key
	Value float64 `json:"value"`
}

// Sample is what is kept of a run that succeeded: every metric that can be compared, and what may have influenced it.
type Sample struct {
	Run        string `json:"run"`
	Variant    string `json:"variant"`
	SpecHash   string `json:"specHash"`
	Repetition int    `json:"repetition"`
	// Doubts are the reasons for which the run is not to be trusted, the gravest first; none when it is.
	Doubts []string `json:"doubts,omitempty"`
	// Figures in a fixed order.
	Figures []Figure `json:"figures"`
	// OmittedSteps is how many of its first steps have no figures, because the status of the run had no room for them.
	OmittedSteps int `json:"omittedSteps,omitempty"`
	// Fingerprint has a value for each field that may influence a result, by the field's name. A field that is not known,
	// or does not apply, has none.
	Fingerprint map[string]string `json:"fingerprint"`
}

// Side is the samples of one variant, and the specification that they were measured with.
type Side struct {
	// Name as people know it: the variant, or "<suite>@<revision>".
	Name    string                         `json:"name"`
	Spec    benchv1alpha1.BenchmarkRunSpec `json:"spec"`
	Samples []Sample                       `json:"samples"`
}

// Pair is a variant and what it is compared with.
type Pair struct {
	Baseline, Candidate Side
	// Paired says that the runs of the two sides were made in turn, so that those of one repetition were measured one
	// soon after the other and share what was the matter with the machines then.
	Paired bool
}

// Settings say how to compare.
type Settings struct {
	// Thresholds say what is compared; none stands for those of a suite that has none.
	Thresholds        []benchv1alpha1.Threshold
	IgnoreDifferences []string
	// AllowDoubts are the reasons for doubt with which a run decides all the same.
	AllowDoubts []string
	// Figures stand for a baseline when they are set; a Pair's Baseline is then empty. What has a figure is compared, by
	// the threshold that is about it or else by the usual limits.
	Figures []benchv1alpha1.Figure
}

// FigureBaseline is the name of the baseline in lines that compare with a fixed figure.
const FigureBaseline = "figure"

// Compare compares each pair, corrects for the number of comparisons, and sorts: what regressed, what improved, what
// cannot be judged, what was not detected, and what did not change. Of what changed the largest effect comes first;
// else the order is that of the pairs and of the samples' figures.
func Compare(pairs []Pair, settings Settings) []benchv1alpha1.ComparisonLine {
	matches := make([]match, 0, len(pairs))
	for _, pair := range pairs {
		matches = append(matches, matchesOf(pair, settings)...)
	}
	family := correct(matches)
	lines := make([]benchv1alpha1.ComparisonLine, 0, len(matches))
	for _, m := range matches {
		lines = append(lines, m.line(family))
	}
	sortLines(lines)
	return lines
}

// ResultVersion is the version of a Result's format.
const ResultVersion = "suite-result.mongobench.dev/v1alpha1"

// Result is the samples of one revision of a suite with their comparison, as it is kept and exported.
type Result struct {
	// Version is ResultVersion; encodeResult sets it.
	Version  string `json:"version"`
	Suite    string `json:"suite"`
	Revision string `json:"revision"`
	// Sides are the variants of the revision.
	Sides []Side `json:"sides"`
	// Lines are the whole comparison, in the order of Compare.
	Lines []benchv1alpha1.ComparisonLine `json:"lines,omitempty"`
	// Search is what a search knows; nil of any other suite.
	Search *benchv1alpha1.SuiteSearchStatus `json:"search,omitempty"`
	// OmittedFigures is the number of figures, over all samples, that are left out so that the result fits into a
	// ConfigMap.
	OmittedFigures int `json:"omittedFigures,omitempty"`
}

// MostLines is how many lines a suite's status takes.
const MostLines = 48

// sortLines puts what changed before what did not, and of what changed the largest effect first.
func sortLines(lines []benchv1alpha1.ComparisonLine) {
	order := []benchv1alpha1.Verdict{
		benchv1alpha1.VerdictRegressed, benchv1alpha1.VerdictImproved,
		benchv1alpha1.VerdictInconclusive, benchv1alpha1.VerdictNotDetected,
		benchv1alpha1.VerdictNotWorse, benchv1alpha1.VerdictUnchanged,
	}
	magnitude := func(line benchv1alpha1.ComparisonLine) int64 {
		switch {
		case line.Verdict != benchv1alpha1.VerdictRegressed && line.Verdict != benchv1alpha1.VerdictImproved:
			return 0
		case line.EffectBasisPoints == nil:
			return math.MaxInt64 // A change from 0 has no number and is the largest.
		}
		return absolute(*line.EffectBasisPoints)
	}
	slices.SortStableFunc(lines, func(a, b benchv1alpha1.ComparisonLine) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Verdict), slices.Index(order, b.Verdict)),
			cmp.Compare(magnitude(b), magnitude(a)))
	})
}

// Verdicts are all of them, the worst first.
var Verdicts = []benchv1alpha1.Verdict{
	benchv1alpha1.VerdictRegressed, benchv1alpha1.VerdictInconclusive, benchv1alpha1.VerdictNotDetected,
	benchv1alpha1.VerdictImproved, benchv1alpha1.VerdictNotWorse, benchv1alpha1.VerdictUnchanged,
}

// Worst is the verdict over all lines, in the order of Verdicts; empty for no lines.
func Worst(lines []benchv1alpha1.ComparisonLine) benchv1alpha1.Verdict {
	for _, verdict := range Verdicts {
		has := func(line benchv1alpha1.ComparisonLine) bool { return line.Verdict == verdict }
		if slices.ContainsFunc(lines, has) {
			return verdict
		}
	}
	return ""
}

// Trim keeps the first lines of a comparison, as many as a status takes at most, and says how many it left out.
func Trim(lines []benchv1alpha1.ComparisonLine, most int) (kept []benchv1alpha1.ComparisonLine, omitted int) {
	kept = slices.Clip(lines[:min(most, len(lines))])
	return kept, len(lines) - len(kept)
}

// Name is what people call a metric.
func Name(metric benchv1alpha1.Metric) string { return figure.ComparedBy(metric).Name }

// Quantity writes a value of a metric for people.
func Quantity(metric benchv1alpha1.Metric, value int64) string {
	switch figure.ComparedBy(metric).Unit {
	case figure.PerSecond:
		return present.Count(value) + "/s"
	case figure.PerMillion:
		return present.Count(value) + " per million"
	case figure.Ratio:
		return present.Ratio(value)
	case figure.Micros:
		return present.Micros(value)
	case figure.Millis:
		return present.Millis(value)
	case figure.Bytes:
		return present.Bytes(value)
	case figure.MoneyMicros, figure.MoneyNanos:
		return present.Money(value)
	case figure.Count:
	}
	return present.Count(value)
}

// limits are what one figure is judged by.
type limits struct {
	higherIsBetter bool
	// minEffect in percent.
	minEffect float64
	// confidence between 0 and 1.
	confidence float64
}

func (l limits) alpha() float64 { return 1 - l.confidence }

// limitsFor a key are those of ThresholdFor.
func (s Settings) limitsFor(key Key) limits {
	threshold := s.ThresholdFor(key)
	return limits{
		higherIsBetter: *threshold.Direction == benchv1alpha1.HigherIsBetter,
		minEffect:      float64(*threshold.MinEffectPercent),
		confidence:     float64(*threshold.ConfidencePercent) / 100,
	}
}

// ThresholdFor a figure is the one that says the most about it, with all defaults. Where none is about it, it is the
// usual one of the metric.
func (s Settings) ThresholdFor(key Key) benchv1alpha1.Threshold {
	thresholds := spec.Thresholds(s.Thresholds)
	if of := closest(thresholds, key); of >= 0 {
		return thresholds[of]
	}
	return spec.Thresholds([]benchv1alpha1.Threshold{{Metric: key.Metric}})[0]
}

// selects says whether a threshold is about a figure.
func selects(threshold benchv1alpha1.Threshold, key Key) bool {
	if threshold.Metric != key.Metric || threshold.Step != nil && *threshold.Step != key.Step {
		return false
	}
	if threshold.Operation != nil {
		return *threshold.Operation == key.Operation
	}
	return key.Operation == "" || !figure.ComparedBy(threshold.Metric).Overall
}

// closest is the index of the threshold that says the most about a key, of equals the first; -1 when none does.
func closest(thresholds []benchv1alpha1.Threshold, key Key) int {
	detail := func(of benchv1alpha1.Threshold) (named int) {
		for _, name := range []*string{of.Step, of.Operation} {
			if name != nil {
				named++
			}
		}
		return named
	}
	best := -1
	for i, threshold := range thresholds {
		if selects(threshold, key) && (best < 0 || detail(threshold) > detail(thresholds[best])) {
			best = i
		}
	}
	return best
}

// subject is one figure that is to be compared.
type subject struct {
	key    Key
	limits limits
	// figure is what it is compared with; nil for the samples of a baseline.
	figure *int64
}

// subjects are what the settings ask for of these samples: fixed figures where there are any, else thresholds, in their
// order, and of one of them in that of the samples' figures. One that is about no figure has a subject all the same.
func (s Settings) subjects(samples []Sample) []subject {
	asked := spec.Thresholds(s.Thresholds)
	if len(s.Figures) > 0 {
		asked = spec.FigureThresholds(s.Figures)
	}
	keys := Keys(Side{Samples: samples})
	var chosen []subject
	for i, one := range asked {
		found := false
		add := func(key Key) {
			subject := subject{key: key, limits: s.limitsFor(key)}
			if len(s.Figures) > 0 {
				subject.figure = s.Figures[i].Value
			}
			chosen = append(chosen, subject)
		}
		for _, key := range keys {
			found = found || selects(one, key)
			if closest(asked, key) == i {
				add(key)
			}
		}
		if !found {
			add(Key{Metric: one.Metric, Step: ptr.Deref(one.Step, ""), Operation: ptr.Deref(one.Operation, "")})
		}
	}
	return chosen
}

// Keys are those of the figures of all samples, in the order in which they are first seen.
func Keys(sides ...Side) []Key {
	var keys []Key
	seen := make(map[Key]bool)
	for _, side := range sides {
		for _, sample := range side.Samples {
			for _, figure := range sample.Figures {
				if !seen[figure.Key] {
					seen[figure.Key] = true
					keys = append(keys, figure.Key)
				}
			}
		}
	}
	return keys
}
