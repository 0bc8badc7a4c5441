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
func (r *Reconciler) observeCertificate(ctx context.Context, s *reading) (err error) {
	if !decide.AsksForCertificate(s.Target) {
		return nil
	}
	ref := benchv1alpha1.SecretKeyReference{Name: naming.TLSSecret(s.Target.Name), Key: naming.CAKey}
	var issued *corev1.Secret
	s.Certificate, issued, err = r.provided(ctx, s, decide.CertificateKind, ref.Name, ref)
	if issued != nil && issued.Annotations[certificateAnnotation] == ref.Name {
		s.foreign = append(s.foreign, issued)
	}
	if err != nil || s.Certificate.Object == nil || s.Certificate.Secret != decide.SecretMissing {
		return err
	}
	s.Certificate.Request, err = r.certificateRequest(ctx, s)
	return err
}

// certificateRequest is the latest by which cert-manager asked for the certificate that a target waits for.
func (r *Reconciler) certificateRequest(ctx context.Context, s *reading) (*unstructured.Unstructured, error) {
	requests := &unstructured.UnstructuredList{}
	requests.SetGroupVersionKind(decide.CertificateRequestKind)
	// cert-manager gives a request the labels of its certificate.
	err := r.Live.List(ctx, requests, client.InNamespace(s.Target.Namespace),
		client.MatchingLabels(naming.SelectTarget(s.Target.Name)))
	if err != nil {
		return nil, fmt.Errorf("listing the requests for certificates: %w", err)
	}
	var latest *unstructured.Unstructured
	for i := range requests.Items {
		request := &requests.Items[i]
		if metav1.IsControlledBy(request, s.Certificate.Object) &&
			(latest == nil || latest.GetCreationTimestamp().Time.Before(request.GetCreationTimestamp().Time)) {
			latest = request
		}
	}
	return latest, nil
}

// observeCommunity looks for the replica set that the MongoDB Community Operator is to deploy, and for the Secret by
// which it is reached.
func (r *Reconciler) observeCommunity(ctx context.Context, s *reading) (err error) {
	if !decide.ByCommunity(s.Target.Spec) {
		return nil
	}
	s.Community, _, err = r.provided(ctx, s, decide.CommunityKind, s.Target.Name, decide.CommunityURI(s.Target.Name))
	if err != nil || s.Community.Object == nil || s.Target.Status.Connection != nil {
		return err
	}
	for _, name := range decide.CommunityClaims(s.Target) {
		found, err := loop.Get[corev1.PersistentVolumeClaim](ctx, r.Live, s.Target.Namespace, name)
		if err != nil {
			return err
		}
		if found != nil {
			s.foreign = append(s.foreign, found)
		}
	}
	return nil
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
	if s.Target.Status.Connection != nil { // It was there when the target became ready.
		found.Secret = decide.SecretFound
		return found, nil, nil
	}
	found.Secret, secret, err = r.secret(ctx, s.Target.Namespace, ref)
	return found, secret, err
}

// secret looks for the Secret of others, and for a key in it. None are cached: it takes the right to list all of them.
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

// adopt makes what another operator made go with the target, where that operator leaves it behind: the Secret of a
// certificate, and the volumes of a replica set.
func (r *Reconciler) adopt(ctx context.Context, target *benchv1alpha1.BenchmarkTarget, made client.Object) error {
	// One without the label, which that operator was asked for, is not ours to change.
	owned := slices.ContainsFunc(made.GetOwnerReferences(), func(owner metav1.OwnerReference) bool {
		return owner.UID == target.UID
	})
	if owned || made.GetLabels()[naming.ManagedByLabel] != naming.ManagedBy ||
		made.GetLabels()[naming.TargetLabel] != target.Name {
		return nil
	}
	before, _ := made.DeepCopyObject().(client.Object)
	err := controllerutil.SetOwnerReference(target, made, r.Client.Scheme())
	if err == nil {
		err = r.Client.Patch(ctx, made, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	}
	if apierrors.IsConflict(err) {
		return nil // Its maker wrote it at the same time; it is adopted with the next look.
	}
	if err != nil {
		return fmt.Errorf("adopting %T %s: %w", made, made.GetName(), err)
	}
	return nil
}
