package formula_test

import (
	"math"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/internal/formula"
)

func TestFormulasAreEvaluated(t *testing.T) {
	for text, want := range map[string]float64{
		"5":                               5,
		"2 + 3 * t":                       23,
		"-(t - 10.5) % 3":                 0.5,
		"1e3 / t":                         1000.0 / 7,
		"100 + 50 * sin(2 * pi * t / 28)": 150,
		"100 + 900 * (t % 5 < 3)":         1000,
		"max(min(t, 5), pow(2, 1))":       5,
		"!(t == 7) || t != 7 && 1":        0,
		"t >= 7 && t <= 7":                1,
		"floor(2.7) + ceil(2.1) + abs(-1) + sqrt(4) + exp(0) + log(1) + cos(0)": 10,
	} {
		parsed, err := formula.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := parsed.At(7); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s at 7 is %g, want %g", text, got, want)
		}
	}
}

func TestWhatIsNoFormulaIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "is no formula",
		"2 +":                     "is no formula",
		"x + 1":                   "x is not known: there are t",
		"rand()":                  "function rand is not known: there are abs, ceil",
		"sin(1, 2)":               "function sin takes 1 arguments, not 2",
		"max(1)":                  "function max takes 2 arguments, not 1",
		"math.Sin(t)":             "a function is called by its name",
		"max([]int{1, 2}...)":     "a function is called by its name",
		`"5"`:                     `"5" is no number`,
		"'a'":                     "'a' is no number",
		"0x10000000000000000i":    "is no number",
		"1 << 3":                  "operator << is not known",
		"^1":                      "operator ^ is not known",
		"func() int { return 1 }": "and nothing else",
		"t[0]":                    "and nothing else",
		strings.Repeat("-(", 60) + "1" + strings.Repeat(")", 60):  "levels deep",
		strings.Repeat("(", 100) + "1" + strings.Repeat(")", 100): "levels deep",
		strings.Repeat("1+", 300) + "1":                           "has 601 bytes, and may have 512",
	} {
		if _, err := formula.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: error %v, want one with %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"5", "100 + 900 * (t % 60 < 5)", "max(1, sin(t))", "func() {}", "((("} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		if parsed, err := formula.Parse(text); err == nil {
			parsed.At(1.5)
		}
	})
}
