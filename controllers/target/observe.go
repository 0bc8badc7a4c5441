package target

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/event"
	"github.com/mongobench/mongobench-operator/controllers/internal/naming"
	"github.com/mongobench/mongobench-operator/controllers/target/decide"
)

// seen is what was read for one reconcile.
type seen struct {
	observation decide.Observation
	// owned is everything that the target controls, for pruning.
	owned []desired.Object
}

// observe reads a target's objects from the cache, and past it the little that is not cached.
func (r *Reconciler) observe(ctx context.Context, target *benchv1alpha1.BenchmarkTarget) (seen, error) {
	s := seen{observation: decide.Observation{Now: r.Now(), Settings: r.Settings, Target: target}}
	if err := r.observeOwned(ctx, &s); err != nil {
		return seen{}, err
	}
	if err := r.observePods(ctx, &s.observation); err != nil {
		return seen{}, err
	}
	if err := r.observeFailedCreates(ctx, &s.observation); err != nil {
		return seen{}, err
	}
	if err := r.observeExternal(ctx, &s.observation); err != nil {
		return seen{}, err
	}
	s.observation.Candidate = freshCredentials()
	return s, nil
}

func (r *Reconciler) observeOwned(ctx context.Context, s *seen) error {
	target := s.observation.Target
	lists := []client.ObjectList{
		&corev1.SecretList{}, &corev1.ServiceList{}, &corev1.ConfigMapList{}, &corev1.ServiceAccountList{},
		&appsv1.StatefulSetList{}, &batchv1.JobList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{},
	}
	for _, list := range lists {
		err := r.Client.List(ctx, list,
			client.InNamespace(target.Namespace), client.MatchingLabels(naming.SelectTarget(target.Name)))
		if err != nil {
			return fmt.Errorf("listing %T: %w", list, err)
		}
		err = apimeta.EachListItem(list, func(item runtime.Object) error {
			object, ok := item.(desired.Object)
			if ok && metav1.IsControlledBy(object, target) {
				s.owned = append(s.owned, object)
				assign(&s.observation, object)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("reading %T: %w", list, err)
		}
	}
	return nil
}

// assign puts the objects that a decision looks into where it finds them.
func assign(o *decide.Observation, object desired.Object) {
	target := o.Target.Name
	switch object := object.(type) {
	case *corev1.Secret:
		switch object.Name {
		case naming.KeyfileSecret(target):
			o.KeyfileSecret = object
		case naming.AdminSecret(target):
			o.AdminSecret = object
		case naming.LoadSecret(target):
			o.LoadSecret = object
		}
	case *corev1.ConfigMap:
		if object.Name == naming.TopologyResultConfigMap(target) {
			o.TopologyResult = object
		}
	case *appsv1.StatefulSet:
		o.StatefulSet = object
	case *batchv1.Job:
		o.TopologyJob = object
	}
}

func (r *Reconciler) observePods(ctx context.Context, o *decide.Observation) error {
	var pods corev1.PodList
	err := r.Client.List(ctx, &pods,
		client.InNamespace(o.Target.Namespace), client.MatchingLabels(naming.SelectTarget(o.Target.Name)))
	if err != nil {
		return fmt.Errorf("listing pods: %w", err)
	}
	for i := range pods.Items {
		pod := pods.Items[i]
		switch {
		case o.StatefulSet != nil && metav1.IsControlledBy(&pod, o.StatefulSet):
			o.MemberPods = append(o.MemberPods, pod)
		case o.TopologyJob != nil && metav1.IsControlledBy(&pod, o.TopologyJob):
			o.TopologyPods = append(o.TopologyPods, pod)
		}
	}
	return nil
}

// observeFailedCreates asks why pods are missing that should be there by now. A target that is ready is not asked
// about.
func (r *Reconciler) observeFailedCreates(ctx context.Context, o *decide.Observation) error {
	if o.Target.Status.Connection != nil {
		return nil
	}
	var makers []desired.Object
	if set := o.StatefulSet; set != nil && set.Spec.Replicas != nil && len(o.MemberPods) < int(*set.Spec.Replicas) {
		makers = append(makers, set)
	}
	if job := o.TopologyJob; job != nil && len(o.TopologyPods) == 0 {
		makers = append(makers, job)
	}
	for _, maker := range makers {
		if o.Now.Sub(maker.GetCreationTimestamp().Time) < podsExpectedAfter {
			continue
		}
		found, err := event.FailedCreates(ctx, r.Live, maker.GetNamespace(), maker.GetUID())
		if err != nil {
			return err
		}
		o.FailedCreates = append(o.FailedCreates, found...)
	}
	return nil
}

// observeExternal looks whether the Secret of an external target is there. What it holds is not kept.
func (r *Reconciler) observeExternal(ctx context.Context, o *decide.Observation) error {
	if o.Target.Spec.External == nil || o.TopologyJob != nil {
		return nil
	}
	ref := o.Target.Spec.External.URISecretRef
	var secret corev1.Secret
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: o.Target.Namespace, Name: ref.Name}, &secret)
	switch {
	case apierrors.IsNotFound(err):
		o.ExternalURI = decide.SecretMissing
	case err != nil:
		return fmt.Errorf("reading the Secret %s of an external target: %w", ref.Name, err)
	case len(secret.Data[ref.Key]) == 0:
		o.ExternalURI = decide.SecretKeyMissing
	default:
		o.ExternalURI = decide.SecretFound
	}
	return nil
}
