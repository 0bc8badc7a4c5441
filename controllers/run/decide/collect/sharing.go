package collect

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/utils/ptr"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Vicinity is who else is on the nodes of the members at an instant.
type Vicinity struct {
	// Neighbours are the pods of other runs and targets.
	Neighbours int32
	// OtherNodes is how many nodes without a member would take a load pod; nil where none was looked for, or nodes may not
	// be read.
	OtherNodes *int32
}

// MemberNodes are the nodes of the members, in order.
func (s Scene) MemberNodes() []string {
	nodes := make([]string, len(s.Members))
	for i, member := range s.Members {
		nodes[i] = member.Spec.NodeName
	}
	return distinct(nodes)
}

// Beside are the load pods that are on a node with a member.
func (s Scene) Beside() []*corev1.Pod {
	nodes := s.MemberNodes()
	var found []*corev1.Pod
	for i := range s.Pods {
		if slices.Contains(nodes, s.Pods[i].Spec.NodeName) {
			found = append(found, &s.Pods[i])
		}
	}
	return found
}

// Takes says whether a node would take a pod, by its labels, taints and size, whatever else is on it.
func Takes(node *corev1.Node, pod *corev1.Pod) bool {
	return capacity.FilterOf(node).Rejects(pod.Spec.NodeSelector, pod.Spec.Tolerations) == "" &&
		capacity.Of(node.Status.Allocatable).Covers(capacity.Requested(&pod.Spec)) && required(node, pod)
}

// required says whether a node is one that the pod's node affinity requires. What is not understood here excludes the
// node, so that nothing is doubted for it.
func required(node *corev1.Node, pod *corev1.Pod) bool {
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil ||
		affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return true
	}
	terms := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	return slices.ContainsFunc(terms, func(term corev1.NodeSelectorTerm) bool {
		return len(term.MatchFields) == 0 && len(term.MatchExpressions) > 0 &&
			!slices.ContainsFunc(term.MatchExpressions, func(one corev1.NodeSelectorRequirement) bool {
				wanted, err := labels.NewRequirement(one.Key, operators[one.Operator], one.Values)
				return err != nil || !wanted.Matches(labels.Set(node.Labels))
			})
	})
}

// operators of node selectors, as labels are selected by.
var operators = map[corev1.NodeSelectorOperator]selection.Operator{
	corev1.NodeSelectorOpIn: selection.In, corev1.NodeSelectorOpNotIn: selection.NotIn,
	corev1.NodeSelectorOpExists: selection.Exists, corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
	corev1.NodeSelectorOpGt: selection.GreaterThan, corev1.NodeSelectorOpLt: selection.LessThan,
}

// SharedNode doubts a run of some load pods, in words such as "2 load pods", whose members had others on their nodes,
// where that could have been otherwise. Load pods are no doubt where no other node would have taken them, as on a
// laptop: what they did to the measurement is what the load generator says of itself (GeneratorLate,
// GeneratorSaturated). Where nodes may not be read there is a doubt: a cluster that does not let the operator read them
// is not one of a single node, and the way out is one field. Pods of other runs and targets need not be there on any
// cluster.
func SharedNode(sharing *benchv1alpha1.NodeSharing, pods string) (doubts []reportv1alpha1.Doubt, remarks []string) {
	if sharing == nil {
		return nil, nil
	}
	add := func(message string) {
		if len(doubts) == 0 {
			doubts = []reportv1alpha1.Doubt{{Reason: benchv1alpha1.ReasonSharedNode, Message: message}}
			return
		}
		doubts[0].Message += "; " + message
	}
	if shared := ptr.Deref(sharing.LoadPods, 0); shared > 0 {
		said := fmt.Sprintf("%d of %s ran on a node with a member", shared, pods)
		switch others := sharing.OtherNodes; {
		case others == nil:
			add(said + ", and whether there was another node is not known, since the operator may not read nodes; the two may " +
				"have taken CPU and memory bandwidth from each other: set spec.loadGenerator.separation to Required")
		case *others > 0:
			add(fmt.Sprintf("%s, and %s without a member would take them; the two may have taken CPU and memory bandwidth from "+
				"each other: set spec.loadGenerator.separation to Required, or see what fills the other nodes", said,
				present.Plural(int64(*others), "node")))
		default:
			remarks = append(remarks, said+", and no other node would have taken them")
		}
	}
	if neighbours := ptr.Deref(sharing.Neighbours, 0); neighbours > 0 {
		add(fmt.Sprintf("while steps were measured, up to %s of other runs or targets were on the nodes of the members, and "+
			"took CPU, memory and disk from them even when idle: delete targets that are kept and not needed, or give each "+
			"its own nodes (nodeSelector)", present.Plural(int64(neighbours), "pod")))
	}
	return doubts, remarks
}
