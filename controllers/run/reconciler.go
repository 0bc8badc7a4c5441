package run

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/apply"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/run/decide"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// What the controller reads and writes of its own kind, of targets and the pods of their members, and of what it makes.
// It must hold the rights that it gives to load pods, which are get and patch on ConfigMaps.
//
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarkruns,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarkruns/status,verbs=update
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarktargets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarktargets/status,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps;serviceaccounts,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=list;watch;delete
// +kubebuilder:rbac:groups="",resources=events,verbs=list
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=roles;rolebindings,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconciler brings BenchmarkRuns to their end. It may be thrown away and replaced at any time, with its queue.
type Reconciler struct {
	loop.Cluster

	// queue says whose turn it is, also of targets.
	queue *queue.Queue
}

// New makes a reconciler whose runs wait in a queue.
func New(cluster loop.Cluster, line *queue.Queue) *Reconciler {
	r := &Reconciler{Cluster: cluster, queue: line}
	line.From(r.everyRun)
	return r
}

// apply makes the cluster hold what is desired, and removes what the run controls and no longer needs. What is known of
// datasets is written before anything is removed that it could be learned from again.
func (r *Reconciler) apply(ctx context.Context, o *decide.Observation, decision *decide.Decision) error {
	if decision.Remove {
		return r.remove(ctx, o.Run)
	}
	unheard := hear(ctx, r, o, decision)
	err := unheard
	if err == nil {
		err = r.noteDatasets(ctx, decision.Datasets)
	}
	if unheard != nil || apierrors.IsConflict(err) { // A verdict would have the next pass remove what the load pods say.
		decision.Status = o.Run.Status
		return err
	}
	if err == nil {
		err = carryOut(ctx, r, o, decision)
	}
	if fault := forGood(err); fault.Terminal {
		if verdict := decide.Refused(*o, fault); verdict != nil {
			*decision = *verdict
			return r.place(ctx, o.Run, decision)
		}
	}
	if err != nil && !apierrors.IsConflict(err) {
		decision.Status = decide.Troubled(o.Run, decision.Status, err)
	}
	return err
}

// carryOut makes and removes what is decided, in this order, until something fails.
func carryOut(ctx context.Context, r *Reconciler, o *decide.Observation, decision *decide.Decision) error {
	if err := r.place(ctx, o.Run, decision); err != nil {
		return err
	}
	if err := r.write(ctx, o, decision); err != nil {
		return err
	}
	if err := r.changeQuota(ctx, o, decision.Quota); err != nil {
		return err
	}
	return r.deletePods(ctx, decision.Deletions)
}

// forGood is why a run cannot begin. Until somebody removes an object of another owner it would hold up all others: it
// does not wait for that, as a target may.
func forGood(err error) podfault.Fault {
	fault, refused := apply.Fault(err)
	fault.Terminal = refused && (fault.Terminal || errors.Is(err, apply.ErrForeign))
	return fault
}

// place makes or removes where the report is to be stored, before anything else is made: what could not be stored
// should not be measured.
func (r *Reconciler) place(ctx context.Context, run *benchv1alpha1.BenchmarkRun, decision *decide.Decision) error {
	switch {
	case decision.Place != nil:
		return r.Write(ctx, run, []desired.Object{decision.Place}, nil)
	case decision.Unplace:
		err := unplace(ctx, r.Cluster, run)
		if err != nil { // After the verdict no pass would try again.
			decision.Status = run.Status
		}
		return err
	default:
		return nil
	}
}

// write makes and removes objects of the run.
func (r *Reconciler) write(ctx context.Context, o *decide.Observation, decision *decide.Decision) error {
	switch {
	case !decision.Leave:
		return r.Write(ctx, o.Run, decision.Desired, o.Owned)
	case len(decision.Drop) > 0:
		return r.Write(ctx, o.Run, nil, decision.Drop)
	default:
		return nil
	}
}

// unplace removes the place of a run's report. The cache does not hold it, and somebody else may have one of its name.
func unplace(ctx context.Context, from loop.Cluster, run *benchv1alpha1.BenchmarkRun) error {
	place := &metav1.PartialObjectMetadata{}
	place.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	name := types.NamespacedName{Namespace: run.Namespace, Name: naming.ReportConfigMap(run.Name)}
	if err := from.Live.Get(ctx, name, place); err != nil || !metav1.IsControlledBy(place, run) {
		return client.IgnoreNotFound(err)
	}
	uid := place.GetUID()
	return client.IgnoreNotFound(from.Client.Delete(ctx, place, client.Preconditions{UID: &uid}))
}

// remove deletes the very version of a run that was observed: one that was pinned meanwhile stays. What it owns goes
// with it.
func (r *Reconciler) remove(ctx context.Context, run *benchv1alpha1.BenchmarkRun) error {
	logf.FromContext(ctx).Info("deleting the run, as its ttlSecondsAfterFinished says")
	err := r.Client.Delete(ctx, run, client.Preconditions{UID: &run.UID, ResourceVersion: &run.ResourceVersion},
		client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err == nil {
		metrics.ObjectsWritten(metrics.KindRun, 1)
	}
	return client.IgnoreNotFound(err)
}

// noteDatasets writes what is known of datasets into the status of targets that outlive the run, which is otherwise the
// target controller's.
func (r *Reconciler) noteDatasets(ctx context.Context, all []decide.Noted) error {
	for _, noted := range all {
		after := noted.Target.DeepCopy()
		after.Status.Datasets = noted.Datasets
		if _, err := apply.Status(ctx, r.Client, noted.Target, after); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

// deletePods deletes members, as actions ask for it: each the very pod that was observed.
func (r *Reconciler) deletePods(ctx context.Context, pods []*corev1.Pod) error {
	var failures []error
	for _, pod := range pods {
		err := r.Client.Delete(ctx, pod, client.Preconditions{UID: &pod.UID})
		if client.IgnoreNotFound(err) != nil {
			failures = append(failures, fmt.Errorf("pod %s: %w", pod.Name, err))
			continue
		}
		metrics.ObjectsWritten(metrics.KindRun, 1)
	}
	return errors.Join(failures...)
}

// healAfter ends the partitions of a run that is gone. Kubernetes' garbage collector does so too, later, unless whoever
// deleted the run asked that everything stay.
func (r *Reconciler) healAfter(ctx context.Context, run types.NamespacedName) error {
	name := naming.PartitionNetworkPolicy(run.Name)
	held, err := loop.Get[networkingv1.NetworkPolicy](ctx, r.Client, run.Namespace, name)
	if held == nil || err != nil {
		return err
	}
	// What no run owns any more is held in memory by its name alone.
	policy, err := loop.Get[networkingv1.NetworkPolicy](ctx, r.Live, run.Namespace, name)
	if policy == nil || err != nil || policy.Labels[naming.RunLabel] != run.Name ||
		policy.Labels[naming.ComponentLabel] != string(naming.ComponentPartition) {
		return err
	}
	if err := r.Claim(ctx, run.Namespace, nil); err != nil {
		return err
	}
	return client.IgnoreNotFound(r.Client.Delete(ctx, policy, client.Preconditions{UID: &policy.UID}))
}
