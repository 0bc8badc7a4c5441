package run

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/run/decide"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/internal/price"
)

// pricing is what is read for what a run costs.
type pricing struct{ loop.Cluster }

// observe reads the price list of a run, past the cache, which holds only what the operator makes. One that may
// not be read, since the operator was given it and not the right to read it, is as good as none.
func (p pricing) observe(ctx context.Context, o *decide.Observation) error {
	name, key, wanted := decide.PriceList(o)
	if !wanted || o.Prices != nil {
		return nil
	}
	place := name.Name
	if o.Run.Spec.PriceList == nil {
		place = name.String()
	}
	found, err := loop.Get[corev1.ConfigMap](ctx, p.Live, name.Namespace, name.Name)
	switch {
	case apierrors.IsForbidden(err):
		o.Prices = &collect.Prices{Place: place, Trouble: "the operator may not read ConfigMap " + place}
	case err != nil:
		return err
	default:
		o.Prices = collect.ReadPrices(place, key, found)
	}
	return nil
}

// volumes are the claims of these names. One that is gone is left out, and so are all when they may not be read.
func (p pricing) volumes(ctx context.Context, namespace string, claims []string) ([]price.Volume, error) {
	volumes := make([]price.Volume, 0, len(claims))
	for _, name := range claims {
		claim, err := loop.Get[corev1.PersistentVolumeClaim](ctx, p.Live, namespace, name)
		switch {
		case apierrors.IsForbidden(err):
			return nil, nil
		case err != nil:
			return nil, err
		case claim != nil:
			volumes = append(volumes, collect.VolumeOf(claim))
		}
	}
	return volumes, nil
}
