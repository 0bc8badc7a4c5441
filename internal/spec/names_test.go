package spec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

func TestBracketsInNames(t *testing.T) {
	tests := map[string]struct {
		path   string
		arrays []spec.Brackets
	}{
		"sku":            {path: "sku"},
		"lines[1-5].sku": {"lines[].sku", []spec.Brackets{{Path: "lines", Least: 1, Most: 5}}},
		"tags[0-10000]":  {"tags[]", []spec.Brackets{{Path: "tags", Most: 10000}}},
		"a.lines[].cells[3][0-2].x": {"a.lines[].cells[][].x", []spec.Brackets{
			{Path: "a.lines", Empty: true},
			{Path: "a.lines[].cells", Least: 3, Most: 3},
			{Path: "a.lines[].cells[]", Most: 2},
		}},
	}
	for name, tc := range tests {
		path, arrays, err := spec.ArraysIn(name)
		if err != nil || path != tc.path || !cmp.Equal(arrays, tc.arrays) {
			t.Errorf("%s: %s, %+v, error %v", name, path, arrays, err)
		}
	}
	for _, name := range []string{
		"[3]", "a.[3]", "a[3]b", "a[3", "a]", "a[3]]", "a[x]", "a[-1]", "a[1-]", "a[2-1]", "a[0]", "a[10001]", "a[1-2-3]",
		"a[ 1]", "a[+1]", "a[[1]]",
	} {
		if path, arrays, err := spec.ArraysIn(name); err == nil {
			t.Errorf("%s is read as %s with %+v", name, path, arrays)
		}
	}
}

// FuzzArraysIn has names that no schema has checked: what is accepted has no brackets left that say something, and
// means the same when it is written again.
func FuzzArraysIn(f *testing.F) {
	for _, name := range []string{"a", "lines[1-5].sku", "a.b[].c[3][0-2].x", "a[x]", "[1]", "a]["} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		path, arrays, err := spec.ArraysIn(name)
		if err != nil {
			return
		}
		if strings.Count(path, "[]") != len(arrays) || strings.Count(name, "[") != len(arrays) {
			t.Fatalf("%q has %d arrays and is %q without their numbers", name, len(arrays), path)
		}
		if slices.ContainsFunc(arrays, func(array spec.Brackets) bool {
			return !strings.HasPrefix(path, array.Path+"[]") || !array.Empty && (array.Least > array.Most || array.Most < 1)
		}) {
			t.Fatalf("%q: %+v", name, arrays)
		}
		if again, same, err := spec.ArraysIn(path); err != nil || again != path || len(same) != len(arrays) {
			t.Fatalf("%q is %q, and that %q, error %v", name, path, again, err)
		}
	})
}

// The number of elements of an array says nothing about the values of those that there are.
func TestHowLongAnArrayIsChangesNoValue(t *testing.T) {
	field := func(name string) planv1alpha1.Field {
		return compiledField(benchv1alpha1.Field{Name: name, Generator: benchv1alpha1.Generator{Type: "UUID"}})
	}
	few, many := field("lines[1-5].sku"), field("lines[0-99].sku")
	if few.Min != 1 || few.Max != 5 || many.Max != 99 {
		t.Errorf("arrays of %d to %d, and up to %d elements", few.Min, few.Max, many.Max)
	}
	many.Min, many.Max = few.Min, few.Max
	if diff := cmp.Diff(few, many); diff != "" {
		t.Errorf("besides the number of elements something differs:\n%s", diff)
	}
}

func TestDecimalNumbersAreExact(t *testing.T) {
	for _, tc := range []struct {
		text  string
		scale int
		want  int64
	}{
		{"12.5", 2, 1250},
		{"-0.05", 2, -5},
		{"7", 0, 7},
		{"-180", 7, -1_800_000_000},
		{"999999999999999999", 0, 999_999_999_999_999_999},
		{"0.000000000000000001", 18, 1},
	} {
		if got, err := spec.Scaled(tc.text, tc.scale); err != nil || got != tc.want {
			t.Errorf("%s with %d digits is %d, error %v", tc.text, tc.scale, got, err)
		}
	}
	for text, scale := range map[string]int{"1.234": 2, "1000000000000000000": 0, "1": 18, "": 2, "x": 0, "-": 0} {
		if got, err := spec.Scaled(text, scale); err == nil {
			t.Errorf("%q with %d digits is %d", text, scale, got)
		}
	}
}
