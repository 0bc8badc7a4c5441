package condition_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/mongobench/mongobench-operator/internal/condition"
)

// known are the values that the tests have for names.
var known = map[string]condition.Value{
	"one": condition.Int(1), "two": condition.Int(2), "half": condition.Double(0.5),
	"text": condition.Text([]byte("open")),
	"yes":  condition.True, "no": condition.False, "big": condition.Int(1<<53 + 1), "date": condition.Moment(9, 5),
	"later": condition.Moment(9, 7), "array": condition.Other(4, []byte("ab"), 2),
	"id": condition.Other(7, []byte("x"), -1), "same": condition.Other(7, []byte("x"), -1),
}

func holds(t *testing.T, text string) bool {
	t.Helper()
	parsed, err := condition.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	names := parsed.Names()
	return parsed.Holds(func(name int) condition.Value { return known[names[name]] })
}

func TestConditions(t *testing.T) {
	for text, want := range map[string]bool{
		`one < two`: true, `one > two`: false, `half < one && one <= 1`: true, `two == 2.0`: true, `-1 < half`: true,
		`text == "open"`: true, `text != "shut"`: true, `text < "p"`: true, `text == 1`: false, `text != 1`: true,
		`yes`: true, `no`: false, `!no`: true, `yes == true`: true, `text`: false, `one`: false,
		`has(one)`: true, `has(nothing)`: false, `nothing == null`: true, `nothing != null`: false, `one != null`: true,
		`nothing < 1`: false, `nothing >= 1`: false, `nothing <= nothing`: false, `!(nothing < 1)`: true,
		`big == 9007199254740992.0`: false, `big > 9007199254740992.0`: true, `9007199254740992.0 < big`: true,
		`date < later`: true, `date == 5`: false, `date < 9`: false, `id == same`: true, `id < same`: false,
		`id <= same`:       false,
		`size(array) == 2`: true, `size(text) == 4`: true, `size(one) == null`: true, `size(nothing) > 0`: false,
		`no && one < two || yes`: true, `no && (one < two || yes)`: false, `yes < no`: false, `one == one`: true,
	} {
		if got := holds(t, text); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}

func TestConditionsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "is no condition",
		"a ==":                               "is no condition",
		"1":                                  "it compares",
		`"text"`:                             "it compares",
		"a + b":                              "operator + is not known",
		"a + 1 == b":                         "what is compared",
		"a < b < c":                          "what is compared",
		"f(a)":                               "it compares",
		"has(1)":                             "takes one name",
		"has(a, b)":                          "takes one name",
		"size(a)":                            "it compares",
		"a.b == 1":                           "what is compared",
		"a == 'x'":                           "double quotes",
		"a == 99999999999999999999":          "is no number",
		"a == 0x10":                          "is no number",
		strings.Repeat("a && ", 200) + "b":   "may have 512",
		strings.Repeat("!", 100) + "a":       "levels deep",
		"func() bool { return true }() && a": "it compares",
	} {
		if _, err := condition.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// TestConditionsAreAsInCEL asks the language that conditions are a part of for all comparisons of numbers and of texts,
// joined in all ways.
func TestConditionsAreAsInCEL(t *testing.T) {
	environment, err := cel.NewEnv(cel.Variable("one", cel.IntType), cel.Variable("half", cel.DoubleType),
		cel.Variable("text", cel.StringType), cel.CrossTypeNumericComparisons(true))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{"one": 1, "half": 0.5, "text": "open"}
	operators := []string{"==", "!=", "<", "<=", ">", ">="}
	compared := 0
	for _, sides := range [][2]string{
		{"one", "1"}, {"one", "-2"}, {"half", "0.5"}, {"half", "0.75"}, {"text", `"open"`}, {"text", `"p"`}, {"1", "one"},
	} {
		for _, operator := range operators {
			for _, around := range []string{
				"%s", "!(%s)", `%s && text == "open"`, "one > 1 || %s", "(%s || half > 1.0) && one == 1",
			} {
				text := fmt.Sprintf(around, sides[0]+" "+operator+" "+sides[1])
				compared++
				if got, want := holds(t, text), holdsInCEL(t, environment, text, values); got != want {
					t.Errorf("%s: %t, and %t in CEL", text, got, want)
				}
			}
		}
	}
	if compared != 7*6*5 {
		t.Errorf("%d conditions were compared", compared)
	}
}

func holdsInCEL(t *testing.T, environment *cel.Env, text string, values map[string]any) bool {
	t.Helper()
	program, issues := environment.Compile(text)
	if issues.Err() != nil {
		t.Fatalf("%s: %v", text, issues.Err())
	}
	made, err := environment.Program(program)
	if err != nil {
		t.Fatal(err)
	}
	found, _, err := made.Eval(values)
	if err != nil {
		t.Fatal(err)
	}
	return found.Value() == true
}

func TestToAskAConditionAllocatesNothing(t *testing.T) {
	parsed, err := condition.Parse(`(one < two || half > 1) && text == "open" && has(id) && size(array) >= 2`)
	if err != nil {
		t.Fatal(err)
	}
	names := parsed.Names()
	values := func(name int) condition.Value { return known[names[name]] }
	if allocations := testing.AllocsPerRun(100, func() {
		if !parsed.Holds(values) {
			t.Error("it does not hold")
		}
	}); allocations > 0 {
		t.Errorf("%g allocations", allocations)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{`a < 1 && has(b)`, `!(x == "y") || size(z) >= 2.5`, `((((a))))`, "-", `"\x`} {
		f.Add(text)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		parsed, err := condition.Parse(text)
		if err != nil {
			return
		}
		parsed.Holds(func(name int) condition.Value { return known[parsed.Names()[name]] })
	})
}
