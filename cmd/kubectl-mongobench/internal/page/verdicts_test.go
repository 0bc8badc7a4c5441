package page_test

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// comparedPage is the comparison on the page of two runs, as a browser reads it: the names of the first table's
// columns, its rows, and those of the reasons.
func comparedPage(t *testing.T, result comparison.Result) (columns []string, rows, why [][]any) {
	t.Helper()
	sources := []page.Source{
		{Name: "a", Report: built(t, shape{seconds: 5, operations: 1, seed: 1})},
		{Name: "b", Report: built(t, shape{seconds: 5, operations: 1, seed: 2})},
	}
	var whole strings.Builder
	if err := page.WriteCompared(&whole, sources, result); err != nil {
		t.Fatal(err)
	}
	var data struct {
		Comparison *struct {
			Tables []struct {
				Columns []present.Column `json:"columns"`
				Rows    [][]any          `json:"rows"`
			} `json:"tables"`
		} `json:"comparison"`
	}
	if err := json.Unmarshal([]byte(embeds.FindStringSubmatch(whole.String())[1]), &data); err != nil {
		t.Fatal(err)
	}
	if data.Comparison == nil {
		return nil, nil, nil
	}
	for _, column := range data.Comparison.Tables[0].Columns {
		columns = append(columns, column.Name)
	}
	return columns, data.Comparison.Tables[0].Rows, data.Comparison.Tables[1].Rows
}

// TestVerdictsOnThePageAreThoseOfTheCSV compares what is sorted and copied, and the verdicts in words.
func TestVerdictsOnThePageAreThoseOfTheCSV(t *testing.T) {
	stored := madeUpSuite(t, small)
	var table strings.Builder
	if err := comparison.WriteComparison(&table, stored.Result); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(table.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns, rows, why := comparedPage(t, stored.Result)
	if len(rows) != len(lines)-1 || len(rows) == 0 {
		t.Fatalf("the page has %d lines, and the CSV %d", len(rows), len(lines)-1)
	}
	names := map[string]string{
		"metric": "metric", "of": "variant", "against": "baseline", "baseline": "baselineMedian", "value": "median",
		"change": "effectPercent", "verdict": "verdict",
	}
	for i, row := range rows {
		if want := lines[i+1][slices.Index(lines[0], "message")]; why[i][2] != want {
			t.Errorf("line %d: the reason is %v, and %s in the CSV", i, why[i][2], want)
		}
		for column, name := range names {
			want := onThePage(name, lines[i+1][slices.Index(lines[0], name)])
			if got := exact(row[slices.Index(columns, column)]); got != want {
				t.Errorf("line %d: %s is %q, and %s of the CSV %q", i, column, got, name, want)
			}
		}
	}
}

// onThePage is how the page writes a value of a column of the CSV.
func onThePage(column, value string) string {
	if column == "metric" {
		return comparison.Name(benchv1alpha1.Metric(value))
	}
	if number, err := strconv.ParseFloat(value, 64); err == nil {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return value
}

// exact is the value of a cell as JSON has it, without the sign of a verdict.
func exact(cell any) string {
	if parts, ok := cell.([]any); ok {
		number, _ := parts[1].(float64)
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	words, _ := cell.(string)
	for _, sign := range []string{"✖ ", "✔ ", "? ", "~ ", "≥ ", "= "} {
		words = strings.TrimPrefix(words, sign)
	}
	return words
}

func TestALineWithoutFiguresHasDashes(t *testing.T) {
	columns, rows, why := comparedPage(t, comparison.Result{Lines: []benchv1alpha1.ComparisonLine{{
		Metric: benchv1alpha1.MetricP99Micros, Variant: "b", Baseline: "a", Verdict: benchv1alpha1.VerdictInconclusive,
	}}})
	for _, column := range []string{"step", "operation", "baseline", "value", "change", "interval"} {
		if got := rows[0][slices.Index(columns, column)]; got != "-" {
			t.Errorf("%s is %v", column, got)
		}
	}
	if why[0][2] != "-" {
		t.Errorf("the reason is %v", why[0][2])
	}
}

func TestRunsThatWereNotComparedHaveNoVerdicts(t *testing.T) {
	if _, rows, _ := comparedPage(t, comparison.Result{}); rows != nil {
		t.Errorf("there are verdicts: %v", rows)
	}
}
