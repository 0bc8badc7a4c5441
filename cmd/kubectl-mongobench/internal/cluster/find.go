package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	switch k {
	case Suite:
		return &benchv1alpha1.BenchmarkSuite{}
	case Target:
		return &benchv1alpha1.BenchmarkTarget{}
	default:
		return &benchv1alpha1.BenchmarkRun{}
	}
}

// List is an empty list of a kind.
func (k Kind) List() client.ObjectList {
	switch k {
	case Suite:
		return &benchv1alpha1.BenchmarkSuiteList{}
	case Target:
		return &benchv1alpha1.BenchmarkTargetList{}
	default:
		return &benchv1alpha1.BenchmarkRunList{}
	}
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
