package decide

import (
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/partition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// budgets keep the load pods and the members from being evicted, as by the drain of a node, from when there are load
// pods until the verdict. A Job has no scale, so that Kubernetes can tell how many of its pods there should be only by
// their number.
func budgets(s *state) []desired.Object {
	pods := budget(s.Run, naming.LoadBudget(s.Run.Name), naming.SelectRun(s.Run.Name))
	pods.Spec.Selector.MatchLabels[naming.ComponentLabel] = string(naming.ComponentLoad)
	pods.Spec.MinAvailable = new(intstr.FromInt(s.load.Plan.Pods))
	all := []desired.Object{pods}
	if s.GatewayJob != nil {
		gateway := budget(s.Run, naming.Gateway(s.Run.Name), naming.SelectRun(s.Run.Name))
		gateway.Spec.Selector.MatchLabels[naming.ComponentLabel] = string(naming.ComponentGateway)
		gateway.Spec.MinAvailable = new(intstr.FromInt(load.Wanted(s.GatewayJob)))
		all = append(all, gateway)
	}
	for i, one := range s.sides() {
		if one.target != nil && one.target.Spec.Topology() == benchv1alpha1.TopologyExternal {
			continue
		}
		name := naming.MembersBudget(s.Run.Name)
		if i > 0 {
			name = naming.BaselineBudget(s.Run.Name)
		}
		members := budget(s.Run, name, naming.SelectMembers(one.name))
		members.Spec.MaxUnavailable = new(intstr.FromInt(0))
		all = append(all, members)
	}
	return all
}

func budget(run *benchv1alpha1.BenchmarkRun, name string, selector map[string]string) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: desired.OfRun(run, name, naming.ComponentBudget),
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: selector}},
	}
}

// passing are what a run that has ended does not keep, whatever it keeps: budgets, so that its pods are in no drain's
// way, and what cuts members off.
func passing(o *Observation) []desired.Object {
	return append(owned[*policyv1.PodDisruptionBudget](o), cuts(o)...)
}

// cuts are the policies of a run, by which it cuts members off.
func cuts(o *Observation) []desired.Object {
	return slices.DeleteFunc(owned[*networkingv1.NetworkPolicy](o), func(policy desired.Object) bool {
		return !cutsOff(policy)
	})
}

// cutsOff says whether a policy is there to cut members off.
func cutsOff(policy desired.Object) bool {
	return policy.GetLabels()[naming.ComponentLabel] == string(naming.ComponentPartition)
}

// cutOff are the names of the members' pods that these cut off.
func cutOff(o *Observation) []string {
	var names []string
	for _, object := range cuts(o) {
		if policy, is := object.(*networkingv1.NetworkPolicy); is {
			names = append(names, partition.Members(policy)...)
		}
	}
	return names
}

// owned are the objects of a type that a run controls.
func owned[Type desired.Object](o *Observation) []desired.Object {
	var found []desired.Object
	for _, object := range o.Owned {
		if _, is := object.(Type); is {
			found = append(found, object)
		}
	}
	return found
}
