package estimate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/resource"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/internal/spec/schema"
)

// Objects are what there is of mongobench in files.
type Objects struct {
	Runs    []benchv1alpha1.BenchmarkRun
	Suites  []benchv1alpha1.BenchmarkSuite
	Targets map[string]benchv1alpha1.BenchmarkTarget
}

// Read reads files, folders, addresses, standard input or a kustomization, and asks no API server what is in them.
// Objects of other kinds are left out.
func Read(files resource.FilenameOptions) (Objects, error) {
	objects := Objects{Targets: map[string]benchv1alpha1.BenchmarkTarget{}}
	if err := files.RequireFilenameOrKustomize(); err != nil {
		return objects, fmt.Errorf("%w: %w", cluster.ErrUsage, err)
	}
	infos, err := resource.NewLocalBuilder().Unstructured().Local().FilenameParam(false, &files).Flatten().Do().Infos()
	if err != nil {
		return objects, fmt.Errorf("%w: reading the files: %w", cluster.ErrUsage, err)
	}
	for _, info := range infos {
		object, ok := info.Object.(*unstructured.Unstructured)
		if !ok || object.GroupVersionKind().GroupVersion() != benchv1alpha1.GroupVersion {
			continue
		}
		if err := objects.add(object); err != nil {
			return objects, fmt.Errorf("%w: reading %s %s: %w", cluster.ErrUsage, object.GetKind(), object.GetName(), err)
		}
	}
	if len(objects.Runs)+len(objects.Suites) == 0 {
		return objects, fmt.Errorf("%w: there is no BenchmarkRun and no BenchmarkSuite in it", cluster.ErrUsage)
	}
	return objects, nil
}

func (o *Objects) add(object *unstructured.Unstructured) error {
	if err := schema.Check(object.Object); err != nil {
		return err
	}
	kind, err := cluster.ParseKind(object.GetKind())
	if err != nil {
		return err
	}
	typed := kind.New()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, typed); err != nil {
		return err
	}
	switch typed := typed.(type) {
	case *benchv1alpha1.BenchmarkSuite:
		o.Suites = append(o.Suites, *typed)
	case *benchv1alpha1.BenchmarkTarget:
		o.Targets[typed.Name] = *typed
	case *benchv1alpha1.BenchmarkRun:
		o.Runs = append(o.Runs, *typed)
	}
	return nil
}
