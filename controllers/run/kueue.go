package run

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/controllers/run/decide"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/quota"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// +kubebuilder:rbac:groups=kueue.x-k8s.io,resources=workloads,verbs=get;create;delete
// +kubebuilder:rbac:groups=kueue.x-k8s.io,resources=workloads/status,verbs=patch
// +kubebuilder:rbac:groups=kueue.x-k8s.io,resources=resourceflavors;workloadpriorityclasses,verbs=get

// observeQuota reads what Kueue says of a run that names a queue, past the cache: where Kueue is not installed there
// is nothing to be watched. Where it is not, or may not be asked, the queue is left to those that look at the Job's
// labels.
func (r *Reconciler) observeQuota(ctx context.Context, o *decide.Observation) error {
	if !quota.Names(o.Run) {
		return nil
	}
	served, err := r.Client.RESTMapper().RESTMapping(schema.GroupKind{Group: quota.Group, Kind: "Workload"})
	if apimeta.IsNoMatchError(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for Kueue: %w", err)
	}
	version := served.GroupVersionKind.Version
	workload, err := r.kueues(ctx, version, "Workload", o.Run.Namespace, naming.Workload(o.Run.Name))
	if apierrors.IsForbidden(err) {
		return nil
	}
	if err != nil {
		return err
	}
	o.Quota = quota.State{Asked: true, Version: version}
	if workload != nil && metav1.IsControlledBy(workload, o.Run) && workload.GetDeletionTimestamp() == nil {
		o.Quota.Workload = workload
		return r.observeFlavors(ctx, &o.Quota)
	}
	if class := o.Run.Labels[naming.PriorityLabel]; class != "" {
		object, err := r.kueues(ctx, version, "WorkloadPriorityClass", "", class)
		if err != nil || object == nil {
			return err
		}
		o.Quota.Priority, _, _ = unstructured.NestedInt64(object.Object, "value")
	}
	return nil
}

// observeFlavors reads what the nodes are like on which there is room.
func (r *Reconciler) observeFlavors(ctx context.Context, state *quota.State) error {
	state.Flavors = map[string]quota.Flavor{}
	for _, name := range state.FlavorNames() {
		object, err := r.kueues(ctx, state.Version, "ResourceFlavor", "", name)
		if err != nil {
			return err
		}
		if object == nil {
			continue
		}
		if state.Flavors[name], err = quota.FlavorOf(object); err != nil {
			return err
		}
	}
	return nil
}

// kueues reads an object of Kueue's; nil when there is none.
func (r *Reconciler) kueues(
	ctx context.Context, version, kind, namespace, name string,
) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(schema.GroupVersionKind{Group: quota.Group, Version: version, Kind: kind})
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, object)
	if apierrors.IsNotFound(err) || namespace == "" && apierrors.IsForbidden(err) {
		return nil, nil // An operator that was installed for some namespaces may not read what is the cluster's.
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", kind, name, err)
	}
	return object, nil
}

// changeQuota asks Kueue for room, or gives it back.
func (r *Reconciler) changeQuota(ctx context.Context, o *decide.Observation, change quota.Change) error {
	held := o.Quota.Workload
	switch change {
	case quota.Ask:
		asked, err := o.Quota.Make(o.Run, r.Settings.Pods)
		if err != nil {
			return err
		}
		// That of an earlier run of the same name is on its way out.
		if err := r.Client.Create(ctx, asked); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("asking Kueue for room: %w", err)
		}
	case quota.Vacate:
		vacated := held.DeepCopy()
		vacated.Object["status"] = o.Quota.Vacate(metav1.NewTime(o.Now))
		err := r.Client.Status().Patch(ctx, vacated, client.MergeFromWithOptions(held, client.MergeFromWithOptimisticLock{}))
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("giving room back to Kueue: %w", err)
		}
	case quota.Remove:
		uid := held.GetUID()
		if err := r.Client.Delete(ctx, held, client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("giving room back to Kueue: %w", err)
		}
	}
	return nil
}
