package validation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/document"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// The most characters of documents and constants, in JSON without spaces.
const (
	maxDocument = 8192
	maxPipeline = 16384
	maxConstant = 1024
)

// written is a document of an operation, with what it has to be.
type written struct {
	setting operation.Setting
	text    benchv1alpha1.Document
	want    form
	most    int
}

// exact is the pipeline of a recall, which is no setting of its own.
const exact = operation.Setting("recall.exact")

// documents are those of a request.
func (c requestCheck) documents() []written {
	return []written{
		{operation.Filter, c.request.Filter, object, maxDocument},
		{operation.Projection, c.request.Projection, object, maxDocument},
		{operation.Update, c.request.Update, objectOrArray, maxDocument},
		{operation.Pipeline, c.request.Pipeline, stages, maxPipeline},
		{operation.Hint, c.request.Hint, object, maxConstant},
		{operation.ArrayFilters, c.request.ArrayFilters, objects, maxDocument},
		{operation.Let, c.request.Let, object, maxDocument},
	}
}

// document checks one of them, and returns the names of the parameters that it uses. The schema of the API cannot say
// what an operation of a kind takes: the rules of a schema do not see fields of any type.
func (c requestCheck) document(one written) []string {
	path, row := c.path.Child(string(one.setting)), operation.Of(c.request.Kind)
	switch missing := one.text == ""; {
	case missing && row.Requires(one.setting) && one.setting != operation.Filter: // requirements speaks of a filter.
		c.Add(field.Required(path, takenBy(one.setting)))
		return nil
	case missing:
		return nil
	case !row.Takes(one.setting) && one.setting != exact:
		c.Forbid(true, path, "%s", takenBy(one.setting))
		return nil
	}
	text := one.text.Text()
	if !short(c.Findings, text, one.most, path) {
		return nil
	}
	if one.setting == operation.Hint {
		c.hint(one.text, path)
		return nil
	}
	value, err := document.Read(one.text)
	if err == nil {
		err = one.want.check(value)
	}
	if err != nil {
		c.Refuse(true, path, text, "%v", err)
		return nil
	}
	refuseUnordered(c.Findings, one.unordered(value, path))
	refuseMistyped(c.Findings, value, path)
	c.Refuse(one.setting == operation.Command && len(value.Members()) == 0, path, text,
		"must begin with the name of a command")
	return c.references(value, text, path)
}

// takenBy says which kinds of operations take a document.
func takenBy(setting operation.Setting) string {
	var need, may []string
	for kind := range operation.Kinds() {
		switch row := kind.Row(); {
		case row.Requires(setting):
			need = append(need, kind.String())
		case row.Takes(setting):
			may = append(may, kind.String())
		}
	}
	const few = 5
	switch {
	case len(need)+len(may) > few:
		return fmt.Sprintf("%s does not apply to this kind of operation", setting)
	case len(need) == 0:
		return fmt.Sprintf("%s applies only to %s", setting, enumerated(may))
	case len(may) == 0:
		return fmt.Sprintf("%s is required with %s, and forbidden with any other kind", setting, enumerated(need))
	default:
		return fmt.Sprintf("%s is required with %s, may be set with %s, and is forbidden with any other kind",
			setting, enumerated(need), enumerated(may))
	}
}

// enumerated is a list in words.
func enumerated(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// short refuses a text with too many characters.
func short(found *product.Findings, text string, most int, path *field.Path) bool {
	length := utf8.RuneCountInString(text)
	found.Refuse(length > most, path, fmt.Sprintf("%.40s...", text), "has %d characters; at most %d are possible",
		length, most)
	return length <= most
}

// unordered are the places of a document where the order of keys decides, and is not kept.
func (w written) unordered(value document.Value, path *field.Path) []document.Unordered {
	if w.setting == operation.Filter || w.setting == partialFilter {
		return document.UnorderedFilter(value, path)
	}
	if w.setting == operation.ArrayFilters {
		var places []document.Unordered
		for i, filter := range value.Items() {
			places = append(places, document.UnorderedFilter(filter, path.Index(i))...)
		}
		return places
	}
	if w.setting == operation.Command {
		return document.UnorderedCommand(value, path)
	}
	return document.UnorderedPipeline(value, path)
}

func refuseUnordered(found *product.Findings, places []document.Unordered) {
	for _, place := range places {
		found.Refuse(true, place.Path, place.Value.JSON(), "%s", place.Advice())
	}
}

// refuseMistyped refuses what the load generator's parser would refuse, and says whether there is nothing of it.
func refuseMistyped(found *product.Findings, value document.Value, path *field.Path) bool {
	wrong := document.MistypedIn(value, path)
	for _, one := range wrong {
		found.Refuse(true, one.Path, one.Value.JSON(), "%s", one.Advice())
	}
	return len(wrong) == 0
}

// references checks what a document refers to, and returns the names of its parameters.
func (c requestCheck) references(value document.Value, text string, path *field.Path) []string {
	found, err := references(value)
	c.Refuse(err != nil, path, text, "%v", err)
	names := make([]string, 0, len(found))
	for _, reference := range found {
		why := c.wrongReference(reference)
		c.Refuse(why != "", path, text, "%s", why)
		if !reference.captured {
			names = append(names, reference.name)
		}
	}
	return names
}

// validateConstant wants a value without parameters.
func validateConstant(
	found *product.Findings, constant benchv1alpha1.Constant, path *field.Path,
) (value document.Value, valid bool) {
	text := constant.Text()
	if !short(found, text, maxConstant, path) {
		return value, false
	}
	value, err := document.Parse(text)
	if err == nil {
		err = withoutParameters(value)
	}
	found.Refuse(err != nil, path, text, "%v", err)
	return value, err == nil && refuseMistyped(found, value, path)
}

// withoutParameters is the error of a value that refers to a parameter where there is none.
func withoutParameters(value document.Value) error {
	used, err := references(value)
	if err == nil && len(used) > 0 {
		err = fmt.Errorf("is a constant, and cannot refer to a parameter such as %s", used[0].name)
	}
	return err
}

// form is what a document has to be.
type form int

const (
	object form = iota
	objectOrArray
	// stages are an array of objects with one key each, objects one of objects with any.
	stages
	objects
)

func (f form) check(value document.Value) error {
	switch {
	case f == object && !value.IsObject():
		return errors.New("must be an object in braces")
	case f == objectOrArray && !value.IsObject() && !value.IsList():
		return errors.New("must be an object in braces or an array in brackets")
	case f >= stages && !value.IsList():
		return errors.New("must be an array in brackets")
	}
	if standsForAnother(value) {
		return errors.New("must not be a parameter as a whole; a parameter stands for a value within it")
	}
	if f == objects {
		return checkObjects(value)
	}
	return checkStages(value)
}

func checkStages(array document.Value) error {
	for i, stage := range array.Items() {
		switch {
		case !stage.IsObject():
			return errors.New("must be an array of objects, one for each stage")
		case len(stage.Members()) != 1:
			return fmt.Errorf("stage %d has %d keys; each has one, such as $match", i, len(stage.Members()))
		}
	}
	return nil
}

func checkObjects(array document.Value) error {
	if slices.ContainsFunc(array.Items(), func(v document.Value) bool { return !v.IsObject() }) {
		return errors.New("must be an array of objects, one filter each")
	}
	return nil
}

func standsForAnother(value document.Value) bool {
	return slices.ContainsFunc(value.Members(), func(m document.Member) bool {
		return m.Key == document.KeyParameter || m.Key == document.KeyField || m.Key == document.KeyCaptured
	})
}

// reference is a place of a document that a parameter stands for.
type reference struct {
	name string
	// captured is whether a captured value is meant, rather than a parameter.
	captured bool
	// asKey is whether it stands for a key; else for a value.
	asKey bool
}

// placeholders are the keys of objects that stand for something with a name, and what that is.
var placeholders = map[string]string{document.KeyParameter: "parameter", document.KeyCaptured: "captured value"}

// references are what in a value refers to parameters, in its order.
func references(value document.Value) (found []reference, err error) {
	value.Replaced(func(v document.Value) (document.Value, bool) {
		if err == nil {
			err = wrongPlaceholder(v)
		}
		for key := range placeholders {
			if name, is, _ := v.Placeholder(key); is {
				found = append(found, reference{name: name, captured: key == document.KeyCaptured})
			}
		}
		for _, member := range v.Members() {
			if name, ok := strings.CutPrefix(member.Key, document.KeyParameter+":"); ok {
				found = append(found, reference{name: name, asKey: true})
			}
		}
		return v, false
	})
	return found, err
}

// wrongPlaceholder says what is wrong with an object that is to stand for something.
func wrongPlaceholder(v document.Value) error {
	for key, what := range placeholders {
		if _, _, wrong := v.Placeholder(key); wrong {
			return fmt.Errorf("refers to a %s wrongly; write {%s: name} and nothing else in the braces", what, key)
		}
	}
	return leftKey(v)
}

// leftKey says why a {$key: field} has not become a parameter.
func leftKey(value document.Value) error {
	name, found, wrong := value.Placeholder(document.KeyField)
	switch {
	case wrong, found && name == "":
		return errors.New("refers to a field of a loaded document wrongly; " +
			"write {$key: field} and nothing else in the braces")
	case found:
		parameter := spec.KeyParameterName(name)
		return fmt.Errorf("{$key: %s} stands for a parameter %q, of type Key and of the same record as the other "+
			"{$key: ...} of the operation, and another has that name: rename that one, or declare one for field %s "+
			"under parameters and write {$param: ...}", name, parameter, name)
	default:
		return nil
	}
}
