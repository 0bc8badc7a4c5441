package run

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/controllers/internal/caching"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/run/decide"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// unheardPage is how many ConfigMaps' metadata are read at a time.
const unheardPage = 100

// unheard is what load pods have said and the cache has not heard of.
type unheard struct {
	live client.Reader
	*decide.Observation
}

// hear decides once more before a verdict without a result, if there is such a thing: a watch may have broken in that
// second, and what load pods measured would be removed for good. It costs one list of metadata, and one read for each
// ConfigMap that the cache is behind with.
func hear(ctx context.Context, r *Reconciler, o *decide.Observation, decision *decide.Decision) error {
	if !decide.GivesUp(o, *decision) {
		return nil
	}
	u := unheard{r.Live, o}
	names, err := u.find(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	for _, name := range names {
		if err := u.read(ctx, name); err != nil {
			return err
		}
	}
	if err := r.observeSurroundings(ctx, o); err != nil {
		return err
	}
	*decision = decide.Decide(*o)
	return nil
}

// find are the names of the run's ConfigMaps of which the API server has another version than the cache.
func (u unheard) find(ctx context.Context) ([]string, error) {
	var names []string
	kind := &metav1.PartialObjectMetadataList{}
	kind.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
	selector := caching.WithoutReports(labels.SelectorFromSet(naming.SelectRun(u.Run.Name)))
	err := loop.Pages(ctx, u.live, kind, func(found *metav1.PartialObjectMetadata) {
		held := u.ConfigMaps[found.Name]
		if metav1.IsControlledBy(found, u.Run) && (held == nil || held.ResourceVersion != found.ResourceVersion) {
			names = append(names, found.Name)
		}
	}, client.InNamespace(u.Run.Namespace), client.MatchingLabelsSelector{Selector: selector}, client.Limit(unheardPage))
	if err != nil {
		return nil, fmt.Errorf("looking for what load pods said: %w", err)
	}
	return names, nil
}

// read puts a ConfigMap in the place of what the cache had of it, made as small as there.
func (u unheard) read(ctx context.Context, name string) error {
	found, err := loop.Get[corev1.ConfigMap](ctx, u.live, u.Run.Namespace, name)
	if found == nil || err != nil || !metav1.IsControlledBy(found, u.Run) {
		return err
	}
	if _, err := caching.Slim(found); err != nil {
		return err
	}
	for i, owned := range u.Owned {
		if held, is := owned.(*corev1.ConfigMap); is && held.Name == name {
			u.Owned[i], u.ConfigMaps[name] = found, found
			return nil
		}
	}
	assign(u.Observation, found)
	return nil
}
