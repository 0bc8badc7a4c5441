package decide

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

// dnsPorts are where names are asked for. A policy sees the port of the pod that answers, which on OpenShift is 5353.
var dnsPorts = []int32{53, 5353}

func behindNetworkPolicy(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return *spec.Security.NetworkPolicy == benchv1alpha1.Enabled
}

// membersNetworkPolicy lets only the target's own pods and the load pods of its runs reach the members, and the members
// only one another and whoever answers for names. Where names are asked for differs between clusters (a Service, an
// address of the node), so that rule is for a port and not for a place. Probes come from the node, which no policy
// holds back. A member that is being cut off is left to the policy that does it, since policies only ever add up.
//
// Where members do not talk to each other they reach nobody, and ask for no names.
func membersNetworkPolicy(t *benchv1alpha1.BenchmarkTarget) *networkingv1.NetworkPolicy {
	clients := map[string]string{naming.ClientLabel: t.Name}
	return &networkingv1.NetworkPolicy{
		ObjectMeta: meta(t, naming.TargetNetworkPolicy(t.Name), dataComponent(t.Spec)),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{
				MatchLabels: naming.SelectMembers(t.Name),
				MatchExpressions: []metav1.LabelSelectorRequirement{
					{Key: naming.PartitionedLabel, Operator: metav1.LabelSelectorOpDoesNotExist},
				},
			},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress: []networkingv1.NetworkPolicyIngressRule{{
				From:  []networkingv1.NetworkPolicyPeer{podsWith(naming.SelectTarget(t.Name)), podsWith(clients)},
				Ports: memberPorts(t.Spec),
			}},
			Egress: membersEgress(t),
		},
	}
}

func membersEgress(t *benchv1alpha1.BenchmarkTarget) []networkingv1.NetworkPolicyEgressRule {
	if !catalogue.Of(t.Spec).Traits().MembersTalk {
		return nil
	}
	return []networkingv1.NetworkPolicyEgressRule{
		{
			To:    []networkingv1.NetworkPolicyPeer{podsWith(naming.SelectMembers(t.Name))},
			Ports: ports(corev1.ProtocolTCP, naming.MongodPort),
		},
		{Ports: append(ports(corev1.ProtocolUDP, dnsPorts...), ports(corev1.ProtocolTCP, dnsPorts...)...)},
	}
}

func memberPorts(spec benchv1alpha1.BenchmarkTargetSpec) []networkingv1.NetworkPolicyPort {
	open := catalogue.Of(spec).Ports(spec)
	numbers := make([]int32, 0, len(open))
	for _, port := range open {
		numbers = append(numbers, port.Number)
	}
	return ports(corev1.ProtocolTCP, numbers...)
}

// podsWith are pods of the same namespace.
func podsWith(labels map[string]string) networkingv1.NetworkPolicyPeer {
	return networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: labels}}
}

func ports(protocol corev1.Protocol, numbers ...int32) []networkingv1.NetworkPolicyPort {
	all := make([]networkingv1.NetworkPolicyPort, 0, len(numbers))
	for _, number := range numbers {
		all = append(all, networkingv1.NetworkPolicyPort{
			Protocol: &protocol, Port: new(intstr.FromInt32(number)),
		})
	}
	return all
}
