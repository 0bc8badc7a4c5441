package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	kindRun = "BenchmarkRun"
	// fieldOwner is who the API server notes as the writer.
	fieldOwner = client.FieldOwner("mongobench-demo")
	// removalTime is how long an earlier run may take to go away.
	removalTime = 3 * time.Minute
	yamlBuffer  = 4096
)

// file is what a file holds: runs and suites, and what they need.
type file struct {
	others []*unstructured.Unstructured
	runs   []*unstructured.Unstructured
	suites []*unstructured.Unstructured
}

// measured are the runs and the suites.
func (f *file) measured() []*unstructured.Unstructured { return slices.Concat(f.runs, f.suites) }

// keep leaves only the runs and suites of one name.
func (f *file) keep(name string) error {
	other := func(object *unstructured.Unstructured) bool { return object.GetName() != name }
	f.runs, f.suites = slices.DeleteFunc(f.runs, other), slices.DeleteFunc(f.suites, other)
	if len(f.measured()) == 0 {
		return fmt.Errorf("there is no %s or %s named %s in it", kindRun, kindSuite, name)
	}
	return nil
}

func keyOf(run *unstructured.Unstructured) types.NamespacedName {
	return types.NamespacedName{Namespace: run.GetNamespace(), Name: run.GetName()}
}

// parse reads the objects of a file; those without a namespace get the one that is given. At least one must be a
// BenchmarkRun or a BenchmarkSuite.
func parse(content []byte, namespace string) (*file, error) {
	found := &file{}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), yamlBuffer)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading YAML: %w", err)
		}
		if len(object.Object) == 0 {
			continue
		}
		if err := found.add(object, namespace); err != nil {
			return nil, err
		}
	}
	if len(found.measured()) == 0 {
		return nil, fmt.Errorf("there is no %s and no %s in it", kindRun, kindSuite)
	}
	return found, nil
}

func (f *file) add(object *unstructured.Unstructured, namespace string) error {
	if object.GetAPIVersion() == "" || object.GetKind() == "" || object.GetName() == "" {
		return errors.New("an object lacks apiVersion, kind or metadata.name")
	}
	if object.GetNamespace() == "" {
		object.SetNamespace(namespace)
	}
	into := &f.others
	switch object.GroupVersionKind() {
	case benchv1alpha1.GroupVersion.WithKind(kindRun):
		into = &f.runs
	case benchv1alpha1.GroupVersion.WithKind(kindSuite):
		into = &f.suites
	}
	for _, other := range *into {
		if into != &f.others && keyOf(other) == keyOf(object) {
			return fmt.Errorf("there is more than one %s %s in it", object.GetKind(), object.GetName())
		}
	}
	*into = append(*into, object)
	return nil
}

// prepare looks at all that the file holds before anything is done, takes away what an earlier demonstration left of
// it, since a run cannot be changed, and creates what the runs need.
func (d *demo) prepare(ctx context.Context, objects *file) error {
	for _, object := range objects.measured() {
		if err := d.ensureNamespace(ctx, object.GetNamespace()); err != nil {
			return err
		}
		if err := d.check(ctx, object); err != nil {
			return err
		}
	}
	for _, object := range objects.measured() {
		if err := d.removeOld(ctx, object); err != nil {
			return err
		}
	}
	for _, object := range objects.others {
		if err := d.apply(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) apply(ctx context.Context, object *unstructured.Unstructured) error {
	applied := client.ApplyConfigurationFromUnstructured(object)
	if err := d.client.Apply(ctx, applied, fieldOwner, client.ForceOwnership); err != nil {
		return fmt.Errorf("applying %s %s: %w", object.GetKind(), object.GetName(), refusal(err))
	}
	d.say("applied %s %s in namespace %s", object.GetKind(), object.GetName(), object.GetNamespace())
	return nil
}

// check asks the API server whether it would take the run, so that a mistake in the file costs no earlier result.
func (d *demo) check(ctx context.Context, run *unstructured.Unstructured) error {
	candidate := run.DeepCopy()
	candidate.SetName("")
	candidate.SetGenerateName("check-")
	err := d.client.Create(ctx, candidate, &client.CreateOptions{
		DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict,
	})
	if err != nil {
		return fmt.Errorf("checking %s %s: %w", run.GetKind(), run.GetName(), refusal(err))
	}
	return nil
}

// refusal makes an invalid object a wrong use, and a missing kind tell what is missing.
func refusal(err error) error {
	switch {
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return fmt.Errorf("%w: %w", errUsage, err)
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%w; is the operator installed in this cluster?", err)
	default:
		return err
	}
}

// ensureNamespace makes the namespace if need be. One that is there already is left as it is.
func (d *demo) ensureNamespace(ctx context.Context, name string) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	if err := d.client.Create(ctx, namespace); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating namespace %s: %w", name, err)
	}
	return nil
}

// removeOld deletes a run or suite of the same name with everything that it owns, reports included.
func (d *demo) removeOld(ctx context.Context, object *unstructured.Unstructured) error {
	kind, key := object.GetKind(), keyOf(object)
	old := &unstructured.Unstructured{}
	old.SetGroupVersionKind(object.GroupVersionKind())
	old.SetNamespace(key.Namespace)
	old.SetName(key.Name)
	err := d.client.Delete(ctx, old, client.PropagationPolicy(metav1.DeletePropagationForeground))
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("deleting the earlier %s %s: %w", kind, key.Name, refusal(err))
	}
	d.say("a %s %s is there already; removing it and its results first", kind, key.Name)
	err = wait.PollUntilContextTimeout(ctx, pollPeriod, removalTime, true, func(ctx context.Context) (bool, error) {
		return apierrors.IsNotFound(d.client.Get(ctx, key, old)), nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the earlier %s %s to go away: %w; see its metadata.finalizers", kind, key.Name, err)
	}
	return nil
}
