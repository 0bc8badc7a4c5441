package product

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Refused is an error about one field.
func Refused(path *field.Path, value any, why string, details ...any) field.ErrorList {
	return field.ErrorList{field.Invalid(path, value, fmt.Sprintf(why, details...))}
}

// FindCollection is the collection that an operation works on: the first when no name is given, nil when there is none.
func FindCollection(dataset *benchv1alpha1.Dataset, name *string) *benchv1alpha1.Collection {
	for i := range dataset.Collections {
		if name == nil || dataset.Collections[i].Name == *name {
			return &dataset.Collections[i]
		}
	}
	return nil
}
