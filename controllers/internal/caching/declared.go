package caching

import (
	"maps"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// How much memory is given to what people declare; what has more is read when it is needed. An object may have a
// megabyte and a half, and a tenant may make thousands that wait in the queue.
const (
	// maxSpec is more than any sample takes: the largest 20 KB, most less than 10.
	maxSpec = 32 << 10
	// maxPodSettings is more than any have that validation allows (16 KiB as JSON, of which a list of short texts takes
	// five times as much memory): a run or target with more is refused.
	maxPodSettings = 192 << 10
	// maxAnnotations leaves room for the remarks of tools, and none for a second copy of a large specification.
	maxAnnotations = 8 << 10
)

// ownPrefix is that of the annotations that the controllers read.
var ownPrefix = benchv1alpha1.GroupVersion.Group + "/"

// slimDeclared leaves out of an object of the operator's own kinds what only its own controller reads, if it is large.
// Of these kinds status alone is written, so that nothing is lost.
func slimDeclared(object metav1.Object) {
	slimAnnotations(object)
	cut := false
	switch object := object.(type) {
	case *benchv1alpha1.BenchmarkRun:
		cut = slimRun(object)
	case *benchv1alpha1.BenchmarkTarget:
		cut = slimPodSettings(object.Spec.PodsField(), maxPodSettings)
	case *benchv1alpha1.BenchmarkSuite:
		if cut = size(object.Spec) > maxSpec; cut {
			object.Spec.Template.Spec, object.Spec.Matrix = benchv1alpha1.BenchmarkRunSpec{}, nil
		}
	}
	if cut {
		annotations := object.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[naming.CutAnnotation] = "true"
		object.SetAnnotations(annotations)
	}
}

// slimAnnotations leaves those that the controllers read. That of kubectl apply holds the whole specification once
// more.
func slimAnnotations(object metav1.Object) {
	annotations := object.GetAnnotations()
	delete(annotations, corev1.LastAppliedConfigAnnotation)
	if size(annotations) > maxAnnotations {
		maps.DeleteFunc(annotations, func(key, _ string) bool { return !strings.HasPrefix(key, ownPrefix) })
	}
}

// slimRun leaves out of a run that has nothing left to do, of which there may be thousands, what was loaded and asked
// of the target, and by which pods: that is compiled no more, and the status says what came of it. Of any other it says
// whether it left out something that will be needed: what the queue needs stays.
func slimRun(run *benchv1alpha1.BenchmarkRun) (cut bool) {
	if condition.Ended(run) && condition.IsFalse(run.Status.Conditions, benchv1alpha1.RunProgressing) {
		run.Spec.Dataset, run.Spec.Workload.Steps = benchv1alpha1.Dataset{}, nil
		slimPods(run, 0)
		share(reflect.ValueOf(run).Elem())
		return false
	}
	if size(run.Spec) <= maxSpec {
		return false
	}
	run.Spec.Dataset = benchv1alpha1.Dataset{Database: run.Spec.Dataset.Database}
	run.Spec.Workload = benchv1alpha1.Workload{}
	slimPods(run, maxPodSettings)
	return true
}

func slimPods(run *benchv1alpha1.BenchmarkRun, most int) {
	if target := run.Spec.Target; target != nil {
		_ = slimPodSettings(target.PodsField(), most)
	}
	if generator := run.Spec.LoadGenerator; generator != nil {
		_ = slimPodSettings(&generator.PodSettings, most)
		if gateway := generator.Gateway; gateway != nil {
			_ = slimPodSettings(&gateway.PodSettings, most)
		}
	}
}

func slimPodSettings(settings **benchv1alpha1.PodSettings, most int) (cut bool) {
	if cut = settings != nil && *settings != nil && size(**settings) > most; cut {
		*settings = nil
	}
	return cut
}
