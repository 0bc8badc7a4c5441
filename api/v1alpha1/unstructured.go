package v1alpha1

import (
	"fmt"

	kjson "sigs.k8s.io/json"

	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

// ToUnstructured is an object as the API server has it, with whole numbers as int64. The converter of Kubernetes does
// not ask types of strings how they are written: a document that is an object would become a string.
func ToUnstructured(object any) (map[string]any, error) {
	encoded, err := strictjson.Encode(object)
	if err != nil {
		return nil, err
	}
	var content map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(encoded, &content); err != nil {
		return nil, fmt.Errorf("decoding JSON: %w", err)
	}
	return content, nil
}

// FromUnstructured reads an object as the API server has it. The converter of Kubernetes would take the text of a
// string for a document.
func FromUnstructured(content map[string]any, into any) error {
	encoded, err := strictjson.Encode(content)
	if err != nil {
		return err
	}
	return strictjson.DecodeKnown(encoded, into)
}
