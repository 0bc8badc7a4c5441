package decide

import (
	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// issuer is the one of cert-manager that signs the members' certificate; nil where the operator makes an authority.
func issuer(spec benchv1alpha1.BenchmarkTargetSpec) *benchv1alpha1.IssuerReference {
	if !product.Encrypted(spec) {
		return nil
	}
	return spec.Security.TLS.IssuerRef
}

// MakesCertificate says whether a target's certificate is the operator's to make. All members have the same one: they
// are told apart by their names, which it covers, and its key is of no use to anybody once the target is gone.
func MakesCertificate(t *benchv1alpha1.BenchmarkTarget) bool {
	return t.Spec.External == nil && product.Encrypted(t.Spec) && issuer(t.Spec) == nil
}

// AsksForCertificate says whether a target's certificate is cert-manager's to make.
func AsksForCertificate(t *benchv1alpha1.BenchmarkTarget) bool {
	return t.Spec.External == nil && issuer(t.Spec) != nil
}

// CertificateNames are the names that the members of a target are reached by.
func CertificateNames(t *benchv1alpha1.BenchmarkTarget) []string {
	members := "*." + naming.MembersService(t.Name) + "." + t.Namespace + ".svc"
	return []string{members, members + ".cluster.local", "localhost"}
}

// loopback is the address that the members are reached by besides.
const loopback = "127.0.0.1"

// tlsSecret holds the certificate that the operator made, and its authority, whose own key nobody has kept.
func tlsSecret(o Observation) *corev1.Secret {
	made := secret(o, naming.TLSSecret(o.Target.Name), map[string][]byte{
		naming.CAKey: o.Candidate.TLS.Authority, naming.CertificateKey: o.Candidate.TLS.Certificate,
		naming.PrivateKeyKey: o.Candidate.TLS.Key,
	})
	made.Type = corev1.SecretTypeTLS
	return made
}
