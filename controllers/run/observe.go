package run

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/run/decide"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// observe reads a run and everything that a decision about it rests on; nil when the run is gone.
func (r *Reconciler) observe(ctx context.Context, name types.NamespacedName) (*decide.Observation, error) {
	run, err := loop.Whole[benchv1alpha1.BenchmarkRun](ctx, r.Cluster, name.Namespace, name.Name)
	if err != nil {
		return nil, err
	}
	if run == nil {
		r.queue.Forget(queue.KindRun, name)
		return nil, r.healAfter(ctx, name)
	}
	if err := r.Claim(ctx, name.Namespace, run); err != nil {
		r.queue.Note(r.entry(run, r.referred(ctx, run)))
		return nil, err
	}
	o := &decide.Observation{
		Now:        r.Now(),
		Settings:   r.Settings,
		Run:        run,
		ConfigMaps: map[string]*corev1.ConfigMap{},
	}
	if err := loop.Each(ctx, o, r.observeTarget, r.observeQuota, r.observeTurn, pricing{r.Cluster}.observe); err != nil ||
		decide.MadeNothing(o) {
		return o, err
	}
	return o, loop.Each(ctx, o, r.observeOwned, r.observePods, r.observeTargetPods, r.observeRefusals,
		vicinity{r.Cluster}.observe, pricing{r.Cluster}.observe, r.observeSurroundings)
}

// observeTarget reads the target by its name, whoever it belongs to.
func (r *Reconciler) observeTarget(ctx context.Context, o *decide.Observation) (err error) {
	o.Target, err = loop.Whole[benchv1alpha1.BenchmarkTarget](ctx, r.Cluster, o.Run.Namespace, decide.TargetName(o.Run))
	if name := decide.BaselineName(o.Run); err == nil && name != "" {
		o.Baseline, err = loop.Whole[benchv1alpha1.BenchmarkTarget](ctx, r.Cluster, o.Run.Namespace, name)
	}
	return err
}

// observeOwned lists what the run has made.
func (r *Reconciler) observeOwned(ctx context.Context, o *decide.Observation) error {
	err := r.Owned(ctx, o.Run, naming.SelectRun(o.Run.Name), func(object desired.Object) { assign(o, object) },
		&benchv1alpha1.BenchmarkTargetList{}, &corev1.ConfigMapList{}, &batchv1.JobList{},
		&corev1.ServiceAccountList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{}, &networkingv1.NetworkPolicyList{},
		&policyv1.PodDisruptionBudgetList{})
	if err != nil || condition.Ended(o.Run) {
		return err
	}
	return r.observePlan(ctx, o)
}

// observePlan reads a plan that is too large to be held in memory.
func (r *Reconciler) observePlan(ctx context.Context, o *decide.Observation) error {
	for i, object := range o.Owned {
		held, is := object.(*corev1.ConfigMap)
		if !is || held.Annotations[naming.CutAnnotation] == "" ||
			held.Name != naming.PlanConfigMap(o.Run.Name, o.Run.Status.PlanHash) {
			continue
		}
		whole, err := loop.Get[corev1.ConfigMap](ctx, r.Live, o.Run.Namespace, held.Name)
		if err != nil {
			return err
		}
		if whole != nil {
			o.Owned[i], o.ConfigMaps[held.Name] = whole, whole
		}
	}
	return nil
}

// assign puts an object where decisions look for it. The merged report, which no cache of the operator's holds, is none
// of what a run has to remove.
func assign(o *decide.Observation, object desired.Object) {
	if object.GetLabels()[naming.ComponentLabel] == string(naming.ComponentStoredReport) {
		return
	}
	o.Owned = append(o.Owned, object)
	switch object := object.(type) {
	case *corev1.ConfigMap:
		o.ConfigMaps[object.Name] = object
	case *batchv1.Job:
		decide.AssignJob(o, object)
	}
}

func (r *Reconciler) observePods(ctx context.Context, o *decide.Observation) error {
	var pods corev1.PodList
	selector := client.MatchingLabels(naming.SelectRun(o.Run.Name))
	if err := r.List(ctx, &pods, o.Run.Namespace, selector); err != nil {
		return err
	}
	for _, pod := range pods.Items {
		switch {
		case pod.Labels[naming.ComponentLabel] == string(naming.ComponentCollect):
			o.CollectPods = append(o.CollectPods, pod)
		case pod.Labels[naming.ComponentLabel] == string(naming.ComponentGateway):
			o.GatewayPods = append(o.GatewayPods, pod)
		// Without a Job, what is left of its pods is of interest only in that it is there.
		case o.Job == nil || metav1.IsControlledBy(&pod, o.Job):
			o.Pods = append(o.Pods, pod)
		}
	}
	return nil
}

// observeTargetPods lists the members of the target, and of the run's own target all pods.
func (r *Reconciler) observeTargetPods(ctx context.Context, o *decide.Observation) error {
	pods, err := podsOf(ctx, r, o.Run.Namespace, decide.TargetName(o.Run))
	if err != nil {
		return err
	}
	if o.Run.Spec.Target != nil {
		o.TargetPods = pods
	}
	o.Members = members(pods)
	if name := decide.BaselineName(o.Run); name != "" {
		pods, err = podsOf(ctx, r, o.Run.Namespace, name)
		o.BaselineMembers = members(pods)
	}
	return err
}

// podsOf are the pods of a target.
func podsOf(ctx context.Context, r *Reconciler, namespace, target string) ([]corev1.Pod, error) {
	var pods corev1.PodList
	err := r.List(ctx, &pods, namespace, client.MatchingLabels(naming.SelectTarget(target)))
	return pods.Items, err
}

// members are the pods that serve requests.
func members(pods []corev1.Pod) []corev1.Pod {
	var serving []corev1.Pod
	for _, pod := range pods {
		if pod.Labels[naming.MemberLabel] != "" {
			serving = append(serving, pod)
		}
	}
	return serving
}

// observeRefusals reads the events that say why pods could not be created, only when some are missing.
func (r *Reconciler) observeRefusals(ctx context.Context, o *decide.Observation) error {
	job := decide.PodsMissing(o)
	if job == nil {
		return nil
	}
	var err error
	o.FailedCreates, err = r.FailedCreates(ctx, o.Run.Namespace, job.UID)
	return err
}

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
	if err != nil {
		return err
	}
	o.Surroundings.Volumes, err = pricing{r.Cluster}.volumes(ctx, o.Run.Namespace, lookup.Claims)
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
