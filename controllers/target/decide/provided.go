package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Provided is what was found of an object by which another operator is asked for something.
type Provided struct {
	// KindMissing says that the cluster does not know the kind.
	KindMissing bool
	// Object is nil while there is none.
	Object *unstructured.Unstructured
	// Request is what cert-manager itself asks the issuer by; nil while there is none.
	Request *unstructured.Unstructured
	// Secret is that which the other operator makes: with the certificate and its authority, or a connection string.
	Secret SecretState
}

// provided is an object by which another operator is asked for something.
func provided(
	t *benchv1alpha1.BenchmarkTarget, kind schema.GroupVersionKind, name string, spec map[string]any,
) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&spec)
	if err != nil {
		return nil, fmt.Errorf("making a %s: %w", kind.Kind, err)
	}
	made := &unstructured.Unstructured{Object: map[string]any{"spec": content}}
	made.SetGroupVersionKind(kind)
	made.SetNamespace(t.Namespace)
	made.SetName(name)
	made.SetLabels(naming.ForTarget(t.Name, naming.ComponentMongod))
	return made, nil
}

// statusOf reads of an object's status what it can: what is of another form counts as not said.
func statusOf[Status any](object *unstructured.Unstructured) Status {
	var read struct {
		Status Status `json:"status"`
	}
	if object != nil {
		_ = runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &read)
	}
	return read.Status
}

// CertificateKind is what cert-manager is asked for a certificate by.
var CertificateKind = schema.GroupVersionKind{Group: "cert-manager.io", Version: "v1", Kind: "Certificate"}

// CertificateRequestKind is what cert-manager itself asks an issuer by.
var CertificateRequestKind = CertificateKind.GroupVersion().WithKind("CertificateRequest")

// certificateDuration is longer than a target lives: members read their certificate once, when they start.
const certificateDuration = 365 * 24 * time.Hour

// certificateObjects are what cert-manager is asked by, where it is there to be asked.
func certificateObjects(o Observation) ([]desired.Object, error) {
	if !AsksForCertificate(o.Target) || o.Certificate.KindMissing {
		return nil, nil
	}
	made, err := certificate(o.Target)
	return []desired.Object{made}, err
}

// certificate asks cert-manager for the members' certificate.
func certificate(t *benchv1alpha1.BenchmarkTarget) (*unstructured.Unstructured, error) {
	from, labels := issuer(t.Spec), naming.ForTarget(t.Name, naming.ComponentMongod)
	return provided(t, CertificateKind, naming.TLSSecret(t.Name), map[string]any{
		"secretName":     naming.TLSSecret(t.Name),
		"secretTemplate": map[string]any{"labels": labels},
		"duration":       certificateDuration.String(),
		"privateKey":     map[string]any{"algorithm": "ECDSA", "size": 256, "encoding": "PKCS8"},
		"usages":         []string{"digital signature", "server auth", "client auth"},
		"dnsNames":       CertificateNames(t),
		"ipAddresses":    []string{loopback},
		"issuerRef":      map[string]any{"group": CertificateKind.Group, "kind": from.Kind, "name": from.Name},
	})
}

// Conditions of a Certificate, from cert-manager's API.
const (
	certificateReady   = "Ready"
	certificateIssuing = "Issuing"
)

// certificateStatus is what we read of a Certificate's status.
type certificateStatus struct {
	Conditions      []metav1.Condition `json:"conditions"`
	LastFailureTime string             `json:"lastFailureTime"`
}

// waitsForCertificate says whether nothing else is made yet: members that are started without their certificate would
// only wait for it, each on its own.
func waitsForCertificate(o Observation) bool {
	begun := o.TopologyJob != nil || len(o.StatefulSets) > 0
	if issuer(o.Target.Spec) == nil || begun {
		return false
	}
	return o.Certificate.Secret != SecretFound ||
		!condition.IsTrue(statusOf[certificateStatus](o.Certificate.Object).Conditions, certificateReady)
}

// awaitCertificate is what a target that waits for its certificate waits for.
func awaitCertificate(o Observation) (verdict, bool) {
	if !waitsForCertificate(o) || o.ApplyFault.Reason != "" {
		return verdict{}, false
	}
	name, from := naming.TLSSecret(o.Target.Name), issuer(o.Target.Spec)
	pending := func(said string) (verdict, bool) {
		return verdict{reason: benchv1alpha1.ReasonProviderPending, message: "Certificate " + name + ": " + said}, true
	}
	found := statusOf[certificateStatus](o.Certificate.Object)
	ready := condition.Find(found.Conditions, certificateReady)
	issuing := condition.Find(found.Conditions, certificateIssuing)
	asked := condition.Find(statusOf[certificateStatus](o.Certificate.Request).Conditions, certificateReady)
	switch {
	case o.Certificate.KindMissing:
		return verdict{reason: benchv1alpha1.ReasonProviderMissing, message: fmt.Sprintf(
			"security.tls.issuerRef names issuer %s, and the cluster knows no kind %s; install cert-manager, or leave "+
				"issuerRef out", from.Name, CertificateKind.GroupKind())}, true
	case ready != nil && ready.Status == metav1.ConditionTrue && o.Certificate.Secret == SecretKeyMissing:
		return verdict{stalled: true, reason: benchv1alpha1.ReasonProviderFailed, message: fmt.Sprintf(
			"Secret %s, which cert-manager made, has no key %s, which clients need to verify the members; use an issuer "+
				"that tells its authority", name, naming.CAKey)}, true
	case found.LastFailureTime != "" && issuing != nil && issuing.Status == metav1.ConditionFalse:
		return verdict{
			stalled: true, reason: benchv1alpha1.ReasonProviderFailed,
			message: fmt.Sprintf("Certificate %s: %s", name, issuing.Message),
		}, true
	}
	return pending(certManagerSays(ready, asked))
}

// certManagerSays is what cert-manager says while there is no certificate. That an issuer is not there, or not ready,
// it says of its own request alone.
func certManagerSays(ready, asked *metav1.Condition) string {
	switch {
	case asked != nil && asked.Status == metav1.ConditionFalse && asked.Message != "":
		return asked.Message
	case ready != nil && ready.Message != "":
		return ready.Message
	}
	return "cert-manager has not said anything yet"
}
