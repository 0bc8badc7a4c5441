package decide

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// partitionNetworkPolicy lets nothing in and nothing out of the members that carry the run's label. Policies only ever
// add up: the target's own does not speak for members with such a label.
func partitionNetworkPolicy(run *benchv1alpha1.BenchmarkRun) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{
			Name:      naming.PartitionNetworkPolicy(run.Name),
			Namespace: run.Namespace,
			Labels:    naming.ForRun(run.Name, naming.ComponentPartition),
		},
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{naming.PartitionedLabel: run.Name}},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		},
	}
}

// needsPolicy says whether a member is to be cut off, or still is: its label goes before the policy, so that it is
// never left without any.
func (v *view) needsPolicy() bool {
	for i := range v.Members {
		if v.cutOff(&v.Members[i]) {
			return true
		}
	}
	return len(v.toCutOff()) > 0
}

// cutOff says whether a pod carries the run's label.
func (o *Observation) cutOff(pod *corev1.Pod) bool {
	return pod.Labels[naming.PartitionedLabel] == o.Run.Name
}

// toCutOff are the members that are to be cut off now, by their UIDs. One that took the place of another is left alone.
func (v *view) toCutOff() map[string]bool {
	wanted := map[string]bool{}
	if !v.stepRuns() {
		return wanted
	}
	for _, a := range v.asked() {
		pod := v.member(a.Member)
		if a.action.Type != planv1alpha1.ActionPartition || pod == nil || !v.Now.Before(a.ends()) {
			continue
		}
		if before := v.recorded(a); before == "" || before == string(pod.UID) {
			wanted[string(pod.UID)] = true
		}
	}
	return wanted
}

// partitions cuts members off, and ends it when its time is over. A member that another run has cut off is its own.
func (v *view) partitions() []Change {
	wanted := v.toCutOff()
	var changes []Change
	for i := range v.Members {
		pod := &v.Members[i]
		switch {
		case wanted[string(pod.UID)] && pod.Labels[naming.PartitionedLabel] == "":
			changes = append(changes, Change{Pod: pod, Partition: v.Run.Name})
		case !wanted[string(pod.UID)] && v.cutOff(pod):
			changes = append(changes, Change{Pod: pod})
		}
	}
	return changes
}

// healing ends all partitions of a run.
func healing(o *Observation) []Change {
	var changes []Change
	for i := range o.Members {
		if o.cutOff(&o.Members[i]) {
			changes = append(changes, Change{Pod: &o.Members[i]})
		}
	}
	return changes
}

// partitionEnds is how long the next end of a partition is away; 0 when there is none.
func (v *view) partitionEnds() time.Duration {
	var next time.Duration
	for _, a := range v.asked() {
		left := a.ends().Sub(v.Now)
		if a.action.Type == planv1alpha1.ActionPartition && left > 0 && (next == 0 || left < next) {
			next = left
		}
	}
	return next
}

// tolerates says whether a target waits for members that go away.
func tolerates(target *benchv1alpha1.BenchmarkTarget) bool {
	return ptr.Deref(target.Spec.MemberRestarts, benchv1alpha1.MemberRestartsFail) ==
		benchv1alpha1.MemberRestartsTolerate
}
