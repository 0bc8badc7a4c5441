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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/target/decide"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// observeCertificate looks for a certificate that cert-manager is to issue, and for its Secret.
func (r *Reconciler) observeCertificate(ctx context.Context, s *reading) error {
	if !decide.AsksForCertificate(s.Target) {
		return nil
	}
	ref := benchv1alpha1.SecretKeyReference{Name: naming.TLSSecret(s.Target.Name), Key: naming.CAKey}
	var err error
	s.Certificate, s.issued, err = r.provided(ctx, s, decide.CertificateKind, ref.Name, ref)
	return err
}

// observeCommunity looks for the replica set that the MongoDB Community Operator is to deploy, and for the Secret by
// which it is reached.
func (r *Reconciler) observeCommunity(ctx context.Context, s *reading) error {
	if !decide.ByCommunity(s.Target.Spec) {
		return nil
	}
	var err error
	s.Community, _, err = r.provided(ctx, s, decide.CommunityKind, s.Target.Name, decide.CommunityURI(s.Target.Name))
	return err
}

// provided looks for an object that another operator is to act on, and for the Secret which that operator then makes.
// Neither is watched: a watch of a kind that may not be installed would keep the manager from starting.
func (r *Reconciler) provided(
	ctx context.Context, s *reading, kind schema.GroupVersionKind, name string, ref benchv1alpha1.SecretKeyReference,
) (found decide.Provided, secret *corev1.Secret, err error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	err = r.Live.Get(ctx, client.ObjectKey{Namespace: s.Target.Namespace, Name: name}, object)
	switch {
	case apimeta.IsNoMatchError(err):
		return decide.Provided{KindMissing: true}, nil, nil
	case client.IgnoreNotFound(err) != nil:
		return found, nil, fmt.Errorf("reading %s %s: %w", kind.Kind, name, err)
	case err == nil && metav1.IsControlledBy(object, s.Target):
		found.Object = object
		s.owned = append(s.owned, object.DeepCopy())
	}
	found.Secret, secret, err = r.secret(ctx, s.Target.Namespace, ref)
	return found, secret, err
}

// secret looks for the Secret of others, which are not cached, and for a key in it.
func (r *Reconciler) secret(
	ctx context.Context, namespace string, ref benchv1alpha1.SecretKeyReference,
) (decide.SecretState, *corev1.Secret, error) {
	found, err := loop.Get[corev1.Secret](ctx, r.Live, namespace, ref.Name)
	switch {
	case found == nil:
		return decide.SecretMissing, nil, err
	case len(found.Data[ref.Key]) == 0:
		return decide.SecretKeyMissing, found, nil
	}
	return decide.SecretFound, found, nil
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
