package validation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/document"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// requestCheck checks a request: a whole operation, or one that another consists of and whose parameters it uses.
type requestCheck struct {
	*product.Findings
	request    *benchv1alpha1.Request
	parameters []benchv1alpha1.Parameter
	path       *field.Path
	// captured are the names of the values that a flow has captured.
	captured []string
}

// wrongReference says what is wrong with a reference to a parameter, empty for nothing.
func (c requestCheck) wrongReference(reference reference) string {
	at := slices.IndexFunc(c.parameters, called(reference.name))
	switch {
	case reference.captured && slices.Contains(c.captured, reference.name):
		return ""
	case reference.captured:
		return fmt.Sprintf("refers to %q, which no part of a flow with this operation captures", reference.name)
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
		return !slices.ContainsFunc(choice.Values, func(choice benchv1alpha1.ChoiceValue) bool {
			value, err := document.Parse(choice.Value.Text())
			text, ok := value.Text()
			return err != nil || !ok || text == "" || strings.ContainsRune(text, 0)
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
	if !operation.Of(c.request.Kind).Replaces() {
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
	c.plain()
	switch row := operation.Of(c.request.Kind); {
	case row.Requires(operation.Filter), row.Requires(operation.Update):
		if c.request.Filter == "" {
			c.Add(field.Required(c.path.Child("filter"), fmt.Sprintf(
				"%s has to be told which documents; {} selects all of them", c.request.Kind)))
		}
		if row.Requires(operation.Update) {
			c.updateOperators()
		}
	case row.Replaces():
		c.replacement()
	default:
		c.limit()
	}
}

// plain refuses what the kind does not take of the settings that are no documents.
func (c requestCheck) plain() {
	row := operation.Of(c.request.Kind)
	for _, one := range []struct {
		setting operation.Setting
		given   bool
	}{
		{operation.Collation, c.request.Collation != nil},
		{operation.MaxTimeMillis, c.request.MaxTimeMillis != 0},
		{operation.Comment, c.request.Comment != ""},
	} {
		c.Forbid(one.given && !row.Takes(one.setting), c.path.Child(string(one.setting)), "%s", takenBy(one.setting))
	}
}

// hint wants the name of an index, or its keys in their order, which no parameter stands for.
func (c requestCheck) hint(written benchv1alpha1.Document, path *field.Path) {
	text := written.Text()
	if !strings.HasPrefix(text, "{") {
		c.Refuse(strings.ContainsRune(text, 0) || strings.HasPrefix(text, "["), path, text,
			"must be the name of an index, or an object of its keys")
		return
	}
	keys, err := document.Read(written)
	if err != nil {
		c.Refuse(true, path, text, "%v", err)
		return
	}
	refuseUnordered(c.Findings, document.UnorderedCommand(keys, path))
	used, err := references(keys)
	c.Refuse(err != nil || len(used) > 0, path, text, "is constant: no parameter or field stands in it")
	c.Refuse(len(keys.Members()) == 0, path, text, "must name a key of the index")
}

// updateOperators refuses an update that would replace the whole document, or none.
func (c requestCheck) updateOperators() {
	update, err := document.Read(c.request.Update)
	if err != nil || !update.IsObject() {
		return // A pipeline, or no document at all, of which another error tells.
	}
	operators := len(update.Members()) > 0
	for _, member := range update.Members() {
		operators = operators && strings.HasPrefix(member.Key, "$")
	}
	c.Refuse(!operators, c.path.Child("update"), c.request.Update.Text(),
		"must consist of update operators such as $set; a whole document is replaced by ReplaceOne")
}

func (c requestCheck) replacement() {
	key := c.replaceKey()
	switch {
	case key == nil && c.request.ReplaceKey != "":
		c.Refuse(true, c.path.Child("replaceKey"), c.request.ReplaceKey, "must be the name of a parameter of type Key")
	case key == nil:
		c.Add(field.Required(c.path.Child("parameters"),
			string(c.request.Kind)+" needs a parameter of type Key: the replacement is made for the record that it draws"))
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
