package reason

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/reference/reasons.md")

// declared are the constants of the API whose name has one of these beginnings: their values with their comments.
func declared(t *testing.T, beginning string) (values, comments map[string]string) {
	t.Helper()
	values, comments = map[string]string{}, map[string]string{}
	name := regexp.MustCompile("^(" + beginning + ")[A-Z]")
	paths, err := filepath.Glob("../../api/v1alpha1/*_conditions.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		source, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(source, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || !name.MatchString(spec.Names[0].Name) || spec.Doc == nil {
				return true
			}
			literal, ok := spec.Values[0].(*ast.BasicLit)
			if !ok {
				return true // A list of such constants.
			}
			said := strings.Join(strings.Fields(spec.Doc.Text()), " ")
			said = strings.TrimLeft(strings.TrimPrefix(said, spec.Names[0].Name), ": ")
			values[spec.Names[0].Name] = strings.Trim(literal.Value, `"`)
			comments[spec.Names[0].Name] = strings.TrimSuffix(said, ".")
			return true
		})
	}
	return values, comments
}

// TestEveryReasonOfTheAPIIsHere and the other way around, each with the comment of its constant.
func TestEveryReasonOfTheAPIIsHere(t *testing.T) {
	values, comments := declared(t, "Reason|Stage")
	got := make([]string, 0, len(All))
	for _, known := range All {
		got = append(got, known.Name+": "+known.Meaning)
	}
	compare(t, values, comments, got)
}

func TestEveryConditionOfTheAPIIsHere(t *testing.T) {
	values, comments := declared(t, "Run|Target|Suite")
	got := make([]string, 0, len(Conditions))
	for _, known := range Conditions {
		got = append(got, known.Type+": "+known.Says)
	}
	compare(t, values, comments, got)
}

// compare compares what constants and their comments say with what the registry does.
func compare(t *testing.T, values, comments map[string]string, got []string) {
	t.Helper()
	want := make([]string, 0, len(values))
	for name, value := range values {
		want = append(want, value+": "+comments[name])
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-of the API +of the registry):\n%s", diff)
	}
}

// TestReasonsAreConstantsOfTheAPI: none is declared anywhere else, where nobody would look for it.
func TestReasonsAreConstantsOfTheAPI(t *testing.T) {
	elsewhere := regexp.MustCompile(`(?m)^\s*(?:const )?[Rr]eason[A-Z]\w*\s*=\s*"[A-Z]`)
	for _, folder := range []string{"cmd", "controllers", "internal", "loadgen"} {
		tree := os.DirFS("../../" + folder)
		err := fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(tree, path)
			if found := elsewhere.Find(text); found != nil {
				t.Errorf("%s/%s: declares %s", folder, path, bytes.TrimSpace(found))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestAReasonIsThereOnce of each condition, and is of one that exists.
func TestAReasonIsThereOnce(t *testing.T) {
	exists, seen, remedies := map[Condition]bool{}, map[string]bool{}, map[string]string{}
	for _, c := range Conditions {
		exists[c.Condition] = true
	}
	for _, known := range All {
		if len(known.Of) == 0 {
			t.Errorf("%s is of no condition", known.Name)
		}
		for _, c := range known.Of {
			key := fmt.Sprint(c, known.Name)
			if !exists[c] || seen[key] {
				t.Errorf("%s of %v: the condition exists: %t, the reason is there before: %t", known.Name, c, exists[c], seen[key])
			}
			seen[key] = true
		}
		if was := remedies[known.Name]; known.Remedy != "" && was != "" && was != known.Remedy {
			t.Errorf("%s has two remedies: %q and %q", known.Name, was, known.Remedy)
		}
		remedies[known.Name] += known.Remedy
	}
}

func TestEveryFailureAndDoubtHasARemedy(t *testing.T) {
	fine := map[string]bool{"NotEnded": true, "Completed": true, "NotMeasured": true, "NoConcern": true}
	for _, known := range All {
		for _, c := range known.Of {
			if (c == runSucceeded || c == runTrusted) && !fine[known.Name] && known.Remedy == "" {
				t.Errorf("there is no remedy for %s", known.Name)
			}
		}
	}
}

func TestKnownFollowsConditionsThatMirrorOthers(t *testing.T) {
	for name, tc := range map[string]struct {
		of     Condition
		reason string
		want   bool
	}{
		"one of its own":             {runSucceeded, "Completed", true},
		"one of another condition":   {runAccepted, "Completed", false},
		"that of how it ended":       {runComplete, "Completed", true},
		"that of the run's target":   {runTargetReady, "SecretNotFound", true},
		"that of a verdict":          {suitePassed, "MetricRegressed", true},
		"the other way around":       {targetReady, "TargetNotFound", false},
		"a condition without a name": {Condition{}, "Completed", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Known(tc.of, tc.reason); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

// TestReadingAResultTellsTheRemedies: its tables of causes and doubts end with them.
func TestReadingAResultTellsTheRemedies(t *testing.T) {
	const page = "../../docs/how-to/reading-a-result.md"
	written, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range All {
		for _, c := range known.Of {
			row := regexp.MustCompile("(?m)^[|] `" + known.Name + "` [|].*[|] " + regexp.QuoteMeta(known.Remedy) + " [|]$")
			if (c == runSucceeded || c == runTrusted) && known.Remedy != "" && !row.Match(written) {
				t.Errorf("%s lacks a row of %s that ends with %q", page, known.Name, known.Remedy)
			}
		}
	}
}

// TestDocs compares docs/reference/reasons.md with what the registry says. With -update it is written anew, as by make
// generate.
func TestDocs(t *testing.T) {
	const path = "../../docs/reference/reasons.md"
	want := page()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is not what make generate makes (-want +got):\n%s", path, diff)
	}
}

// page is docs/reference/reasons.md.
func page() string {
	var text strings.Builder
	text.WriteString(`<!-- Generated by make generate from internal/reason; do not edit. -->

# Conditions and their reasons

After this page you know what each reason of a condition means and what to do about it. How a run's conditions are read
together is in [reading a result](../how-to/reading-a-result.md), what tools make of them in
[suites in Git](../how-to/gitops.md).

A condition's reason is a word that programs may rely on; its message is for people and may change. An empty last column
means that there is nothing to be done.
`)
	kind := ""
	for _, c := range Conditions {
		if c.Kind != kind {
			kind = c.Kind
			fmt.Fprintf(&text, "\n## %s\n", kind)
		}
		fmt.Fprintf(&text, "\n### %s of a %s\n\n%s.\n", c.Type, c.Kind, sentence(c.Says))
		for _, mirrored := range c.Mirrors {
			fmt.Fprintf(&text, "\nIt has the reasons of [%s of a %s](#%s), too.\n", mirrored.Type, mirrored.Kind,
				anchor(mirrored))
		}
		rows(&text, c.Condition)
	}
	return text.String()
}

func rows(text *strings.Builder, c Condition) {
	head := "\n| reason | meaning | what to do |\n|---|---|---|\n"
	for _, known := range All {
		for _, of := range known.Of {
			if of == c {
				fmt.Fprintf(text, "%s| `%s` | %s | %s |\n", head, known.Name, known.Meaning, known.Remedy)
				head = ""
			}
		}
	}
}

// sentence is a text with a capital letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// anchor is that of the heading of a condition.
func anchor(c Condition) string { return strings.ToLower(c.Type + "-of-a-" + c.Kind) }
