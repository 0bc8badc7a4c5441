package run

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/run/decide"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// nodeIndex finds the pods on a node; the API server knows it by the same name.
const nodeIndex = "spec.nodeName"

// nodeOf is the node of a pod of the operator's, for nodeIndex.
func nodeOf(object client.Object) []string {
	pod, is := object.(*corev1.Pod)
	if !is || pod.Spec.NodeName == "" {
		return nil
	}
	return []string{pod.Spec.NodeName}
}

// vicinity is what is read of who else is on the nodes of members.
type vicinity struct{ loop.Cluster }

// observe looks who else is on the nodes of the members: among the pods that the operator watches, which are
// those of its installation.
func (v vicinity) observe(ctx context.Context, o *decide.Observation) error {
	nodes, beside := decide.VicinityOf(o)
	if len(nodes) == 0 {
		return nil
	}
	found := &collect.Vicinity{}
	for _, node := range nodes {
		var pods corev1.PodList
		err := v.List(ctx, &pods, "", client.MatchingFields{nodeIndex: node},
			client.MatchingLabels{naming.ManagedByLabel: naming.ManagedBy})
		if err != nil {
			return err
		}
		for i := range pods.Items {
			if decide.Neighbour(o, &pods.Items[i]) {
				found.Neighbours++
			}
		}
	}
	var err error
	if beside != nil {
		found.OtherNodes, err = v.othersFor(ctx, beside, nodes)
	}
	o.Vicinity = found
	return err
}

// nodesPerPage bounds what one answer of the API server may hold.
const nodesPerPage = 500

// othersFor is how many nodes beside these would take a pod; nil when nodes may not be read.
func (v vicinity) othersFor(ctx context.Context, pod *corev1.Pod, nodes []string) (*int32, error) {
	var others int32
	count := func(node *corev1.Node) {
		if !slices.Contains(nodes, node.Name) && collect.Takes(node, pod) {
			others++
		}
	}
	err := loop.Pages(ctx, v.Live, &corev1.NodeList{}, count, client.Limit(nodesPerPage),
		client.MatchingLabels(pod.Spec.NodeSelector))
	switch {
	case apierrors.IsForbidden(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("looking for other nodes: %w", err)
	}
	return &others, nil
}
