package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Kind is one of the kinds of mongobench.
type Kind string

// The kinds, as they are written before a slash.
const (
	Run    Kind = "run"
	Suite  Kind = "suite"
	Target Kind = "target"
)

// kinds by every name that people and kubectl give them.
var kinds = map[string]Kind{
	"run": Run, "runs": Run, "mbr": Run, "benchmarkrun": Run, "benchmarkruns": Run,
	"suite": Suite, "suites": Suite, "mbs": Suite, "benchmarksuite": Suite, "benchmarksuites": Suite,
	"target": Target, "targets": Target, "mbt": Target, "benchmarktarget": Target, "benchmarktargets": Target,
}

// ParseKind reads the name of a kind, in any form that kubectl would take, with the group or without.
func ParseKind(text string) (Kind, error) {
	name := strings.TrimSuffix(strings.ToLower(text), "."+benchv1alpha1.GroupVersion.Group)
	kind, ok := kinds[name]
	if !ok {
		return "", fmt.Errorf("%w: %q is none of runs, suites and targets", ErrUsage, text)
	}
	return kind, nil
}

// New is an empty object of a kind.
func (k Kind) New() client.Object {
	object, _ := k.types()
	return object
}

// List is an empty list of a kind.
func (k Kind) List() client.ObjectList {
	_, list := k.types()
	return list
}

func (k Kind) types() (client.Object, client.ObjectList) {
	switch k {
	case Suite:
		return &benchv1alpha1.BenchmarkSuite{}, &benchv1alpha1.BenchmarkSuiteList{}
	case Target:
		return &benchv1alpha1.BenchmarkTarget{}, &benchv1alpha1.BenchmarkTargetList{}
	default:
		return &benchv1alpha1.BenchmarkRun{}, &benchv1alpha1.BenchmarkRunList{}
	}
}

// Items are the objects of a list.
func Items(list client.ObjectList) []client.Object {
	// It fails for what is no list.
	items, _ := apimeta.ExtractList(list)
	objects := make([]client.Object, 0, len(items))
	for _, item := range items {
		if object, ok := item.(client.Object); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

// Find reads the object that people mean by KIND/NAME, or by NAME where one object only, of the kinds that are asked
// for, has it.
func (c *Cluster) Find(ctx context.Context, text string, among ...Kind) (client.Object, error) {
	name := text
	if before, after, slash := strings.Cut(text, "/"); slash {
		kind, err := ParseKind(before)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(among, kind) {
			return nil, fmt.Errorf("%w: %s is no %s", ErrUsage, text, alternatives(among))
		}
		among, name = []Kind{kind}, after
	}
	found, err := c.named(ctx, name, among)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, fmt.Errorf("there is no %s %q in namespace %s", alternatives(among), name, c.Namespace)
	case len(found) > 1:
		first := KindOf(found[0])
		return nil, fmt.Errorf("%w: there are a %s and a %s %q: say which, as %s/%s", ErrUsage, first, KindOf(found[1]), name,
			first, name)
	default:
		return found[0], nil
	}
}

// named are the objects of some kinds that have a name.
func (c *Cluster) named(ctx context.Context, name string, among []Kind) ([]client.Object, error) {
	var found []client.Object
	for _, kind := range among {
		object := kind.New()
		err := c.Client.Get(ctx, client.ObjectKey{Namespace: c.Namespace, Name: name}, object)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s %s: %w", kind, name, explained(err))
		}
		found = append(found, object)
	}
	return found, nil
}

// FindRun reads the run that people mean.
func (c *Cluster) FindRun(ctx context.Context, text string) (*benchv1alpha1.BenchmarkRun, error) {
	found, err := c.Find(ctx, text, Run)
	run, _ := found.(*benchv1alpha1.BenchmarkRun)
	return run, err
}

// FindSuite reads the suite that people mean.
func (c *Cluster) FindSuite(ctx context.Context, text string) (*benchv1alpha1.BenchmarkSuite, error) {
	found, err := c.Find(ctx, text, Suite)
	suite, _ := found.(*benchv1alpha1.BenchmarkSuite)
	return suite, err
}

func alternatives(kinds []Kind) string {
	words := make([]string, 0, len(kinds))
	for _, kind := range kinds {
		words = append(words, string(kind))
	}
	return strings.Join(words, " or ")
}

// KindOf is the kind of an object of mongobench.
func KindOf(object client.Object) Kind {
	switch object := object.(type) {
	case *benchv1alpha1.BenchmarkSuite:
		return Suite
	case *benchv1alpha1.BenchmarkTarget:
		return Target
	case *unstructured.Unstructured:
		kind, _ := ParseKind(object.GetKind())
		return kind
	default:
		return Run
	}
}

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
