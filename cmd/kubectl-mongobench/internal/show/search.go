package show

import (
	"fmt"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// constrained are the constraint that decides about a variant, the figure that it has of it, and the figure's bounds.
func constrained(tried benchv1alpha1.SearchedVariant) (text, value, interval string) {
	limit := tried.Constraint
	if limit == nil {
		return present.Unknown, present.Unknown, present.Unknown
	}
	figure := func(millis *int64) string {
		return present.Known(millis, func(value int64) string {
			const half = 500
			return comparison.Quantity(limit.Metric, (value+half)/1000)
		})
	}
	interval = present.Unknown
	if tried.LowMillis != nil || tried.HighMillis != nil {
		interval = figure(tried.LowMillis) + " to " + figure(tried.HighMillis)
	}
	return comparison.ConstraintText(*limit), figure(tried.ValueMillis), interval
}

// objective is what is minimised, for people.
func objective(minimise benchv1alpha1.SuiteObjective, value int64) string {
	switch minimise {
	case benchv1alpha1.MinimiseCPU:
		return capacity.Cores(value) + " CPU"
	case benchv1alpha1.MinimiseMemory:
		return present.Bytes(value)
	case benchv1alpha1.MinimiseMembers:
		return present.Plural(value, "member")
	default:
		return comparison.Quantity(benchv1alpha1.MetricCostPerMonthAtRateMicros, value) + " a month"
	}
}

// searchPart adds what a search found.
func searchPart(text *present.Document, search *benchv1alpha1.SuiteSearchStatus) {
	if search == nil {
		return
	}
	text.Heading("Search")
	text.Line("%s", search.Message)
	if table := Tried(search); len(table.Rows) > 0 {
		text.Space()
		text.Table(*table)
	}
	text.Part("What else happened", happened(search))
}

// Tried are the variants that a search tried.
func Tried(search *benchv1alpha1.SuiteSearchStatus) *present.Table {
	rows := present.NewTable([]string{"VERDICT", "VARIANT"}, "RUNS", strings.ToUpper(string(search.Minimise)))
	rows.Columns = append(rows.Columns, present.Columns("CONSTRAINT")...)
	rows.Columns = append(rows.Columns, present.Numbers("VALUE", "INTERVAL")...)
	for _, one := range search.Tried {
		least := present.Known(one.Objective, func(value int64) string { return objective(search.Minimise, value) })
		limit, value, interval := constrained(one)
		rows.Add(string(one.Verdict), one.Variant, number(one.Runs), least, limit, value, interval)
	}
	return rows
}

// happened are the messages about variants.
func happened(search *benchv1alpha1.SuiteSearchStatus) *present.Table {
	rows := present.NewTable([]string{"VARIANT", "MESSAGE"})
	for _, one := range search.Tried {
		if one.Message != "" {
			rows.Add(one.Variant, one.Message)
		}
	}
	return rows
}

// endOfSearch is that of a suite that searches and is complete.
func endOfSearch(suite *benchv1alpha1.BenchmarkSuite) (Ending, string) {
	search := suite.Status.Search
	passed := current(suite, benchv1alpha1.SuitePassed)
	switch {
	case passed == nil || passed.Reason == benchv1alpha1.ReasonNotCompared:
		return Open, ""
	case search.Outcome == benchv1alpha1.SearchFound && passed.Reason == benchv1alpha1.ReasonFound:
		return Succeeded, "found: " + search.Message
	default:
		return Failed, fmt.Sprintf("not found: %s: %s", passed.Reason, passed.Message)
	}
}

// searchVerdict is the outcome of a search in a word or two.
func searchVerdict(search *benchv1alpha1.SuiteSearchStatus) string {
	switch search.Outcome {
	case benchv1alpha1.SearchGoesOn:
		return present.Unknown
	case benchv1alpha1.SearchFound:
		return search.Variant
	case benchv1alpha1.SearchNothingKeeps:
		return "nothing keeps"
	default:
		return "not known"
	}
}
