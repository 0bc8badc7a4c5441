package validation

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func (c operationCheck) parameter(
	parameter *benchv1alpha1.Parameter, collection *benchv1alpha1.Collection, path *field.Path,
) field.ErrorList {
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
	return errs
}

func keyField(parameter *benchv1alpha1.Parameter) string {
	return ptr.Deref(ptr.Deref(parameter.Key, benchv1alpha1.KeySettings{}).Field, benchv1alpha1.DefaultKeyField)
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
	name := keyField(parameter)
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
