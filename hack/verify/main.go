package main

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// report is told of each broken rule: where, and what to do about it.
type report func(place, rule string, arguments ...any)

func main() {
	findings, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		os.Exit(2)
	}
	for _, f := range findings {
		fmt.Fprintln(os.Stderr, f)
	}
	if len(findings) > 0 {
		fmt.Fprintf(os.Stderr, "verify: %d findings\n", len(findings))
		os.Exit(1)
	}
}

// source is a file of the repository.
type source struct {
	path string
	text []byte
}

// isGo tells whether it is code that people write and that is compiled.
func (s source) isGo() bool {
	return path.Ext(s.path) == ".go" && !s.isTestData() && !generatedMark.Match(s.text)
}

func (s source) isTest() bool     { return strings.HasSuffix(s.path, "_test.go") }
func (s source) isTestData() bool { return strings.Contains("/"+s.path, "/testdata/") }

// generatedMark is the line by which Go tools know a generated file.
var generatedMark = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// check looks at the files of the repository.
type check func(tree []source, found report)

// run runs every check over the tree, which is the working directory.
func run() (findings []string, err error) {
	// Seconds on a warm machine; a cold one fetches modules first.
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	files, err := projectFiles(ctx)
	if err != nil {
		return nil, err
	}
	tree := make([]source, 0, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading the repository: %w", err)
		}
		tree = append(tree, source{path: file, text: text})
	}
	found := func(place, rule string, arguments ...any) {
		findings = append(findings, place+": "+fmt.Sprintf(rule, arguments...))
	}
	for _, run := range []check{
		checkBinaries, checkPackages, checkLengths, checkMethods, checkComments, checkDefaults, checkKinds, checkActions,
		checkVersions,
	} {
		run(tree, found)
	}
	err = checkDependencies(ctx, importsOf, found)
	return findings, err
}

// projectFiles lists what is in the repository or about to be: tracked files and new ones that are not ignored.
func projectFiles(ctx context.Context) ([]string, error) {
	out, err := exec.CommandContext(ctx, "git", "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the files of the repository (run this at its top): %w", err)
	}
	files := strings.Split(strings.TrimSpace(string(out)), "\n")
	// A file that was deleted and not yet committed is still listed.
	files = slices.DeleteFunc(files, func(file string) bool {
		_, err := os.Lstat(file)
		return err != nil
	})
	slices.Sort(files)
	return files, nil
}

const (
	// maxFileBytes is the size above which a file needs a reason to be in the repository.
	maxFileBytes = 1 << 20
	// sniffedBytes is how far git itself looks for a NUL byte to tell a binary file.
	sniffedBytes = 8000

	maxFileLines = 400
	maxTestLines = 600
)

// committedAnyway are the binary and large files that belong in the repository, each with the reason.
var committedAnyway = map[string]string{}

// archiveMagics begin compressed files and archives, which need not hold a NUL byte early on.
var archiveMagics = []string{"\x1f\x8b", "PK\x03\x04", "\xfd7zXZ", "BZh", "\x28\xb5\x2f\xfd", "7z\xbc\xaf", "!<arch>\n"}

// checkBinaries refuses programs, archives and large files: they stay in every clone forever.
func checkBinaries(tree []source, found report) {
	for _, s := range tree {
		if committedAnyway[s.path] != "" {
			continue
		}
		if isBinary(s.text) {
			found(s.path, "binary file; build it instead, or list it with a reason in hack/verify/main.go")
		}
		if len(s.text) > maxFileBytes {
			found(s.path, "%d bytes; at most %d, or list it with a reason in hack/verify/main.go", len(s.text), maxFileBytes)
		}
	}
}

func isBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), sniffedBytes)], 0) >= 0 ||
		slices.ContainsFunc(archiveMagics, func(magic string) bool { return bytes.HasPrefix(content, []byte(magic)) })
}

// checkLengths limits the lines of a file; generated files are as long as they are.
func checkLengths(tree []source, found report) {
	for _, s := range tree {
		limit := maxFileLines
		if s.isTest() {
			limit = maxTestLines
		}
		if lines := bytes.Count(s.text, []byte("\n")); s.isGo() && lines > limit {
			found(s.path, "%d lines; at most %d: split it by subject", lines, limit)
		}
	}
}

// unexemptable are the linters that keep the house liveable. What they find is split, not excused; revive is among them
// for its limits on files and arguments.
var unexemptable = []string{"all", "cyclop", "funlen", "gocognit", "gocyclo", "lll", "maintidx", "nestif", "revive"}

var (
	exemption = regexp.MustCompile(`//\s*nolint(?::([a-z0-9,_-]+))?`)
	// leftover is a promise in place of the work. Written with brackets so that this line is none.
	leftover = regexp.MustCompile(`\b(T[O]DO|F[I]XME|X[X]X)\b`)
)

// checkComments refuses exemptions from the size linters, and promises of work to come.
func checkComments(tree []source, found report) {
	for _, s := range tree {
		if s.isTestData() || !slices.Contains(commented, path.Ext(s.path)) {
			continue
		}
		for number, line := range strings.Split(string(s.text), "\n") {
			place := fmt.Sprintf("%s:%d", s.path, number+1)
			if path.Ext(s.path) == ".go" {
				checkExemptions(line, place, found)
			}
			if word := leftover.FindString(line); word != "" {
				found(place, "%s: do it, or say what is true today", word)
			}
		}
	}
}

// commented are the endings of files whose comments are looked at.
var commented = []string{".go", ".sh", ".mk", ".awk", ".yaml", ".yml", ".tpl"}

func checkExemptions(line, place string, found report) {
	for _, match := range exemption.FindAllStringSubmatch(line, -1) {
		names := strings.Split(match[1], ",")
		if match[1] == "" {
			names = []string{"all"}
		}
		for _, name := range names {
			if slices.Contains(unexemptable, name) {
				found(place, "nolint names %s, which has no exemptions: make it smaller", name)
			}
		}
	}
}

// parse reads Go code. What is wrong with it is for the compiler to say.
func (s source) parse(mode parser.Mode) (*token.FileSet, *ast.File) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, s.path, s.text, mode|parser.SkipObjectResolution)
	if err != nil {
		return set, &ast.File{}
	}
	return set, file
}

// emptyNames say where a thing was put, not what it does.
var emptyNames = []string{"util", "utils", "common", "helper", "helpers", "types", "misc"}

// checkPackages wants a doc.go with a package comment, and a name that says something, for every package.
func checkPackages(tree []source, found report) {
	documented := make(map[string]bool)
	for _, s := range tree {
		if path.Ext(s.path) != ".go" || s.isTestData() {
			continue
		}
		folder := path.Dir(s.path)
		documented[folder] = documented[folder] || path.Base(s.path) == "doc.go" && s.hasPackageComment()
	}
	for _, folder := range slices.Sorted(maps.Keys(documented)) {
		if slices.Contains(emptyNames, path.Base(folder)) {
			found(folder, "the package's name says nothing; name it after what it does")
		}
		if !documented[folder] {
			found(folder, "no doc.go with a package comment: what it is, what it is not, whom it may import")
		}
	}
}

func (s source) hasPackageComment() bool {
	_, file := s.parse(parser.ParseComments | parser.PackageClauseOnly)
	return strings.TrimSpace(file.Doc.Text()) != ""
}

const maxMethods = 30

// checkMethods limits the methods of a type: one that has more does several things, over however many files.
func checkMethods(tree []source, found report) {
	methods := make(map[string]int)
	for _, s := range tree {
		if !s.isGo() || s.isTest() {
			continue
		}
		_, file := s.parse(0)
		for _, declaration := range file.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv != nil {
				methods[path.Dir(s.path)+": "+receiver(function.Recv.List[0].Type)]++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		if count := methods[name]; count > maxMethods {
			found(name, "%d methods; at most %d: split the type by what it does", count, maxMethods)
		}
	}
}

// receiver is the name of a method's type, without its pointer and its type parameters.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}

// checkDefaults wants the default of a field to be stated once, where a specification is normalised: elsewhere
// ptr.Deref has a zero value for what is unset.
func checkDefaults(tree []source, found report) {
	eachNode(tree, func(set *token.FileSet, node ast.Node) {
		call, ok := node.(*ast.CallExpr)
		if ok && len(call.Args) == 2 && isSelector(call.Fun, "ptr", "Deref") && !isZero(call.Args[1]) {
			found(set.Position(call.Pos()).String(),
				"ptr.Deref with a default: state it in internal/spec (Normalise), and read the normalised specification")
		}
	})
}

// eachNode visits the syntax of all Go code but tests.
func eachNode(tree []source, visit func(set *token.FileSet, node ast.Node)) {
	for _, s := range tree {
		if path.Ext(s.path) != ".go" || s.isTest() {
			continue
		}
		set, file := s.parse(0)
		for node := range ast.Preorder(file) {
			visit(set, node)
		}
	}
}

// checkKinds wants a switch over the kinds of operations, or over what they do, to name all of them, which the linter
// sees to where there is no default: what is left to a default is forgotten there when a kind is added.
func checkKinds(tree []source, found report) {
	eachNode(tree, func(set *token.FileSet, node ast.Node) {
		if over, ok := node.(*ast.SwitchStmt); ok && leavesKinds(over) {
			found(set.Position(over.Pos()).String(),
				"a default in a switch over operations: name every case, or have the row of a kind say what it needs")
		}
	})
}

// leavesKinds says whether a switch has a default beside a constant of package operation.
func leavesKinds(over *ast.SwitchStmt) bool {
	var kinds, others bool
	for _, statement := range over.Body.List {
		clause, ok := statement.(*ast.CaseClause)
		kinds = kinds || ok && slices.ContainsFunc(clause.List, isKind)
		others = others || ok && clause.List == nil
	}
	return kinds && others
}

func isKind(value ast.Expr) bool {
	selector, ok := value.(*ast.SelectorExpr)
	return ok && isSelector(selector, "operation", selector.Sel.Name)
}

func isSelector(expression ast.Expr, of, name string) bool {
	selector, ok := expression.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	from, ok := selector.X.(*ast.Ident)
	return ok && from.Name == of
}

// isZero says whether an expression is written as a zero value: 0, "", false, nil or T{}.
func isZero(expression ast.Expr) bool {
	switch expression := expression.(type) {
	case *ast.BasicLit:
		return expression.Value == "0" || expression.Value == `""`
	case *ast.Ident:
		return expression.Name == "false" || expression.Name == "nil"
	case *ast.CompositeLit:
		return len(expression.Elts) == 0
	default:
		return false
	}
}
