package capacity

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Door is what a node looks at in a pod before it takes it.
type Door struct {
	labels map[string]string
	taints []corev1.Taint
}

// DoorOf is that of a node. One that was closed by hand, as for a drain, has a taint more.
func DoorOf(node *corev1.Node) Door {
	door := Door{labels: node.Labels, taints: node.Spec.Taints}
	if node.Spec.Unschedulable {
		door.taints = append(slices.Clone(door.taints),
			corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	return door
}

// Closed says why the node takes no pod that has this selector and these tolerations, a label that it lacks or a taint
// that is not tolerated; empty is that it does.
func (d Door) Closed(selector map[string]string, tolerations []corev1.Toleration) string {
	for _, key := range slices.Sorted(maps.Keys(selector)) {
		if value, ok := d.labels[key]; !ok || value != selector[key] {
			return fmt.Sprintf("it has no label %s=%s", key, selector[key])
		}
	}
	for i := range d.taints {
		taint := &d.taints[i]
		tolerated := slices.ContainsFunc(tolerations, func(t corev1.Toleration) bool { return tolerates(t, taint) })
		if taint.Effect != corev1.TaintEffectPreferNoSchedule && !tolerated {
			return fmt.Sprintf("its taint %s is not tolerated", taint.ToString())
		}
	}
	return ""
}

// tolerates is the scheduler's rule. An operator that is not known here counts as one that matches, so that no node is
// held to be closed that is open.
func tolerates(t corev1.Toleration, taint *corev1.Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	if t.Operator == "" || t.Operator == corev1.TolerationOpEqual {
		return t.Value == taint.Value
	}
	return true
}
