package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// namespace is what the chart is rendered for.
const namespace = "mongobench-system"

// object is a manifest that goes into the bundle as it is.
type object map[string]any

func (o object) file() string {
	u := unstructured.Unstructured{Object: o}
	return strings.ToLower(u.GetName() + "." + u.GetKind() + ".yaml")
}

// rendering is what a chart renders, in the parts that OLM tells from each other.
type rendering struct {
	deployment appsv1.Deployment
	// ruled are the rules of Roles and ClusterRoles, by kind and name, that are bound to the operator's ServiceAccount.
	ruled map[string][]rbacv1.PolicyRule
	bound []string
	// definitions are the CRDs, which are among the others too.
	definitions []*unstructured.Unstructured
	others      []object
}

// helms are the labels and annotations by which Helm knows what it made.
var helms = regexp.MustCompile(`(?m)^ +(helm\.sh/.*|app\.kubernetes\.io/managed-by: Helm)\n`)

// parse sorts manifests: what the ClusterServiceVersion says itself, and what is beside it.
func parse(text []byte) (rendering, error) {
	r := rendering{ruled: make(map[string][]rbacv1.PolicyRule)}
	var roles []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(helms.ReplaceAll(text, nil)), 4096)
	for {
		read := &unstructured.Unstructured{}
		err := decoder.Decode(&read.Object)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return r, fmt.Errorf("reading what the chart renders: %w", err)
		}
		switch read.GetKind() {
		case "":
		case "Role", "ClusterRole":
			roles = append(roles, read)
		default:
			if err := r.sort(read); err != nil {
				return r, err
			}
		}
	}
	for _, role := range roles {
		if err := r.sortRole(role); err != nil {
			return r, err
		}
	}
	return r, r.complete()
}

// sort puts a manifest where it belongs; roles are sorted when all bindings are known.
func (r *rendering) sort(read *unstructured.Unstructured) error {
	switch read.GetKind() {
	case "Deployment":
		return convert(read, &r.deployment)
	case "RoleBinding", "ClusterRoleBinding":
		var binding rbacv1.ClusterRoleBinding
		if err := convert(read, &binding); err != nil {
			return err
		}
		r.bound = append(r.bound, binding.RoleRef.Kind+"/"+binding.RoleRef.Name)
	case "ServiceAccount": // OLM makes the one that permissions name.
	case "CustomResourceDefinition":
		r.definitions = append(r.definitions, read)
		r.add(read)
	default:
		r.add(read)
	}
	return nil
}

// sortRole takes the rules of a role that is bound, and leaves one that is for users to bind beside them.
func (r *rendering) sortRole(read *unstructured.Unstructured) error {
	name := read.GetKind() + "/" + read.GetName()
	if !slices.Contains(r.bound, name) {
		r.add(read)
		return nil
	}
	var role rbacv1.ClusterRole
	err := convert(read, &role)
	r.ruled[read.GetKind()] = append(r.ruled[read.GetKind()], role.Rules...)
	return err
}

// add puts a manifest beside the ClusterServiceVersion, without what ties it to a namespace.
func (r *rendering) add(read *unstructured.Unstructured) {
	unstructured.RemoveNestedField(read.Object, "metadata", "namespace")
	r.others = append(r.others, read.Object)
}

func (r *rendering) complete() error {
	if len(r.deployment.Spec.Template.Spec.Containers) != 1 || len(r.definitions) == 0 || len(r.ruled) == 0 {
		return fmt.Errorf("the chart has to have one container, and definitions and rules: it renders %d, %d and %d kinds",
			len(r.deployment.Spec.Template.Spec.Containers), len(r.definitions), len(r.ruled))
	}
	return nil
}

// anywhere makes the operator's pod independent of the namespace that the chart was rendered for: its arguments take
// the pod's own.
func anywhere(spec appsv1.DeploymentSpec) appsv1.DeploymentSpec {
	spec = *spec.DeepCopy()
	const variable = "POD_NAMESPACE"
	container := &spec.Template.Spec.Containers[0]
	for i, argument := range container.Args {
		container.Args[i] = strings.ReplaceAll(argument, namespace, "$("+variable+")")
	}
	container.Env = append(container.Env, corev1.EnvVar{Name: variable, ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"},
	}})
	return spec
}

func convert(read *unstructured.Unstructured, into any) error {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(read.Object, into); err != nil {
		return fmt.Errorf("reading the %s %s: %w", read.GetKind(), read.GetName(), err)
	}
	return nil
}
