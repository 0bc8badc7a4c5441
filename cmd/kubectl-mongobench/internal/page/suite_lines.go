package page

import (
	"cmp"
	"slices"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// SuiteLine is one line of the comparison with its texts. Message says what the verdict rests on.
type SuiteLine struct {
	benchv1alpha1.ComparisonLine

	BaselineText string `json:"baselineText"`
	MedianText   string `json:"medianText"`
	ChangeText   string `json:"changeText"`
	IntervalText string `json:"intervalText"`
	SamplesText  string `json:"samplesText"`
	// Figure and Pair are the indexes of what the line is about; Figure is -1 when no run has it.
	Figure int `json:"figure"`
	Pair   int `json:"pair"`
}

// SuitePair is a variant and what it is compared with.
type SuitePair struct {
	Variant  string `json:"variant"`
	Baseline string `json:"baseline"`
	// Known is false when the baseline's runs are not in the result, as those of another revision, so that nothing can be
	// said of their fingerprints but what the messages say.
	Known       bool              `json:"known"`
	Differences []SuiteDifference `json:"differences"`
}

// SuiteDifference is a field of the fingerprint in which the runs of a pair differ.
type SuiteDifference struct {
	Field string `json:"field"`
	// Baseline and Variant are the values that were seen.
	Baseline string `json:"baseline"`
	Variant  string `json:"variant"`
	// Declared says that the specifications of the two differ in what the field follows from, and Ignored that the suite
	// names it as one that does not matter.
	Declared bool `json:"declared"`
	Ignored  bool `json:"ignored,omitempty"`
}

func suiteLines(
	result comparison.Result, figures []SuiteFigure, ignored []string,
) ([]SuiteLine, []SuitePair) {
	lines, pairs := make([]SuiteLine, 0, len(result.Lines)), []SuitePair{}
	for _, line := range result.Lines {
		key := comparison.Key{Metric: line.Metric, Step: line.Step, Operation: line.Operation}
		isPair := func(p SuitePair) bool { return p.Variant == line.Variant && p.Baseline == line.Baseline }
		pair := slices.IndexFunc(pairs, isPair)
		if pair < 0 {
			pair = len(pairs)
			pairs = append(pairs, suitePair(result.Sides, line, ignored))
		}
		lines = append(lines, SuiteLine{
			ComparisonLine: line,
			BaselineText:   show.Quantity(line.Metric, line.BaselineMedian),
			MedianText:     show.Quantity(line.Metric, line.Median),
			ChangeText:     present.Change(line.EffectBasisPoints),
			IntervalText:   present.Interval(line.LowBasisPoints, line.HighBasisPoints),
			SamplesText: present.Known(line.BaselineSamples, present.Count) + "/" + present.Known(line.Samples,
				present.Count),
			Figure: slices.IndexFunc(figures, func(f SuiteFigure) bool { return f.Key == key }),
			Pair:   pair,
		})
	}
	return lines, pairs
}

func suitePair(sides []comparison.Side, line benchv1alpha1.ComparisonLine, ignored []string) SuitePair {
	pair := SuitePair{Variant: line.Variant, Baseline: line.Baseline, Differences: []SuiteDifference{}}
	named := func(name string) int {
		return slices.IndexFunc(sides, func(side comparison.Side) bool { return side.Name == name })
	}
	variant, baseline := named(line.Variant), named(line.Baseline)
	if variant < 0 || baseline < 0 {
		return pair
	}
	pair.Known = true
	pair.Differences = suiteDifferences(comparison.Pair{Baseline: sides[baseline], Candidate: sides[variant]}, ignored)
	return pair
}

// suiteDifferences are all fields in which the runs of a pair differ, those that were not declared first.
func suiteDifferences(pair comparison.Pair, ignored []string) []SuiteDifference {
	differences := []SuiteDifference{}
	for _, found := range comparison.AllDifferences(pair) {
		differences = append(differences, SuiteDifference{
			Field: found.Field, Baseline: fieldText(found.Baseline), Variant: fieldText(found.Candidate),
			Declared: found.Declared, Ignored: slices.Contains(ignored, found.Field),
		})
	}
	slices.SortStableFunc(differences, func(a, b SuiteDifference) int {
		switch {
		case a.Declared && b.Declared:
			return strings.Compare(a.Field, b.Field)
		case a.Declared:
			return 1
		case b.Declared:
			return -1
		}
		return 0
	})
	return differences
}

// fieldText are the values of a field over the runs of a side.
func fieldText(values []string) string {
	texts := slices.Clone(values)
	for i, value := range texts {
		texts[i] = cmp.Or(value, "unknown")
	}
	slices.Sort(texts)
	return strings.Join(texts, " and ")
}
