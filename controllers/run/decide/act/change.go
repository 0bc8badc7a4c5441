package act

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Change is what is to be done to a member's pod.
type Change struct {
	// Pod as it was observed: another one of the same name is left alone.
	Pod *corev1.Pod
	// Delete it. Otherwise Partition is the value of the label that cuts it off, or empty to take that away.
	Delete    bool
	Partition string
}

// cutOff says whether a pod carries the run's label.
func cutOff(run *benchv1alpha1.BenchmarkRun, pod *corev1.Pod) bool {
	return pod.Labels[naming.PartitionedLabel] == run.Name
}

// Heal ends all partitions of a run.
func Heal(run *benchv1alpha1.BenchmarkRun, members []corev1.Pod) []Change {
	var changes []Change
	for i := range members {
		if cutOff(run, &members[i]) {
			changes = append(changes, Change{Pod: &members[i]})
		}
	}
	return changes
}

// NetworkPolicy lets nothing in and nothing out of the members that carry the run's label. Policies only ever
// add up: the target's own does not speak for members with such a label.
func NetworkPolicy(run *benchv1alpha1.BenchmarkRun) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{
		ObjectMeta: desired.OfRun(run, naming.PartitionNetworkPolicy(run.Name), naming.ComponentPartition),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{naming.PartitionedLabel: run.Name}},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		},
	}
}

// Record adds to the gate which pod each action is done to, before it is done: so it is done to that very pod,
// once, whoever looks again and whatever the clocks say. What is deleted must have been there when it was asked for.
func (a *Actions) Record(gate *corev1.ConfigMap) {
	if !a.Running {
		return
	}
	for _, r := range a.requests() {
		pod := a.member(r.Member)
		if pod == nil || a.recorded(r) != "" || r.late(a.Now) {
			continue
		}
		begun := pod.DeletionTimestamp == nil && !pod.CreationTimestamp.After(r.At)
		if r.action.Type == planv1alpha1.ActionPartition {
			begun = cutOff(a.Run, pod)
		}
		if begun {
			if gate.Data == nil {
				gate.Data = map[string]string{}
			}
			gate.Data[r.key()] = string(pod.UID)
		}
	}
}

// Changes are what the actions do to pods now.
func (a *Actions) Changes() []Change {
	if !a.Running {
		return Heal(a.Run, a.Members)
	}
	var changes []Change
	for _, r := range a.requests() {
		pod := a.member(r.Member)
		if r.action.Type == planv1alpha1.ActionDeletePod && pod != nil && a.recorded(r) == string(pod.UID) &&
			pod.DeletionTimestamp == nil && !r.late(a.Now) {
			changes = append(changes, Change{Pod: pod, Delete: true})
		}
	}
	return append(changes, a.partitions()...)
}

// NeedsPolicy says whether a member is to be cut off, or still is: its label goes before the policy, so that it is
// never left without any.
func (a *Actions) NeedsPolicy() bool {
	for i := range a.Members {
		if cutOff(a.Run, &a.Members[i]) {
			return true
		}
	}
	return len(a.toCutOff()) > 0
}

// toCutOff are the members that are to be cut off now, by their UIDs. One that took the place of another is left alone.
func (a *Actions) toCutOff() map[string]bool {
	wanted := map[string]bool{}
	if !a.Running {
		return wanted
	}
	for _, r := range a.requests() {
		pod := a.member(r.Member)
		if r.action.Type != planv1alpha1.ActionPartition || pod == nil || !a.Now.Before(r.ends()) {
			continue
		}
		if before := a.recorded(r); before == "" || before == string(pod.UID) {
			wanted[string(pod.UID)] = true
		}
	}
	return wanted
}

// partitions cuts members off, and ends it when its time is over. A member that another run has cut off is its own.
func (a *Actions) partitions() []Change {
	wanted := a.toCutOff()
	var changes []Change
	for i := range a.Members {
		pod := &a.Members[i]
		switch {
		case wanted[string(pod.UID)] && pod.Labels[naming.PartitionedLabel] == "":
			changes = append(changes, Change{Pod: pod, Partition: a.Run.Name})
		case !wanted[string(pod.UID)] && cutOff(a.Run, pod):
			changes = append(changes, Change{Pod: pod})
		}
	}
	return changes
}

// NextEnd is how long the next end of a partition is away; 0 when there is none.
func (a *Actions) NextEnd() time.Duration {
	var next time.Duration
	for _, r := range a.requests() {
		left := r.ends().Sub(a.Now)
		if r.action.Type == planv1alpha1.ActionPartition && left > 0 && (next == 0 || left < next) {
			next = left
		}
	}
	return next
}
