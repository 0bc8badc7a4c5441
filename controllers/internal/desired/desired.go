package desired

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

// Object is anything that the API server stores. It is what controller-runtime calls client.Object, and the two may be
// assigned to each other.
type Object interface {
	metav1.Object
	runtime.Object
}

// UpToDate says whether the observed object contains everything that the desired one says. What the API server or
// others added is left alone: further labels, annotations, data, named list entries and every field that is not spoken
// of. What has no entries of other writers (rules and subjects of RBAC, the selector of a NetworkPolicy, lists of plain
// values) must be equal.
// The status, and what the API server fills in by itself, is not compared.
func UpToDate(desired, observed Object) (bool, error) {
	want, err := Content(desired)
	if err != nil {
		return false, err
	}
	have, err := Content(observed)
	if err != nil {
		return false, err
	}
	// The API version and kind are known by the place that an object was read from, and typed clients drop them.
	delete(want, "apiVersion")
	delete(want, "kind")
	for _, exact := range [][]string{{"rules"}, {"subjects"}, {"spec", "podSelector"}} {
		wanted, _, _ := unstructured.NestedFieldNoCopy(want, exact...)
		found, _, _ := unstructured.NestedFieldNoCopy(have, exact...)
		if !reflect.DeepEqual(wanted, found) {
			return false, nil
		}
	}
	return contains(want, have), nil
}

// Content is an object in the form of its JSON, without its status and without fields that only a server may fill.
func Content(object Object) (map[string]any, error) {
	content, err := benchv1alpha1.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("converting %T %s: %w", object, object.GetName(), err)
	}
	delete(content, "status")
	if _, declared := object.(*benchv1alpha1.BenchmarkRun); declared {
		withoutNulls(content["metadata"]) // A null in a document of its workload is one.
		return content, nil
	}
	withoutNulls(content)
	return content, nil
}

// withoutNulls drops the empty creation time that every typed object template carries.
func withoutNulls(value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, item := range value {
			if item == nil {
				delete(value, key)
				continue
			}
			withoutNulls(item)
		}
	case []any:
		for _, item := range value {
			withoutNulls(item)
		}
	}
}

func contains(want, have any) bool {
	switch want := want.(type) {
	case map[string]any:
		have, ok := have.(map[string]any)
		if !ok {
			return len(want) == 0 && have == nil
		}
		for key, value := range want {
			if !contains(value, have[key]) {
				return false
			}
		}
		return true
	case []any:
		have, _ := have.([]any)
		return containsList(want, have)
	default:
		return reflect.DeepEqual(want, have)
	}
}

// containsList wants every entry to be contained in one of the other list's. Entries that are plain values have no
// keys to tell other writers' apart by, so there the lists must be equal.
func containsList(want, have []any) bool {
	if len(want) == 0 {
		return true
	}
	if _, keyed := want[0].(map[string]any); !keyed {
		return reflect.DeepEqual(want, have)
	}
	for _, entry := range want {
		if !slices.ContainsFunc(have, func(candidate any) bool { return contains(entry, candidate) }) {
			return false
		}
	}
	return true
}

// SameStatus says whether two objects of one of the operator's own kinds have a status that reads the same, as the API
// server has it: of times, for example, a part is lost there. What else the objects say, which may be much, is not
// looked at. An object of another kind is an error.
func SameStatus(one, other Object) (bool, error) {
	was, is := statusOf(one), statusOf(other)
	if was == nil || is == nil {
		return false, fmt.Errorf("comparing the status of %T %s with that of %T: not both are kinds of the operator's own",
			one, one.GetName(), other)
	}
	wasText, err := strictjson.Encode(was)
	if err != nil {
		return false, fmt.Errorf("encoding the status of %T %s: %w", one, one.GetName(), err)
	}
	isText, err := strictjson.Encode(is)
	if err != nil {
		return false, fmt.Errorf("encoding the status of %T %s: %w", other, other.GetName(), err)
	}
	if bytes.Equal(wasText, isText) { // Mostly, and then nothing needs to be decoded.
		return true, nil
	}
	wasContent, wasErr := benchv1alpha1.ToUnstructured(was)
	isContent, isErr := benchv1alpha1.ToUnstructured(is)
	if err := errors.Join(wasErr, isErr); err != nil {
		return false, fmt.Errorf("converting the status of %T %s: %w", one, one.GetName(), err)
	}
	return equality.Semantic.DeepEqual(wasContent, isContent), nil
}

// statusOf is the status of an object of the operator's own kinds; nil of another.
func statusOf(object Object) any {
	switch object := object.(type) {
	case *benchv1alpha1.BenchmarkRun:
		return &object.Status
	case *benchv1alpha1.BenchmarkTarget:
		return &object.Status
	case *benchv1alpha1.BenchmarkSuite:
		return &object.Status
	}
	return nil
}

// OfRun is the metadata of an object that a run makes.
func OfRun(run *benchv1alpha1.BenchmarkRun, name string, component naming.Component) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: run.Namespace, Labels: naming.ForRun(run.Name, component)}
}

// Account is who the pods of a Job are, and what they may do to ConfigMaps; nothing else.
func Account(meta metav1.ObjectMeta, rules ...rbacv1.PolicyRule) []Object {
	return []Object{
		&corev1.ServiceAccount{ObjectMeta: meta},
		&rbacv1.Role{ObjectMeta: meta, Rules: rules},
		&rbacv1.RoleBinding{
			ObjectMeta: meta,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: meta.Name, Namespace: meta.Namespace}},
		},
	}
}

// ConfigMaps are the rights of an Account to some, by their names.
func ConfigMaps(names []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{
		APIGroups: []string{corev1.GroupName}, Resources: []string{"configmaps"}, ResourceNames: names, Verbs: verbs,
	}
}
