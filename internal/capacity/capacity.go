package capacity

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

const mebibyte = int64(1) << 20

// Amount is what a pod asks for, or a node has.
type Amount struct {
	CPUMillis   int64 `json:"cpuMillis"`
	MemoryBytes int64 `json:"memoryBytes"`
	Pods        int64 `json:"pods,omitempty"`
}

// Of is the amount in a list of resources, such as the requests of a container or the allocatable of a node.
func Of(list corev1.ResourceList) Amount {
	return Amount{CPUMillis: list.Cpu().MilliValue(), MemoryBytes: list.Memory().Value(), Pods: list.Pods().Value()}
}

// List is the amount as a list of resources; it has no pods.
func (a Amount) List() corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewMilliQuantity(a.CPUMillis, resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(a.MemoryBytes, resource.BinarySI),
	}
}

// Plus is the sum.
func (a Amount) Plus(b Amount) Amount {
	return Amount{a.CPUMillis + b.CPUMillis, a.MemoryBytes + b.MemoryBytes, a.Pods + b.Pods}
}

// Minus is the difference, and nothing where there is not enough.
func (a Amount) Minus(b Amount) Amount {
	return Amount{
		max(a.CPUMillis-b.CPUMillis, 0), max(a.MemoryBytes-b.MemoryBytes, 0), max(a.Pods-b.Pods, 0),
	}
}

// Times is a multiple of it.
func (a Amount) Times(n int) Amount {
	return Amount{a.CPUMillis * int64(n), a.MemoryBytes * int64(n), a.Pods * int64(n)}
}

// Most is the larger of both, one resource at a time.
func (a Amount) Most(b Amount) Amount {
	return Amount{max(a.CPUMillis, b.CPUMillis), max(a.MemoryBytes, b.MemoryBytes), max(a.Pods, b.Pods)}
}

// Covers says whether there is enough for what is asked.
func (a Amount) Covers(asked Amount) bool {
	return a.CPUMillis >= asked.CPUMillis && a.MemoryBytes >= asked.MemoryBytes && a.Pods >= asked.Pods
}

// Holds is how many of what each asks for there is enough for.
func (a Amount) Holds(each Amount) int {
	return int(min(a.CPUMillis/max(each.CPUMillis, 1), a.MemoryBytes/max(each.MemoryBytes, 1), a.Pods/max(each.Pods, 1)))
}

// String is the CPU and the memory, as people write them.
func (a Amount) String() string { return Cores(a.CPUMillis) + " CPU and " + Memory(a.MemoryBytes) }

// Cores writes thousandths of a core: 700m, 2. A quantity would write 1k of a thousand cores.
func Cores(millis int64) string {
	if millis%1000 == 0 {
		return strconv.FormatInt(millis/1000, 10)
	}
	return strconv.FormatInt(millis, 10) + "m"
}

// Memory writes bytes in MiB.
func Memory(bytes int64) string { return fmt.Sprintf("%d MiB", bytes/mebibyte) }

// Requested is what a node sets aside for a pod: what its containers ask for beside its sidecars or, if that is more,
// what it takes while it starts.
func Requested(spec *corev1.PodSpec) Amount {
	var running, sidecars, starting Amount
	for i := range spec.Containers {
		running = running.Plus(Of(spec.Containers[i].Resources.Requests))
	}
	for i := range spec.InitContainers {
		container := &spec.InitContainers[i]
		beside := sidecars.Plus(Of(container.Resources.Requests))
		starting = starting.Most(beside)
		if policy := container.RestartPolicy; policy != nil && *policy == corev1.ContainerRestartPolicyAlways {
			sidecars = beside
		}
	}
	asked := running.Plus(sidecars).Most(starting)
	if spec.Resources != nil {
		asked = asked.Most(Of(spec.Resources.Requests))
	}
	asked = asked.Plus(Of(spec.Overhead))
	asked.Pods = 1
	return asked
}

// MachineOf is the instance type of a node or, where it has none, its size.
func MachineOf(node *corev1.Node) string {
	const gibibyte = int64(1) << 30
	has := node.Status.Capacity
	if name := node.Labels[corev1.LabelInstanceTypeStable]; name != "" || has.Cpu().IsZero() {
		return name
	}
	return fmt.Sprintf("%d cores, %d GiB, %s", has.Cpu().Value(), (has.Memory().Value()+gibibyte/2)/gibibyte,
		node.Status.NodeInfo.Architecture)
}

// NodeFilter is what the scheduler compares with a pod before it looks at room: the labels and taints of a node.
type NodeFilter struct {
	labels map[string]string
	taints []corev1.Taint
}

// FilterOf is that of a node. One that was cordoned, as for a drain, has a taint more.
func FilterOf(node *corev1.Node) NodeFilter {
	filter := NodeFilter{labels: node.Labels, taints: node.Spec.Taints}
	if node.Spec.Unschedulable {
		filter.taints = append(slices.Clone(filter.taints),
			corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	return filter
}

// Rejects says why the node takes no pod that has this selector and these tolerations, a label that it lacks or a taint
// that is not tolerated; empty is that it does.
func (f NodeFilter) Rejects(selector map[string]string, tolerations []corev1.Toleration) string {
	for _, key := range slices.Sorted(maps.Keys(selector)) {
		if value, ok := f.labels[key]; !ok || value != selector[key] {
			return fmt.Sprintf("it has no label %s=%s", key, selector[key])
		}
	}
	for i := range f.taints {
		taint := &f.taints[i]
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
