package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	kjson "sigs.k8s.io/json"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// applyPatch applies the patch of a choice, whose path is given, to an encoded specification.
func applyPatch(
	document []byte, choice benchv1alpha1.Choice, path *field.Path,
) (benchv1alpha1.BenchmarkRunSpec, *field.Error) {
	var refused *field.Error
	if choice.Patch != nil {
		document, refused = merged(document, choice.Patch.Raw, path)
	} else {
		document, refused = operated(document, choice.JSONPatch, path)
	}
	var spec benchv1alpha1.BenchmarkRunSpec
	if refused != nil {
		return spec, refused
	}
	return spec, decoded(document, &spec, path)
}

// decoded reads JSON into a specification. A field that does not exist is an error: it would be a typing error that
// makes two variants the same.
func decoded(document []byte, into *benchv1alpha1.BenchmarkRunSpec, path *field.Path) *field.Error {
	strict, err := kjson.UnmarshalStrict(document, into)
	if err != nil {
		return mistyped(document, path, err)
	}
	if len(strict) == 0 {
		return nil
	}
	if fieldError, ok := errors.AsType[kjson.FieldError](strict[0]); ok {
		path = path.Child(fieldError.FieldPath())
	}
	return field.Invalid(path, field.OmitValueType{}, strict[0].Error())
}

// merged applies a strategic merge patch.
func merged(document, patch []byte, path *field.Path) ([]byte, *field.Error) {
	var original, change map[string]any
	// Read in this way integers stay what they are; as floats the large ones would be others.
	err := kjson.UnmarshalCaseSensitivePreserveInts(document, &original)
	if err == nil {
		err = kjson.UnmarshalCaseSensitivePreserveInts(patch, &change)
	}
	if err == nil {
		if refused := typed(change, path); refused != nil {
			return nil, refused
		}
		boxed(original)
		boxed(change)
		original, err = strategicpatch.StrategicMergeMapPatch(original, change, benchv1alpha1.BenchmarkRunSpec{})
	}
	if err == nil {
		document, err = json.Marshal(unboxed(original))
	}
	if err != nil {
		return nil, field.Invalid(path, field.OmitValueType{}, err.Error())
	}
	return document, nil
}

// typed wants of a strategic merge patch what a specification may hold. That is checked before the patch is applied,
// because an error then has the path that its author wrote, and because a null for a field that does not exist would
// leave no trace afterwards.
func typed(change map[string]any, path *field.Path) *field.Error {
	document, err := json.Marshal(withoutDirectives(change))
	if err != nil {
		return field.Invalid(path, field.OmitValueType{}, err.Error())
	}
	return decoded(document, &benchv1alpha1.BenchmarkRunSpec{}, path)
}

// withoutDirectives leaves out the keys that speak to the merge, such as $patch.
func withoutDirectives(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := make(map[string]any, len(value))
		for key, item := range value {
			if !strings.HasPrefix(key, "$") {
				kept[key] = withoutDirectives(item)
			}
		}
		return kept
	case []any:
		kept := make([]any, 0, len(value))
		for _, item := range value {
			kept = append(kept, withoutDirectives(item))
		}
		return kept
	default:
		return value
	}
}

// operated applies a JSON patch, one operation after the other, so that an error has the path of its operation.
func operated(
	document []byte, operations []benchv1alpha1.JSONPatchOperation, path *field.Path,
) ([]byte, *field.Error) {
	for i, operation := range operations {
		at := path.Index(i)
		if err := complete(operation, at); err != nil {
			return nil, err
		}
		encoded, err := json.Marshal([]benchv1alpha1.JSONPatchOperation{operation})
		if err != nil {
			return nil, field.Invalid(at, field.OmitValueType{}, err.Error())
		}
		patch, err := jsonpatch.DecodePatch(encoded)
		if err == nil {
			document, err = patch.Apply(document)
		}
		if err != nil {
			return nil, field.Invalid(at, operation.Path, err.Error())
		}
		if len(document) > maxDocument {
			return nil, field.Invalid(at, operation.Path, fmt.Sprintf(
				"makes the specification larger than %d bytes", maxDocument))
		}
	}
	return document, nil
}

// complete wants of an operation what RFC 6902 wants. A path that does not begin with a slash, and a missing value,
// would be taken for something else.
func complete(operation benchv1alpha1.JSONPatchOperation, path *field.Path) *field.Error {
	if !strings.HasPrefix(operation.Path, "/") {
		return field.Invalid(path.Child("path"), operation.Path, "must begin with a slash")
	}
	switch operation.Op {
	case "add", "replace", "test":
		if operation.Value == nil {
			return field.Required(path.Child("value"), "what is absent is removed by an operation of its own")
		}
	case "move", "copy":
		if from := ptr.Deref(operation.From, ""); !strings.HasPrefix(from, "/") {
			return field.Invalid(path.Child("from"), from, "must begin with a slash")
		}
	default:
	}
	return nil
}

// untouched refuses a patch of what the suite itself decides about its runs.
func untouched(before, after *benchv1alpha1.BenchmarkRunSpec, path *field.Path) *field.Error {
	const why = "a patch cannot change it: whether runs wait or end is one decision for the whole suite"
	switch {
	case !ptr.Equal(before.Suspend, after.Suspend):
		return field.Forbidden(path.Child("suspend"), why)
	case !ptr.Equal(before.Cancel, after.Cancel):
		return field.Forbidden(path.Child("cancel"), why)
	case !ptr.Equal(before.TTLSecondsAfterFinished, after.TTLSecondsAfterFinished):
		return field.Forbidden(path.Child("ttlSecondsAfterFinished"), validation.NoTTL)
	default:
		return nil
	}
}
