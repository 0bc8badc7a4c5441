package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// FieldManager is who the API server notes as the writer of what is applied.
const FieldManager = "kubectl-mongobench"

// notDeclared is in what the API server says of a field that it does not know: as an error of its own.
const notDeclared = "field not declared in schema"

// Read reads the objects of files, folders, addresses, standard input ("-") or a kustomization, as kubectl does.
// Those without a namespace get the one of the connection.
func (c *Cluster) Read(files resource.FilenameOptions) ([]*unstructured.Unstructured, error) {
	if err := files.RequireFilenameOrKustomize(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	infos, err := resource.NewBuilder(c.flags).Unstructured().NamespaceParam(c.Namespace).DefaultNamespace().
		FilenameParam(false, &files).Flatten().Do().Infos()
	if err != nil {
		return nil, unreadable(err)
	}
	objects := make([]*unstructured.Unstructured, 0, len(infos))
	for _, info := range infos {
		object, ok := info.Object.(*unstructured.Unstructured)
		if !ok {
			return nil, fmt.Errorf("%w: %s is no object", ErrUsage, info.Name)
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// unreadable tells files that make no sense from a cluster that does not answer, or does not know their kinds.
func unreadable(err error) error {
	if _, unreached := errors.AsType[*url.Error](err); unreached || apimeta.IsNoMatchError(err) {
		return fmt.Errorf("reading the files: %w", explained(err))
	}
	return fmt.Errorf("%w: reading the files: %w", ErrUsage, err)
}

// Measured is the kind of an object that is a run or a suite, and false for all others.
func Measured(object *unstructured.Unstructured) (Kind, bool) {
	if object.GroupVersionKind().Group != benchv1alpha1.GroupVersion.Group {
		return "", false
	}
	kind, err := ParseKind(object.GetKind())
	return kind, err == nil && kind != Target
}

// Apply writes objects in their order, each as the field manager of this program. Fields that another one holds are
// not taken from it, unless force says so.
func (c *Cluster) Apply(ctx context.Context, objects []*unstructured.Unstructured, force bool) error {
	options := []client.ApplyOption{client.FieldOwner(FieldManager)}
	if force {
		options = append(options, client.ForceOwnership)
	}
	for _, object := range objects {
		err := c.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), options...)
		if err != nil && strings.Contains(err.Error(), notDeclared) {
			err = fmt.Errorf("%w: %w", ErrRefused, err)
		}
		if err != nil {
			return fmt.Errorf("applying %s %s: %w", object.GetKind(), object.GetName(), explained(err))
		}
	}
	return nil
}

// Check asks the API server whether it would take a new object like this one. Nothing is written.
func (c *Cluster) Check(ctx context.Context, object *unstructured.Unstructured) error {
	candidate := object.DeepCopy()
	candidate.SetName("")
	candidate.SetGenerateName("check-")
	err := c.Client.Create(ctx, candidate, &client.CreateOptions{
		DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict,
	})
	if err != nil {
		return fmt.Errorf("checking %s %s: %w", object.GetKind(), object.GetName(), explained(err))
	}
	return nil
}
