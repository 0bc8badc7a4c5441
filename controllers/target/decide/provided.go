package decide

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Provided is what was found of an object by which another operator is asked for something.
type Provided struct {
	// KindMissing says that the cluster does not know the kind.
	KindMissing bool
	// Object is nil while there is none.
	Object *unstructured.Unstructured
	// Secret is that which the other operator makes: with the certificate and its authority, or a connection string.
	Secret SecretState
}

// provided is an object by which another operator is asked for something.
func provided(
	t *benchv1alpha1.BenchmarkTarget, kind schema.GroupVersionKind, name string, spec map[string]any,
) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&spec)
	if err != nil {
		return nil, fmt.Errorf("making a %s: %w", kind.Kind, err)
	}
	made := &unstructured.Unstructured{Object: map[string]any{"spec": content}}
	made.SetGroupVersionKind(kind)
	made.SetNamespace(t.Namespace)
	made.SetName(name)
	made.SetLabels(naming.ForTarget(t.Name, naming.ComponentMongod))
	return made, nil
}

// statusOf reads of an object's status what it can: what is of another form counts as not said.
func statusOf[Status any](object *unstructured.Unstructured) Status {
	var read struct {
		Status Status `json:"status"`
	}
	if object != nil {
		_ = runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &read)
	}
	return read.Status
}
