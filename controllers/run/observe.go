package run

import (
	"context"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/run/decide"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// observe reads a run and everything that a decision about it rests on; nil when the run is gone.
func (r *Reconciler) observe(ctx context.Context, name types.NamespacedName) (*decide.Observation, error) {
	run, err := loop.Get[benchv1alpha1.BenchmarkRun](ctx, r.Client, name.Namespace, name.Name)
	if err != nil {
		return nil, err
	}
	if run == nil {
		r.queue.Forget(name)
		return nil, r.healAfter(ctx, name)
	}
	o := &decide.Observation{
		Now:          r.Now(),
		LoadgenImage: r.Settings.LoadgenImage,
		Run:          run,
		ConfigMaps:   map[string]*corev1.ConfigMap{},
	}
	if err := loop.Each(ctx, o, r.observeTarget, r.observeTurn); err != nil || decide.MadeNothing(o) {
		return o, err
	}
	return o, loop.Each(ctx, o, r.observeOwned, r.observePods, r.observeTargetPods, r.observeRefusals, r.observeReports,
		r.observeSurroundings)
}

// observeTarget reads the target by its name, whoever it belongs to.
func (r *Reconciler) observeTarget(ctx context.Context, o *decide.Observation) (err error) {
	o.Target, err = loop.Get[benchv1alpha1.BenchmarkTarget](ctx, r.Client, o.Run.Namespace, decide.TargetName(o.Run))
	return err
}

// observeOwned lists what the run has made.
func (r *Reconciler) observeOwned(ctx context.Context, o *decide.Observation) error {
	return r.Owned(ctx, o.Run, naming.SelectRun(o.Run.Name), func(object desired.Object) { assign(o, object) },
		&benchv1alpha1.BenchmarkTargetList{}, &corev1.ConfigMapList{}, &batchv1.JobList{},
		&corev1.ServiceAccountList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{}, &networkingv1.NetworkPolicyList{})
}

// assign puts an object where decisions look for it. The stored report is none of what a run has to remove.
func assign(o *decide.Observation, object desired.Object) {
	if object.GetName() == naming.ReportConfigMap(o.Run.Name) {
		if stored, ok := object.(*corev1.ConfigMap); ok {
			o.Report = stored
			return
		}
	}
	o.Owned = append(o.Owned, object)
	switch object := object.(type) {
	case *corev1.ConfigMap:
		o.ConfigMaps[object.Name] = object
	case *batchv1.Job:
		o.Job = object
	}
}

func (r *Reconciler) observePods(ctx context.Context, o *decide.Observation) error {
	var pods corev1.PodList
	selector := client.MatchingLabels(naming.SelectRun(o.Run.Name))
	if err := r.List(ctx, &pods, o.Run.Namespace, selector); err != nil {
		return err
	}
	// Without a Job, what is left of its pods is of interest only in that it is there.
	o.Pods = slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool {
		return o.Job != nil && !metav1.IsControlledBy(&pod, o.Job)
	})
	return nil
}

// observeTargetPods lists the members of the target, and of the run's own target all pods.
func (r *Reconciler) observeTargetPods(ctx context.Context, o *decide.Observation) error {
	var pods corev1.PodList
	selector := client.MatchingLabels(naming.SelectTarget(decide.TargetName(o.Run)))
	if err := r.List(ctx, &pods, o.Run.Namespace, selector); err != nil {
		return err
	}
	if o.Run.Spec.Target != nil {
		o.TargetPods = pods.Items
	}
	for _, pod := range pods.Items {
		if pod.Labels[naming.MemberLabel] != "" {
			o.Members = append(o.Members, pod)
		}
	}
	return nil
}

// observeRefusals reads the events that say why pods could not be created, only when some are missing.
func (r *Reconciler) observeRefusals(ctx context.Context, o *decide.Observation) error {
	if !decide.PodsMissing(o) {
		return nil
	}
	var err error
	o.FailedCreates, err = r.FailedCreates(ctx, o.Run.Namespace, o.Job.UID)
	return err
}

// observeReports reads what the load pods reported once all of them are done: the stored report if there is one, else
// one pod's after the other. The cache does not hold reports (see StripReports).
func (r *Reconciler) observeReports(ctx context.Context, o *decide.Observation) error {
	names, collecting := decide.Collecting(o)
	if !collecting {
		return nil
	}
	if o.Report != nil {
		var err error
		o.Report, err = loop.Get[corev1.ConfigMap](ctx, r.Live, o.Run.Namespace, o.Report.Name)
		if err != nil || o.Report != nil {
			return err
		}
	}
	o.Collection = &collect.Collection{}
	for _, name := range names {
		one, err := loop.Get[corev1.ConfigMap](ctx, r.Live, o.Run.Namespace, name)
		if err != nil {
			return err
		}
		o.Collection.Add(name, ptr.Deref(one, corev1.ConfigMap{}).BinaryData[reportv1alpha1.ReportKey])
	}
	return nil
}

// StripReports is the cache's transform for ConfigMaps: reports, of up to 900 KB a load pod, are read from the API
// server when they are needed, and are not held in memory. What is not a ConfigMap passes as it is.
func StripReports(object any) (any, error) {
	if configMap, ok := object.(*corev1.ConfigMap); ok {
		configMap.BinaryData = nil
		configMap.ManagedFields = nil
	}
	return object, nil
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
