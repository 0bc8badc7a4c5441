package run

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/controllers/internal/caching"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/run/decide"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// unheardPage is how many ConfigMaps' metadata are read at a time.
const unheardPage = 100

// hear decides once more before a verdict without a result, if load pods have said something that the cache has not
// heard of: a watch may have broken in that second, and what they measured would be removed for good. It costs one list
// of metadata, and one read for each ConfigMap that the cache is behind with.
func (r *Reconciler) hear(ctx context.Context, o *decide.Observation, decision *decide.Decision) error {
	if !decide.GivesUp(o, *decision) {
		return nil
	}
	behind, err := r.unheard(ctx, o)
	if err != nil || len(behind) == 0 {
		return err
	}
	for _, name := range behind {
		if err := r.hearOf(ctx, o, name); err != nil {
			return err
		}
	}
	if err := r.observeSurroundings(ctx, o); err != nil {
		return err
	}
	*decision = decide.Decide(*o)
	return nil
}

// unheard are the names of the run's ConfigMaps of which the API server has another version than the cache.
func (r *Reconciler) unheard(ctx context.Context, o *decide.Observation) ([]string, error) {
	var names []string
	kind := &metav1.PartialObjectMetadataList{}
	kind.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
	selector := caching.WithoutReports(labels.SelectorFromSet(naming.SelectRun(o.Run.Name)))
	err := loop.Pages(ctx, r.Live, kind, func(found *metav1.PartialObjectMetadata) {
		held := o.ConfigMaps[found.Name]
		if metav1.IsControlledBy(found, o.Run) && (held == nil || held.ResourceVersion != found.ResourceVersion) {
			names = append(names, found.Name)
		}
	}, client.InNamespace(o.Run.Namespace), client.MatchingLabelsSelector{Selector: selector}, client.Limit(unheardPage))
	if err != nil {
		return nil, fmt.Errorf("looking for what load pods said: %w", err)
	}
	return names, nil
}

// hearOf puts a ConfigMap in the place of what the cache had of it, made as small as there.
func (r *Reconciler) hearOf(ctx context.Context, o *decide.Observation, name string) error {
	found, err := loop.Get[corev1.ConfigMap](ctx, r.Live, o.Run.Namespace, name)
	if found == nil || err != nil || !metav1.IsControlledBy(found, o.Run) {
		return err
	}
	if _, err := caching.Slim(found); err != nil {
		return err
	}
	for i, owned := range o.Owned {
		if held, is := owned.(*corev1.ConfigMap); is && held.Name == name {
			o.Owned[i], o.ConfigMaps[name] = desired.Object(found), found
			return nil
		}
	}
	assign(o, found)
	return nil
}
