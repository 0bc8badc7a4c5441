package formula

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// MaxLength is how many bytes a formula may have.
const MaxLength = 512

// maxDepth is how deep brackets and operators may be within one another.
const maxDepth = 64

// Formula is a function of time.
type Formula struct {
	value node
}

// node is a part of a formula: its value at a time.
type node func(t float64) float64

// Parse reads a formula.
func Parse(text string) (*Formula, error) {
	if len(text) > MaxLength {
		return nil, fmt.Errorf("the formula has %d bytes, and may have %d", len(text), MaxLength)
	}
	parsed, err := parser.ParseExpr(text)
	if err != nil {
		return nil, fmt.Errorf("%q is no formula: %w", text, err)
	}
	value, err := compile(parsed, 0)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	return &Formula{value: value}, nil
}

// At is the value at a time in seconds. It may be infinite, or no number, as of a division by 0.
func (f *Formula) At(seconds float64) float64 { return f.value(seconds) }

// Functions are the names of the functions that a formula may call, with how many arguments each takes.
func Functions() map[string]int {
	all := make(map[string]int, len(unary)+len(binary))
	for name := range unary {
		all[name] = 1
	}
	for name := range binary {
		all[name] = 2
	}
	return all
}

var unary = map[string]func(float64) float64{
	"sin": math.Sin, "cos": math.Cos, "abs": math.Abs, "floor": math.Floor, "ceil": math.Ceil, "sqrt": math.Sqrt,
	"exp": math.Exp, "log": math.Log,
}

var binary = map[string]func(a, b float64) float64{"min": math.Min, "max": math.Max, "pow": math.Pow}

var operators = map[token.Token]func(a, b float64) float64{
	token.ADD: func(a, b float64) float64 { return a + b },
	token.SUB: func(a, b float64) float64 { return a - b },
	token.MUL: func(a, b float64) float64 { return a * b },
	token.QUO: func(a, b float64) float64 { return a / b },
	token.REM: math.Mod,
	token.LSS: func(a, b float64) float64 { return truth(a < b) },
	token.LEQ: func(a, b float64) float64 { return truth(a <= b) },
	token.GTR: func(a, b float64) float64 { return truth(a > b) },
	token.GEQ: func(a, b float64) float64 { return truth(a >= b) },
	token.EQL: func(a, b float64) float64 { return truth(a == b) },
	token.NEQ: func(a, b float64) float64 { return truth(a != b) },

	token.LAND: func(a, b float64) float64 { return truth(a != 0 && b != 0) },
	token.LOR:  func(a, b float64) float64 { return truth(a != 0 || b != 0) },
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func compile(of ast.Expr, depth int) (node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is more than %d levels deep", maxDepth)
	}
	switch part := of.(type) {
	case *ast.ParenExpr:
		return compile(part.X, depth+1)
	case *ast.BasicLit:
		return number(part)
	case *ast.Ident:
		return name(part)
	case *ast.UnaryExpr:
		return compileUnary(part, depth)
	case *ast.BinaryExpr:
		apply := operators[part.Op]
		if apply == nil {
			return nil, fmt.Errorf("operator %s is not known", part.Op)
		}
		return both(apply, part.X, part.Y, depth)
	case *ast.CallExpr:
		return call(part, depth)
	default:
		return nil, errors.New("it has numbers, t, pi, operators, brackets and functions, and nothing else")
	}
}

func number(literal *ast.BasicLit) (node, error) {
	value, err := strconv.ParseFloat(literal.Value, 64)
	if err != nil || literal.Kind != token.INT && literal.Kind != token.FLOAT {
		return nil, fmt.Errorf("%s is no number", literal.Value)
	}
	return constant(value), nil
}

func constant(value float64) node { return func(float64) float64 { return value } }

func name(of *ast.Ident) (node, error) {
	switch of.Name {
	case "t":
		return func(t float64) float64 { return t }, nil
	case "pi":
		return constant(math.Pi), nil
	default:
		return nil, fmt.Errorf("%s is not known: there are t, the time in seconds, and pi", of.Name)
	}
}

func compileUnary(of *ast.UnaryExpr, depth int) (node, error) {
	value, err := compile(of.X, depth+1)
	switch {
	case err != nil:
		return nil, err
	case of.Op == token.SUB:
		return func(t float64) float64 { return -value(t) }, nil
	case of.Op == token.ADD:
		return value, nil
	case of.Op == token.NOT:
		return func(t float64) float64 { return truth(value(t) == 0) }, nil
	default:
		return nil, fmt.Errorf("operator %s is not known", of.Op)
	}
}

// both is a function of two parts.
func both(apply func(a, b float64) float64, x, y ast.Expr, depth int) (node, error) {
	left, err := compile(x, depth+1)
	if err != nil {
		return nil, err
	}
	right, err := compile(y, depth+1)
	if err != nil {
		return nil, err
	}
	return func(t float64) float64 { return apply(left(t), right(t)) }, nil
}

func call(of *ast.CallExpr, depth int) (node, error) {
	called, plain := of.Fun.(*ast.Ident)
	if !plain || of.Ellipsis.IsValid() {
		return nil, errors.New("a function is called by its name")
	}
	functions := Functions()
	wanted, known := functions[called.Name]
	switch {
	case !known:
		return nil, fmt.Errorf("function %s is not known: there are %s", called.Name,
			strings.Join(slices.Sorted(maps.Keys(functions)), ", "))
	case len(of.Args) != wanted:
		return nil, fmt.Errorf("function %s takes %d arguments, not %d", called.Name, wanted, len(of.Args))
	case wanted == 2:
		return both(binary[called.Name], of.Args[0], of.Args[1], depth)
	}
	value, err := compile(of.Args[0], depth+1)
	if err != nil {
		return nil, err
	}
	apply := unary[called.Name]
	return func(t float64) float64 { return apply(value(t)) }, nil
}
