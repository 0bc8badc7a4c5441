package present_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/present"
)

func TestNoCellIsAFormula(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "",
		"read":                       "read",
		"6.0.5":                      "6.0.5",
		`=HYPERLINK("http://a","b")`: `'=HYPERLINK("http://a","b")`,
		"+1":                         "'+1",
		"-1":                         "'-1",
		"@sum":                       "'@sum",
		"\t=1":                       "'\t=1",
		"\r=1":                       "'\r=1",
		"a=1":                        "a=1",
	} {
		if got := present.Harmless(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
