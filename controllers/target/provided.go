package target

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/target/decide"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// observeCertificate looks for a certificate that cert-manager is to issue. Neither it nor its Secret is watched: to
// watch a kind that may not be installed would keep the manager from starting.
func (r *Reconciler) observeCertificate(ctx context.Context, s *reading) error {
	target := s.observation.Target
	if !decide.AsksForCertificate(target) {
		return nil
	}
	key := client.ObjectKey{Namespace: target.Namespace, Name: naming.TLSSecret(target.Name)}
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(decide.CertificateKind)
	err := r.Live.Get(ctx, key, found)
	switch {
	case apimeta.IsNoMatchError(err):
		s.observation.Certificate.KindMissing = true
		return nil
	case client.IgnoreNotFound(err) != nil:
		return fmt.Errorf("reading Certificate %s: %w", key.Name, err)
	case err == nil && metav1.IsControlledBy(found, target):
		s.observation.Certificate.Object = found
		s.owned = append(s.owned, found.DeepCopy())
	}
	return r.observeIssued(ctx, key, s)
}

// observeIssued looks for the Secret of the certificate.
func (r *Reconciler) observeIssued(ctx context.Context, key client.ObjectKey, s *reading) error {
	var secret corev1.Secret
	err := r.Live.Get(ctx, key, &secret)
	switch {
	case apierrors.IsNotFound(err):
		s.observation.Certificate.Secret = decide.SecretMissing
	case err != nil:
		return fmt.Errorf("reading the Secret %s of a certificate: %w", key.Name, err)
	case len(secret.Data[naming.CAKey]) == 0:
		s.observation.Certificate.Secret = decide.SecretKeyMissing
		s.issued = &secret
	default:
		s.observation.Certificate.Secret = decide.SecretFound
		s.issued = &secret
	}
	return nil
}

// certificateAnnotation is by what cert-manager says whose a Secret is.
const certificateAnnotation = "cert-manager.io/certificate-name"

// adopt makes the Secret of a certificate go with the target: cert-manager leaves it behind when its Certificate is
// removed.
func (r *Reconciler) adopt(ctx context.Context, target *benchv1alpha1.BenchmarkTarget, issued *corev1.Secret) error {
	if issued == nil || issued.Annotations[certificateAnnotation] != naming.TLSSecret(target.Name) {
		return nil
	}
	if slices.ContainsFunc(issued.OwnerReferences, func(owner metav1.OwnerReference) bool {
		return owner.UID == target.UID
	}) {
		return nil
	}
	before := issued.DeepCopy()
	if err := controllerutil.SetOwnerReference(target, issued, r.Client.Scheme()); err != nil {
		return fmt.Errorf("adopting Secret %s: %w", issued.Name, err)
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	err := r.Client.Patch(ctx, issued, patch)
	if apierrors.IsConflict(err) {
		return nil // cert-manager wrote it at the same time; it is adopted with the next look.
	}
	if err != nil {
		return fmt.Errorf("adopting Secret %s: %w", issued.Name, err)
	}
	return nil
}

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
