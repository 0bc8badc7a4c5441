package caching

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// MaxDataBytes is how much of the data of a ConfigMap is held in memory: more than a collector may tell
// with what keeps it, and than what load pods say of their progress. Of a ConfigMap with more, such as a large plan,
// nothing is, and naming.CutAnnotation says so.
const MaxDataBytes = reportv1alpha1.MaxCollectedBytes + 8<<10

// WithoutReports narrows a selector of ConfigMaps to those that are no merged reports, of which there may be thousands.
func WithoutReports(selector labels.Selector) labels.Selector {
	stored, err := labels.NewRequirement(naming.ComponentLabel, selection.NotEquals,
		[]string{string(naming.ComponentStoredReport)})
	if err != nil {
		panic(err) // It is a constant.
	}
	return selector.DeepCopySelector().Add(*stored)
}

// Slim is the transform of the manager's cache. It leaves out what the controllers do not read: of everything that is
// not the operator's all but the name; binary data, large data, and the environment of containers.
func Slim(object any) (any, error) {
	metadata, is := object.(metav1.Object)
	if !is { // Such as a tombstone.
		return object, nil
	}
	metadata.SetManagedFields(nil)
	switch object := object.(type) {
	case *benchv1alpha1.BenchmarkRun, *benchv1alpha1.BenchmarkTarget, *benchv1alpha1.BenchmarkSuite:
		slimDeclared(metadata)
		return object, nil
	case *corev1.ConfigMap:
		slimConfigMap(object)
	case *corev1.Pod:
		slimPod(object)
	}
	_, pod := object.(*corev1.Pod)
	if !ours(metadata, pod) {
		return bare(metadata), nil
	}
	return object, nil
}

// ours says whether an object is controlled by one of the operator's kinds, or a pod by what makes pods for these.
func ours(object metav1.Object, pod bool) bool {
	owner := metav1.GetControllerOf(object)
	if owner == nil {
		return false
	}
	group, err := schema.ParseGroupVersion(owner.APIVersion)
	if err != nil {
		return false
	}
	return group.Group == benchv1alpha1.GroupVersion.Group || pod &&
		(group.Group == batchv1.GroupName && owner.Kind == "Job" ||
			group.Group == appsv1.GroupName && owner.Kind == "StatefulSet")
}

// bare is an object of the same type with its identity alone.
func bare(object metav1.Object) any {
	empty := reflect.New(reflect.TypeOf(object).Elem()).Interface()
	if identity, is := empty.(metav1.Object); is {
		identity.SetNamespace(object.GetNamespace())
		identity.SetName(object.GetName())
		identity.SetUID(object.GetUID())
		identity.SetResourceVersion(object.GetResourceVersion())
	}
	return empty
}

// slimConfigMap keeps of binary data that it is there, and of data what is not too much.
func slimConfigMap(configMap *corev1.ConfigMap) {
	for key := range configMap.BinaryData {
		configMap.BinaryData[key] = []byte{}
	}
	total := 0
	for key, value := range configMap.Data {
		total += len(key) + len(value)
	}
	switch component := naming.Component(configMap.Labels[naming.ComponentLabel]); {
	case component == naming.ComponentSuiteResult || component == naming.ComponentSuiteHistory:
		// They are read from the API server when they are needed.
		configMap.Data, configMap.BinaryData = nil, nil
	case total > MaxDataBytes:
		configMap.Data = nil
		metav1.SetMetaDataAnnotation(&configMap.ObjectMeta, naming.CutAnnotation, "true")
	}
}

// slimPod leaves out what only the kubelet reads.
func slimPod(pod *corev1.Pod) {
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			containers[i].Env, containers[i].EnvFrom, containers[i].Args, containers[i].Command = nil, nil, nil, nil
			containers[i].VolumeMounts = nil
		}
	}
	delete(pod.Annotations, corev1.LastAppliedConfigAnnotation)
}
