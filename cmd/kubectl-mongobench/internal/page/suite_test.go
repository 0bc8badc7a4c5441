package page_test

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/testing/madeup"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

func madeUpSuite(t *testing.T, shape madeup.SuiteShape) cluster.Stored {
	t.Helper()
	stored, err := madeup.Suite(shape)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func suiteOf(t *testing.T, stored cluster.Stored) page.SuiteData {
	t.Helper()
	data, err := page.SuiteOf(stored)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var small = madeup.SuiteShape{Name: "small", Shards: []int32{1, 2, 4}, Repetitions: 10, Revisions: 12, Seed: 1}

func TestValuesOfASuitesPageAreThoseOfItsCSV(t *testing.T) {
	stored := madeUpSuite(t, small)
	data := suiteOf(t, stored)
	var table strings.Builder
	if err := comparison.WriteCSV(&table, stored.Result); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(table.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want, got := make([]string, 0, len(rows)), make([]string, 0, len(rows))
	for _, row := range rows[1:] {
		// Variant, run, doubts, step, operation, metric, value.
		want = append(want, fmt.Sprint(row[2], row[4], row[5], row[6], row[7], row[8], row[10]))
	}
	for _, figure := range data.Figures {
		for at, values := range figure.Variants {
			for i, value := range values.Values {
				run := data.Variants[at].Runs[i]
				got = append(got, fmt.Sprint(data.Variants[at].Name, run.Name, run.Doubts, figure.Step, figure.Operation,
					string(figure.Metric), strconv.FormatFloat(*value, 'f', -1, 64)))
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("%d values, -csv +page:\n%s", len(want), diff)
	}
}

func TestTextsOfASuitesPageAreThoseOfItsTextForm(t *testing.T) {
	stored := madeUpSuite(t, small)
	data := suiteOf(t, stored)
	var text strings.Builder
	if err := show.Comparison(&text, false, stored.Result); err != nil {
		t.Fatal(err)
	}
	var rows []string
	for row := range strings.SplitSeq(text.String(), "\n") {
		rows = append(rows, strings.Join(strings.Fields(row), " "))
	}
	or := func(text string) string {
		if text == "" {
			return "-"
		}
		return text
	}
	for _, line := range data.Lines {
		want := strings.Join([]string{
			string(line.Verdict), line.Variant, line.Baseline, or(line.Step), or(line.Operation), comparison.Name(line.Metric),
			line.BaselineText, line.MedianText, line.ChangeText, line.IntervalText, line.SamplesText,
		}, " ")
		if !slices.Contains(rows, want) {
			t.Errorf("the text form has no line %q", want)
		}
	}
	for _, figure := range data.Figures {
		want := []string{or(figure.Step), or(figure.Operation), comparison.Name(figure.Metric)}
		for _, values := range figure.Variants {
			want = append(want, values.MedianText)
		}
		if !slices.Contains(rows, strings.Join(want, " ")) {
			t.Errorf("the text form has no medians %q", want)
		}
	}
	if len(data.Lines) != len(stored.Lines) || len(data.Figures) == 0 {
		t.Errorf("the page has %d lines and %d figures, want %d and some", len(data.Lines), len(data.Figures),
			len(stored.Lines))
	}
}

func TestEveryVerdictOfASuiteHasItsReason(t *testing.T) {
	data := suiteOf(t, madeUpSuite(t, small))
	seen := map[benchv1alpha1.Verdict]bool{}
	for _, line := range data.Lines {
		seen[line.Verdict] = true
		if line.Message == "" || line.Figure < 0 || line.Differs == "" {
			t.Errorf("a line is without its reason, figure or differences: %+v", line)
		}
	}
	if len(seen) != 6 {
		t.Errorf("the verdicts are %v, want all six", seen)
	}
}

func TestMediansHaveTheIntervalThatTheirRunsAllow(t *testing.T) {
	for repetitions, want := range map[int]string{1: "", 2: "50 %", 5: "93.7 %", 10: "97.8 %"} {
		shape := small
		shape.Repetitions = repetitions
		values := suiteOf(t, madeUpSuite(t, shape)).Figures[0].Variants[0]
		if values.ConfidenceText != want || (values.Low == nil) != (want == "") {
			t.Errorf("of %d runs the confidence is %q, want %q", repetitions, values.ConfidenceText, want)
		}
		if values.Low != nil && (*values.Low > *values.Median || *values.Median > *values.High) {
			t.Errorf("the median %d is outside %d to %d", *values.Median, *values.Low, *values.High)
		}
	}
}

func TestDifferencesOfFingerprintsAreDeclaredOrNot(t *testing.T) {
	data := suiteOf(t, madeUpSuite(t, small))
	const last, first = "inmemory-shards4", "wiredtiger-shards1"
	want := [][]string{
		{last, first, "kernels", "no", "6.1.0-28", "6.1.0-20"},
		{last, first, "shards", "yes", "4", "1"},
		{last, first, "storageEngine", "yes", "InMemory", "WiredTiger"},
	}
	if diff := cmp.Diff(want, differencesOf(data, last)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, line := range data.Lines {
		if words := "kernels (undeclared), shards, storageEngine"; line.Variant == last && line.Differs != words {
			t.Errorf("a line differs in %q, want %q", line.Differs, words)
		}
	}
}

// differencesOf are the rows about a variant.
func differencesOf(data page.SuiteData, variant string) [][]string {
	return slices.DeleteFunc(textsOf(&data.Differences), func(row []string) bool { return row[0] != variant })
}

func TestABaselineThatIsNotInTheResultIsNotKnown(t *testing.T) {
	stored := madeUpSuite(t, small)
	for i := range stored.Lines {
		stored.Lines[i].Baseline = "small@r001"
	}
	data := suiteOf(t, stored)
	if len(data.Differences.Rows) > 0 || !slices.Equal(data.Unknown, []string{"small@r001"}) {
		t.Errorf("%q is not known, and of it is said %v", data.Unknown, data.Differences.Rows)
	}
	for _, line := range data.Lines {
		if line.Differs != "not in this result" {
			t.Errorf("something is said to be known of %+v", line)
		}
	}
}

func TestVariantsThatDifferInANumberMakeCurves(t *testing.T) {
	want := []page.SuiteScale{{
		Path: "target.sharded.shards", With: []string{}, Curves: []page.SuiteCurve{
			{Name: "wiredtiger", Points: []page.SuitePoint{{X: 1, Variant: 0}, {X: 2, Variant: 1}, {X: 4, Variant: 2}}},
			{Name: "inmemory", Points: []page.SuitePoint{{X: 1, Variant: 3}, {X: 2, Variant: 4}, {X: 4, Variant: 5}}},
		},
	}}
	if diff := cmp.Diff(want, suiteOf(t, madeUpSuite(t, small)).Scales); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// scaleSides are variants with as much memory, and shards in their names.
func scaleSides(shards ...int32) []comparison.Side {
	sides := make([]comparison.Side, 0, len(shards))
	for i, count := range shards {
		target := targettest.Shards(fmt.Sprintf("4.%d", count), // No number.
			benchv1alpha1.ShardedSpec{Shards: new(count)})
		target.MongoDB.Resources = targettest.Limits("", fmt.Sprintf("%dGi", 24/count))
		sides = append(sides, comparison.Side{
			Name: fmt.Sprintf("shards%d", count),
			Spec: benchv1alpha1.BenchmarkRunSpec{
				Seed:   new(int64(i)), // No size.
				Target: &target,
			},
		})
	}
	return sides
}

func TestOfNumbersThatChangeTogetherTheOneInTheNamesIsTheScale(t *testing.T) {
	stored := cluster.Stored{Result: comparison.Result{Sides: scaleSides(1, 2, 4, 6)}}
	scales := suiteOf(t, stored).Scales
	if len(scales) != 1 || scales[0].Path != "target.sharded.shards" || scales[0].Unit != "" {
		t.Fatalf("the scales are %+v, want the shards alone", scales)
	}
	if want := []string{"seed", "target.resources.limits.memory", "target.version"}; !cmp.Equal(scales[0].With, want) {
		t.Errorf("with the shards change %q, want %q", scales[0].With, want)
	}
	if scales[0].Curves[0].Name != "all variants" || len(scales[0].Curves[0].Points) != 4 {
		t.Errorf("the curves are %+v", scales[0].Curves)
	}
}

func TestQuantitiesAreScalesInTheirUnit(t *testing.T) {
	sides := scaleSides(1, 2, 4)
	for i := range sides {
		sides[i].Name = string("abc"[i])
		sides[i].Spec.Target.MongoDB.Sharded = nil
	}
	scales := suiteOf(t, cluster.Stored{Result: comparison.Result{Sides: sides}}).Scales
	if len(scales) != 1 || scales[0].Path != "target.resources.limits.memory" || scales[0].Unit != "MiB" {
		t.Fatalf("the scales are %+v, want the memory in MiB", scales)
	}
	if first := scales[0].Curves[0].Points[0]; first.X != 6<<10 || first.Variant != 2 {
		t.Errorf("the smallest is %+v, want 6144 MiB of the last variant", first)
	}
}

// TestTwoProductsHaveOneScale: the same setting is at another place of the specification of each product.
func TestTwoProductsHaveOneScale(t *testing.T) {
	sides := scaleSides(1, 2, 4)
	for i := range sides {
		target := sides[i].Spec.Target
		target.MongoDB.Sharded, target.MongoDB.Resources, target.MongoDB.Version = nil, nil, "6.0.5"
		target.MongoDB.Storage = targettest.Directory("", fmt.Sprintf("%dGi", 1+i))
		rows := targettest.MariaDB("bench", "rows").Spec
		rows.MariaDB.Storage = target.MongoDB.Storage
		sides = append(sides, comparison.Side{
			Name: fmt.Sprintf("rows%d", i), Spec: benchv1alpha1.BenchmarkRunSpec{Seed: sides[i].Spec.Seed, Target: &rows},
		})
	}
	scales := suiteOf(t, cluster.Stored{Result: comparison.Result{Sides: sides}}).Scales
	if len(scales) != 1 || scales[0].Path != "target.storage.emptyDir.sizeLimit" || scales[0].Unit != "MiB" {
		t.Fatalf("the scales are %+v, want the size in MiB", scales)
	}
	if curves := scales[0].Curves; len(curves) != 2 || len(curves[0].Points) != 3 || len(curves[1].Points) != 3 {
		t.Errorf("the curves are %+v, want one of each product", curves)
	}
}

func TestTwoNumbersMakeNoCurve(t *testing.T) {
	if scales := suiteOf(t, cluster.Stored{Result: comparison.Result{Sides: scaleSides(1, 2)}}).Scales; len(scales) > 0 {
		t.Errorf("the scales are %+v, want none", scales)
	}
}

func TestHistoryHasItsChangePoints(t *testing.T) {
	shape := small
	shape.Revisions = 60
	data := suiteOf(t, madeUpSuite(t, shape))
	if len(data.History.Revisions) != shape.Revisions {
		t.Fatalf("there are %d revisions, want %d", len(data.History.Revisions), shape.Revisions)
	}
	for _, series := range data.History.Series {
		if series.Values[0] == nil || len(series.Values) != shape.Revisions {
			t.Errorf("%s of %s has the values %v", series.Metric, series.Variant, series.Values)
		}
		fell := series.Variant == "wiredtiger-shards2" && series.Metric == benchv1alpha1.MetricOperationsPerSecond
		if !fell {
			continue
		}
		if len(series.Changes) != 1 || series.Changes[0].Index != 30 || series.Changes[0].BasisPoints > -4500 {
			t.Errorf("the throughput that fell to a half has the changes %+v", series.Changes)
		}
	}
}

func TestAHistoryThatIsNotThereOrNoneIsSaid(t *testing.T) {
	stored := madeUpSuite(t, small)
	stored.OmittedFigures = 1234
	delete(stored.Files.Text, comparison.OtavaKey)
	data := suiteOf(t, stored)
	if data.History != nil || len(data.Notes) != 2 || !strings.Contains(data.Notes[0], "1,234 figures") {
		t.Errorf("history %v, notes %q", data.History, data.Notes)
	}
	stored.Files.Text[comparison.OtavaKey] = "time,revision,branch,P99Micros.read.find\nyesterday,r1,a,1\n"
	if _, err := page.SuiteOf(stored); err == nil || !strings.Contains(err.Error(), "otava.csv of suite small") {
		t.Errorf("got error %v, want one that names the table", err)
	}
	stored.Files.Text[comparison.OtavaKey] = "time\n"
	if err := page.WriteSuite(io.Discard, stored); err == nil {
		t.Error("a table without its columns passes")
	}
}

func TestASuiteOf200RunsIsAFileOfLessThan10MB(t *testing.T) {
	stored := madeUpSuite(t, madeup.SuiteShape{
		Name: "large</script><b>", Shards: []int32{1, 2, 4, 8, 12}, Repetitions: 20, Revisions: 30, Seed: 2,
	})
	var file strings.Builder
	if err := page.WriteSuite(&file, stored); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", file.Len())
	if file.Len() > 10<<20 {
		t.Errorf("the file has %d bytes", file.Len())
	}
	if strings.Contains(file.String(), "large</script>") || strings.Contains(file.String(), "<b>") {
		t.Error("a name became markup")
	}
}

func TestAFigureOfAGrowthKnowsItsCheckpoints(t *testing.T) {
	stored, err := madeup.Growth(400, 100, 200)
	if err != nil {
		t.Fatal(err)
	}
	data := suiteOf(t, stored)
	of := func(metric benchv1alpha1.Metric, step string) []string {
		is := func(figure page.SuiteFigure) bool { return figure.Metric == metric && figure.Step == step }
		grown := data.Grown(data.Figures[slices.IndexFunc(data.Figures, is)])
		found := make([]string, 0, len(grown))
		for _, figure := range grown {
			found = append(found, fmt.Sprint(figure.GrowthOf, " ", figure.Documents, ": ", figure.Variants[0].MedianText, ", ",
				figure.Variants[1].MedianText))
		}
		return found
	}
	want := []string{"find 100: 8,005/s, 4,003/s", "find 200: 7,005/s, 3,503/s", "find 400: 9,005/s, 4,503/s"}
	if diff := cmp.Diff(want, of(benchv1alpha1.MetricOperationsPerSecond, "find-200")); diff != "" {
		t.Errorf("throughput, -want +got:\n%s", diff)
	}
	want = []string{"size 100: 100 KiB, 100 KiB", "size 200: 200 KiB, 200 KiB", "size 400: 400 KiB, 400 KiB"}
	if diff := cmp.Diff(want, of(benchv1alpha1.MetricStorageBytes, "size-400")); diff != "" {
		t.Errorf("storage, -want +got:\n%s", diff)
	}
	if len(of(benchv1alpha1.MetricLoadDocumentsPerSecond, "")) > 0 {
		t.Error("the loading belongs to a checkpoint")
	}
}
