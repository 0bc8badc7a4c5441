package partition

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Policy lets nothing in and nothing out of members of a target, by the names of their pods; there must be one.
// Policies only ever add up: the target's own must not speak for these members meanwhile.
func Policy(run *benchv1alpha1.BenchmarkRun, target string, members []string) *networkingv1.NetworkPolicy {
	meta := desired.OfRun(run, naming.PartitionNetworkPolicy(run.Name), naming.ComponentPartition)
	meta.Labels[naming.TargetLabel] = target
	return &networkingv1.NetworkPolicy{
		ObjectMeta: meta,
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{
				MatchLabels:      naming.SelectMembers(target),
				MatchExpressions: []metav1.LabelSelectorRequirement{named(metav1.LabelSelectorOpIn, members)},
			},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		},
	}
}

// Members are the names of the pods that a policy of a run cuts off; none for any other policy, and for none.
func Members(policy *networkingv1.NetworkPolicy) []string {
	if policy == nil || policy.DeletionTimestamp != nil ||
		policy.Labels[naming.ComponentLabel] != string(naming.ComponentPartition) {
		return nil
	}
	owner := metav1.GetControllerOf(policy)
	if owner == nil || owner.Kind != "BenchmarkRun" {
		return nil
	}
	for _, requirement := range policy.Spec.PodSelector.MatchExpressions {
		if requirement.Key == appsv1.StatefulSetPodNameLabel && requirement.Operator == metav1.LabelSelectorOpIn {
			return requirement.Values
		}
	}
	return nil
}

// Except narrows a selector of a target's members to those that no run cuts off.
func Except(members metav1.LabelSelector, cutOff []string) metav1.LabelSelector {
	if len(cutOff) > 0 {
		members.MatchExpressions = append(members.MatchExpressions, named(metav1.LabelSelectorOpNotIn, cutOff))
	}
	return members
}

// named selects pods of a StatefulSet by their names, which they carry as a label from the start.
func named(operator metav1.LabelSelectorOperator, pods []string) metav1.LabelSelectorRequirement {
	return metav1.LabelSelectorRequirement{
		Key: appsv1.StatefulSetPodNameLabel, Operator: operator,
		Values: slices.Compact(slices.Sorted(slices.Values(pods))),
	}
}
