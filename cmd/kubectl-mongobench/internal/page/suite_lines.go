package page

import (
	"maps"
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

// suiteDifferences are all fields in which the runs of a pair differ, those that nobody declared first.
func suiteDifferences(pair comparison.Pair, ignored []string) []SuiteDifference {
	found := comparison.Differences(pair, nil)
	undeclared := make([]string, 0, len(found))
	for _, difference := range found {
		undeclared = append(undeclared, difference.Field)
	}
	differences := []SuiteDifference{}
	for _, field := range slices.Concat(undeclared, fieldsOf(pair)) {
		seen := func(d SuiteDifference) bool { return d.Field == field }
		if slices.ContainsFunc(differences, seen) {
			continue
		}
		baseline, variant := fieldText(pair.Baseline, field), fieldText(pair.Candidate, field)
		if isUndeclared := slices.Contains(undeclared, field); isUndeclared || baseline != variant {
			differences = append(differences, SuiteDifference{
				Field: field, Baseline: baseline, Variant: variant, Declared: !isUndeclared,
				Ignored: slices.Contains(ignored, field),
			})
		}
	}
	return differences
}

// fieldsOf are the fields that any run of a pair has, sorted.
func fieldsOf(pair comparison.Pair) []string {
	names := map[string]bool{}
	for _, sample := range slices.Concat(pair.Baseline.Samples, pair.Candidate.Samples) {
		for name := range sample.Fingerprint {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// fieldText are the values of a field over the runs of a side.
func fieldText(side comparison.Side, field string) string {
	values := make([]string, 0, len(side.Samples))
	for _, sample := range side.Samples {
		value := sample.Fingerprint[field]
		if value == "" {
			value = "unknown"
		}
		values = append(values, value)
	}
	slices.Sort(values)
	return strings.Join(slices.Compact(values), " and ")
}
