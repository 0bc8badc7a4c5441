package run

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/controllers/run/decide"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// +kubebuilder:rbac:groups=kueue.x-k8s.io,resources=localqueues,verbs=get

// localQueue is what a run names by its label, in whatever version is served. Source:
// https://kueue.sigs.k8s.io/docs/concepts/local_queue/
var localQueue = schema.GroupKind{Group: "kueue.x-k8s.io", Kind: "LocalQueue"}

// observeQueue looks for the queue that a run names. Where Kueue is not installed, or its queues may not be read,
// nothing is known of it.
func (r *Reconciler) observeQueue(ctx context.Context, o *decide.Observation) error {
	if !decide.AsksForQueue(o) {
		return nil
	}
	name := client.ObjectKey{Namespace: o.Run.Namespace, Name: o.Run.Labels[naming.QueueLabel]}
	served, err := r.Client.RESTMapper().RESTMapping(localQueue)
	if err == nil {
		var queue metav1.PartialObjectMetadata
		queue.SetGroupVersionKind(served.GroupVersionKind)
		err = r.Live.Get(ctx, name, &queue)
	}
	switch {
	case err == nil, apimeta.IsNoMatchError(err), apierrors.IsForbidden(err):
		return nil
	case apierrors.IsNotFound(err):
		o.QueueMissing = true
		return nil
	}
	return fmt.Errorf("looking for LocalQueue %s: %w", name.Name, err)
}
