package validation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// parameter checks the parameter with this index.
func (c operationCheck) parameter(index int, collection *benchv1alpha1.Collection) field.ErrorList {
	parameter, path := &c.operation.Parameters[index], c.path.Child("parameters").Index(index)
	errs := validateGenerator(&benchv1alpha1.Generator{
		Type:         benchv1alpha1.GeneratorType(parameter.Type),
		Distribution: parameter.Distribution,
		Integer:      parameter.Integer,
		Double:       parameter.Double,
		Date:         parameter.Date,
		Choice:       parameter.Choice,
	}, path)
	if parameter.Type == benchv1alpha1.ParameterKey {
		errs = append(errs, validateKey(parameter, collection, path)...)
	}
	before := c.operation.Parameters[:index]
	errs = append(errs, sameRecord(parameter, before, path.Child("sameRecordAs"))...)
	return append(errs, summand(parameter, before, collection, path.Child("plusParameter"))...)
}

// sameRecord checks that the record of a key is that of one before it.
func sameRecord(
	parameter *benchv1alpha1.Parameter, before []benchv1alpha1.Parameter, path *field.Path,
) field.ErrorList {
	if parameter.SameRecordAs == nil {
		return nil
	}
	at := slices.IndexFunc(before, called(*parameter.SameRecordAs))
	if at >= 0 && before[at].Type == benchv1alpha1.ParameterKey {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *parameter.SameRecordAs,
		"must be the name of a parameter of type Key that comes before this one")}
}

// summand checks that what is added to a parameter is known before it, and of the same type.
func summand(
	parameter *benchv1alpha1.Parameter, before []benchv1alpha1.Parameter, collection *benchv1alpha1.Collection,
	path *field.Path,
) field.ErrorList {
	if parameter.PlusParameter == nil {
		return nil
	}
	at := slices.IndexFunc(before, called(*parameter.PlusParameter))
	if at >= 0 && (before[at].Type == parameter.Type || keyOfType(&before[at], parameter.Type, collection)) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *parameter.PlusParameter, fmt.Sprintf(
		"must be the name of a parameter that comes before this one, of type %s or a Key whose field is", parameter.Type))}
}

// keyOfType is whether a Key has values of the same type in BSON as a parameter of type wanted.
func keyOfType(
	key *benchv1alpha1.Parameter, wanted benchv1alpha1.ParameterType, collection *benchv1alpha1.Collection,
) bool {
	if key.Type != benchv1alpha1.ParameterKey {
		return false
	}
	for i := range collection.Fields {
		if declared := &collection.Fields[i]; declared.Name == *key.Key.Field {
			return declared.Type == benchv1alpha1.GeneratorType(wanted) ||
				declared.Type == benchv1alpha1.GeneratorSequence &&
					benchv1alpha1.GeneratorType(wanted) == benchv1alpha1.GeneratorLong
		}
	}
	return false
}

// validateKey checks that there are documents to draw from, and that the field has a value that can be made from a
// record number alone.
func validateKey(
	parameter *benchv1alpha1.Parameter, collection *benchv1alpha1.Collection, path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	if ptr.Deref(collection.DocumentCount, 0) == 0 {
		errs = append(errs, field.Invalid(path.Child("type"), parameter.Type, fmt.Sprintf(
			"draws a document that was loaded, and collection %s is loaded with none; set its documentCount", collection.Name)))
	}
	name := *parameter.Key.Field
	for i := range collection.Fields {
		declared := &collection.Fields[i]
		if declared.Name != name {
			continue
		}
		if declared.Document != nil || declared.Array != nil || strings.Contains(name, ".") {
			errs = append(errs, field.Invalid(path.Child("key", "field"), name,
				"must be a single value at the top of the documents of collection "+collection.Name))
		}
		return errs
	}
	if name != idField {
		errs = append(errs, field.Invalid(path.Child("key", "field"), name,
			"is no top-level field of collection "+collection.Name))
	}
	return errs
}
