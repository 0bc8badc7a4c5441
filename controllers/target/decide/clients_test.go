package decide

import (
	"slices"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// clientsPolicy is the policy of a target's clients, or nil.
func clientsPolicy(o Observation) *networkingv1.NetworkPolicy {
	for _, object := range decided(o).Desired {
		made, ok := object.(*networkingv1.NetworkPolicy)
		if ok && made.Name == naming.ClientsNetworkPolicy(o.Target.Name) {
			return made
		}
	}
	return nil
}

// TestClientsAreLetOutOfNamespacesThatDenyAll: the topology Job and load pods reach members, gateways, DNS and the API
// server, and nothing else, once the operator is told where the last is.
func TestClientsAreLetOutOfNamespacesThatDenyAll(t *testing.T) {
	o := observe(targettest.ReplicaSet("bench", "set", 3))
	if made := clientsPolicy(o); made != nil {
		t.Errorf("without ports clients are shut in: %v", made.Spec)
	}
	o.Settings.APIServerPorts = []int32{443, 6443}
	made := clientsPolicy(o)
	if made == nil {
		t.Fatal("no policy lets clients out")
	}
	var open []int32
	for _, rule := range made.Spec.Egress {
		for _, port := range rule.Ports {
			open = append(open, port.Port.IntVal)
		}
	}
	if want := []int32{27017, 7080, 53, 5353, 53, 5353, 443, 6443}; !slices.Equal(open, want) {
		t.Errorf("ports %v are open, want %v", open, want)
	}
	if to := made.Spec.Egress[0].To; len(to) != 1 || to[0].PodSelector.MatchLabels[naming.MemberLabel] != "set" {
		t.Errorf("the first rule is for %v", to)
	}
	// Without a place that rule would open the port everywhere.
	if to := made.Spec.Egress[1].To; len(to) != 1 || to[0].PodSelector.MatchLabels[naming.ComponentLabel] != "gateway" {
		t.Errorf("the rule for gateways is for %v", to)
	}
	job := templates(t, decided(o).Desired)[naming.TopologyJob("set")]
	if client := made.Spec.PodSelector.MatchLabels[naming.ClientLabel]; job.Labels[naming.ClientLabel] != client {
		t.Errorf("the topology Job is not among the clients of %s: %v", client, job.Labels)
	}
	disabled := benchv1alpha1.Disabled
	o.Target.Spec.MongoDB.Security = &benchv1alpha1.SecuritySpec{NetworkPolicy: &disabled}
	if clientsPolicy(o) != nil {
		t.Error("a target that wants no policies has one")
	}
}
