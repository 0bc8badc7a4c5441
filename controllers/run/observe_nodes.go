package run

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/controllers/run/decide"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
)

// A node is read by a list of its name alone: the right to list nodes is there already, for targets that may not fit,
// and one more would be one more to grant. Claims are read by their names, which is the least there is.
//
// +kubebuilder:rbac:groups="",resources=nodes,verbs=list
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=get

// observeSurroundings reads, once for each run, what its pods ran on. It is read past the cache: of the many nodes and
// claims of a cluster a run concerns few. An operator that may not read them, because it was installed for some
// namespaces, does without.
func (r *Reconciler) observeSurroundings(ctx context.Context, o *decide.Observation) error {
	lookup, wanted := decide.Lookup(o)
	if !wanted {
		return nil
	}
	var err error
	if o.Surroundings.Machines, err = r.machines(ctx, lookup.Nodes); err != nil {
		return err
	}
	o.Surroundings.StorageClass, err = r.storageClass(ctx, o.Run.Namespace, lookup.Claim)
	return err
}

// machines are the nodes of these names; none when nodes may not be read. One that is gone is left out.
func (r *Reconciler) machines(ctx context.Context, names []string) ([]collect.Machine, error) {
	machines := make([]collect.Machine, 0, len(names))
	for _, name := range names {
		var nodes corev1.NodeList
		err := r.Live.List(ctx, &nodes, &client.ListOptions{
			FieldSelector: fields.OneTermEqualSelector("metadata.name", name),
		})
		switch {
		case apierrors.IsForbidden(err):
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("reading node %s: %w", name, err)
		}
		for i := range nodes.Items {
			machines = append(machines, collect.MachineOf(&nodes.Items[i]))
		}
	}
	return machines, nil
}

// storageClass is that of a claim, which the API server has filled in where it was asked for the default; empty when
// the claim is gone or may not be read.
func (r *Reconciler) storageClass(ctx context.Context, namespace, claim string) (string, error) {
	if claim == "" {
		return "", nil
	}
	var found corev1.PersistentVolumeClaim
	err := r.Live.Get(ctx, types.NamespacedName{Namespace: namespace, Name: claim}, &found)
	if err != nil && !apierrors.IsForbidden(err) && !apierrors.IsNotFound(err) {
		return "", fmt.Errorf("reading PersistentVolumeClaim %s: %w", claim, err)
	}
	return ptr.Deref(found.Spec.StorageClassName, ""), nil
}
