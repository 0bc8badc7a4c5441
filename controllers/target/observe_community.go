package target

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/controllers/target/decide"
)

// observeCommunity looks for the replica set that the MongoDB Community Operator is to deploy, and for the Secret by
// which it is reached. Neither is watched: a watch of a kind that may not be installed would keep the manager from
// starting.
func (r *Reconciler) observeCommunity(ctx context.Context, s *reading) error {
	target := s.observation.Target
	if !decide.ByCommunity(target.Spec) {
		return nil
	}
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(decide.CommunityKind)
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(target), found)
	switch {
	case apimeta.IsNoMatchError(err):
		s.observation.Community.KindMissing = true
		return nil
	case client.IgnoreNotFound(err) != nil:
		return fmt.Errorf("reading %s %s: %w", decide.CommunityKind.Kind, target.Name, err)
	case err == nil && metav1.IsControlledBy(found, target):
		s.observation.Community.Object = found
		s.owned = append(s.owned, found.DeepCopy())
	}
	ref := decide.CommunityURI(target.Name)
	var secret corev1.Secret
	err = r.Live.Get(ctx, client.ObjectKey{Namespace: target.Namespace, Name: ref.Name}, &secret)
	switch {
	case apierrors.IsNotFound(err):
		s.observation.Community.URI = decide.SecretMissing
	case err != nil:
		return fmt.Errorf("reading the Secret %s of a connection string: %w", ref.Name, err)
	case len(secret.Data[ref.Key]) == 0:
		s.observation.Community.URI = decide.SecretKeyMissing
	default:
		s.observation.Community.URI = decide.SecretFound
	}
	return nil
}
