package target

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/target/decide"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// perPage bounds what one answer of the API server may hold.
const perPage = 500

// observeRoom reads what the nodes have, for a target of which nothing was made yet. It is read past the cache, since
// a cache of every node and pod would cost more than the few times that it is asked for. An operator that may not read
// nodes, because it was installed for some namespaces or for a cluster that makes nodes when they are needed, leaves
// the decision to the scheduler.
func (r *Reconciler) observeRoom(ctx context.Context, o *decide.Observation) error {
	if !asksForRoom(o) {
		return nil
	}
	// The cache may be behind: what was made has pods already that would be taken for somebody else's.
	made := &metav1.PartialObjectMetadataList{}
	made.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("StatefulSetList"))
	err := r.Live.List(ctx, made,
		client.InNamespace(o.Target.Namespace), client.MatchingLabels(naming.SelectTarget(o.Target.Name)))
	if err != nil {
		return fmt.Errorf("listing StatefulSets: %w", err)
	}
	if len(made.Items) > 0 {
		return nil
	}
	room := &decide.Room{}
	addNode := func(item runtime.Object) error {
		if node, ok := item.(*corev1.Node); ok {
			room.AddNode(node)
		}
		return nil
	}
	addPod := func(item runtime.Object) error {
		if pod, ok := item.(*corev1.Pod); ok {
			room.AddPod(pod)
		}
		return nil
	}
	if err = r.pages(ctx, &corev1.NodeList{}, nil, addNode); err == nil {
		err = r.pages(ctx, &corev1.PodList{}, onNodes, addPod)
	}
	switch {
	case apierrors.IsForbidden(err):
		return nil
	case err != nil:
		return fmt.Errorf("looking for room on the nodes: %w", err)
	}
	o.Room = room
	return nil
}

// asksForRoom says whether nothing was made of a target yet, as far as the cache and the status tell.
func asksForRoom(o *decide.Observation) bool {
	spec, conditions := o.Target.Spec, o.Target.Status.Conditions
	if spec.Topology == benchv1alpha1.TopologyExternal || len(o.StatefulSets) > 0 {
		return false
	}
	if spec.Provider != nil && *spec.Provider != benchv1alpha1.ProviderOperator {
		return false
	}
	ready := condition.Reason(conditions, benchv1alpha1.TargetReady)
	return !condition.IsTrue(conditions, benchv1alpha1.TargetStalled) &&
		(ready == "" || ready == benchv1alpha1.ReasonDoesNotFit)
}

// onNodes are the pods that a node has set something aside for.
var onNodes = fields.AndSelectors(
	fields.OneTermNotEqualSelector("spec.nodeName", ""),
	fields.OneTermNotEqualSelector("status.phase", string(corev1.PodSucceeded)),
	fields.OneTermNotEqualSelector("status.phase", string(corev1.PodFailed)),
)

// pages reads the objects of all namespaces piece by piece, so that they are never all in memory.
func (r *Reconciler) pages(
	ctx context.Context, kind client.ObjectList, selector fields.Selector, each func(runtime.Object) error,
) error {
	more := ""
	for {
		page, _ := kind.DeepCopyObject().(client.ObjectList)
		err := r.Live.List(ctx, page, &client.ListOptions{FieldSelector: selector, Limit: perPage, Continue: more})
		if err != nil {
			return err
		}
		if err := apimeta.EachListItem(page, each); err != nil {
			return err
		}
		if more = page.GetContinue(); more == "" {
			return nil
		}
	}
}
