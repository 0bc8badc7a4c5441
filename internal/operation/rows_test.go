package operation_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

func TestEveryRowIsComplete(t *testing.T) {
	for kind := range operation.Kinds() {
		row := kind.Row()
		if row.Name == "" || row.Clients == 0 {
			t.Errorf("kind %d: internal/operation/rows.go has no row, or one without a name or clients: %+v", kind, row)
			continue
		}
		if found, err := operation.Parse(kind.Row().Name); found != kind || err != nil || operation.Of(row.Name) != row {
			t.Errorf("%s: found as %s, %v; its name is another row's", kind, found, err)
		}
		if row.Effect == operation.Unknown && kind != operation.RunCommand {
			t.Errorf("%s: internal/operation/rows.go does not say what it does to documents", kind)
		}
	}
	if _, err := operation.Parse(""); err == nil {
		t.Error("an empty name is a kind")
	}
	if row := operation.Of("Upsert"); row.Effect != operation.Unknown {
		t.Errorf("a kind that is not known: %+v", row)
	}
}

// TestEverySettingIsAField compares the settings of the rows with the fields of the API.
func TestEverySettingIsAField(t *testing.T) {
	fields := settingFields()
	var taken []string
	for kind := range operation.Kinds() {
		for _, setting := range slices.Concat(kind.Row().Needs, kind.Row().Allows) {
			if taken = append(taken, string(setting)); !slices.Contains(fields, string(setting)) {
				t.Errorf("%s takes %s, which is no field of an operation in api/v1alpha1", kind, setting)
			}
		}
	}
	for _, field := range fields {
		if !slices.Contains(taken, field) {
			t.Errorf("api/v1alpha1: no kind takes the field %s; say in internal/operation/rows.go which do", field)
		}
	}
}

// settingFields are the fields of operations in the API, but for those of every kind.
func settingFields() []string {
	ofAll := []string{
		"", "name", "weight", "parameters", "record", "kind", "collection", "group", "thinkTime",
		"partOf", "when", "repeat", "captures", "checks", "next",
	}
	var fields []string
	for _, declared := range []any{benchv1alpha1.Request{}, benchv1alpha1.Operation{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(declared)) {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); !slices.Contains(ofAll, name) {
				fields = append(fields, name)
			}
		}
	}
	return fields
}

// TestThePageOfRunsListsTheKinds compares the table of docs/how-to/writing-a-run.md with the rows.
func TestThePageOfRunsListsTheKinds(t *testing.T) {
	page := read(t, "docs", "how-to", "writing-a-run.md")
	for kind := range operation.Kinds() {
		row := kind.Row()
		first, last := "| `"+kind.String()+"` | ", " |"+cell(row.Needs)+"|"+cell(row.Allows)+"|\n"
		if !regexp.MustCompile(regexp.QuoteMeta(first) + ".+" + regexp.QuoteMeta(last)).MatchString(page) {
			t.Errorf("docs/how-to/writing-a-run.md: the table of kinds lacks the line\n%swhat it does%s", first, last)
		}
	}
}

// cell is the cell of a table with these settings.
func cell(settings []operation.Setting) string {
	if len(settings) == 0 {
		return " "
	}
	names := make([]string, 0, len(settings))
	for _, setting := range settings {
		names = append(names, "`"+string(setting)+"`")
	}
	return " " + strings.Join(names, ", ") + " "
}

// TestTheSampleOfOperationsHasAllKinds looks for each kind in config/samples/operations.yaml.
func TestTheSampleOfOperationsHasAllKinds(t *testing.T) {
	sample := read(t, "config", "samples", "operations.yaml")
	for kind := range operation.Kinds() {
		if !regexp.MustCompile(`kind: ` + kind.String() + `\b`).MatchString(sample) {
			t.Errorf("config/samples/operations.yaml: no operation is of kind %s", kind)
		}
	}
}

// read is the text of a file of the repository.
func read(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
