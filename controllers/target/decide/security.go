package decide

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/partition"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

// MakesSecrets says whether the Secrets of a target may still have to be made. They come before everything that starts
// pods, so that where this is there they were made; what was generated once cannot be made again, and the members hold
// it. So none of them is read or written any more, and one that somebody deletes stays gone.
func MakesSecrets(o *Observation) bool {
	return o.Target.Status.Connection == nil && o.TopologyJob == nil && len(o.StatefulSets) == 0 &&
		o.Community.Object == nil
}

// secrets are those of a deployed target.
func secrets(o Observation) []desired.Object {
	if !MakesSecrets(&o) {
		return nil
	}
	var all []desired.Object
	for _, made := range catalogue.Of(o.Target.Spec).Secrets(o.Target, o.Candidate) {
		all = append(all, secret(o, made.Name, made.Data))
	}
	if MakesCertificate(o.Target) {
		all = append(all, tlsSecret(o))
	}
	return all
}

// securityObjects are the Secrets of a deployed target, and who may reach it.
func securityObjects(o Observation) ([]desired.Object, error) {
	all := secrets(o)
	if behindNetworkPolicy(o.Target.Spec) {
		all = append(all, membersNetworkPolicy(o), closedNetworkPolicy(o.Target))
		all = append(all, clientsNetworkPolicy(o)...)
	}
	asked, err := certificateObjects(o)
	return append(all, asked...), err
}

func secret(o Observation, name string, data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: meta(o.Target, name, dataComponent(o.Target.Spec)),
		Type:       corev1.SecretTypeOpaque,
		Data:       data,
	}
}

// dataComponent labels the members that hold the data, and all that belongs to the members together.
func dataComponent(spec benchv1alpha1.BenchmarkTargetSpec) naming.Component {
	return catalogue.Of(spec).Traits().Component
}

func meta(t *benchv1alpha1.BenchmarkTarget, name string, component naming.Component) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: t.Namespace, Labels: naming.ForTarget(t.Name, component),
	}
}

// issuer is the one of cert-manager that signs the members' certificate; nil where the operator makes an authority.
func issuer(spec benchv1alpha1.BenchmarkTargetSpec) *benchv1alpha1.IssuerReference {
	if !product.Encrypted(spec) {
		return nil
	}
	return spec.Deployment().Security.TLS.IssuerRef
}

// MakesCertificate says whether a target's certificate is the operator's to make. All members have the same one: they
// are told apart by their names, which it covers, and its key is of no use to anybody once the target is gone.
func MakesCertificate(t *benchv1alpha1.BenchmarkTarget) bool {
	return t.Spec.External == nil && product.Encrypted(t.Spec) && issuer(t.Spec) == nil
}

// AsksForCertificate says whether a target's certificate is cert-manager's to make.
func AsksForCertificate(t *benchv1alpha1.BenchmarkTarget) bool {
	return t.Spec.External == nil && issuer(t.Spec) != nil
}

// CertificateNames are the names that the members of a target are reached by.
func CertificateNames(t *benchv1alpha1.BenchmarkTarget) []string {
	members := "*." + naming.MembersService(t.Name) + "." + t.Namespace + ".svc"
	return []string{members, members + ".cluster.local", "localhost"}
}

// loopback is the address that the members are reached by besides.
const loopback = "127.0.0.1"

// tlsSecret holds the certificate that the operator made, and its authority, whose own key was not kept.
func tlsSecret(o Observation) *corev1.Secret {
	made := secret(o, naming.TLSSecret(o.Target.Name), map[string][]byte{
		naming.CAKey: o.Candidate.TLS.Authority, naming.CertificateKey: o.Candidate.TLS.Certificate,
		naming.PrivateKeyKey: o.Candidate.TLS.Key,
	})
	made.Type = corev1.SecretTypeTLS
	return made
}

// dnsPorts are where names are asked for. A policy sees the port of the pod that answers, which on OpenShift is 5353.
var dnsPorts = []int32{53, 5353}

func behindNetworkPolicy(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return *spec.Deployment().Security.NetworkPolicy == benchv1alpha1.Enabled
}

// closedNetworkPolicy lets nobody in and nothing out. A member that a run has cut off, and of which the policy of that
// run is gone before the target's own speaks for it again, is closed rather than open to all.
func closedNetworkPolicy(t *benchv1alpha1.BenchmarkTarget) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{
		ObjectMeta: meta(t, naming.ClosedNetworkPolicy(t.Name), dataComponent(t.Spec)),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: naming.SelectMembers(t.Name)},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		},
	}
}

// membersNetworkPolicy lets only the target's own pods and the load pods of its runs reach the members, and the members
// only one another and whoever answers for names. Where names are asked for differs between clusters (a Service, an
// address of the node), so that rule is for a port and not for a place. Probes come from the node, which no policy
// holds back. It does not speak for a member that a run cuts off, since policies only ever add up.
//
// Where members do not talk to each other they reach no one, and ask for no names.
func membersNetworkPolicy(o Observation) *networkingv1.NetworkPolicy {
	t := o.Target
	return &networkingv1.NetworkPolicy{
		ObjectMeta: meta(t, naming.TargetNetworkPolicy(t.Name), dataComponent(t.Spec)),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: partition.Except(metav1.LabelSelector{MatchLabels: naming.SelectMembers(t.Name)}, o.CutOff),
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress: []networkingv1.NetworkPolicyIngressRule{{
				From: []networkingv1.NetworkPolicyPeer{
					podsWith(naming.SelectTarget(t.Name)), podsWith(clientsOf(t)), podsWith(baselineClientsOf(t)),
				},
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
		toDNS(),
	}
}

// toDNS lets pods ask for names.
func toDNS() networkingv1.NetworkPolicyEgressRule {
	return networkingv1.NetworkPolicyEgressRule{
		Ports: append(ports(corev1.ProtocolUDP, dnsPorts...), ports(corev1.ProtocolTCP, dnsPorts...)...),
	}
}

// clientsNetworkPolicy lets the topology Job and the load pods of a target's runs out to the members, to gateways, to
// DNS and to the API server, where the namespace lets nobody out. It is made only where the operator is told the API
// server's ports: a policy sees those of the servers behind its Service, which no pod can see.
func clientsNetworkPolicy(o Observation) []desired.Object {
	if len(o.Settings.APIServerPorts) == 0 {
		return nil
	}
	t := o.Target
	return []desired.Object{
		egressOf(o, naming.ClientsNetworkPolicy(t.Name), clientsOf(t)),
		egressOf(o, naming.BaselineClientsNetworkPolicy(t.Name), baselineClientsOf(t)),
	}
}

// egressOf lets some clients out.
func egressOf(o Observation, name string, clients map[string]string) *networkingv1.NetworkPolicy {
	t := o.Target
	return &networkingv1.NetworkPolicy{
		ObjectMeta: meta(t, name, dataComponent(t.Spec)),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: clients},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
			Egress: []networkingv1.NetworkPolicyEgressRule{
				{
					To:    []networkingv1.NetworkPolicyPeer{podsWith(naming.SelectMembers(t.Name))},
					Ports: memberPorts(t.Spec),
				},
				{
					To: []networkingv1.NetworkPolicyPeer{podsWith(map[string]string{
						naming.ManagedByLabel: naming.ManagedBy, naming.ComponentLabel: string(naming.ComponentGateway),
					})},
					Ports: ports(corev1.ProtocolTCP, naming.GatewayPort),
				},
				toDNS(),
				{Ports: ports(corev1.ProtocolTCP, o.Settings.APIServerPorts...)},
			},
		},
	}
}

// clientsOf are the labels of the pods that speak to the members.
func clientsOf(t *benchv1alpha1.BenchmarkTarget) map[string]string {
	return map[string]string{naming.ClientLabel: t.Name}
}

// baselineClientsOf are those of load pods that have the target on the other side of a duet.
func baselineClientsOf(t *benchv1alpha1.BenchmarkTarget) map[string]string {
	return map[string]string{naming.BaselineClientLabel: t.Name}
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
