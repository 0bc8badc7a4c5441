package validation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// operationCheck checks one operation of a step.
type operationCheck struct {
	operation *benchv1alpha1.Operation
	dataset   *benchv1alpha1.Dataset
	path      *field.Path
}

func (c operationCheck) run() field.ErrorList {
	errs := c.documents()
	errs = append(errs, c.requirements()...)
	collection := find(c.dataset, c.operation.Collection)
	if collection == nil {
		names := make([]string, 0, len(c.dataset.Collections))
		for _, known := range c.dataset.Collections {
			names = append(names, known.Name)
		}
		return append(errs, field.NotSupported(c.path.Child("collection"), ptr.Deref(c.operation.Collection, ""), names))
	}
	for i := range c.operation.Parameters {
		errs = append(errs, c.parameter(&c.operation.Parameters[i], collection, c.path.Child("parameters").Index(i))...)
	}
	return errs
}

// documents checks what is written in JSON, and that it and the declared parameters agree.
func (c operationCheck) documents() field.ErrorList {
	texts := []struct {
		name string
		text *string
		want form
	}{
		{"filter", c.operation.Filter, object},
		{"projection", c.operation.Projection, object},
		{"update", c.operation.Update, objectOrArray},
		{"pipeline", c.operation.Pipeline, array},
		{"command", c.operation.Command, object},
	}
	used := c.replaceKeys()
	var errs field.ErrorList
	for _, document := range texts {
		if document.text == nil {
			continue
		}
		path := c.path.Child(document.name)
		names, err := parameterNames(*document.text, document.want)
		if err != nil {
			errs = append(errs, field.Invalid(path, *document.text, err.Error()))
			continue
		}
		for _, name := range names {
			if !slices.ContainsFunc(c.operation.Parameters, called(name)) {
				errs = append(errs, field.Invalid(path, *document.text, fmt.Sprintf(
					"refers to parameter %q, which is not declared under parameters", name)))
			}
		}
		used = append(used, names...)
	}
	if len(errs) > 0 {
		return errs // A document that could not be read may well use the parameters that seem unused.
	}
	return c.unused(used)
}

func called(name string) func(benchv1alpha1.Parameter) bool {
	return func(p benchv1alpha1.Parameter) bool { return p.Name == name }
}

func (c operationCheck) unused(used []string) field.ErrorList {
	var errs field.ErrorList
	for i, parameter := range c.operation.Parameters {
		if !slices.Contains(used, parameter.Name) {
			errs = append(errs, field.Invalid(c.path.Child("parameters").Index(i).Child("name"), parameter.Name,
				fmt.Sprintf(`is used nowhere; write {"$param": %q} where its value belongs, or remove it`, parameter.Name)))
		}
	}
	return errs
}

// replaceKeys is the parameter, if any, that a ReplaceOne uses without naming it in a document.
func (c operationCheck) replaceKeys() []string {
	if key := c.replaceKey(); key != nil {
		return []string{key.Name}
	}
	return nil
}

func (c operationCheck) replaceKey() *benchv1alpha1.Parameter {
	if c.operation.Kind != benchv1alpha1.OperationReplaceOne {
		return nil
	}
	for i := range c.operation.Parameters {
		parameter := &c.operation.Parameters[i]
		wanted := c.operation.ReplaceKey == nil || parameter.Name == *c.operation.ReplaceKey
		if wanted && parameter.Type == benchv1alpha1.ParameterKey {
			return parameter
		}
	}
	return nil
}

// requirements checks what the kind of operation cannot do without.
func (c operationCheck) requirements() field.ErrorList {
	switch c.operation.Kind {
	case benchv1alpha1.OperationUpdateOne, benchv1alpha1.OperationReadModifyWrite:
		return append(c.needsFilter(), c.updateOperators()...)
	case benchv1alpha1.OperationDeleteOne:
		return c.needsFilter()
	case benchv1alpha1.OperationReplaceOne:
		return c.replacement()
	case benchv1alpha1.OperationRunCommand:
		if command := ptr.Deref(c.operation.Command, ""); emptyObject(command) {
			return field.ErrorList{field.Invalid(c.path.Child("command"), command, "must begin with the name of a command")}
		}
	default:
	}
	return nil
}

func (c operationCheck) needsFilter() field.ErrorList {
	if c.operation.Filter != nil {
		return nil
	}
	return field.ErrorList{field.Required(c.path.Child("filter"), fmt.Sprintf(
		"%s has to be told which document; without a filter all of them would do the same to one", c.operation.Kind))}
}

// updateOperators refuses an update that would replace the whole document, or none.
func (c operationCheck) updateOperators() field.ErrorList {
	text := ptr.Deref(c.operation.Update, "")
	var update map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &update) != nil {
		return nil // A pipeline, or no JSON at all, of which another error tells.
	}
	operators := len(update) > 0
	for key := range update {
		operators = operators && strings.HasPrefix(key, "$")
	}
	if operators {
		return nil
	}
	return field.ErrorList{field.Invalid(c.path.Child("update"), text,
		"must consist of update operators such as $set; a whole document is replaced by ReplaceOne")}
}

func (c operationCheck) replacement() field.ErrorList {
	key := c.replaceKey()
	switch {
	case key == nil && c.operation.ReplaceKey != nil:
		return field.ErrorList{field.Invalid(c.path.Child("replaceKey"), *c.operation.ReplaceKey,
			"must be the name of a parameter of type Key")}
	case key == nil:
		return field.ErrorList{field.Required(c.path.Child("parameters"),
			"ReplaceOne needs a parameter of type Key: the replacement is made for the record that it draws")}
	case c.operation.Filter == nil && keyField(key) != idField:
		return field.ErrorList{field.Required(c.path.Child("filter"), fmt.Sprintf(
			"the value of parameter %q is the field %s, by which the document cannot be selected by default",
			key.Name, keyField(key)))}
	}
	return nil
}

func emptyObject(text string) bool {
	var value map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &value) == nil && len(value) == 0
}
