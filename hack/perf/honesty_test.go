package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheSuiteOfLiesHasATableAndFigures(t *testing.T) {
	table, figures := parseHonesty("item  scenario\nA1    late\n" +
		"FIGURE honesty_missed_percent 1.5000 percent\nFIGURE other 3.0000 ratio\n")
	if want := "item  scenario\nA1    late\n"; table != want {
		t.Errorf("the table is %q, want %q", table, want)
	}
	want := []figure{
		{name: "honesty_missed_percent", value: 1.5, unit: "percent", atMost: 2}, {name: "other", value: 3, unit: "ratio"},
	}
	if diff := cmp.Diff(want, figures, cmp.AllowUnexported(figure{})); diff != "" {
		t.Errorf("the figures differ (-want +got):\n%s", diff)
	}
}
