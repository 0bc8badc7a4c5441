package suite

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/apply"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/suite/decide"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// observe reads a suite and everything that a decision about it rests on; nil when the suite is gone.
func (r *Reconciler) observe(ctx context.Context, name types.NamespacedName) (*decide.Observation, error) {
	found, err := loop.Whole[benchv1alpha1.BenchmarkSuite](ctx, r.Cluster, name.Namespace, name.Name)
	if found == nil {
		r.plans.forget(name)
		return nil, err
	}
	if err := r.Claim(ctx, name.Namespace, found); err != nil {
		return nil, err
	}
	o := &decide.Observation{Now: r.Now(), Suite: found, Stored: map[string]*corev1.ConfigMap{}}
	if found.DeletionTimestamp != nil {
		return o, nil
	}
	o.Plan, o.Invalid = r.plans.of(found)
	return o, loop.Each(ctx, o,
		r.observeRuns, r.observeTargets, r.observeConfigMaps, r.observeBaseline, r.probe, r.observeStored)
}

// observeRuns finds the runs by an index of their owners, and takes them as they lie in the cache: there may be a
// thousand of them, and nothing changes them.
func (r *Reconciler) observeRuns(ctx context.Context, o *decide.Observation) error {
	var runs benchv1alpha1.BenchmarkRunList
	err := r.List(ctx, &runs, o.Suite.Namespace, ownedBy(o.Suite), client.UnsafeDisableDeepCopy)
	o.Runs = make(map[string]*benchv1alpha1.BenchmarkRun, len(runs.Items))
	for i := range runs.Items {
		o.Runs[runs.Items[i].Name] = &runs.Items[i]
	}
	return err
}

func (r *Reconciler) observeTargets(ctx context.Context, o *decide.Observation) error {
	var targets benchv1alpha1.BenchmarkTargetList
	err := r.List(ctx, &targets, o.Suite.Namespace, ownedBy(o.Suite))
	o.Targets = make(map[string]*benchv1alpha1.BenchmarkTarget, len(targets.Items))
	for i := range targets.Items {
		o.Targets[targets.Items[i].Name] = &targets.Items[i]
	}
	return err
}

// observeConfigMaps reads what the cache has of the suite's ConfigMaps, which is not their content (see the package
// caching).
func (r *Reconciler) observeConfigMaps(ctx context.Context, o *decide.Observation) error {
	o.ConfigMaps = map[string]*corev1.ConfigMap{}
	return r.Owned(ctx, o.Suite, naming.SelectSuite(o.Suite.Name), func(object desired.Object) {
		if found, ok := object.(*corev1.ConfigMap); ok {
			o.ConfigMaps[found.Name] = found
		}
	}, &corev1.ConfigMapList{})
}

func (r *Reconciler) observeBaseline(ctx context.Context, o *decide.Observation) (err error) {
	if baseline := o.Suite.Spec.Baseline; baseline != nil && baseline.Suite != nil {
		o.BaselineSuite, err = loop.Get[benchv1alpha1.BenchmarkSuite](ctx, r.Client, o.Suite.Namespace, baseline.Suite.Name)
	}
	return err
}

// probe asks the API server whether it would take what the variants need.
func (r *Reconciler) probe(ctx context.Context, o *decide.Observation) error {
	for _, probe := range decide.Probes(o) {
		object := probe.Object
		if err := r.own(o.Suite, object); err != nil {
			return err
		}
		err := r.Client.Create(ctx, object, client.DryRunAll, apply.FieldOwner)
		if apierrors.IsAlreadyExists(err) {
			err = r.ours(ctx, o.Suite, object)
		}
		switch {
		case err == nil:
		case refused(err):
			o.Refusals = append(o.Refusals, decide.RefusalOf(probe.Variant, err))
		default:
			return fmt.Errorf("asking whether variant %s can be made: %w", probe.Variant, err)
		}
	}
	return nil
}

// refused says whether an error is an answer that stays the same until something is changed.
func refused(err error) bool {
	return errors.Is(err, apply.ErrForeign) || apierrors.IsInvalid(err) || apierrors.IsForbidden(err) ||
		apierrors.IsBadRequest(err)
}

// errGoing says that an object belongs to a suite of the same name that is gone, and is about to go as well.
// The garbage collector is given two seconds before it is asked again.
var errGoing = loop.PauseError{
	After: 2 * time.Second, Reason: "what an earlier suite of the same name made is being removed",
}

// ours says why an object that exists already is not this suite's; nil when it is.
func (r *Reconciler) ours(ctx context.Context, owner *benchv1alpha1.BenchmarkSuite, object client.Object) error {
	gvk, err := r.Client.GroupVersionKindFor(object)
	if err != nil {
		return err
	}
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(gvk)
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(object), found); err != nil {
		return client.IgnoreNotFound(err)
	}
	controller := metav1.GetControllerOf(found)
	switch {
	case controller != nil && controller.UID == owner.UID:
		return nil
	case controller != nil && controller.Kind == "BenchmarkSuite" && controller.Name == owner.Name:
		return errGoing
	default:
		return fmt.Errorf("%s %s %w", gvk.Kind, object.GetName(), apply.ErrForeign)
	}
}

// own makes an object the suite's.
func (r *Reconciler) own(owner *benchv1alpha1.BenchmarkSuite, object client.Object) error {
	return controllerutil.SetControllerReference(owner, object, r.Client.Scheme(),
		controllerutil.WithBlockOwnerDeletion(false))
}

// observeStored reads the content of ConfigMaps from the API server, as much as the decision turns out to need.
func (r *Reconciler) observeStored(ctx context.Context, o *decide.Observation) error {
	for {
		names := decide.Needed(o)
		if len(names) == 0 {
			return nil
		}
		for _, name := range names {
			found, err := loop.Get[corev1.ConfigMap](ctx, r.Live, o.Suite.Namespace, name)
			if err != nil {
				return err
			}
			o.Stored[name] = found
		}
	}
}
