package decide

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// ExternalSecret is one that an external target refers to.
type ExternalSecret struct {
	benchv1alpha1.SecretKeyReference

	// Holds says for people what is expected under the key.
	Holds string
	// State says what was found of it.
	State SecretState
}

// ExternalSecrets are those that an external target refers to, the connection string's first; none of another target.
func ExternalSecrets(spec benchv1alpha1.BenchmarkTargetSpec) []ExternalSecret {
	if spec.External == nil {
		return nil
	}
	all := []ExternalSecret{{SecretKeyReference: spec.External.URISecretRef, Holds: "the connection string"}}
	add := func(secret *benchv1alpha1.NameReference, key, holds string) {
		if secret != nil {
			all = append(all, ExternalSecret{
				SecretKeyReference: benchv1alpha1.SecretKeyReference{Name: secret.Name, Key: key}, Holds: holds,
			})
		}
	}
	tls := externalTLS(spec)
	add(tls.CASecretRef, naming.CAKey, "the authorities of the servers' certificates")
	add(tls.ClientCertificateSecretRef, corev1.TLSCertKey, "the client's certificate")
	add(tls.ClientCertificateSecretRef, corev1.TLSPrivateKeyKey, "the key of the client's certificate")
	return all
}

// externalTLS are the certificates of an external target; of another one none.
func externalTLS(spec benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.ExternalTLS {
	external := ptr.Deref(spec.External, benchv1alpha1.ExternalTarget{})
	return ptr.Deref(external.TLS, benchv1alpha1.ExternalTLS{})
}

// nameOf is the name of an object that is referred to; nil where none is.
func nameOf(object *benchv1alpha1.NameReference) *string {
	if object == nil {
		return nil
	}
	return &object.Name
}

// missingSecret is the first Secret that an external target waits for.
func missingSecret(o Observation) (ExternalSecret, bool) {
	if o.Target.Spec.External == nil || o.TopologyJob != nil {
		return ExternalSecret{}, false
	}
	if len(o.External) == 0 { // Not looked for yet.
		return ExternalSecrets(o.Target.Spec)[0], true
	}
	at := slices.IndexFunc(o.External, func(s ExternalSecret) bool { return s.State != SecretFound })
	if at < 0 {
		return ExternalSecret{}, false
	}
	return o.External[at], true
}
