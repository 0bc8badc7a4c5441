package remedy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestEveryReasonOfAFailureHasARemedy(t *testing.T) {
	reasons := reasonsOfFailure(t, "../../api/v1alpha1/run_conditions.go")
	for reason := range reasons {
		if Of(reason) == "" {
			t.Errorf("there is no remedy for %s", reason)
		}
	}
	for reason := range remedies {
		known := reasons[reason] || reason == benchv1alpha1.ReasonInvalid || reason == benchv1alpha1.ReasonTargetNotFound
		if !known {
			t.Errorf("there is a remedy for %s, for which no run fails", reason)
		}
	}
}

func TestDocsListEveryRemedy(t *testing.T) {
	const page = "../../docs/reading-a-result.md"
	written, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for reason, words := range remedies {
		row := regexp.MustCompile("(?m)^[|] `" + reason + "` [|].*[|] " + regexp.QuoteMeta(words) + " [|]$")
		if !row.Match(written) {
			t.Errorf("%s lacks a row of %s that ends with %q", page, reason, words)
		}
	}
}

// reasonsOfFailure reads the values of the constants in those blocks whose comment speaks of the condition Succeeded.
func reasonsOfFailure(t *testing.T, path string) map[string]bool {
	t.Helper()
	source, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]bool{}
	for _, declared := range source.Decls {
		block, ok := declared.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST || !strings.Contains(block.Doc.Text(), "Succeeded") {
			continue
		}
		for _, spec := range block.Specs {
			for _, value := range spec.(*ast.ValueSpec).Values {
				reasons[strings.Trim(value.(*ast.BasicLit).Value, `"`)] = true
			}
		}
	}
	if len(reasons) < 10 {
		t.Fatalf("only %d reasons were found in %s", len(reasons), path)
	}
	delete(reasons, benchv1alpha1.ReasonNotEnded)
	delete(reasons, benchv1alpha1.ReasonCompleted)
	return reasons
}
