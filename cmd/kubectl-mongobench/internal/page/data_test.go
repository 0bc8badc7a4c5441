package page_test

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

func dataOf(t *testing.T, sources ...page.Source) page.Data {
	t.Helper()
	data, err := page.Of(sources)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// csvOf are the lines of the CSV of a report, each by the names of its columns.
func csvOf(t *testing.T, report reportv1.Report) []map[string]string {
	t.Helper()
	var out bytes.Buffer
	if err := output.CSV(&out, report); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	lines := make([]map[string]string, 0, len(rows))
	for _, row := range rows[1:] {
		line := map[string]string{}
		for i, name := range rows[0] {
			line[name] = row[i]
		}
		lines = append(lines, line)
	}
	return lines
}

// valueIn is the exact value of a cell in the row whose first cells are these.
func valueIn(t *testing.T, table present.Table, column string, begins ...string) string {
	t.Helper()
	at := slices.IndexFunc(table.Columns, func(c present.Column) bool { return c.Name == column })
	if at < 0 {
		t.Fatalf("table %q has no column %q", table.Caption, column)
	}
	for _, row := range table.Rows {
		matches := true
		for i, begin := range begins {
			matches = matches && row[i].Text == begin
		}
		if !matches {
			continue
		}
		if row[at].Value == nil {
			return row[at].Text
		}
		return strconv.FormatFloat(*row[at].Value, 'f', -1, 64)
	}
	t.Fatalf("table %q has no row %v", table.Caption, begins)
	return ""
}

func TestTheTablesHaveTheValuesOfTheCSV(t *testing.T) {
	report := built(t, shape{seconds: 40, operations: 3, servers: 2, open: true, seed: 5})
	data := dataOf(t, page.Source{Name: "one", Report: report})
	table := data.Steps[0].Tables[0]
	names := map[string]string{
		"count": "count", "errors": "errors", "ops/s": "operationsPerSecond", "mean": "meanMicros", "p50": "p50Micros",
		"p95": "p95Micros", "p99": "p99Micros", "p99.9": "p999Micros", "max": "maxMicros",
	}
	service := map[string]string{
		"mean": "serviceMeanMicros", "p50": "serviceP50Micros", "p99": "serviceP99Micros", "max": "serviceMaxMicros",
	}
	compared := 0
	for _, line := range csvOf(t, report) {
		if line["step"] != "mixed" {
			continue
		}
		operation := line["operation"]
		if operation == "" {
			operation = "all"
		}
		haveValues(t, table, line, names, operation, line["kind"], "response")
		haveValues(t, table, line, service, operation, line["kind"], "service")
		compared++
	}
	if compared != 4 {
		t.Errorf("%d lines were compared, want those of 3 operations and of all together", compared)
	}
}

// haveValues compares columns of a row, which begins so, with those of a line of the CSV.
func haveValues(t *testing.T, table present.Table, line, columns map[string]string, begins ...string) {
	t.Helper()
	for column, name := range columns {
		if got := valueIn(t, table, column, begins...); got != line[name] {
			t.Errorf("%s of %v is %s, and %s in the CSV", column, begins, got, line[name])
		}
	}
}

func TestTheWordsAreThoseOfTheText(t *testing.T) {
	report := built(t, shape{seconds: 40, operations: 2, servers: 2, seed: 6})
	var text strings.Builder
	if err := output.Text(&text, report); err != nil {
		t.Fatal(err)
	}
	data := dataOf(t, page.Source{Name: "one", Report: report})
	for _, table := range data.Steps[0].Tables {
		for _, row := range table.Rows {
			haveWords(t, text.String(), table.Columns, row)
		}
	}
	for _, facts := range [][]present.Fact{data.Runs[0].Facts[:2], data.Steps[0].Facts[0].Facts[4:]} {
		for _, fact := range facts {
			if !strings.Contains(text.String(), fact.Text) {
				t.Errorf("%s: the text does not have %q", fact.Name, fact.Text)
			}
		}
	}
	if !strings.Contains(text.String(), data.Runs[0].Trust.Text) {
		t.Errorf("the text does not say %q", data.Runs[0].Trust.Text)
	}
}

// haveWords looks for what a row says. A text with one time only has no column that says which.
func haveWords(t *testing.T, text string, columns []present.Column, row []present.Cell) {
	t.Helper()
	for i, cell := range row {
		if columns[i].Name != "time" && !strings.Contains(text, cell.Text) {
			t.Errorf("%s: the text does not have %q", columns[i].Name, cell.Text)
		}
	}
}

// levelOf is where a percentile stands.
var levelOf = map[float64]func(reportv1.OperationSummary) int64{
	2:    func(o reportv1.OperationSummary) int64 { return o.P50Micros },
	20:   func(o reportv1.OperationSummary) int64 { return o.P95Micros },
	100:  func(o reportv1.OperationSummary) int64 { return o.P99Micros },
	1000: func(o reportv1.OperationSummary) int64 { return o.P999Micros },
}

func TestTheDistributionsHaveThePercentilesOfTheTables(t *testing.T) {
	report := built(t, shape{seconds: 40, operations: 3, seed: 7})
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	data := dataOf(t, page.Source{Name: "one", Report: report})
	found := data.Runs[0].Steps[1].Distributions
	if len(found) != 4 {
		t.Fatalf("there are %d distributions, want those of all together and of 3 operations", len(found))
	}
	wanted := append([]reportv1.OperationSummary{summary.Steps[0].Overall}, summary.Steps[0].Operations...)
	for i, distribution := range found {
		hasPercentiles(t, data.Levels, distribution, wanted[i])
	}
}

func hasPercentiles(t *testing.T, levels []float64, found page.Distribution, wanted reportv1.OperationSummary) {
	t.Helper()
	for level, of := range levelOf {
		at := slices.Index(levels, level)
		if at < 0 || at >= len(found.Values) {
			t.Fatalf("%q has no value at %g", found.Name, level)
		}
		if got, want := found.Values[at], float64(of(wanted)); got != want {
			t.Errorf("%q at %g is %g, want %g", found.Name, level, got, want)
		}
	}
	if last := found.Values[len(found.Values)-1]; last != float64(wanted.MaxMicros) {
		t.Errorf("%q ends at %g, want the slowest, %d", found.Name, last, wanted.MaxMicros)
	}
	if !slices.IsSorted(found.Values) {
		t.Errorf("%q falls", found.Name)
	}
}

func TestEveryIntervalIsAPointWhereThereIsRoom(t *testing.T) {
	report := built(t, shape{seconds: 60, operations: 2, servers: 1, seed: 8})
	step := report.Steps[1]
	series := dataOf(t, page.Source{Name: "one", Report: report}).Runs[0].Steps[1]
	if series.Joined != 1 || series.HeatJoined != 1 || series.Whole != 60 || series.Interval != 1 {
		t.Fatalf("joined %d and %d of %d intervals of %g s", series.Joined, series.HeatJoined, series.Whole, series.Interval)
	}
	for i, operation := range step.Operations {
		hasIntervals(t, series.Operations[i], operation)
	}
	if series.Operations[0].Errors == nil || series.Operations[1].Errors != nil {
		t.Error("the errors are not those of the first operation alone")
	}
	if series.From != 10 || series.Measure != 15 || series.To != 75.12 {
		t.Errorf("the step is from %g, counted from %g, to %g", series.From, series.Measure, series.To)
	}
}

func hasIntervals(t *testing.T, series page.Series, operation reportv1.Operation) {
	t.Helper()
	for second, count := range operation.Intervals {
		if got := series.Rate[second]; got != float64(count) {
			t.Fatalf("%s at %d s: %g a second, want %d", operation.Name, second, got, count)
		}
		want := float64(result.IntervalQuantile(operation.IntervalTimes[second], 0.99))
		if got := series.Percentiles[2][second]; got != want {
			t.Fatalf("%s at %d s: p99 %g, want %g", operation.Name, second, got, want)
		}
	}
}

// countedIn are the operations that the points of a series are of, and the columns of its heat map.
func countedIn(step page.StepSeries, series page.Series) (points float64, cells int64) {
	for at, rate := range series.Rate {
		from := at * step.Joined
		points += rate * float64(min(from+step.Joined, step.Whole)-from)
	}
	for _, column := range series.Heat {
		for _, count := range column[1:] {
			cells += count
		}
	}
	return points, cells
}

// TestWhatIsJoinedIsSaidAndLosesNoOperation has more intervals than a page has room for.
func TestWhatIsJoinedIsSaidAndLosesNoOperation(t *testing.T) {
	report := built(t, shape{seconds: 3601, operations: 8, servers: 4, seed: 9})
	data := dataOf(t, page.Source{Name: "long", Report: report})
	series := data.Runs[0].Steps[1]
	if series.Joined < 2 || series.HeatJoined <= series.Joined {
		t.Fatalf("joined %d and %d", series.Joined, series.HeatJoined)
	}
	for i, operation := range report.Steps[1].Operations {
		points, cells := countedIn(series, series.Operations[i])
		// Rates have three decimals.
		if math.Abs(points-float64(operation.Count)) > 10 {
			t.Errorf("%s: the points are of %g operations, want %d", operation.Name, points, operation.Count)
		}
		if cells != operation.Count {
			t.Errorf("%s: the heat map is of %d operations, want %d", operation.Name, cells, operation.Count)
		}
	}
	said := strings.Join(data.Notes, "\n")
	for _, words := range []string{
		"each point is of " + strconv.Itoa(series.Joined) + " intervals", "Each column of the heat maps is of ",
		"Of the servers, each point is of ",
	} {
		if !strings.Contains(said, words) {
			t.Errorf("the notes do not say %q:\n%s", words, said)
		}
	}
}

func TestSeveralRunsAreLaidOverEachOther(t *testing.T) {
	first := built(t, shape{seconds: 40, operations: 2, seed: 1})
	second := built(t, shape{seconds: 40, operations: 2, seed: 2})
	second.Server.Version = "7.0.14"
	data := dataOf(t, page.Source{Name: "a", Report: first}, page.Source{Name: "b", Report: second})
	if data.Title != "a and b" || len(data.Runs) != 2 || data.Tiles != nil {
		t.Errorf("the page %q is of %d runs, with the tiles %v", data.Title, len(data.Runs), data.Tiles)
	}
	if said := valueIn(t, *data.Setup, "differs", "Server"); said != "differs" {
		t.Errorf("the servers are of different versions, and it says %q", said)
	}
	if said := valueIn(t, *data.Setup, "differs", "Persistence"); said != "" {
		t.Errorf("the persistence is the same, and it says %q", said)
	}
	summaries := make([]reportv1.OperationSummary, 0, 2)
	for _, report := range []reportv1.Report{first, second} {
		summary, err := result.Summarise(report)
		if err != nil {
			t.Fatal(err)
		}
		summaries = append(summaries, summary.Steps[0].Overall)
	}
	want := 100 * float64(summaries[1].P99Micros-summaries[0].P99Micros) / float64(summaries[0].P99Micros)
	if got := valueIn(t, *data.Overview, "p99 Δ", "mixed", "b"); got != strconv.FormatFloat(want, 'f', -1, 64) {
		t.Errorf("the p99 differs by %s %%, want %g", got, want)
	}
	if got := valueIn(t, *data.Overview, "p99 Δ", "mixed", "a"); got != "-" {
		t.Errorf("the p99 of the first run differs from itself by %s", got)
	}
	if got := valueIn(t, data.Steps[0].Tables[0], "count", "all", "b"); got != strconv.FormatInt(summaries[1].Count, 10) {
		t.Errorf("b has %s operations, want %d", got, summaries[1].Count)
	}
}

func TestWriteConcernsAreOfProductsThatHaveThem(t *testing.T) {
	for product, want := range map[string]bool{
		"": true, reportv1.ProductMongoDB: true, reportv1.ProductMariaDB: false, reportv1.ProductMySQL: false,
	} {
		report := built(t, shape{seconds: 5, operations: 1, seed: 1})
		report.Server.Product, report.Server.DefaultWriteConcern = product, "majority"
		facts := dataOf(t, page.Source{Name: "a", Report: report}).Runs[0].Facts
		told := slices.ContainsFunc(facts, func(fact present.Fact) bool {
			return fact.Name == "Persistence" && strings.Contains(fact.Text, "default write concern majority")
		})
		if told != want {
			t.Errorf("of %q it says %v that there is a default write concern, want %v", product, told, want)
		}
	}
}
