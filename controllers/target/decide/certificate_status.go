package decide

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// IssuedCertificate is what was found of a certificate that cert-manager is to issue.
type IssuedCertificate struct {
	// KindMissing says that the cluster does not know the kind.
	KindMissing bool
	// Object is nil while there is none.
	Object *unstructured.Unstructured
	// Secret is that of the certificate; its key is the authority.
	Secret SecretState
}

// Conditions of a Certificate, from cert-manager's API.
const (
	certificateReady   = "Ready"
	certificateIssuing = "Issuing"
)

// certificateStatus is what we read of a Certificate's status.
type certificateStatus struct {
	Status struct {
		Conditions      []metav1.Condition `json:"conditions"`
		LastFailureTime string             `json:"lastFailureTime"`
	} `json:"status"`
}

// waitsForCertificate says whether nothing else is made yet: members that are started without their certificate would
// only wait for it, each on its own.
func waitsForCertificate(o Observation) bool {
	begun := o.TopologyJob != nil || len(o.StatefulSets) > 0
	if issuer(o.Target.Spec) == nil || begun {
		return false
	}
	return o.Certificate.Secret != SecretFound ||
		!condition.IsTrue(statusOf(o.Certificate.Object).Status.Conditions, certificateReady)
}

// awaitCertificate is what a target that waits for its certificate waits for.
func awaitCertificate(o Observation) (verdict, bool) {
	if !waitsForCertificate(o) || o.ApplyFault.Reason != "" {
		return verdict{}, false
	}
	name, from := naming.TLSSecret(o.Target.Name), issuer(o.Target.Spec)
	found := statusOf(o.Certificate.Object).Status
	ready := condition.Find(found.Conditions, certificateReady)
	issuing := condition.Find(found.Conditions, certificateIssuing)
	switch {
	case o.Certificate.KindMissing:
		return verdict{reason: benchv1alpha1.ReasonProviderMissing, message: fmt.Sprintf(
			"spec.security.tls.issuerRef names issuer %s, and the cluster knows no kind %s; install cert-manager, or leave "+
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
	case ready != nil && ready.Message != "":
		return verdict{
			reason:  benchv1alpha1.ReasonProviderPending,
			message: fmt.Sprintf("Certificate %s: %s", name, ready.Message),
		}, true
	}
	return verdict{
		reason:  benchv1alpha1.ReasonProviderPending,
		message: fmt.Sprintf("Certificate %s: cert-manager has not said anything yet", name),
	}, true
}

// statusOf reads what it can: what is of another form counts as not said.
func statusOf(object *unstructured.Unstructured) certificateStatus {
	var status certificateStatus
	if object != nil {
		_ = runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &status)
	}
	return status
}
