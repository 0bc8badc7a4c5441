package figure_test

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
)

// TestEveryNumberOfTheStatusHasARow sets each row's field in turn and fails for a number that no row sets.
func TestEveryNumberOfTheStatusHasARow(t *testing.T) {
	var summary benchv1alpha1.RunSummary
	set(t, figure.Totals, &summary)
	set(t, figure.Fastest, &summary)
	set(t, figure.Slowest, &summary)
	lacksNone(t, summary)
	complete(t, figure.Results, benchv1alpha1.Result{})
	complete(t, figure.Loads, benchv1alpha1.LoadResult{})
	complete(t, figure.Sizes, benchv1alpha1.GrowthResult{})
	complete(t, figure.Sweeps, benchv1alpha1.SweepResult{})
	complete(t, figure.Steps, benchv1alpha1.StepResult{Search: &benchv1alpha1.SearchResult{}})
	complete(t, figure.Costs, benchv1alpha1.CostResult{})
	complete(t, figure.Actions, benchv1alpha1.ActionResult{})
	complete(t, figure.Operations, benchv1alpha1.OperationResult{})
}

func complete[F, S any](t *testing.T, rows []figure.Row[F, S], status S) {
	t.Helper()
	set(t, rows, &status)
	lacksNone(t, status)
}

func set[F, S any](t *testing.T, rows []figure.Row[F, S], status *S) {
	t.Helper()
	for i, row := range rows {
		if !row.In.Exists() {
			continue
		}
		if row.In.Get(status) != nil {
			t.Errorf("row %d of %T shares its field with another", i, status)
		}
		row.In.Set(status, new(int64(i+1)))
		if got := row.In.Get(status); got == nil || *got != int64(i+1) {
			t.Errorf("row %d of %T reads %v", i, status, got)
		}
	}
}

func lacksNone[S any](t *testing.T, status S) {
	t.Helper()
	for _, path := range unset(reflect.ValueOf(status)) {
		t.Errorf("%T has no row for %s", status, path)
	}
}

// unset are the pointers to numbers in a struct, and in those that it points to, that are nil.
func unset(value reflect.Value) []string {
	var found []string
	for i := range value.NumField() {
		field, name := value.Field(i), value.Type().Field(i).Name
		if field.Kind() != reflect.Pointer {
			continue
		}
		switch kind := field.Type().Elem().Kind(); {
		case kind == reflect.Struct && !field.IsNil():
			found = append(found, unset(field.Elem())...)
		case (kind == reflect.Int64 || kind == reflect.Int32) && field.IsNil():
			found = append(found, name)
		}
	}
	return found
}

func TestEveryFigureOfTimesHasARow(t *testing.T) {
	var summary reportv1alpha1.TimesSummary
	fields := reflect.TypeFor[reportv1alpha1.TimesSummary]()
	// The first field is how many times there are.
	if fields.NumField() != len(figure.Times)+1 {
		t.Errorf("a summary of times has %d fields, and there are %d rows", fields.NumField(), len(figure.Times))
	}
	for i, row := range figure.Times {
		if name := fields.Field(i + 1).Name; name != row.Name {
			t.Errorf("field %d is %s, and its row is %s", i, name, row.Name)
		}
		*row.Of(&summary) = int64(i + 1)
		if got := reflect.ValueOf(summary).FieldByName(row.Name).Int(); got != int64(i+1) {
			t.Errorf("row %s sets another field", row.Name)
		}
		var result benchv1alpha1.OperationResult
		row.In().Set(&result, new(int64(7)))
		if field := reflect.ValueOf(result).FieldByName(row.Name); !field.IsValid() || field.IsNil() {
			t.Errorf("row %s is not field %s of the status", row.Name, row.Name)
		}
	}
}

// TestEveryFigureOfTheStatusHasAMetric leaves out what one summary of Prometheus has: the mean and the percentiles.
func TestEveryFigureOfTheStatusHasAMetric(t *testing.T) {
	var summarised []string
	for _, row := range figure.Times {
		if row.Name == "MeanMicros" || row.Quantile > 0 {
			summarised = append(summarised, row.Label)
		}
	}
	measured(t, figure.Totals, nil)
	measured(t, figure.Fastest, nil)
	measured(t, figure.Slowest, nil)
	measured(t, figure.Results, nil)
	measured(t, figure.Loads, nil)
	measured(t, figure.Sizes, nil)
	measured(t, figure.Sweeps, nil)
	measured(t, figure.Steps, nil)
	measured(t, figure.Costs, nil)
	measured(t, figure.Actions, nil)
	measured(t, figure.Operations, summarised)
}

func measured[F, S any](t *testing.T, rows []figure.Row[F, S], summarised []string) {
	t.Helper()
	for i, row := range rows {
		known := row.Metric != "" || slices.Contains(summarised, row.Label)
		if row.In.Exists() != known {
			t.Errorf("row %d of %T: in the status %t, a metric %q", i, row, row.In.Exists(), row.Metric)
		}
		if row.Metric != "" && (row.Help == "" || strings.ToLower(row.Metric) != row.Metric) {
			t.Errorf("metric %q is described by %q", row.Metric, row.Help)
		}
		if row.Compared != nil && !row.In.Exists() {
			t.Errorf("row %d of %T is compared, and the status does not have it", i, row)
		}
	}
}

// TestTheAPIListsWhatIsCompared reads the marker that the schema of a metric is generated from.
func TestTheAPIListsWhatIsCompared(t *testing.T) {
	source, err := os.ReadFile("../../api/v1alpha1/comparison_types.go")
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(figure.Compared))
	for i, compared := range figure.Compared {
		names[i] = string(compared.Metric)
	}
	if marker := "Enum=" + strings.Join(names, ";") + "\n"; !strings.Contains(string(source), marker) {
		t.Errorf("the API's metrics are not %q", marker)
	}
}
