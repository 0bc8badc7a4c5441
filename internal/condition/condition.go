package condition

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
)

// MaxLength is how many bytes a condition may have.
const MaxLength = 512

// maxDepth is how deep brackets and operators may be within one another.
const maxDepth = 64

// Condition is a condition whose names stand for nothing yet.
type Condition struct {
	holds node
	names []string
}

// node is a part of a condition that holds or does not, for the values of the names.
type node func(values func(name int) Value) bool

// operand is a part of a condition that has a value.
type operand func(values func(name int) Value) Value

// Parse reads a condition.
func Parse(text string) (*Condition, error) {
	if len(text) > MaxLength {
		return nil, fmt.Errorf("the condition has %d bytes, and may have %d", len(text), MaxLength)
	}
	parsed, err := parser.ParseExpr(text)
	if err != nil {
		return nil, fmt.Errorf("%q is no condition: %w", text, err)
	}
	c := &Condition{}
	if c.holds, err = c.compile(parsed, 0); err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	return c, nil
}

// Names are those that the condition asks for, each once, in the order of the numbers that Holds asks with.
func (c *Condition) Names() []string { return c.names }

// Holds says whether the condition holds where the names, by their places in Names, have these values.
func (c *Condition) Holds(values func(name int) Value) bool { return c.holds(values) }

func (c *Condition) compile(of ast.Expr, depth int) (node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is more than %d levels deep", maxDepth)
	}
	switch part := of.(type) {
	case *ast.ParenExpr:
		return c.compile(part.X, depth+1)
	case *ast.UnaryExpr:
		if part.Op == token.NOT {
			return c.not(part, depth)
		}
	case *ast.BinaryExpr:
		if part.Op == token.LAND || part.Op == token.LOR {
			return c.join(part, depth)
		}
		return c.compare(part)
	case *ast.CallExpr:
		if called(part) == "has" {
			return c.has(part)
		}
	case *ast.Ident:
		value, err := c.operand(part)
		if err != nil {
			return nil, err
		}
		return func(values func(int) Value) bool { return value(values).isTrue() }, nil
	}
	return nil, errors.New("it compares by ==, !=, <, <=, > and >=, joined by &&, || and !, or is has(name) or a name")
}

func (c *Condition) not(of *ast.UnaryExpr, depth int) (node, error) {
	inner, err := c.compile(of.X, depth+1)
	if err != nil {
		return nil, err
	}
	return func(values func(int) Value) bool { return !inner(values) }, nil
}

func (c *Condition) join(of *ast.BinaryExpr, depth int) (node, error) {
	left, err := c.compile(of.X, depth+1)
	if err != nil {
		return nil, err
	}
	right, err := c.compile(of.Y, depth+1)
	if err != nil {
		return nil, err
	}
	if of.Op == token.LAND {
		return func(values func(int) Value) bool { return left(values) && right(values) }, nil
	}
	return func(values func(int) Value) bool { return left(values) || right(values) }, nil
}

// comparisons say of the order of two values whether a comparison holds; those of what has none hold only for
// inequality.
var comparisons = map[token.Token]func(order int, ordered bool) bool{
	token.EQL: func(order int, ordered bool) bool { return ordered && order == 0 },
	token.NEQ: func(order int, ordered bool) bool { return !ordered || order != 0 },
	token.LSS: func(order int, ordered bool) bool { return ordered && order < 0 },
	token.LEQ: func(order int, ordered bool) bool { return ordered && order <= 0 },
	token.GTR: func(order int, ordered bool) bool { return ordered && order > 0 },
	token.GEQ: func(order int, ordered bool) bool { return ordered && order >= 0 },
}

func (c *Condition) compare(of *ast.BinaryExpr) (node, error) {
	kept := comparisons[of.Op]
	if kept == nil {
		return nil, fmt.Errorf("operator %s is not known", of.Op)
	}
	left, err := c.operand(of.X)
	if err != nil {
		return nil, err
	}
	right, err := c.operand(of.Y)
	if err != nil {
		return nil, err
	}
	equality := of.Op == token.EQL || of.Op == token.NEQ
	return func(values func(int) Value) bool {
		a, b := left(values), right(values)
		order, ordered := a.Compare(b)
		if !equality && (a.kind == null || a.kind == truth || a.kind == other) {
			ordered = false
		}
		return kept(order, ordered)
	}, nil
}

func called(of *ast.CallExpr) string {
	name, ok := of.Fun.(*ast.Ident)
	if !ok {
		return ""
	}
	return name.Name
}

// argument is the name that a function is called with.
func (c *Condition) argument(of *ast.CallExpr) (operand, error) {
	if len(of.Args) == 1 {
		if name, ok := of.Args[0].(*ast.Ident); ok {
			return c.name(name.Name), nil
		}
	}
	return nil, fmt.Errorf("%s takes one name in brackets", called(of))
}

func (c *Condition) has(of *ast.CallExpr) (node, error) {
	value, err := c.argument(of)
	if err != nil {
		return nil, err
	}
	return func(values func(int) Value) bool { return value(values).kind != null }, nil
}

func (c *Condition) operand(of ast.Expr) (operand, error) {
	switch part := of.(type) {
	case *ast.ParenExpr:
		if _, nested := part.X.(*ast.ParenExpr); !nested {
			return c.operand(part.X)
		}
	case *ast.BasicLit:
		return literal(part.Kind, part.Value, "")
	case *ast.UnaryExpr:
		if number, ok := part.X.(*ast.BasicLit); ok && part.Op == token.SUB && number.Kind != token.STRING {
			return literal(number.Kind, number.Value, "-")
		}
	case *ast.CallExpr:
		if called(part) == "size" {
			value, err := c.argument(part)
			if err != nil {
				return nil, err
			}
			return func(values func(int) Value) Value { return value(values).size() }, nil
		}
	case *ast.Ident:
		return c.named(part.Name), nil
	}
	return nil, errors.New(
		"what is compared is a name, size(name), a number, a text in double quotes, true, false or null")
}

// named is a word: one of those with a meaning of their own, or a name.
func (c *Condition) named(word string) operand {
	switch word {
	case "true":
		return constant(True)
	case "false":
		return constant(False)
	case "null":
		return constant(Value{})
	default:
		return c.name(word)
	}
}

// name is the value of a name, which gets a place.
func (c *Condition) name(name string) operand {
	place := len(c.names)
	for known := range c.names {
		if c.names[known] == name {
			place = known
		}
	}
	if place == len(c.names) {
		c.names = append(c.names, name)
	}
	return func(values func(int) Value) Value { return values(place) }
}

func literal(kind token.Token, text, sign string) (operand, error) {
	switch kind {
	case token.INT:
		if number, err := strconv.ParseInt(sign+text, 10, 64); err == nil {
			return constant(Int(number)), nil
		}
	case token.FLOAT:
		if number, err := strconv.ParseFloat(sign+text, 64); err == nil && !math.IsInf(number, 0) {
			return constant(Double(number)), nil
		}
	case token.STRING:
		if unquoted, err := strconv.Unquote(text); err == nil {
			return constant(Text([]byte(unquoted))), nil
		}
	default:
	}
	return nil, fmt.Errorf("%s%s is no number and no text in double quotes", sign, text)
}

func constant(value Value) operand { return func(func(int) Value) Value { return value } }
