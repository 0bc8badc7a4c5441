package validation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// parameterKey is the key of {"$param": "name"}, and namePrefix begins a key that stands for the text of a parameter.
const (
	parameterKey = "$param"
	namePrefix   = parameterKey + ":"
)

// reference is a place of a document that a parameter stands for.
type reference struct {
	name string
	// asKey is whether it stands for a key; else for a value.
	asKey bool
}

// form is what a text of JSON has to be.
type form int

const (
	anyValue form = iota
	object
	objectOrArray
	array
)

// references reads a text of Extended JSON and returns what in it refers to parameters. Only its form as JSON is
// checked here; whether the server understands it, is seen when the operation is compiled.
func references(text string, want form) ([]reference, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("is no JSON: %w", explain(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("is no JSON: there is something after its end")
	}
	if err := want.check(value); err != nil {
		return nil, err
	}
	return collectReferences(value, nil)
}

// explain puts the place of an error into words.
func explain(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("it ends too early; is a bracket or a quote missing?")
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("at byte %d: %w", syntax.Offset, err)
	}
	return err
}

func (f form) check(value any) error {
	document, isObject := value.(map[string]any)
	list, isArray := value.([]any)
	switch f {
	case object:
		if !isObject {
			return errors.New("must be an object in braces")
		}
	case objectOrArray:
		if !isObject && !isArray {
			return errors.New("must be an object in braces or an array in brackets")
		}
	case array:
		if !isArray {
			return errors.New("must be an array in brackets")
		}
	default:
		return nil
	}
	if _, isParameter := document[parameterKey]; isParameter {
		return errors.New("must not be a parameter as a whole; a parameter stands for a value within it")
	}
	for _, stage := range list {
		if _, ok := stage.(map[string]any); !ok {
			return errors.New("must be an array of objects, one for each stage")
		}
	}
	return nil
}

// collectReferences walks through a value. They are sorted where their order would be a map's.
func collectReferences(value any, found []reference) ([]reference, error) {
	var items []any
	switch value := value.(type) {
	case []any:
		items = value
	case map[string]any:
		if _, isParameter := value[parameterKey]; isParameter {
			return appendValue(value, found)
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if name, ok := strings.CutPrefix(key, namePrefix); ok {
				found = append(found, reference{name: name, asKey: true})
			}
			items = append(items, value[key])
		}
	}
	var err error
	for _, item := range items {
		if found, err = collectReferences(item, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func appendValue(document map[string]any, found []reference) ([]reference, error) {
	name, ok := document[parameterKey].(string)
	if !ok || len(document) != 1 {
		return nil, errors.New(`refers to a parameter wrongly; write {"$param": "name"} and nothing else in the braces`)
	}
	return append(found, reference{name: name}), nil
}
