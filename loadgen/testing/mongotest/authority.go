package mongotest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"
)

// Authority signs certificates for one test.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	issued      int64
}

// NewAuthority makes one that nobody else trusts.
func NewAuthority(tb testing.TB) *Authority {
	tb.Helper()
	a := &Authority{key: newKey(tb)}
	template := a.template(pkix.Name{CommonName: "authority"})
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	encoded, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		tb.Fatal(err)
	}
	if a.certificate, err = x509.ParseCertificate(encoded); err != nil {
		tb.Fatal(err)
	}
	return a
}

func newKey(tb testing.TB) *ecdsa.PrivateKey {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

func (a *Authority) template(subject pkix.Name) *x509.Certificate {
	a.issued++
	return &x509.Certificate{
		SerialNumber: big.NewInt(a.issued), Subject: subject,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

// PEM is the authority's certificate.
func (a *Authority) PEM() []byte { return inPEM("CERTIFICATE", a.certificate.Raw) }

// Issue makes a certificate and its key, in PEM, with these names of servers, of which some may be IP addresses.
func (a *Authority) Issue(tb testing.TB, subject pkix.Name, servers ...string) (certificate, key []byte) {
	tb.Helper()
	template, private := a.template(subject), newKey(tb)
	for _, name := range servers {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	encoded, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &private.PublicKey, a.key)
	if err != nil {
		tb.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		tb.Fatal(err)
	}
	return inPEM("CERTIFICATE", encoded), inPEM("PRIVATE KEY", secret)
}

func inPEM(kind string, content []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
}
