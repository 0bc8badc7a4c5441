package quota

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// Group is that of Kueue's kinds.
const Group = "kueue.x-k8s.io"

// podSet is a number of pods that are alike.
type podSet struct {
	name      string
	count     int
	resources corev1.ResourceRequirements
	settings  benchv1alpha1.PodSettings
}

// Pods says what is merged below the settings that pods declare: those of the operator.
type Pods func(*benchv1alpha1.PodSettings) benchv1alpha1.PodSettings

// Make makes the Workload. It asks for all pods of a run that measure or are measured. The pod that makes the
// topology is gone before the load pods begin, and is smaller than these.
func (s State) Make(run *benchv1alpha1.BenchmarkRun, settings Pods) (*unstructured.Unstructured, error) {
	generator := spec.Normalise(run.Spec).LoadGenerator
	sets := []podSet{{
		name: loadPods, count: int(*generator.Pods), resources: podspec.LoadResources(*generator.Resources),
		settings: settings(generator.PodSettings),
	}}
	if gateway := generator.Gateway; gateway != nil {
		sets = append(sets, podSet{
			name: gatewayPods, count: int(*gateway.Pods), resources: podspec.LoadResources(*gateway.Resources),
			settings: settings(gateway.PodSettings),
		})
	}
	if run.Spec.Target != nil {
		for _, set := range podSetsOf(*run.Spec.Target) {
			set.settings = settings(run.Spec.Target.Pods())
			sets = append(sets, set)
		}
	}
	listed := make([]any, 0, len(sets))
	for _, set := range sets {
		one, err := set.object()
		if err != nil {
			return nil, err
		}
		listed = append(listed, one)
	}
	asked := map[string]any{"queueName": run.Labels[naming.QueueLabel], "podSets": listed}
	if class := run.Labels[naming.PriorityLabel]; class != "" {
		asked["priority"] = s.Priority
		if s.Version == "v1beta1" {
			asked["priorityClassName"], asked["priorityClassSource"] = class, Group+"/workloadpriorityclass"
		} else {
			asked["priorityClassRef"] = map[string]any{"group": Group, "kind": "WorkloadPriorityClass", "name": class}
		}
	}
	made := &unstructured.Unstructured{Object: map[string]any{"spec": asked}}
	made.SetGroupVersionKind(schema.GroupVersionKind{Group: Group, Version: s.Version, Kind: "Workload"})
	made.SetNamespace(run.Namespace)
	made.SetName(naming.Workload(run.Name))
	made.SetLabels(naming.SelectRun(run.Name))
	owner := metav1.NewControllerRef(run, benchv1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	made.SetOwnerReferences([]metav1.OwnerReference{*owner})
	return made, nil
}

// podSetsOf are the members of a target, by the parts that they play; none of an external one.
func podSetsOf(target benchv1alpha1.BenchmarkTargetSpec) []podSet {
	if target.Topology() == benchv1alpha1.TopologyExternal {
		return nil
	}
	var sets []podSet
	for _, group := range product.Groups(catalogue.Of(target).Sets(spec.NormaliseTarget(target))) {
		sets = append(sets, podSet{
			name: strings.ReplaceAll(group.Part, " ", "-"), count: group.Count, resources: group.Resources,
		})
	}
	return sets
}

// object is a pod set as Kueue reads it. What it does not look at is left out: these pods are never made.
func (p podSet) object() (map[string]any, error) {
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: p.name, Image: "none", Resources: p.resources}},
	}}
	podspec.Apply(p.settings, &template, nil)
	encoded, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&template)
	if err != nil {
		return nil, fmt.Errorf("asking for %s: %w", p.name, err)
	}
	return map[string]any{"name": p.name, "count": int64(p.count), "template": encoded}, nil
}
