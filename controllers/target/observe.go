package target

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
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

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/partition"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/target/decide"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// reading is what was read for one reconcile.
type reading struct {
	decide.Observation
	// owned is everything that the target controls, for pruning.
	owned []desired.Object
	// foreign is what other operators made for the target and would leave behind.
	foreign []client.Object
}

// observe reads a target, its objects from the cache, and past it the little that is not cached. A target that is being
// deleted takes what it owns with it, by the owner references.
func (r *Reconciler) observe(ctx context.Context, name types.NamespacedName) (*reading, error) {
	target, err := loop.Whole[benchv1alpha1.BenchmarkTarget](ctx, r.Cluster, name.Namespace, name.Name)
	if err != nil {
		return nil, err
	}
	if target == nil || target.DeletionTimestamp != nil {
		r.queue.Forget(queue.KindTarget, name)
		return nil, nil
	}
	if err := r.Claim(ctx, name.Namespace, target); err != nil {
		r.queue.Note(r.entry(target))
		return nil, err
	}
	s := &reading{Observation: decide.Observation{
		Now: r.Now(), Settings: r.Settings, Target: target,
	}}
	if err := loop.Each(ctx, s, r.observeUsers, r.observeTurn); err != nil {
		return nil, err
	}
	if decide.AwaitsTurn(s.Observation) {
		return s, nil
	}
	err = loop.Each(ctx, s, r.observeOwned, r.observePods, r.observeCutOff, r.observeFailedCreates,
		r.observeExternal, r.observeRoom, r.observeCertificate, r.observeCommunity)
	if err != nil {
		return nil, err
	}
	s.Candidate, err = freshCredentials(&s.Observation)
	return s, err
}

func (r *Reconciler) observeOwned(ctx context.Context, s *reading) error {
	take := func(object desired.Object) {
		s.owned = append(s.owned, object)
		assign(&s.Observation, object)
	}
	return r.Owned(ctx, s.Target, naming.SelectTarget(s.Target.Name), take,
		&corev1.ServiceList{}, &corev1.ConfigMapList{}, &corev1.ServiceAccountList{},
		&appsv1.StatefulSetList{}, &batchv1.JobList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{},
		&networkingv1.NetworkPolicyList{})
}

// assign puts the objects that a decision looks into where it finds them.
func assign(o *decide.Observation, object desired.Object) {
	target := o.Target.Name
	switch object := object.(type) {
	case *corev1.ConfigMap:
		if object.Name == naming.TopologyResultConfigMap(target) {
			o.TopologyResult = object
		}
	case *appsv1.StatefulSet:
		o.StatefulSets = append(o.StatefulSets, object)
	case *batchv1.Job:
		o.TopologyJob = object
	}
}

func (r *Reconciler) observePods(ctx context.Context, o *reading) error {
	var pods corev1.PodList
	selector := client.MatchingLabels(naming.SelectTarget(o.Target.Name))
	if err := r.List(ctx, &pods, o.Target.Namespace, selector); err != nil {
		return err
	}
	for i := range pods.Items {
		pod := pods.Items[i]
		isMember := slices.ContainsFunc(o.StatefulSets, func(set *appsv1.StatefulSet) bool {
			return metav1.IsControlledBy(&pod, set)
		})
		switch {
		case isMember:
			o.MemberPods = append(o.MemberPods, pod)
		case o.TopologyJob != nil && metav1.IsControlledBy(&pod, o.TopologyJob):
			o.TopologyPods = append(o.TopologyPods, pod)
		}
	}
	return nil
}

// observeCutOff looks for the policies by which runs cut members off.
func (r *Reconciler) observeCutOff(ctx context.Context, o *reading) error {
	var policies networkingv1.NetworkPolicyList
	selector := client.MatchingLabels(naming.SelectComponent(o.Target.Name, naming.ComponentPartition))
	if err := r.List(ctx, &policies, o.Target.Namespace, selector); err != nil {
		return err
	}
	for i := range policies.Items {
		o.CutOff = append(o.CutOff, partition.Members(&policies.Items[i])...)
	}
	return nil
}

// observeFailedCreates asks why pods are missing that should be there by now. A target that is ready is not asked
// about.
func (r *Reconciler) observeFailedCreates(ctx context.Context, o *reading) error {
	if o.Target.Status.Connection != nil {
		return nil
	}
	makers := makersBehind(&o.Observation)
	for _, maker := range makers[:min(len(makers), mostMakersAsked)] {
		found, err := r.FailedCreates(ctx, maker.GetNamespace(), maker.GetUID())
		if err != nil {
			return err
		}
		o.FailedCreates = append(o.FailedCreates, found...)
	}
	return nil
}

// makersBehind are the StatefulSets and the Job that have not made all of their pods in time.
func makersBehind(o *decide.Observation) []desired.Object {
	var makers []desired.Object
	late := func(maker desired.Object) bool {
		return o.Now.Sub(maker.GetCreationTimestamp().Time) >= podsExpectedAfter
	}
	for _, set := range o.StatefulSets {
		made := 0
		for i := range o.MemberPods {
			if metav1.IsControlledBy(&o.MemberPods[i], set) {
				made++
			}
		}
		if made < int(ptr.Deref(set.Spec.Replicas, 0)) && late(set) {
			makers = append(makers, set)
		}
	}
	if job := o.TopologyJob; job != nil && len(o.TopologyPods) == 0 && late(job) {
		makers = append(makers, job)
	}
	return makers
}

// allowed says whether a Secret may be named by a target, of which its label alone is read.
func (r *Reconciler) allowed(ctx context.Context, namespace, name string) (bool, error) {
	var secret metav1.PartialObjectMetadata
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &secret)
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("looking for Secret %s: %w", name, err)
	}
	return secret.Labels[naming.ConnectionLabel] == naming.ConnectionAllowed, nil
}

// observeExternal looks whether the Secrets of an external target are there. What they hold is not kept. One that does
// not carry the label is not read, and counts as none: who may create targets is not to learn which Secrets there are.
func (r *Reconciler) observeExternal(ctx context.Context, o *reading) error {
	if o.TopologyJob != nil {
		return nil
	}
	o.External = decide.ExternalSecrets(o.Target.Spec)
	for i := range o.External {
		secret := &o.External[i]
		allowed, err := r.allowed(ctx, o.Target.Namespace, secret.Name)
		if err != nil {
			return err
		}
		if !allowed {
			secret.State = decide.SecretMissing
			continue
		}
		if secret.State, _, err = r.secret(ctx, o.Target.Namespace, secret.SecretKeyReference); err != nil {
			return err
		}
	}
	return nil
}

// perPage bounds what one answer of the API server may hold.
const perPage = 500

// observeRoom reads what the nodes have, for a target of which nothing was made yet or of which a member finds no node.
// It is read past the cache, since a cache of every node and pod would cost more than the few times that it is asked
// for. An operator that may not read nodes, because it was installed for some namespaces, leaves all to the scheduler.
func (r *Reconciler) observeRoom(ctx context.Context, o *reading) error {
	if !asksForRoom(&o.Observation) {
		return nil
	}
	room := &decide.Room{}
	add := func(pod *corev1.Pod) {
		if pod.Namespace != o.Target.Namespace || pod.Labels[naming.TargetLabel] != o.Target.Name {
			room.AddPod(pod)
		}
	}
	err := loop.Pages(ctx, r.Live, &corev1.NodeList{}, room.AddNode, client.Limit(perPage))
	if err == nil {
		err = loop.Pages(ctx, r.Live, &corev1.PodList{}, add,
			&client.ListOptions{FieldSelector: onNodes, Limit: perPage})
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

// asksForRoom says whether nothing was made of a target yet, as far as the cache and the status tell, or whether it has
// a member that finds no node.
func asksForRoom(o *decide.Observation) bool {
	spec, conditions := o.Target.Spec, o.Target.Status.Conditions
	if spec.Topology() == benchv1alpha1.TopologyExternal || condition.IsTrue(conditions, benchv1alpha1.TargetStalled) {
		return false
	}
	if decide.ByCommunity(spec) {
		return false
	}
	if len(o.StatefulSets) > 0 {
		return o.Target.Status.Connection == nil && slices.ContainsFunc(o.MemberPods, waitsForNode)
	}
	ready := condition.Reason(conditions, benchv1alpha1.TargetReady)
	return ready == "" || ready == benchv1alpha1.ReasonQueued || ready == benchv1alpha1.ReasonDoesNotFit
}

// waitsForNode says whether the scheduler has found no node for a pod.
func waitsForNode(pod corev1.Pod) bool {
	scheduled := podfault.Condition(&pod, corev1.PodScheduled)
	return scheduled != nil && scheduled.Status == corev1.ConditionFalse
}

// onNodes are the pods that a node has set something aside for.
var onNodes = fields.AndSelectors(
	fields.OneTermNotEqualSelector("spec.nodeName", ""),
	fields.OneTermNotEqualSelector("status.phase", string(corev1.PodSucceeded)),
	fields.OneTermNotEqualSelector("status.phase", string(corev1.PodFailed)),
)
