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
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/suite/decide"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// observe reads a suite and everything that a decision about it rests on; nil when the suite is gone.
func (r *Reconciler) observe(ctx context.Context, name types.NamespacedName) (*decide.Observation, error) {
	found := &benchv1alpha1.BenchmarkSuite{}
	if err := r.Client.Get(ctx, name, found); err != nil {
		r.plans.forget(name)
		return nil, client.IgnoreNotFound(err)
	}
	o := &decide.Observation{Now: r.Now(), Suite: found, Stored: map[string]*corev1.ConfigMap{}}
	if found.DeletionTimestamp != nil {
		return o, nil
	}
	o.Plan, o.Invalid = r.plans.of(found)
	for _, read := range []func(context.Context, *decide.Observation) error{
		r.observeRuns, r.observeTargets, r.observeConfigMaps, r.observeBaseline, r.probe, r.observeStored,
	} {
		if err := read(ctx, o); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// observeRuns finds the runs by an index of their owners, and takes them as they lie in the cache: there may be a
// thousand of them, and nobody changes them.
func (r *Reconciler) observeRuns(ctx context.Context, o *decide.Observation) error {
	var runs benchv1alpha1.BenchmarkRunList
	err := r.Client.List(ctx, &runs, client.InNamespace(o.Suite.Namespace), ownedBy(o.Suite), client.UnsafeDisableDeepCopy)
	if err != nil {
		return fmt.Errorf("listing the runs of the suite: %w", err)
	}
	o.Runs = make(map[string]*benchv1alpha1.BenchmarkRun, len(runs.Items))
	for i := range runs.Items {
		o.Runs[runs.Items[i].Name] = &runs.Items[i]
	}
	return nil
}

func (r *Reconciler) observeTargets(ctx context.Context, o *decide.Observation) error {
	var targets benchv1alpha1.BenchmarkTargetList
	if err := r.Client.List(ctx, &targets, client.InNamespace(o.Suite.Namespace), ownedBy(o.Suite)); err != nil {
		return fmt.Errorf("listing the targets of the suite: %w", err)
	}
	o.Targets = make(map[string]*benchv1alpha1.BenchmarkTarget, len(targets.Items))
	for i := range targets.Items {
		o.Targets[targets.Items[i].Name] = &targets.Items[i]
	}
	return nil
}

// observeConfigMaps reads what the cache has of the suite's ConfigMaps, which is not their content (see StripResults).
func (r *Reconciler) observeConfigMaps(ctx context.Context, o *decide.Observation) error {
	var configMaps corev1.ConfigMapList
	err := r.Client.List(ctx, &configMaps, client.InNamespace(o.Suite.Namespace),
		client.MatchingLabels(naming.SelectSuite(o.Suite.Name)))
	if err != nil {
		return fmt.Errorf("listing the ConfigMaps of the suite: %w", err)
	}
	o.ConfigMaps = make(map[string]*corev1.ConfigMap, len(configMaps.Items))
	for i := range configMaps.Items {
		if found := &configMaps.Items[i]; metav1.IsControlledBy(found, o.Suite) {
			o.ConfigMaps[found.Name] = found
		}
	}
	return nil
}

func (r *Reconciler) observeBaseline(ctx context.Context, o *decide.Observation) error {
	baseline := o.Suite.Spec.Baseline
	if baseline == nil || baseline.Suite == nil {
		return nil
	}
	found := &benchv1alpha1.BenchmarkSuite{}
	err := r.Client.Get(ctx, types.NamespacedName{Namespace: o.Suite.Namespace, Name: baseline.Suite.Name}, found)
	switch {
	case err == nil:
		o.BaselineSuite = found
	case client.IgnoreNotFound(err) != nil:
		return fmt.Errorf("reading BenchmarkSuite %s: %w", baseline.Suite.Name, err)
	}
	return nil
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
			o.Refusals = append(o.Refusals, decide.Refusal{Variant: probe.Variant, Message: err.Error()})
		default:
			return fmt.Errorf("asking whether variant %s can be made: %w", probe.Variant, err)
		}
	}
	return nil
}

// refused says whether an error is an answer that stays the same until somebody changes something.
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
			found := &corev1.ConfigMap{}
			err := r.Live.Get(ctx, types.NamespacedName{Namespace: o.Suite.Namespace, Name: name}, found)
			switch {
			case apierrors.IsNotFound(err):
				found = nil
			case err != nil:
				return fmt.Errorf("reading ConfigMap %s: %w", name, err)
			}
			o.Stored[name] = found
		}
	}
}

// StripResults is the cache's transform for the ConfigMaps of suites: what they hold, up to a megabyte each, is read
// from the API server when it is needed, and is not held in memory. What is not such a ConfigMap passes as it is.
func StripResults(object any) (any, error) {
	configMap, ok := object.(*corev1.ConfigMap)
	if !ok {
		return object, nil
	}
	switch naming.Component(configMap.Labels[naming.ComponentLabel]) {
	case naming.ComponentSuiteResult, naming.ComponentSuiteHistory:
		configMap.Data, configMap.BinaryData, configMap.ManagedFields = nil, nil, nil
	default: // It is nothing of a suite.
	}
	return object, nil
}
