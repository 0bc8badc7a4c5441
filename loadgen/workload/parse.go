package workload

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
)

// paramKey marks a document that stands for the value of a parameter, capturedKey one that stands for a captured value,
// and namePrefix a key that stands for the text of the parameter whose name follows.
const (
	paramKey    = "$param"
	capturedKey = "$captured"
	namePrefix  = "$param:"
)

// maxNameBytes is the longest text that may stand for a key.
const maxNameBytes = 1024

// shape is what the outermost value of a template may be.
type shape uint8

const (
	anObject shape = 1 << iota
	anArray
)

// parser turns Extended JSON into a template.
type parser struct {
	parameters []planv1.Parameter
	// captured are the names of captured values, with their slots.
	captured map[string]int
	// example stands the number 1 for every parameter, and leaves keys as they are.
	example bool
	pieces  []piece
	// path leads to the value that is looked at.
	path []string
}

// parse reads a document or array in Extended JSON, relaxed or canonical.
func (p parser) parse(text string, allowed shape) (*template, bool, error) {
	value, err := extjson.Parse(text)
	if err != nil {
		return nil, false, err
	}
	isArray := false
	switch value := value.(type) {
	case bson.D:
		if allowed&anObject == 0 {
			return nil, false, errors.New("it is an object, not an array")
		}
		if isParameter(value) {
			return nil, false, errors.New("a parameter cannot stand for the whole of it")
		}
		err = p.document(value)
	case bson.A:
		if allowed&anArray == 0 {
			return nil, false, errors.New("it is an array, not an object")
		}
		isArray = true
		err = p.document(elements(value))
	default:
		err = errors.New("it is neither an object nor an array")
	}
	if err != nil {
		return nil, false, err
	}
	return p.template(), isArray, nil
}

// elements gives an array's elements the names that BSON gives them.
func elements(array bson.A) bson.D {
	doc := make(bson.D, 0, len(array))
	for i, value := range array {
		doc = append(doc, bson.E{Key: strconv.Itoa(i), Value: value})
	}
	return doc
}

func isParameter(doc bson.D) bool {
	return slices.ContainsFunc(doc, func(e bson.E) bool { return e.Key == paramKey || e.Key == capturedKey })
}

// document adds the pieces of a document, or of an array's elements.
func (p *parser) document(doc bson.D) error {
	p.pieces = append(p.pieces, piece{action: openDocument})
	for _, e := range doc {
		p.path = append(p.path, e.Key)
		if err := p.element(e); err != nil {
			return err
		}
		p.path = p.path[:len(p.path)-1]
	}
	p.pieces = append(p.pieces, piece{action: closeDocument})
	return nil
}

func (p *parser) element(e bson.E) error {
	if strings.ContainsRune(e.Key, 0) {
		return p.wrong("a key holds a zero byte")
	}
	name := none
	if parameter, ok := strings.CutPrefix(e.Key, namePrefix); ok && !p.example {
		var err error
		if name, err = p.name(parameter); err != nil {
			return err
		}
	}
	switch value := e.Value.(type) {
	case bson.D:
		if isParameter(value) {
			return p.parameter(e.Key, name, value)
		}
		p.header(e.Key, name, bson.TypeEmbeddedDocument)
		return p.document(value)
	case bson.A:
		p.header(e.Key, name, bson.TypeArray)
		return p.document(elements(value))
	case bson.CodeWithScope:
		return p.wrong("code with a scope is not supported")
	default:
		encoded, err := extjson.Encode(value)
		if err != nil {
			return fmt.Errorf("at %s: %w", strings.Join(p.path, "."), err)
		}
		p.header(e.Key, name, encoded.Type)
		p.pieces = append(p.pieces, piece{action: copyBytes, bytes: encoded.Value})
		return nil
	}
}

// header adds what comes before a value whose type is known.
func (p *parser) header(key string, name int, bsonType bson.Type) {
	if name != none {
		p.pieces = append(p.pieces, piece{action: putName, bytes: []byte{byte(bsonType)}, name: name})
		return
	}
	header := append(append([]byte{byte(bsonType)}, key...), 0)
	p.pieces = append(p.pieces, piece{action: copyBytes, bytes: header})
}

func (p *parser) parameter(key string, name int, doc bson.D) error {
	parameter, ok := doc[0].Value.(string)
	if len(doc) != 1 || !ok {
		return p.wrong(`a parameter is written {"$param": "name"}, with nothing else in the braces; so is a captured value`)
	}
	if p.example {
		return p.element(bson.E{Key: key, Value: int32(1)})
	}
	if doc[0].Key == capturedKey {
		return p.capturedValue(key, name, parameter)
	}
	index := indexOf(p.parameters, parameter)
	if index < 0 {
		return p.wrong(fmt.Sprintf("parameter %q is not declared", parameter))
	}
	if name != none {
		p.pieces = append(p.pieces, piece{action: putNamedValue, parameter: index, name: name})
		return nil
	}
	header := append(append([]byte{0}, key...), 0)
	p.pieces = append(p.pieces, piece{action: putValue, bytes: header, parameter: index})
	return nil
}

// capturedValue adds a value that is captured.
func (p *parser) capturedValue(key string, name int, captured string) error {
	slot, known := p.captured[captured]
	if !known {
		return p.wrong(fmt.Sprintf("%q is not captured, nor state, in this flow", captured))
	}
	if name != none {
		return p.wrong("a captured value cannot have a parameter's text as its key")
	}
	header := append(append([]byte{0}, key...), 0)
	p.pieces = append(p.pieces, piece{action: putCaptured, bytes: header, parameter: slot})
	return nil
}

// name finds the parameter that stands for a key.
func (p *parser) name(parameter string) (int, error) {
	index := indexOf(p.parameters, parameter)
	if index < 0 {
		return none, p.wrong(fmt.Sprintf("parameter %q is not declared", parameter))
	}
	if !canName(p.parameters[index].Value) {
		return none, p.wrong(fmt.Sprintf("parameter %q cannot stand for a key: it must be a String, or a Choice of texts, "+
			"of 1 to %d bytes none of which is zero", parameter, maxNameBytes))
	}
	return index, nil
}

// canName says whether every value that is drawn can be a key.
func canName(v planv1.Value) bool {
	switch v.Type {
	case benchv1alpha1.GeneratorString:
		return v.Min >= 1 && v.Max <= maxNameBytes
	case benchv1alpha1.GeneratorChoice:
		return !slices.ContainsFunc(v.Choices, func(c planv1.Choice) bool {
			value, err := extjson.Parse(c.Value)
			text, ok := value.(string)
			return err != nil || !ok || text == "" || len(text) > maxNameBytes || strings.ContainsRune(text, 0)
		})
	default:
		return false
	}
}

func (p *parser) wrong(what string) error {
	return fmt.Errorf("at %s: %s", strings.Join(p.path, "."), what)
}

// template joins the pieces that do not depend on parameters.
func (p *parser) template() *template {
	t := &template{pieces: fold(p.pieces)}
	if len(t.pieces) == 1 && t.pieces[0].action == copyBytes {
		return &template{constant: bson.Raw(t.pieces[0].bytes)}
	}
	return t
}

// fold renders every document without holes, from the innermost outwards, and joins neighbours that are only copied.
func fold(pieces []piece) []piece {
	var out []piece
	var opened []int
	for _, next := range pieces {
		out = append(out, next)
		switch next.action {
		case openDocument:
			opened = append(opened, len(out)-1)
		case closeDocument:
			start := opened[len(opened)-1]
			opened = opened[:len(opened)-1]
			inner := out[start+1 : len(out)-1]
			if len(inner) == 0 || len(inner) == 1 && inner[0].action == copyBytes {
				out = joinLast(append(out[:start], constantDocument(inner)))
			}
		case copyBytes:
			out = joinLast(out)
		case putValue, putName, putNamedValue, putCaptured:
		}
	}
	return out
}

// constantDocument renders a document whose content is known.
func constantDocument(inner []piece) piece {
	t := template{pieces: append(append([]piece{{action: openDocument}}, inner...), piece{action: closeDocument})}
	return piece{action: copyBytes, bytes: t.render(&Request{})}
}

// joinLast makes one of the last two pieces when both are only copied.
func joinLast(pieces []piece) []piece {
	last := len(pieces) - 1
	if last < 1 || pieces[last].action != copyBytes || pieces[last-1].action != copyBytes {
		return pieces
	}
	joined := slices.Concat(pieces[last-1].bytes, pieces[last].bytes)
	return append(pieces[:last-1], piece{action: copyBytes, bytes: joined})
}
