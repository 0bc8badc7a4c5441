package decide

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// CertificateKind is what cert-manager is asked for a certificate by.
var CertificateKind = schema.GroupVersionKind{Group: "cert-manager.io", Version: "v1", Kind: "Certificate"}

// certificateDuration is longer than a target lives: members read their certificate once, when they start.
const certificateDuration = 365 * 24 * time.Hour

// certificateSpec is what we ask of a Certificate of cert-manager.
type certificateSpec struct {
	SecretName     string            `json:"secretName"`
	SecretTemplate secretTemplate    `json:"secretTemplate"`
	Duration       string            `json:"duration"`
	PrivateKey     privateKey        `json:"privateKey"`
	Usages         []string          `json:"usages"`
	DNSNames       []string          `json:"dnsNames"`
	IPAddresses    []string          `json:"ipAddresses"`
	IssuerRef      certificateIssuer `json:"issuerRef"`
}

type secretTemplate struct {
	Labels map[string]string `json:"labels"`
}

type privateKey struct {
	Algorithm string `json:"algorithm"`
	Size      int64  `json:"size"`
	Encoding  string `json:"encoding"`
}

type certificateIssuer struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
	Name  string `json:"name"`
}

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
	from := issuer(t.Spec)
	spec := certificateSpec{
		SecretName:     naming.TLSSecret(t.Name),
		SecretTemplate: secretTemplate{Labels: naming.ForTarget(t.Name, naming.ComponentMongod)},
		Duration:       certificateDuration.String(),
		PrivateKey:     privateKey{Algorithm: "ECDSA", Size: 256, Encoding: "PKCS8"},
		Usages:         []string{"digital signature", "server auth", "client auth"},
		DNSNames:       CertificateNames(t),
		IPAddresses:    []string{loopback},
		IssuerRef: certificateIssuer{
			Group: CertificateKind.Group, Name: from.Name,
			Kind: string(*from.Kind),
		},
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&spec)
	if err != nil {
		return nil, fmt.Errorf("making a Certificate: %w", err)
	}
	made := &unstructured.Unstructured{Object: map[string]any{"spec": content}}
	made.SetGroupVersionKind(CertificateKind)
	made.SetNamespace(t.Namespace)
	made.SetName(naming.TLSSecret(t.Name))
	made.SetLabels(naming.ForTarget(t.Name, naming.ComponentMongod))
	return made, nil
}
