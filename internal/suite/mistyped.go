package suite

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// mistyped says of which field the value is of another type, in the words of the API. Kubernetes' reader, whose error
// is given, says it with Go's types; the standard library's, which has the same rules for them, says which field it is.
func mistyped(document []byte, path *field.Path, err error) *field.Error {
	plain := json.Unmarshal(document, &benchv1alpha1.BenchmarkRunSpec{})
	wrong, is := errors.AsType[*json.UnmarshalTypeError](plain)
	if !is {
		return field.Invalid(path, field.OmitValueType{}, err.Error())
	}
	return field.Invalid(path.Child(wrong.Field), field.OmitValueType{}, fmt.Sprintf(
		"must be %s, and is %s", typeName(wrong.Type.Kind()), valueName(wrong.Value)))
}

// typeName is what the API calls the values of a kind.
func typeName(kind reflect.Kind) string {
	switch kind {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	default:
		return "a whole number within its limits"
	}
}

// valueName is what the API calls a value that encoding/json describes, by its kind or as "number 1.5".
func valueName(described string) string {
	names := map[string]string{
		"array": "a list", "bool": "true or false", "number": "a number", "object": "an object", "string": "a string",
	}
	return cmp.Or(names[described], strings.TrimPrefix(described, "number "))
}
