package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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

// file is what a file holds.
type file struct {
	objects []*unstructured.Unstructured
	run     *unstructured.Unstructured
}

func (f *file) key() types.NamespacedName {
	return types.NamespacedName{Namespace: f.run.GetNamespace(), Name: f.run.GetName()}
}

// parse reads the objects of a file; those without a namespace get the one that is given. One must be a BenchmarkRun.
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
	if found.run == nil {
		return nil, fmt.Errorf("there is no %s in it", kindRun)
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
	f.objects = append(f.objects, object)
	if object.GroupVersionKind() != benchv1alpha1.GroupVersion.WithKind(kindRun) {
		return nil
	}
	if f.run != nil {
		return fmt.Errorf("there is more than one %s in it; show them one by one", kindRun)
	}
	f.run = object
	return nil
}

// apply creates what the file holds, after what an earlier demonstration left of it is gone: a run cannot be changed.
func (d *demo) apply(ctx context.Context, objects *file) error {
	if err := d.ensureNamespace(ctx, objects.run.GetNamespace()); err != nil {
		return err
	}
	if err := d.check(ctx, objects.run); err != nil {
		return err
	}
	if err := d.removeOld(ctx, objects.key()); err != nil {
		return err
	}
	d.began = time.Now()
	for _, object := range objects.objects {
		applied := client.ApplyConfigurationFromUnstructured(object)
		if err := d.client.Apply(ctx, applied, fieldOwner, client.ForceOwnership); err != nil {
			return fmt.Errorf("applying %s %s: %w", object.GetKind(), object.GetName(), refusal(err))
		}
		d.say("applied %s %s in namespace %s", object.GetKind(), object.GetName(), object.GetNamespace())
	}
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

// removeOld deletes a run of the same name with everything that it owns, its report included.
func (d *demo) removeOld(ctx context.Context, key types.NamespacedName) error {
	old := &benchv1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	err := d.client.Delete(ctx, old, client.PropagationPolicy(metav1.DeletePropagationForeground))
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("deleting the earlier %s %s: %w", kindRun, key.Name, refusal(err))
	}
	d.say("a %s %s is there already; removing it and its report first: a run cannot be repeated", kindRun, key.Name)
	err = wait.PollUntilContextTimeout(ctx, pollPeriod, removalTime, true, func(ctx context.Context) (bool, error) {
		return apierrors.IsNotFound(d.client.Get(ctx, key, old)), nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the earlier %s %s to go away: %w; see its metadata.finalizers", kindRun, key.Name, err)
	}
	return nil
}
