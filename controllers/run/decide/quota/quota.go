package quota

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Conditions of a Workload. Source: https://kueue.sigs.k8s.io/docs/concepts/workload/
const (
	quotaReserved = "QuotaReserved"
	admitted      = "Admitted"
	evicted       = "Evicted"
	requeued      = "Requeued"
)

// loadPods and gatewayPods are the pod sets of the load pods, and of the gateway that they go through. Those of a
// target are named after the parts that they play.
const loadPods, gatewayPods = "load", "gateway"

// Flavor is what Kueue adds to pods that are to run on nodes of a ResourceFlavor.
type Flavor struct {
	NodeLabels  map[string]string   `json:"nodeLabels"`
	Tolerations []corev1.Toleration `json:"tolerations"`
}

// Change is what is to be done about the Workload of a run; empty: nothing.
type Change string

const (
	// Ask makes it.
	Ask Change = "Ask"
	// Vacate gives the room back, and stays in line.
	Vacate Change = "Vacate"
	// Remove gives the room back for good.
	Remove Change = "Remove"
)

// State is what Kueue says of a run.
type State struct {
	// Asked says that the run names a queue and that Kueue is there to be asked.
	Asked bool
	// Version is the one in which Kueue's kinds are served.
	Version string
	// Workload is the run's; nil while it has none.
	Workload *unstructured.Unstructured
	// Flavors that the Workload was given, by their names.
	Flavors map[string]Flavor
	// Priority is that of the class that the run names.
	Priority int64
}

// Admitted says whether there is room for the run, or nobody has to be asked.
func (s State) Admitted() bool {
	return !s.Asked || s.Workload != nil && s.says(admitted) == metav1.ConditionTrue && !s.Evicted()
}

// Evicted says whether Kueue has taken the room back and the run still has it.
func (s State) Evicted() bool {
	return s.Asked && s.Workload != nil && s.says(evicted) == metav1.ConditionTrue &&
		s.says(quotaReserved) == metav1.ConditionTrue
}

// Why is what a run waits for that is not admitted, or was evicted for.
func (s State) Why() string {
	if s.Workload == nil {
		return "Kueue is being asked for room"
	}
	kind := quotaReserved
	switch {
	case s.Evicted():
		kind = evicted
	case s.says(quotaReserved) == metav1.ConditionTrue:
		kind = admitted
	}
	queue, _, _ := unstructured.NestedString(s.Workload.Object, "spec", "queueName")
	said, _ := s.condition(kind)["message"].(string)
	return fmt.Sprintf("Workload %s in queue %q: %s", s.Workload.GetName(), queue, cmp.Or(said, "Kueue has not answered"))
}

func (s State) says(kind string) metav1.ConditionStatus {
	status, _ := s.condition(kind)["status"].(string)
	return metav1.ConditionStatus(status)
}

func (s State) condition(kind string) map[string]any {
	list, _, _ := unstructured.NestedSlice(s.Workload.Object, "status", "conditions")
	return find(list, "type", kind)
}

// find is the one of a list of objects whose field has a value; nil when there is none.
func find(list []any, field, value string) map[string]any {
	for _, one := range list {
		if object, _ := one.(map[string]any); object[field] == value {
			return object
		}
	}
	return nil
}

// FlavorNames are those that the Workload was given.
func (s State) FlavorNames() []string {
	if s.Workload == nil {
		return nil
	}
	names := map[string]bool{}
	assignments, _, _ := unstructured.NestedSlice(s.Workload.Object, "status", "admission", "podSetAssignments")
	for _, one := range assignments {
		assignment, _ := one.(map[string]any)
		flavors, _, _ := unstructured.NestedStringMap(assignment, "flavors")
		for _, name := range flavors {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// PlaceLoad adds to the settings of the load pods where Kueue has room for them.
func (s State) PlaceLoad(settings benchv1alpha1.PodSettings) benchv1alpha1.PodSettings {
	return s.place(settings, loadPods)
}

// PlaceGateway is the same for the pods of a gateway.
func (s State) PlaceGateway(settings benchv1alpha1.PodSettings) benchv1alpha1.PodSettings {
	return s.place(settings, gatewayPods)
}

// PlaceTarget adds to a target where Kueue has room for the members with the data: one setting is for all of its pods.
func (s State) PlaceTarget(target benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.BenchmarkTargetSpec {
	sets := podSetsOf(target)
	if len(sets) == 0 || s.Workload == nil {
		return target
	}
	placed := *target.DeepCopy()
	field := placed.PodsField()
	if *field == nil {
		*field = &benchv1alpha1.PodSettings{}
	}
	**field = s.place(**field, sets[0].name)
	return placed
}

// place adds node labels and tolerations of the flavors of a pod set.
func (s State) place(settings benchv1alpha1.PodSettings, podSet string) benchv1alpha1.PodSettings {
	if s.Workload == nil {
		return settings
	}
	assignments, _, _ := unstructured.NestedSlice(s.Workload.Object, "status", "admission", "podSetAssignments")
	flavors, _, _ := unstructured.NestedStringMap(find(assignments, "name", podSet), "flavors")
	placed := *settings.DeepCopy()
	for _, name := range slices.Compact(slices.Sorted(maps.Values(flavors))) {
		flavor := s.Flavors[name]
		if len(flavor.NodeLabels) > 0 && placed.NodeSelector == nil {
			placed.NodeSelector = map[string]string{}
		}
		maps.Copy(placed.NodeSelector, flavor.NodeLabels)
		placed.Tolerations = append(placed.Tolerations, flavor.Tolerations...)
	}
	return placed
}

// Vacate is the status of the Workload of a run that was taken down: Kueue may give its room to others, and the run
// is in line for it again, unless somebody has deactivated it. It is what Kueue itself writes of an evicted Job
// without pods.
func (s State) Vacate(now metav1.Time) map[string]any {
	after := s.Workload.DeepCopy()
	list, _, _ := unstructured.NestedSlice(after.Object, "status", "conditions")
	why := s.condition(evicted)
	reason, _ := why["reason"].(string)
	message, _ := why["message"].(string)
	set := func(kind string, status metav1.ConditionStatus, reason, message string) {
		said := map[string]any{
			"type": kind, "status": string(status), "reason": reason, "message": message,
			"lastTransitionTime": now.UTC().Format("2006-01-02T15:04:05Z"), "observedGeneration": after.GetGeneration(),
		}
		list = append(slices.DeleteFunc(list, func(one any) bool {
			held, _ := one.(map[string]any)
			return held["type"] == kind
		}), any(said))
	}
	set(quotaReserved, metav1.ConditionFalse, "Pending", message)
	set(admitted, metav1.ConditionFalse, "NoReservation", "The workload has no reservation")
	active, stated, _ := unstructured.NestedBool(after.Object, "spec", "active")
	if !stated || active {
		set(requeued, metav1.ConditionTrue, cmp.Or(reason, "Evicted"), message)
	}
	return map[string]any{"admission": nil, "conditions": list}
}

// FlavorOf reads a ResourceFlavor.
func FlavorOf(object *unstructured.Unstructured) (Flavor, error) {
	var flavor Flavor
	declared, _, _ := unstructured.NestedMap(object.Object, "spec")
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(declared, &flavor); err != nil {
		return flavor, fmt.Errorf("reading ResourceFlavor %s: %w", object.GetName(), err)
	}
	return flavor, nil
}

// Names says whether a run names a queue of Kueue.
func Names(run *benchv1alpha1.BenchmarkRun) bool { return run.Labels[naming.QueueLabel] != "" }
