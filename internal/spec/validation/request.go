package validation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// requestCheck checks a request: a whole operation, or one that another consists of and whose parameters it uses.
type requestCheck struct {
	*product.Findings
	request    *benchv1alpha1.Request
	parameters []benchv1alpha1.Parameter
	path       *field.Path
}

// documents checks what is written in JSON, and returns the names of the parameters that the request uses.
func (c requestCheck) documents(command string) []string {
	texts := []struct {
		name string
		text string
		want form
	}{
		{"filter", c.request.Filter, object},
		{"projection", c.request.Projection, object},
		{"update", c.request.Update, objectOrArray},
		{"pipeline", c.request.Pipeline, array},
		{"command", command, object},
	}
	used := c.used()
	for _, document := range texts {
		if document.text == "" || document.name == "command" && c.request.Kind != benchv1alpha1.OperationRunCommand {
			continue
		}
		path := c.path.Child(document.name)
		found, err := references(document.text, document.want)
		c.Refuse(err != nil, path, document.text, "%v", err)
		for _, reference := range found {
			why := c.wrongReference(reference)
			c.Refuse(why != "", path, document.text, "%s", why)
			used = append(used, reference.name)
		}
	}
	return used
}

// wrongReference says what is wrong with a reference to a parameter, empty for nothing.
func (c requestCheck) wrongReference(reference reference) string {
	at := slices.IndexFunc(c.parameters, called(reference.name))
	switch {
	case at < 0:
		return fmt.Sprintf("refers to parameter %q, which is not declared under parameters", reference.name)
	case reference.asKey && !alwaysText(&c.parameters[at]):
		return fmt.Sprintf("parameter %q stands for a key: it must be a Choice of texts, or a String with a minLength of at "+
			"least 1 and a maxLength of at most %d", reference.name, maxKeyBytes)
	}
	return ""
}

func called(name string) func(benchv1alpha1.Parameter) bool {
	return func(p benchv1alpha1.Parameter) bool { return p.Name == name }
}

// maxKeyBytes is the longest text that may stand for a key.
const maxKeyBytes = 1024

// alwaysText is whether every value of a parameter can be the key of a document.
func alwaysText(parameter *benchv1alpha1.Parameter) bool {
	switch benchv1alpha1.GeneratorType(parameter.Type) {
	case benchv1alpha1.GeneratorString:
		return *parameter.Bytes.MinLength >= 1 && *parameter.Bytes.MaxLength <= maxKeyBytes
	case benchv1alpha1.GeneratorChoice:
		choice := ptr.Deref(parameter.Choice, benchv1alpha1.ChoiceSettings{})
		return !slices.ContainsFunc(choice.Values, func(value benchv1alpha1.ChoiceValue) bool {
			var text string
			err := json.Unmarshal([]byte(value.Value), &text)
			return err != nil || text == "" || strings.ContainsRune(text, 0)
		})
	default:
		return false
	}
}

// used are the parameters that the request uses without naming them in a document.
func (c requestCheck) used() []string {
	var names []string
	if key := c.replaceKey(); key != nil {
		names = append(names, key.Name)
	}
	if c.request.LimitParameter != "" {
		names = append(names, c.request.LimitParameter)
	}
	return names
}

func (c requestCheck) replaceKey() *benchv1alpha1.Parameter {
	if c.request.Kind != benchv1alpha1.OperationReplaceOne {
		return nil
	}
	for i := range c.parameters {
		parameter := &c.parameters[i]
		wanted := c.request.ReplaceKey == "" || parameter.Name == c.request.ReplaceKey
		if wanted && parameter.Type == benchv1alpha1.ParameterKey {
			return parameter
		}
	}
	return nil
}

// requirements checks what the kind of request cannot do without.
func (c requestCheck) requirements() {
	switch row := operation.Of(c.request.Kind); {
	case row.Requires(operation.Filter), row.Requires(operation.Update):
		if c.request.Filter == "" {
			c.Add(field.Required(c.path.Child("filter"), fmt.Sprintf(
				"%s has to be told which documents; {} selects all of them", c.request.Kind)))
		}
		if row.Requires(operation.Update) {
			c.updateOperators()
		}
	case row.Takes(operation.ReplaceKey):
		c.replacement()
	default:
		c.limit()
	}
}

// updateOperators refuses an update that would replace the whole document, or none.
func (c requestCheck) updateOperators() {
	text := c.request.Update
	var update map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &update) != nil {
		return // A pipeline, or no JSON at all, of which another error tells.
	}
	operators := len(update) > 0
	for key := range update {
		operators = operators && strings.HasPrefix(key, "$")
	}
	c.Refuse(!operators, c.path.Child("update"), text,
		"must consist of update operators such as $set; a whole document is replaced by ReplaceOne")
}

func (c requestCheck) replacement() {
	key := c.replaceKey()
	switch {
	case key == nil && c.request.ReplaceKey != "":
		c.Refuse(true, c.path.Child("replaceKey"), c.request.ReplaceKey, "must be the name of a parameter of type Key")
	case key == nil:
		c.Add(field.Required(c.path.Child("parameters"),
			"ReplaceOne needs a parameter of type Key: the replacement is made for the record that it draws"))
	case c.request.Filter == "" && *key.Key.Field != idField:
		c.Add(field.Required(c.path.Child("filter"), fmt.Sprintf(
			"the value of parameter %q is the field %s, by which the document cannot be selected by default",
			key.Name, *key.Key.Field)))
	}
}

// limit wants a parameter that cannot ask for no limit, which is what 0 is to the server.
func (c requestCheck) limit() {
	path, name := c.path.Child("limitParameter"), c.request.LimitParameter
	if name == "" {
		return
	}
	at := slices.IndexFunc(c.parameters, called(name))
	if at < 0 || benchv1alpha1.GeneratorType(c.parameters[at].Type) != benchv1alpha1.GeneratorInt {
		c.Refuse(true, path, name, "must be the name of a parameter of type Int")
		return
	}
	c.Refuse(*c.parameters[at].Integer.Min < 1, path, name,
		"integer.min of parameter %q must be at least 1: a limit of 0 is no limit", name)
}

func emptyObject(text string) bool {
	var value map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &value) == nil && len(value) == 0
}

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
	switch {
	case f == anyValue:
		return nil
	case f == object && !isObject:
		return errors.New("must be an object in braces")
	case f == objectOrArray && !isObject && !isArray:
		return errors.New("must be an object in braces or an array in brackets")
	case f == array && !isArray:
		return errors.New("must be an array in brackets")
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
