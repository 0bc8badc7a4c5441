package run

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// partitionOwner is the field manager of the label that cuts a member off, and of nothing else: what it applies without
// the label takes it away.
const partitionOwner = client.FieldOwner("mongobench-operator-partition")

// changeMembers does to pods what actions ask for. Each change is of the very pod that was observed.
func (r *Reconciler) changeMembers(ctx context.Context, changes []act.Change) error {
	var failures []error
	for _, change := range changes {
		do := r.label
		if change.Delete {
			do = r.delete
		}
		if err := client.IgnoreNotFound(do(ctx, change)); err != nil {
			failures = append(failures, fmt.Errorf("pod %s: %w", change.Pod.Name, err))
			continue
		}
		metrics.ObjectsWritten(metrics.KindRun, 1)
	}
	return errors.Join(failures...)
}

func (r *Reconciler) delete(ctx context.Context, change act.Change) error {
	return r.Client.Delete(ctx, change.Pod, client.Preconditions{UID: &change.Pod.UID})
}

func (r *Reconciler) label(ctx context.Context, change act.Change) error {
	pod := &unstructured.Unstructured{}
	pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	pod.SetNamespace(change.Pod.Namespace)
	pod.SetName(change.Pod.Name)
	pod.SetUID(change.Pod.UID)
	if change.Partition != "" {
		pod.SetLabels(map[string]string{naming.PartitionedLabel: change.Partition})
	}
	return r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(pod), partitionOwner)
}

// healAfter ends the partitions of a run that is gone.
func (r *Reconciler) healAfter(ctx context.Context, run types.NamespacedName) error {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, run.Namespace, client.MatchingLabels{naming.PartitionedLabel: run.Name}); err != nil {
		return err
	}
	changes := make([]act.Change, 0, len(pods.Items))
	for i := range pods.Items {
		changes = append(changes, act.Change{Pod: &pods.Items[i]})
	}
	return r.changeMembers(ctx, changes)
}
