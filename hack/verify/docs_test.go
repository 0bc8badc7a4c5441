package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var repository = os.DirFS("../..")

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := fs.ReadFile(repository, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// constantsOf returns the string constants of a Go file: those of a type, or of the blocks whose comments contain a
// text. Values named in except are left out.
func constantsOf(t *testing.T, file, of string, except ...string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, page(t, file), parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, declaration := range parsed.Decls {
		if block, ok := declaration.(*ast.GenDecl); ok && block.Tok == token.CONST {
			values = append(values, valuesOf(block, of)...)
		}
	}
	if len(values) == 0 {
		t.Fatalf("%s has no constants of %q", file, of)
	}
	return slices.DeleteFunc(values, func(value string) bool { return slices.Contains(except, value) })
}

func valuesOf(block *ast.GenDecl, of string) []string {
	var values []string
	for _, one := range block.Specs {
		spec, _ := one.(*ast.ValueSpec)
		kind, _ := spec.Type.(*ast.Ident)
		if !strings.Contains(block.Doc.Text(), of) && (kind == nil || kind.Name != of) {
			continue
		}
		for _, value := range spec.Values {
			if literal, ok := value.(*ast.BasicLit); ok {
				text, _ := strconv.Unquote(literal.Value)
				values = append(values, text)
			}
		}
	}
	return values
}

// commandsOf returns the names of the commands that the Go files of a folder declare.
func commandsOf(t *testing.T, folder, pattern string) []string {
	t.Helper()
	files, err := fs.Glob(repository, path.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(page(t, file), -1) {
			names = append(names, found[1])
		}
	}
	return names
}

// TestDocsListAll compares lists of the docs with the code: a page names every value in backquotes.
func TestDocsListAll(t *testing.T) {
	const (
		api     = "api/v1alpha1/"
		reading = "docs/how-to/reading-a-result.md"
		writing = "docs/how-to/writing-a-run.md"
	)
	for sentence, tc := range map[string]struct {
		page   string
		values []string
	}{
		"conditions of a run": {reading, constantsOf(t, api+"run_conditions.go", "Condition types")},
		"causes of a failure": {reading, slices.Concat(
			constantsOf(t, api+"run_conditions.go", "condition Succeeded", "Completed"),
			[]string{"TargetNotFound", "Invalid"})},
		"reasons for doubt": {
			reading,
			constantsOf(t, api+"run_conditions.go", "condition Trusted", "NotMeasured", "NoConcern"),
		},
		"reasons of Complete":  {"docs/how-to/gitops.md", constantsOf(t, api+"suite_conditions.go", "condition Complete")},
		"reasons of Regressed": {"docs/how-to/gitops.md", constantsOf(t, api+"suite_conditions.go", "condition Regressed")},
		"verdicts":             {"docs/how-to/suites.md", constantsOf(t, api+"suite_status_types.go", "Verdict")},
		"orders of a suite":    {"docs/how-to/suites.md", constantsOf(t, api+"suite_types.go", "SuiteOrder", "Interleaved")},
		"topologies":           {writing, constantsOf(t, api+"target_types.go", "Topology")},
		"distributions":        {writing, constantsOf(t, api+"distribution_types.go", "DistributionType")},
		"types of actions":     {"docs/how-to/faults.md", constantsOf(t, api+"action_types.go", "ActionType")},
		"classes of durability": {
			"docs/how-to/other-databases.md", constantsOf(t, api+"concern_types.go", "Durability"),
		},
		"states of a dataset": {
			"docs/how-to/growth-and-reuse.md", constantsOf(t, api+"target_status_types.go", "DatasetState"),
		},
		"stages": {"docs/concepts/glossary.md", constantsOf(t, api+"run_conditions.go", "stages of a run", "Finished")},
	} {
		t.Run(sentence, func(t *testing.T) {
			text := page(t, tc.page)
			for _, value := range tc.values {
				if !strings.Contains(text, "`"+value+"`") {
					t.Errorf("%s does not name `%s`", tc.page, value)
				}
			}
		})
	}
}

func TestDocsListAllCommands(t *testing.T) {
	for name, tc := range map[string]struct{ page, folder, pattern, before string }{
		"loadgen": {
			"docs/reference/loadgen-commands.md", "cmd/loadgen", `(?:newCommand\(\s*|Use:\s+)"([a-z-]+)"`, "`",
		},
		"kubectl mongobench": {
			"docs/reference/kubectl-mongobench.md", "cmd/kubectl-mongobench",
			`(?:inCluster\(|Use:\s+)"([a-z]+)[ "\[]`, "| `",
		},
	} {
		t.Run(name, func(t *testing.T) {
			commands := commandsOf(t, tc.folder, tc.pattern)
			if len(commands) < 8 {
				t.Fatalf("only %v were found", commands)
			}
			for _, command := range commands {
				listed := regexp.MustCompile(regexp.QuoteMeta(tc.before+command) + `[ ` + "`" + `]`)
				if !listed.MatchString(page(t, tc.page)) && command != "loadgen" {
					t.Errorf("%s does not list %s", tc.page, command)
				}
			}
		})
	}
}

// markdown returns the pages that people write.
func markdown(t *testing.T) []string {
	t.Helper()
	pages, err := fs.Glob(repository, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(repository, "docs", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".md" && path.Base(name) != "api-reference.md" {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func TestDocsNameTargetsOfMake(t *testing.T) {
	fragments, err := fs.Glob(repository, "hack/make/*.mk")
	if err != nil {
		t.Fatal(err)
	}
	targets := make(map[string]bool)
	for _, fragment := range fragments {
		for _, found := range regexp.MustCompile(`(?m)^([a-z0-9-]+):`).FindAllStringSubmatch(page(t, fragment), -1) {
			targets[found[1]] = true
		}
	}
	for _, name := range markdown(t) {
		for _, found := range regexp.MustCompile("(?m)(?:^|`)make ([a-z0-9-]+)").FindAllStringSubmatch(page(t, name), -1) {
			if !targets[found[1]] {
				t.Errorf("%s: there is no make %s", name, found[1])
			}
		}
	}
}

// TestDocsLinkToWhatIsThere follows every link within the repository, to its heading too.
func TestDocsLinkToWhatIsThere(t *testing.T) {
	for _, name := range markdown(t) {
		for _, found := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(page(t, name), -1) {
			file, heading, _ := strings.Cut(found[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			linked := name
			if file != "" {
				linked = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join("../..", linked)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, found[1])
			} else if heading != "" && !slices.Contains(headings(page(t, linked)), heading) {
				t.Errorf("%s links to %s, which has no such heading", name, found[1])
			}
		}
	}
}

// TestAPIReferenceLinksToItsTypes has a section for each type that a field has: the generator leaves out what is nested
// more deeply than it is told to look.
func TestAPIReferenceLinksToItsTypes(t *testing.T) {
	const name = "docs/reference/api-reference.md"
	known := make(map[string]bool)
	for _, heading := range headings(page(t, name)) {
		known[heading] = true
	}
	links := regexp.MustCompile(`\]\(#([^)\s]+)\)`).FindAllStringSubmatch(page(t, name), -1)
	if len(links) == 0 {
		t.Fatalf("%s has no links", name)
	}
	for _, found := range links {
		if !known[found[1]] {
			t.Errorf("%s links to #%s, which is not there", name, found[1])
		}
	}
}

// headings returns the anchors of a page's headings, as GitHub makes them.
func headings(text string) []string {
	lines := regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1)
	anchors := make([]string, 0, len(lines))
	for _, found := range lines {
		plain := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(found[1]), "")
		anchors = append(anchors, strings.ReplaceAll(plain, " ", "-"))
	}
	return anchors
}

// TestEveryDependencyHasAReason compares the direct requirements of go.mod with the list of docs/design/001-shape.md.
func TestEveryDependencyHasAReason(t *testing.T) {
	direct, _, _ := strings.Cut(page(t, "go.mod"), "\n)\n")
	reasons := page(t, "docs/design/001-shape.md")
	for _, found := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(direct, -1) {
		if !strings.Contains(reasons, "`"+found[1]+"`") {
			t.Errorf("docs/design/001-shape.md gives no reason for %s", found[1])
		}
	}
}
